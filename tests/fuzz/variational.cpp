// SPDX-License-Identifier: Apache-2.0
// fuzz_variational [instances] [seed] [first] [others]: random nonlinear complementarity problems, variational and
// quasi-variational inequalities, planted and judged: monotone, degenerate, in units over decades, of any sign on
// bounded polyhedra, on empty and on very short sets, without a solution, with values that are not finite on the way,
// with wrong Jacobians; automatic and two drawn solvers of the registry each.
//
// Solved must hold by an independent certificate, and of strongly monotone problems within the distance to the planted
// solution that this certificate bounds; what has no solution must not be Solved; proofs are checked by hand.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <nonsmooth/numerics/mcp/registry.hpp>
#include <nonsmooth/numerics/vi/quasi_registry.hpp>
#include <nonsmooth/numerics/vi/registry.hpp>
#include <problems/mcp.hpp>
#include <problems/random_matrices.hpp>
#include <problems/vi.hpp>

#include "judge.hpp"

namespace nonsmooth {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using fuzz::Answer;
using fuzz::Instance;
using fuzz::Judge;
using problems::Bounds;
using problems::Verdict;

constexpr double tolerance = 1e-9;
constexpr Index most_iterations = 300;  // of what need not find an answer

/// A problem of both families, F on a box, or of the second alone.
struct Drawn {
  NonlinearMap F{};
  VectorXd lower{}, upper{};  // empty: K instead
  vi::ConvexSet K{};
  VectorXd x{};        // planted; empty where no solution is known
  double reach = 0.0;  // |x - x*|_inf <= reach * max(residual * max(scale, least_scale), round-off); 0: not known
  double least_scale = 0.0;
  const char* name = "";
  Verdict verdict = Verdict::Solvable;
  bool known = true;
};

Drawn of_mcp(const problems::Mcp& mcp, const char* name, double reach, bool known) {
  return {.F = mcp.problem.F,
          .lower = mcp.problem.lower,
          .upper = mcp.problem.upper,
          .x = mcp.solutions.front(),
          .reach = reach,
          .name = name,
          .known = known};
}

/// Values that are not finite on a ball between 0 and the solution, which it leaves alone.
void break_between(Drawn& drawn, std::uint64_t seed) {
  problems::Random random(seed);
  const VectorXd middle = problems::uniform(random, 0.3, 0.7) * drawn.x;
  const double radius = 0.2 * drawn.x.norm() * problems::uniform(random, 0.1, 1.0);
  drawn.F.value = [F = drawn.F.value, middle, radius](ConstVectorRef y, VectorRef f) {
    F(y, f);
    if ((y - middle).norm() < radius) f[0] = std::numeric_limits<double>::quiet_NaN();
  };
  drawn.name = "not finite on the way";
  drawn.known = false;
}

/// An entry of the Jacobian that is missing, or of the wrong sign, or all of it twice too large.
void spoil_jacobian(Drawn& drawn, std::uint64_t seed) {
  const Index n = drawn.F.num_unknowns;
  const auto i = static_cast<Index>(seed % static_cast<std::uint64_t>(n));
  const auto j = static_cast<Index>(seed / 7 % static_cast<std::uint64_t>(n));
  drawn.F.dense_jacobian = [J_of = drawn.F.dense_jacobian, i, j, kind = seed % 3](ConstVectorRef y, MatrixRef J) {
    J_of(y, J);
    if (kind == 0) J(i, j) = 0.0;
    if (kind == 1) J(i, j) *= -1.0;
    if (kind == 2) J *= 2.0;
  };
  drawn.name = "wrong Jacobian";
  drawn.known = false;
  drawn.reach *= 1e3;  // the certificate's slopes are the given ones
  // Where these are far below F's, a residual bounds |x - x*| itself, by (1 + s / m) times that of sizes near 10.
  drawn.least_scale = std::max(drawn.least_scale, 20.0 / drawn.reach);
}

Drawn draw_mcp(std::mt19937_64& random) {
  const std::uint64_t kind = random() % 10, seed = random();
  const Index n = 1 + static_cast<Index>(random() % 10);
  const Bounds bounds = random() % 2 == 0 ? Bounds::Finite : Bounds::Mixed;
  // Strongly monotone with 1/2, s below 30: |x - x*| <= (1 + s) |e| / (1/2) sqrt(n).
  const auto monotone = [&](const char* name, double degenerate) {
    return of_mcp(problems::random_monotone_mcp(n, seed, bounds, degenerate), name, 400.0, true);
  };
  switch (kind) {
    case 0:
    case 1:
      return monotone("monotone", 0.0);
    case 2:
    case 3:
      return monotone("degenerate", 0.5);
    case 4:
      return of_mcp(problems::rescaled(problems::random_monotone_mcp(n, seed, bounds, 0.2), seed, 6.0), "six decades",
                    0.0, false);
    case 5:
      return of_mcp(problems::random_any_mcp(n, seed, bounds), "any sign", 0.0, false);
    case 6: {
      const problems::Mcp chain = problems::sparse_chain(5 * n, seed);
      return of_mcp(chain, "sparse chain", 500.0, true);
    }
    case 7: {
      const problems::Relay relay = problems::random_relay_infeasible(n, seed);
      const mcp::Problem problem = problems::as_mcp(relay.problem);
      return {.F = problem.F,
              .lower = problem.lower,
              .upper = problem.upper,
              .name = "no solution",
              .verdict = Verdict::Infeasible,
              .known = false};
    }
    case 8: {
      Drawn drawn = monotone("", 0.2);
      break_between(drawn, seed);
      return drawn;
    }
    default: {
      Drawn drawn = monotone("", 0.2);
      spoil_jacobian(drawn, seed);
      return drawn;
    }
  }
}

Drawn of_vi(const problems::Vi& vi, const char* name) {
  // m = 1/2, 1 + rho L <= 21, |e|_2 <= 6 |e|_inf: as in the contract suite.
  return {.F = vi.problem.F, .K = vi.problem.K, .x = vi.x, .reach = 252.0, .name = name};
}

Drawn draw_vi(std::mt19937_64& random) {
  const std::uint64_t kind = random() % 12, seed = random();
  const Index n = 1 + static_cast<Index>(random() % 8);
  const auto& sets = problems::kinds_of_sets();
  const problems::SetOf set = sets[random() % sets.size()].first;
  const auto planted = [&](problems::SetOf on, const char* name) {
    return of_vi(problems::planted_vi(on, n, seed, seed % 2 == 0, seed % 3 == 0), name);
  };
  switch (kind) {
    case 0:
    case 1:
    case 2: {
      Drawn drawn = planted(set, "strongly monotone");
      // Dykstra's cycles may end before they find a point where a ball and a half-space only touch.
      drawn.known = set != problems::SetOf::DykstrasIntersection;
      return drawn;
    }
    case 3:
    case 4: {
      problems::Random numbers(seed);
      const vi::Polyhedron K = problems::random_polytope(n, seed % 3 == 0 ? n / 3 : 0, seed % 2 == 0 ? 0.5 : 0.0, seed);
      return {.F = problems::affine_map(3.0 * problems::entries(numbers, n, n), problems::entries(numbers, n, 1)),
              .K = K,
              .name = "any matrix, bounded polyhedra"};
    }
    case 5: {
      // a·x <= 1 and a·x >= 1 + gap, a the same numbers in both: that nothing is between is exact in 1 - (1 + gap) as
      // rounded, and (1, 0, 1, 0) proves it as long as gap > 4 eps (2 + gap); down to 1e-12, a thousand times that.
      const problems::Vi empty = problems::empty_vi(n, seed);
      vi::Polyhedron K = *empty.problem.K.polyhedron();
      K.b[0] = 1.0;
      K.b[2] = -1.0 - std::pow(10.0, -12.0 * static_cast<double>(seed % 1000) / 999.0);
      return {.F = empty.problem.F, .K = K, .name = "empty polyhedra", .verdict = Verdict::Infeasible};
    }
    case 6: {  // a constant F that is not normal to a half-space
      problems::Random numbers(seed);
      const VectorXd a = problems::entries(numbers, n + 1, 1), c = problems::entries(numbers, n + 1, 1);
      const VectorXd force = c - (a.dot(c) / a.squaredNorm() - 1.0) * a + 0.1 * VectorXd::Unit(n + 1, 0);
      return {.F = problems::affine_map(MatrixXd::Zero(n + 1, n + 1), force),
              .K = vi::HalfSpace{a, 1.0},
              .name = "no solution",
              .verdict = Verdict::Infeasible,
              .known = false};
    }
    case 7: {  // F of one sign on very short intervals, whose solution is an end
      const double length = std::pow(10.0, -11.0 * static_cast<double>(seed % 1000) / 1000.0);
      const double sign = seed % 2 == 0 ? 1.0 : -1.0;
      return {.F = problems::affine_map(MatrixXd::Zero(1, 1), VectorXd{{sign}}),
              .K = vi::Box{VectorXd{{0}}, VectorXd{{length}}},
              .x = VectorXd{{sign > 0.0 ? 0.0 : length}},
              .reach = 1e3 * length,  // |e| = |x - x*| / rho, 1 / rho = 1e-3 / length
              .name = "short intervals"};
    }
    case 8: {
      const problems::Mcp mcp = problems::rescaled(problems::random_monotone_mcp(n, seed, Bounds::Finite), seed, 6.0);
      Drawn drawn = of_mcp(mcp, "six decades", 0.0, false);
      drawn.K = vi::Box{std::exchange(drawn.lower, {}), std::exchange(drawn.upper, {})};
      return drawn;
    }
    case 9: {
      Drawn drawn = planted(set, "");
      break_between(drawn, seed);
      return drawn;
    }
    case 10: {
      Drawn drawn = planted(set, "");
      spoil_jacobian(drawn, seed);
      drawn.reach /= 1e3;  // no slope of J is in this certificate
      return drawn;
    }
    default: {
      Drawn drawn = planted(set, "by differences");
      drawn.F.dense_jacobian = {};
      return drawn;
    }
  }
}

/// The residual by independent arithmetic; beyond the reach of the planted solution it counts as 1.
template <class Problem, class Result>
Answer judged(const Drawn& drawn, const Problem& problem, const Result& result, bool proof_holds) {
  problems::Worth worth{.residual = 1.0, .rows = 1.0};
  if (result.status == Status::Solved && drawn.verdict == Verdict::Solvable) {
    worth.residual = problems::independent_residual(problem, result.x);
    if (result.at_round_off) worth.rows = result.certificate.row_residual;
    // What F rounds to at the planted solution, which is one to that alone, counts as a residual does.
    const double allowed = drawn.reach * std::max(tolerance * std::max(result.certificate.scale, drawn.least_scale),
                                                  result.certificate.round_off);
    if (drawn.reach > 0.0 && !result.at_round_off && !((result.x - drawn.x).cwiseAbs().maxCoeff() <= allowed))
      worth.residual = 1.0;
  }
  return fuzz::answer_of(result, worth, proof_holds);
}

Limits limits_of(const Drawn& drawn, bool automatic) {
  return {.tolerance = tolerance, .max_iterations = automatic && drawn.known ? 0 : most_iterations};
}

void run_mcp(Judge& judge, std::mt19937_64& random) {
  const Drawn drawn = draw_mcp(random);
  const mcp::Problem problem{.F = drawn.F, .lower = drawn.lower, .upper = drawn.upper};
  // Where all terms of F cancel at the planted solution, rounding hides it: no solver is asked to find it.
  const bool hidden =
      drawn.known && drawn.x.size() > 0 && problems::independent_residual(problem, drawn.x) > 0.1 * tolerance;
  const Instance what{"mcp", drawn.name, problem.size(), drawn.verdict, drawn.known && !hidden};
  if (drawn.known && drawn.x.size() > 0) {
    VectorXd w(problem.size());
    judge.check_planted(what, {.residual = problems::independent_residual(problem, drawn.x),
                               .rows = mcp::certify(problem, drawn.x, w).row_residual});
  }
  judge.run(what, mcp::registry(), random, [&](const mcp::Entry& entry) {
    const mcp::Result result = entry.solver.solve(problem, limits_of(drawn, entry.name == "automatic"));
    return judged(drawn, problem, result, false);
  });
}

/// A quasi-variational inequality with the planted solution in `drawn`.
vi::QuasiProblem draw_quasi(std::mt19937_64& random, Drawn& drawn) {
  const std::uint64_t kind = random() % 8, seed = random();
  const Index n = 1 + static_cast<Index>(random() % 6);
  const auto& sets = problems::kinds_of_sets();
  const problems::SetOf set = sets[random() % sets.size()].first;
  problems::Random numbers(seed);
  const auto without = [&](const char* name) {
    drawn.name = name;
    drawn.verdict = Verdict::Unsolvable;
    drawn.known = false;
  };
  const auto same = [n] { return problems::affine_map(MatrixXd::Identity(n, n), VectorXd::Zero(n)); };
  if (kind == 5) {  // K(x) = [x + e, x + e + 1] is never where x is
    without("K(x) runs away");
    const VectorXd ahead = (0.01 + 0.5 * (1.0 + problems::entries(numbers, n, 1).array())).matrix();
    return {same(), vi::MovingSet(n, [ahead](ConstVectorRef x) -> vi::ConvexSet {
              return vi::Box{x + ahead, x + ahead + VectorXd::Ones(ahead.size())};
            })};
  }
  if (kind == 6) {
    without("K(x) empty");
    const vi::Polyhedron none = *problems::empty_vi(n, seed).problem.K.polyhedron();
    return {same(), vi::MovingSet(n, [none](ConstVectorRef) -> vi::ConvexSet { return none; })};
  }
  if (kind == 7) {  // a constant F on a line that moves
    without("no solution");
    return {problems::affine_map(MatrixXd::Zero(n, n), VectorXd::Ones(n)),
            vi::MovingSet(n, [n](ConstVectorRef x) -> vi::ConvexSet {
              return vi::Box{VectorXd::Constant(n, -std::numeric_limits<double>::infinity()),
                             VectorXd::Constant(n, 1.0 + x.cwiseAbs().maxCoeff())};
            })};
  }
  const vi::QuasiProblem problem = problems::planted_quasi(set, n, seed, drawn.x);
  drawn.F = problem.F;
  drawn.name = "moving sets";
  // As in the contract suite: 1e-6 for a residual of 1e-10, of sizes near 1. Where K is a point rho comes from F alone,
  // rho scale = 1e3, however small F is.
  drawn.reach = 1e4;
  drawn.least_scale = 1.0;
  drawn.known = set != problems::SetOf::DykstrasIntersection;
  if (kind == 3) break_between(drawn, seed);
  if (kind == 4) {
    spoil_jacobian(drawn, seed);
    drawn.reach = 1e4;
  }
  return {drawn.F, problem.K};
}

void run_quasi(Judge& judge, std::mt19937_64& random) {
  Drawn drawn;
  const vi::QuasiProblem problem = draw_quasi(random, drawn);
  const Instance what{"qvi", drawn.name, problem.K.size(), drawn.verdict, drawn.known};
  judge.run(what, vi::quasi_registry(), random, [&](const vi::QuasiEntry& entry) {
    Limits limits = limits_of(drawn, entry.name == "automatic");
    if (!drawn.known || entry.name != "automatic") limits.time_limit = 0.05;  // Dykstra's cycles within inequalities
    return judged(drawn, problem, entry.solver.solve(problem, limits), false);
  });
}

void run_vi(Judge& judge, std::mt19937_64& random) {
  const Drawn drawn = draw_vi(random);
  const vi::Problem problem{drawn.F, drawn.K};
  const Instance what{"vi", drawn.name, problem.K.size(), drawn.verdict, drawn.known};
  judge.run(what, vi::registry(), random, [&](const vi::Entry& entry) {
    const vi::Result result = entry.solver.solve(problem, limits_of(drawn, entry.name == "automatic"));
    bool holds = false;
    if (result.status == Status::Infeasible) {  // y >= 0, A^T y = 0 up to rounding, b·y < 0
      const vi::Polyhedron K = *problem.K.polyhedron();
      const VectorXd& y = result.proof;
      holds = K.C.rows() == 0 && y.size() == K.A.rows() && y.minCoeff() >= 0.0 && K.b.dot(y) < 0.0 &&
              (K.A.transpose() * y).cwiseAbs().maxCoeff() <= 1e-14 * y.sum();
    }
    return judged(drawn, problem, result, holds);
  });
}

}  // namespace
}  // namespace nonsmooth

int main(int argc, char** argv) {
  using namespace nonsmooth;
  const auto arguments = fuzz::arguments("fuzz_variational", 10'000, 2, argc, argv);
  if (!arguments) return 2;
  return fuzz::fuzz(*arguments, tolerance, [&](Judge& judge, std::mt19937_64& random) {
    switch (random() % 5) {
      case 0:
      case 1:
        return run_mcp(judge, random);
      case 2:
      case 3:
        return run_vi(judge, random);
      default:
        return run_quasi(judge, random);
    }
  });
}
