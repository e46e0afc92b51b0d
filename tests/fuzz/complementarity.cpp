// SPDX-License-Identifier: Apache-2.0
// fuzz_complementarity [instances] [seed] [first] [others]: random problems of the families lcp (dense and sparse),
// relay, mlcp and mixed, each through the family's automatic choice and `others` (2) more entries of its registry.
// A fifth is degenerate, a fifth rank-deficient, a fifth has units over 12 decades, a tenth has no solution.
//
// Fails if an answer called Solved is above the tolerance by an independent certificate, if a proof of infeasibility is
// false, if a problem without a solution is called Solved, or if automatic leaves more than a hundredth of the
// problems of a class known to be solvable without their verdict. Instance k alone: fuzz_complementarity 1 SEED k.
// Exit status: 0, 1 if it fails, 2 for an argument that cannot be used.
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/lcp.hpp>
#include <nonsmooth/numerics/mixed.hpp>
#include <nonsmooth/numerics/mlcp/registry.hpp>
#include <nonsmooth/numerics/relay/registry.hpp>

#include "../problems/cones.hpp"
#include "judge.hpp"

namespace {

using namespace nonsmooth;
using problems::Boxed;
using problems::Cones;
using problems::MatrixClass;
using problems::Verdict;
using problems::Worth;
using namespace nonsmooth::fuzz;

constexpr double tolerance = 1e-10;

/// What an instance is made with: a fifth each degenerate and over 12 decades, a tenth without a solution.
struct Recipe {
  problems::Draw draw;
  MatrixClass kind;
  bool unsolvable;
  explicit Recipe(std::mt19937_64& random) {
    draw.n = 1 + static_cast<Index>(random() % 30);
    draw.degenerate = random() % 5 == 0 ? 0.4 : 0.0;
    draw.decades = random() % 5 == 0 ? 12.0 : 0.0;
    unsolvable = random() % 10 == 0;
    kind = static_cast<MatrixClass>(random() % problems::num_matrix_classes);
  }
};

Boxed boxed(const Recipe& recipe, bool lcp, std::mt19937_64& random) {
  Boxed result;
  if (!recipe.unsolvable) {
    result = problems::random_boxed(recipe.kind, recipe.draw, lcp, random);
  } else if (recipe.draw.n >= 2 && random() % 4 == 0) {
    result = problems::random_unsolvable(recipe.draw.n, random);
  } else {
    result = problems::random_infeasible_boxed(recipe.draw, lcp, random);
  }
  if (!recipe.unsolvable && recipe.draw.decades > 0.0) result.name += ", 12 decades";
  return result;
}

Worth worth(const Boxed& boxed, const Eigen::VectorXd& z) {
  const relay::Problem& p = boxed.problem;
  ProductSet K;
  for (Index i = 0; i < p.q.size(); ++i)
    K.push_back({.kind = SetKind::Box, .lower = p.lower[i], .upper = p.upper[i]}, 1);
  return problems::worth(p.M, p.q, K, z);
}

Worth worth(const Cones& cones, const Eigen::VectorXd& r) {
  return problems::worth(cones.W, cones.problem.q, cones.problem.K, r);
}

/// The hot loop's door, which starts from the last answer of the same size.
struct Warm {
  lcp::Workspace workspace;
  lcp::Result result;
};

void run_lcp(Judge& judge, bool sparse, Warm& warm, std::mt19937_64& random) {
  const Boxed instance = boxed(Recipe(random), true, random);
  const lcp::Problem problem{instance.problem.M, instance.problem.q};
  const auto answer = [&](const lcp::Result& result) {
    return answer_of(result, worth(instance, result.z), problems::independent_proof(instance.problem, result.proof));
  };
  const Instance what{sparse ? "lcp, sparse" : "lcp", instance.name, problem.q.size(), instance.verdict,
                      instance.known_class};
  if (instance.z.size() > 0) judge.check_planted(what, worth(instance, instance.z));
  const lcp::SparseProblem thin = problems::sparse(problem);
  judge.run(what, lcp::registry(), random, [&](const lcp::Entry& entry) {
    const Limits limits{.tolerance = tolerance};
    const bool as_sparse = entry.solver.sparse() && (sparse || !entry.solver.dense());
    return answer(as_sparse ? entry.solver.solve(thin, limits) : entry.solver.solve(problem, limits));
  });
  if (sparse) return;
  judge.also(what, "workspace, warm", [&] {
    warm.workspace.solve({problem.M, problem.q}, tolerance, false, warm.result);
    return answer(warm.result);
  });
}

void run_relay(Judge& judge, std::mt19937_64& random) {
  const Boxed instance = boxed(Recipe(random), false, random);
  const Instance what{"relay", instance.name, instance.problem.q.size(), instance.verdict, instance.known_class};
  if (instance.z.size() > 0) judge.check_planted(what, worth(instance, instance.z));
  judge.run(what, relay::registry(), random, [&](const relay::Entry& entry) {
    const relay::Result result = entry.solver.solve(instance.problem, Limits{.tolerance = tolerance});
    return answer_of(result, worth(instance, result.z), problems::independent_proof(instance.problem, result.proof));
  });
}

void run_mlcp(Judge& judge, std::mt19937_64& random) {
  const Boxed instance = boxed(Recipe(random), false, random);
  std::vector<Index> rows;
  const mlcp::Problem problem = problems::to_mlcp(instance.problem, rows);
  const Instance what{"mlcp", instance.name, instance.problem.q.size(), instance.verdict, instance.known_class};
  if (instance.z.size() > 0) judge.check_planted(what, worth(instance, instance.z));
  judge.run(what, mlcp::registry(), random, [&](const mlcp::Entry& entry) {
    const mlcp::Result result = entry.solver.solve(problem, Limits{.tolerance = tolerance});
    Eigen::VectorXd z(problem.num_free() + problem.num_constrained()), y(result.proof.size());
    for (Index i = 0; i < z.size(); ++i) {
      const Index to = rows[static_cast<std::size_t>(i)], n = problem.num_free();
      z[to] = i < n ? result.u[i] : result.v[i - n];
      if (y.size() == z.size()) y[to] = result.proof[i];
    }
    return answer_of(result, worth(instance, z), problems::independent_proof(instance.problem, y));
  });
}

void run_mixed(Judge& judge, std::mt19937_64& random) {
  const Recipe recipe(random);
  const Index blocks = 1 + recipe.draw.n / 3;
  const bool rank_deficient = random() % 5 == 0;
  Cones cones;
  Boxed boxed;  // the planted infeasible problems, which are of rows alone
  std::string kinds = "orthants";
  if (recipe.unsolvable) {
    cones = problems::random_infeasible_cones(recipe.draw.n, boxed, random);
  } else {
    using enum SetKind;
    const std::pair<const char*, std::vector<SetKind>> choices[] = {
        {"free, orthant, box", {Free, Orthant, Box}},
        {"coulomb 2d", {Orthant, Coulomb2D}},
        {"coulomb 3d", {Free, Orthant, Coulomb3D}},
        {"second-order cone", {Box, SecondOrderCone}},
        {"plasticity", {DruckerPrager, VonMises}},
        {"every set", {Free, Orthant, Box, SecondOrderCone, Coulomb2D, Coulomb3D, DruckerPrager, VonMises}}};
    const auto& choice = choices[random() % std::size(choices)];
    kinds = choice.first;
    cones = problems::random_cones(blocks, choice.second, rank_deficient, recipe.draw.degenerate > 0.0,
                                   recipe.draw.decades, random);
    cones.name = kinds + ", " + cones.name + (recipe.draw.decades > 0.0 ? ", 12 decades" : "");
  }
  const Instance what{"mixed", cones.name, cones.problem.q.size(), cones.verdict, cones.known_class};
  if (cones.r.size() > 0) judge.check_planted(what, worth(cones, cones.r));
  judge.run(what, mixed::registry(), random, [&](const mixed::Entry& entry) {
    const mixed::Result result = entry.solver.solve(cones.problem, Limits{.tolerance = tolerance});
    const bool proof_holds =
        cones.verdict == Verdict::Infeasible && problems::independent_proof(boxed.problem, result.proof);
    return answer_of(result, worth(cones, result.r), proof_holds);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = fuzz::arguments("fuzz_complementarity", 10'000, 2, argc, argv);
  if (!arguments) return 2;
  Warm warm;
  return fuzz::fuzz(*arguments, tolerance, [&](Judge& judge, std::mt19937_64& random) {
    const std::uint64_t family = random() % 10;
    if (family < 3) {
      run_lcp(judge, false, warm, random);
    } else if (family == 3) {
      run_lcp(judge, true, warm, random);
    } else if (family < 6) {
      run_relay(judge, random);
    } else if (family < 8) {
      run_mlcp(judge, random);
    } else {
      run_mixed(judge, random);
    }
  });
}
