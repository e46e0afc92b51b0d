// SPDX-License-Identifier: Apache-2.0
// fuzz_hard_cones [instances] [seed] [first] [others] [family]: problems of cones at the edge of double precision (see
// hard_cones.hpp) through mixed::Automatic, friction::Automatic and the global form's automatic choice, and `others`
// (0) more entries of the registry. Instance k is of family k mod 6: mixed, cones, rolling, planar, spatial, global;
// with `family` (0 to 5) all are of that one.
//
// Fails if an answer called Solved is none by the distance of (u, r) to the laws in quadruple precision, if a proof of
// infeasibility does not hold, or if a problem with a planted proof is called Solved. Nothing is due: many have no
// verdict in doubles. Instance k alone: fuzz_hard_cones 1 SEED k. Exit status: 0, 1 if it fails, 2 for an argument that
// cannot be used.
#include <array>
#include <random>
#include <string>

#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/mixed.hpp>

#include "../problems/hard_cones.hpp"
#include "../problems/proof_judge.hpp"
#include "judge.hpp"

namespace {

using namespace nonsmooth;
using namespace nonsmooth::fuzz;
using problems::HardCones;
using problems::HardFamily;

constexpr double tolerance = 1e-8;
/// Enough for all but a few that have an answer, and those that have none are many. The time limit ends what rolling
/// contacts with friction beyond 1e6 would take for nothing; an instance that needs almost all of it may end otherwise
/// on another machine.
constexpr Index max_iterations = 300;
constexpr double time_limit = 0.02;  // [s]
constexpr std::array families{"mixed", "cones", "rolling", "planar", "spatial", "global"};

void run_reduced(Judge& judge, const char* name, HardFamily family, std::mt19937_64& random) {
  const HardCones instance = problems::random_hard_cones(family, false, random);
  const mixed::Problem& p = instance.problem;
  const auto worth = [&](const Eigen::VectorXd& r) { return problems::worth(instance.W, p.q, p.K, r); };
  const Instance what{name, instance.name, p.q.size(), instance.verdict, false};
  if (instance.r.size() > 0) judge.check_planted(what, worth(instance.r));
  if (instance.y.size() > 0) judge.check_planted_proof(what, problems::proof_holds(instance.W, p.q, p.K, instance.y));
  const auto answer = [&](const auto& result) {
    return answer_of(result, worth(result.r), problems::proof_holds(instance.W, p.q, p.K, result.proof));
  };
  const auto solve = [&](const auto& entry) {
    return answer(entry.solver.solve(
        p, Limits{.tolerance = tolerance, .max_iterations = max_iterations, .time_limit = time_limit}));
  };
  if (friction::supports(p.K))
    judge.run(what, friction::registry(), random, solve);
  else
    judge.run(what, mixed::registry(), random, solve);
}

void run_global(Judge& judge, const char* name, std::mt19937_64& random) {
  constexpr std::array kinds{HardFamily::Mixed, HardFamily::Rolling, HardFamily::Planar, HardFamily::Spatial};
  const HardCones instance = problems::random_hard_cones(kinds[random() % kinds.size()], true, random);
  const friction::GlobalProblem& p = instance.global;
  const Instance what{name, instance.name, p.w.size(), instance.verdict, false};
  judge.one(what, "global automatic", [&] {
    const auto result = friction::solve(
        p,
        friction::GlobalAutomatic{.tolerance = tolerance, .max_iterations = max_iterations, .time_limit = time_limit});
    const bool holds = result.proof.size() == 0 || problems::proof_holds(friction::to_reduced(p).W.to_dense(),
                                                                         friction::to_reduced(p).q, p.K, result.proof);
    return answer_of(result, problems::worth(p, result.v, result.r), holds);
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<long> only;
  if (argc == 6) {
    only = fuzz::whole_number(argv[5], 0);
    if (!only || *only >= static_cast<long>(families.size())) {
      std::cerr << "fuzz_hard_cones: found family '" << argv[5] << "', expected a whole number from 0 to 5\n";
      return 2;
    }
    argc = 5;
  }
  const auto arguments = fuzz::arguments("fuzz_hard_cones", 6'000, 0, argc, argv);
  if (!arguments) return 2;
  return fuzz::fuzz(*arguments, tolerance, [&](Judge& judge, std::mt19937_64& random) {
    const auto family = static_cast<std::size_t>(only ? *only : judge.index() % static_cast<long>(families.size()));
    if (family == 5) return run_global(judge, families[family], random);
    run_reduced(judge, families[family], static_cast<HardFamily>(family), random);
  });
}
