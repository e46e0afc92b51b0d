// SPDX-License-Identifier: Apache-2.0
// Random convex quadratic programs, planted and judged: strictly convex, singular and linear ones, degenerate, on
// polyhedral cones, with dependent rows, in units over decades, infeasible and unbounded; automatic and two drawn
// solvers of the registry each, dense or sparse, and the warm workspace.
//
//     fuzz_qp [instances] [seed] [first] [others]
#include <nonsmooth/numerics/qp.hpp>
#include <problems/program_judge.hpp>
#include <problems/qp.hpp>
#include <problems/qp_residual.hpp>

#include "judge.hpp"

namespace nonsmooth {
namespace {

using fuzz::Answer;
using fuzz::Instance;
using fuzz::Judge;
using problems::Verdict;

constexpr double tolerance = 1e-9;

struct Drawn {
  problems::Qp qp;
  Instance what;
};

Drawn draw(std::mt19937_64& random) {
  const auto whole = [&random](Index low, Index high) {
    return low + static_cast<Index>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  const std::uint64_t kind = random() % 11, seed = random();
  const Index n = whole(2, 20), m = whole(0, 25);
  const auto planted = [&](const char* name, const problems::QpShape& shape, bool known) {
    return Drawn{problems::planted_qp(shape, seed), {"qp", name, n, Verdict::Solvable, known}};
  };
  switch (kind) {
    case 0:
      return {problems::infeasible_qp(n + 1, m + 2, seed), {"qp", "infeasible", n + 1, Verdict::Infeasible, true}};
    case 1:
      return {problems::unbounded_qp(n + 2, m, seed), {"qp", "unbounded", n + 2, Verdict::Infeasible, true}};
    case 2:
    case 3:
      return planted("strictly convex", {.n = n, .m = m, .equations = std::min(n, m) / 4}, true);
    case 4:
      return planted("linear", {.n = n, .m = m, .rank = 0}, true);
    case 5:
      return planted("singular", {.n = n, .m = m, .rank = whole(1, n), .degenerate = 0.3}, true);
    case 6:
      return planted("degenerate", {.n = n, .m = m, .equations = std::min(n, m) / 4, .degenerate = 0.8}, true);
    case 7:
      return {problems::cone_qp(n, m, seed), {"qp", "cones of rows", n, Verdict::Solvable, true}};
    case 8:
      return planted("dependent rows",
                     {.n = n, .m = m, .equations = std::min(n, m) / 3, .degenerate = 0.3, .dependent = true}, true);
    case 9:
      return {problems::whole_qp(n, m, random() % 3 ? whole(0, n) : 0, 12.0, seed),
              {"qp", "twelve decades", n, Verdict::Solvable, false}};
    default:
      return planted("six decades", {.n = n, .m = m, .equations = std::min(n, m) / 4, .decades = 6.0}, false);
  }
}

/// By extended precision; the value, which the planted pair has by duality, is a second judge of what is solved.
Answer judged(const Drawn& drawn, const qp::Result& result) {
  const qp::Problem& problem = drawn.qp.problem;
  problems::Worth worth{.residual = problems::independent_residual(problem, result.x, result.y),
                        .rows = result.certificate.row_residual};
  if (result.status == Status::Solved && drawn.what.verdict == Verdict::Solvable) {
    const auto value = [&problem](ConstVectorRef x) { return 0.5 * x.dot(problem.Q * x) + problem.c.dot(x); };
    const double planted = value(drawn.qp.x);
    const auto terms = [&problem](ConstVectorRef x) {
      const Eigen::VectorXd sizes = x.cwiseAbs();
      return 0.5 * sizes.dot(problem.Q.cwiseAbs() * sizes) + problem.c.cwiseAbs().dot(sizes);
    };
    // Where x is 0 the value is what rounding leaves of that of one unknown alone.
    double alone = 0.0;
    for (Index j = 0; j < problem.c.size(); ++j) {
      if (problem.Q(j, j) > 0.0) alone = std::max(alone, problem.c[j] * problem.c[j] / problem.Q(j, j));
    }
    // What is solved is so to the tolerance beside its own terms, which may be far larger where solutions are no point.
    const double bound = 1e-6 * terms(drawn.qp.x) + tolerance * terms(result.x) + 1e-13 * alone;
    if (!(std::abs(value(result.x) - planted) <= bound)) worth = {.residual = 1.0, .rows = 1.0};
  }
  const bool holds = result.unbounded() ? problems::ray_holds(problem, result.direction)
                                        : problems::farkas_holds(problem, result.proof);
  return fuzz::answer_of(result, worth, holds);
}

}  // namespace
}  // namespace nonsmooth

int main(int argc, char** argv) {
  using namespace nonsmooth;
  const auto arguments = fuzz::arguments("fuzz_qp", 10'000, 2, argc, argv);
  if (!arguments) return 2;
  qp::DualActiveSetWorkspace workspace;
  qp::Result warm;
  return fuzz::fuzz(*arguments, tolerance, [&](Judge& judge, std::mt19937_64& random) {
    const Drawn drawn = draw(random);
    const bool planted = drawn.what.verdict == Verdict::Solvable;
    if (planted) {
      judge.check_planted(
          drawn.what,
          {.residual = problems::independent_residual(drawn.qp.problem, drawn.qp.x, drawn.qp.y), .rows = 1.0});
    } else {
      judge.check_planted_proof(drawn.what, problems::farkas_holds(drawn.qp.problem, drawn.qp.proof) ||
                                                problems::ray_holds(drawn.qp.problem, drawn.qp.proof));
    }
    const bool sparse = random() % 3 == 0;
    judge.run(drawn.what, qp::registry(), random, [&](const qp::Entry& entry) {
      const Limits limits{.tolerance = tolerance};
      if (entry.solver.sparse() && (sparse || !entry.solver.dense()))
        return judged(drawn, entry.solver.solve(problems::sparse(drawn.qp.problem), limits));
      return judged(drawn, entry.solver.solve(drawn.qp.problem, limits));
    });
    judge.also(drawn.what, "workspace, warm", [&] {
      workspace.solve(drawn.qp.problem, {.tolerance = tolerance}, false, warm);
      return judged(drawn, warm);
    });
  });
}
