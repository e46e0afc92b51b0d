// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <nonsmooth/kernel/optimal_control.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "kernel/fitted_order.hpp"
#include "optimal_control_problems.hpp"

namespace nonsmooth::optimal_control_test {
namespace {

using optimal_control::Arc;
using optimal_control::Atom;
using optimal_control::Problem;
using optimal_control::Solution;
using namespace optimal_control_problems;

// The conditions of neighbours at x = l are h^4 apart, 1e-18 here: rows are held where x is farthest over l, and such
// sets stay regular. w <= 1e-9 max(|l|, 1) changes the cost by its slope 4 / (9 l^2) = 36 at most; contact begins and
// ends within a step of 1/3 and 2/3, where atoms are of one or two instants.
TEST(OptimalControl, FineMeshesOfRelativeDegreeFour) {
  const Problem problem = before_a_wall(1.0 / 9.0);
  for (const Index steps : {2000, 10'000, 30'000}) {
    const Solution solution = optimal_control::solve_by_conditions(problem, {.steps = steps});
    ASSERT_TRUE(solution) << steps << ": " << solution.reason;
    EXPECT_NEAR(solution.cost, 4.0, 36e-9) << steps;
    EXPECT_LE(solution.iterations, 400) << steps;  // of all meshes; some 250 of them fell to pivots before
    double first = 0.0, all = 0.0;
    for (Index k = 0; k <= steps; ++k) {
      if (solution.t[k] < 0.5) first += solution.lambda(0, k);
      all += solution.lambda(0, k);
    }
    EXPECT_NEAR(first, 18.0, 1e-2) << steps;
    EXPECT_NEAR(all, 36.0, 2e-2) << steps;
  }
}

// l = 1/9: contact from 3 l = 1/3 to 2/3, cost 4/(9 l) = 4, atoms 2/(9 l^2) = 18 there, nothing between. All of it are
// instants of 60 steps, so that the exact motion solves the discrete conditions: rounding, times N^4 = 1e7.
TEST(OptimalControl, TwoAtomsBeforeAWall) {
  const Problem problem = before_a_wall(1.0 / 9.0);
  const Solution solution = optimal_control::solve_by_conditions(problem, {.steps = 60});
  ASSERT_TRUE(solution) << solution.reason;
  EXPECT_NEAR(solution.cost, 4.0, 1e-9);
  const std::vector<Atom> atoms = optimal_control::atoms(solution, 1e-3);
  ASSERT_EQ(atoms.size(), 2u);
  EXPECT_NEAR(atoms[0].t, 1.0 / 3.0, 1e-8);
  EXPECT_NEAR(atoms[0].mass, 18.0, 1e-6);
  EXPECT_NEAR(atoms[1].t, 2.0 / 3.0, 1e-8);
  EXPECT_NEAR(atoms[1].mass, 18.0, 1e-6);
  const std::vector<Arc> arcs = optimal_control::arcs(problem, solution, 1e-9);
  ASSERT_EQ(arcs.size(), 1u);
  EXPECT_NEAR(arcs[0].begin, 1.0 / 3.0, 1e-12);
  EXPECT_NEAR(arcs[0].end, 2.0 / 3.0, 1e-12);
  // x = l (1 - (1 - t / 3l)^3) to the wall.
  for (Index k = 0; k <= 20; ++k)
    EXPECT_NEAR(solution.x(0, k), (1.0 - std::pow(1.0 - 3.0 * solution.t[k], 3)) / 9.0, 1e-11);
  // The relative degree of the conditions is 4, twice that of the mass: C A^k B vanishes up to k = 2.
  const boundary_value::Problem conditions = optimal_control::necessary_conditions(problem);
  Eigen::MatrixXd product = conditions.C;
  for (int k = 0; k < 3; ++k, product *= conditions.A) EXPECT_EQ((product * conditions.B)(0, 0), 0.0);
  EXPECT_NE((product * conditions.B)(0, 0), 0.0);
}

TEST(OptimalControl, OneAtomBeforeAWallFartherOff) {
  const Solution touching = optimal_control::solve_by_conditions(before_a_wall(0.2), {.steps = 50});
  ASSERT_TRUE(touching) << touching.reason;
  EXPECT_NEAR(touching.cost, 2.0 + 6.0 * 0.04, 1e-9);
  const std::vector<Atom> atoms = optimal_control::atoms(touching, 1e-3);
  ASSERT_EQ(atoms.size(), 1u);
  EXPECT_NEAR(atoms[0].t, 0.5, 1e-9);
  EXPECT_NEAR(atoms[0].mass, 48.0 * 0.2, 1e-6);
  const Solution free = optimal_control::solve_by_conditions(before_a_wall(0.3), {.steps = 50});
  ASSERT_TRUE(free) << free.reason;
  EXPECT_NEAR(free.cost, 2.0, 1e-12);
  EXPECT_TRUE(optimal_control::atoms(free).empty());
}

// l = 1/9 with contact ends off the mesh. The program's u is constant over h: 1/24 h^2 int (u')^2 above the least.
TEST(OptimalControl, OrdersOfBothWays) {
  const auto error = [](bool program) {
    return [program](double h) {
      const boundary_value::Options options{.steps = static_cast<Index>(std::lround(1.0 / h))};
      const Problem problem = before_a_wall(1.0 / 9.0);
      const Solution solution = program ? optimal_control::solve_by_program(problem, options)
                                        : optimal_control::solve_by_conditions(problem, options);
      EXPECT_TRUE(solution) << solution.reason;
      return std::abs(solution.cost - 4.0);
    };
  };
  EXPECT_NEAR(fitted_order(1.0 / 20.0, 3, error(true)), 2.0, 0.2);
  EXPECT_GT(fitted_order(1.0 / 20.0, 3, error(false)), 1.8);
}

TEST(OptimalControl, BoundaryArcWithADensity) {
  const double t_1 = std::acosh(2.0), cost = 2.0 * std::sqrt(3.0) + 0.5 * (4.0 - 2.0 * t_1);
  const Problem problem = valley();
  const auto by_conditions = [&](double h) {
    const Solution solution =
        optimal_control::solve_by_conditions(problem, {.steps = static_cast<Index>(std::lround(4.0 / h))});
    EXPECT_TRUE(solution) << solution.reason;
    double error = 0.0;
    for (Index k = 0; k < solution.t.size(); ++k) {
      const double from_end = std::min(solution.t[k], 4.0 - solution.t[k]);
      error = std::fmax(error, std::abs(solution.x(0, k) - (from_end < t_1 ? std::cosh(t_1 - from_end) : 1.0)));
    }
    return error;
  };
  EXPECT_NEAR(fitted_order(0.1, 5, by_conditions), 2.0, 0.35);
  const Solution conditions = optimal_control::solve_by_conditions(problem, {.steps = 800});
  const Solution program = optimal_control::solve_by_program(problem, {.steps = 800});
  ASSERT_TRUE(conditions) << conditions.reason;
  ASSERT_TRUE(program) << program.reason;
  // h^2 / 24 int (u')^2 = 2.5e-5 / 24 * some 8 above the least by the program; u itself is h / 2 off.
  EXPECT_NEAR(conditions.cost, cost, 1e-4);
  EXPECT_NEAR(program.cost, cost, 1e-4);
  EXPECT_TRUE(optimal_control::atoms(conditions).empty());
  for (const Solution* solution : {&conditions, &program}) {
    const std::vector<Arc> arcs = optimal_control::arcs(problem, *solution);
    ASSERT_EQ(arcs.size(), 1u);
    EXPECT_NEAR(arcs[0].begin, t_1, 0.01);
    EXPECT_NEAR(arcs[0].end, 4.0 - t_1, 0.01);
    EXPECT_NEAR(solution->lambda(0, 400), 0.005, 1e-6);  // h lambda
  }
}

// |u| <= 48/11 from rest to rest: held until 1/4, then a line to the other bound at 3/4; cost (48/11)^2 / 3.
TEST(OptimalControl, ControlWithinBounds) {
  Problem problem = mass({0.0, 0.0}, {1.0, 0.0});
  problem.E = Eigen::MatrixXd{{-1.0}, {1.0}};
  problem.e = Eigen::VectorXd{{48.0 / 11.0, 48.0 / 11.0}};
  const double cost = std::pow(48.0 / 11.0, 2) / 3.0;
  const Solution conditions = optimal_control::solve_by_conditions(problem, {.steps = 200});
  const Solution program = optimal_control::solve_by_program(problem, {.steps = 200});
  ASSERT_TRUE(conditions) << conditions.reason;
  ASSERT_TRUE(program) << program.reason;
  // nu and the program's u are constant over an interval where u has a slope: h^2 / 24 int (u')^2 = 152 / 24 * 2.5e-5.
  EXPECT_NEAR(conditions.cost, cost, 2e-4);
  EXPECT_NEAR(program.cost, cost, 2e-4);
  // Rows hold to rounding of eta, which is scaled by steps as small as 1/200, by conditions; to the solver's tolerance,
  // relative to 1 + |e|, by the program.
  EXPECT_GE((problem.E * conditions.u).colwise().minCoeff().minCoeff() + 48.0 / 11.0, -1e-12);
  EXPECT_GE((problem.E * program.u).colwise().minCoeff().minCoeff() + 48.0 / 11.0, -1e-7);
  for (Index k = 0; k <= 200; ++k) {
    const double exact = 48.0 / 11.0 * std::clamp(2.0 - 4.0 * conditions.t[k], -1.0, 1.0);
    EXPECT_NEAR(conditions.u(0, k), exact, 2e-3) << conditions.t[k];  // some h^2 of eta, of size 20
  }
  const std::vector<Arc> arcs = optimal_control::arcs(problem, conditions, 1e-3);
  ASSERT_EQ(arcs.size(), 2u);
  EXPECT_NEAR(arcs[0].end, 0.25, 0.01);
  EXPECT_NEAR(arcs[1].begin, 0.75, 0.01);
}

// Without constraints and a free end the feedback of Riccati's equation: x' = u, Q = R = F = 1: u = -x, cost x_0^2 / 2.
TEST(OptimalControl, FreeEndIsRiccatis) {
  Problem problem = valley();
  problem.C.resize(0, 0), problem.d.resize(0);
  problem.F = Eigen::MatrixXd{{1.0}};
  problem.M = Eigen::MatrixXd{{1.0}}, problem.N = Eigen::MatrixXd{{0.0}}, problem.b = Eigen::VectorXd{{2.0}};
  const Solution solution = optimal_control::solve_by_conditions(problem, {.steps = 100});
  ASSERT_TRUE(solution) << solution.reason;
  EXPECT_NEAR(solution.x(0, 100), 2.0 * std::exp(-4.0), 1e-12);
  EXPECT_NEAR(solution.cost, 2.0, 1e-7);  // Simpson: h^4 / 2880 int (4 e^{-2t})'''' = 6e-8
}

// x' = u + 2 cos t, Q = R = 1, from 0 to sin T: u' = x, so that x = sin t, u = -cos t, cost T / 2.
TEST(OptimalControl, DriftThatVariesInTime) {
  const double T = 2.0;
  Problem problem = valley();
  problem.C.resize(0, 0), problem.d.resize(0);
  problem.a = [](double t, VectorRef value) { value[0] = 2.0 * std::cos(t); };
  problem.b = Eigen::VectorXd{{0.0, std::sin(T)}};
  problem.T = T;
  const auto error_of_state = [&](double h) {
    const Solution solution =
        optimal_control::solve_by_conditions(problem, {.steps = static_cast<Index>(std::lround(T / h))});
    EXPECT_TRUE(solution) << solution.reason;
    return std::fmax((solution.x.row(0).transpose() - solution.t.array().sin().matrix()).cwiseAbs().maxCoeff(),
                     std::abs(solution.cost - T / 2.0));
  };
  EXPECT_NEAR(fitted_order(0.2, 4, error_of_state), 4.0, 0.2);  // a by lines through Gauss's points; Simpson's rule
  const auto error_of_program = [&](double h) {
    const Solution solution =
        optimal_control::solve_by_program(problem, {.steps = static_cast<Index>(std::lround(T / h))});
    EXPECT_TRUE(solution) << solution.reason;
    return std::abs(solution.cost - T / 2.0);
  };
  EXPECT_NEAR(fitted_order(0.2, 4, error_of_program), 2.0, 0.1);
}

// A taut string over a hill, x' = u, x >= 1 - 2 (t - 1)^2, from 0 to 0 in 2: the tangent from the end touches at s,
// 2 s^2 = 1, with the slope m = 4 (1 - s); between s and 2 - s x is on the hill with the density lambda = 4. Cost m^2 s
// + 16/3 (1 - s)^3.
TEST(OptimalControl, StateConstraintThatMoves) {
  Problem problem = valley();
  problem.Q.resize(0, 0);
  problem.d = Eigen::VectorXd{{-1.0}};
  problem.d_of_time = [](double t, VectorRef d) { d[0] += 2.0 * (t - 1.0) * (t - 1.0); };
  problem.b = Eigen::VectorXd{{0.0, 0.0}};
  problem.T = 2.0;
  const double s = std::sqrt(0.5), m = 4.0 * (1.0 - s), cost = m * m * s + 16.0 / 3.0 * std::pow(1.0 - s, 3);
  for (const bool program : {false, true}) {
    const Solution solution = program ? optimal_control::solve_by_program(problem, {.steps = 400})
                                      : optimal_control::solve_by_conditions(problem, {.steps = 400});
    ASSERT_TRUE(solution) << solution.reason;
    // Both are the polygon over the hill's points at instants: h^2 / 24 int (u')^2 = 2.5e-5 / 24 * 16 * 0.6 below it.
    EXPECT_NEAR(solution.cost, cost, 2e-5);
    EXPECT_NEAR(solution.lambda(0, 200), 4.0 * 2.0 / 400.0, 1e-6);
    const std::vector<Arc> arcs = optimal_control::arcs(problem, solution);
    ASSERT_EQ(arcs.size(), 1u);
    EXPECT_NEAR(arcs[0].begin, s, 0.01);
    EXPECT_NEAR(arcs[0].end, 2.0 - s, 0.01);
  }
}

// u <= 2 t, from 0 to 3/4 in 1: u = min(1, 2 t), cost 1/3. u is constant over intervals: h^2 / 24 int (u')^2 = h^2
// / 12.
TEST(OptimalControl, ControlConstraintThatMoves) {
  Problem problem = valley();
  problem.Q.resize(0, 0), problem.C.resize(0, 0), problem.d.resize(0);
  problem.E = Eigen::MatrixXd{{-1.0}};
  problem.e = Eigen::VectorXd{{0.0}};
  problem.e_of_time = [](double t, VectorRef e) { e[0] = 2.0 * t; };
  problem.b = Eigen::VectorXd{{0.0, 0.75}};
  problem.T = 1.0;
  for (const bool program : {false, true}) {
    const Solution solution = program ? optimal_control::solve_by_program(problem, {.steps = 40})
                                      : optimal_control::solve_by_conditions(problem, {.steps = 40});
    ASSERT_TRUE(solution) << solution.reason;
    EXPECT_NEAR(solution.cost, 1.0 / 3.0, 1.1 / 12.0 / 1600.0);
    for (Index k = 1; k <= 40; ++k) {
      const double t = solution.t[k] - (program ? 0.5 / 40.0 : 0.0);
      EXPECT_NEAR(solution.u(0, k), std::min(1.0, 2.0 * t), 1e-6) << k;
    }
  }
}

template <class Change>
void expect_refused(const char* name, Change&& change) {
  Problem problem = valley();
  change(problem);
  try {
    (void)optimal_control::solve_by_conditions(problem);
    ADD_FAILURE() << name << " was not refused";
  } catch (const InvalidArgument& refused) {
    EXPECT_NE(std::string(refused.what()).find(name), std::string::npos) << refused.what();
  }
}

TEST(OptimalControl, RefusesBadInputByName) {
  expect_refused("Problem::R", [](Problem& p) { p.R(0, 0) = -1.0; });
  expect_refused("Problem::R", [](Problem& p) { p.R(0, 0) = 0.0; });
  expect_refused("Problem::Q", [](Problem& p) { p.Q(0, 0) = -1.0; });
  expect_refused("Problem::M", [](Problem& p) { p.M = Eigen::MatrixXd::Ones(1, 1); });
  expect_refused("Problem::M, N", [](Problem& p) { p.N = p.M; });
  expect_refused("Problem::C", [](Problem& p) { p.C = Eigen::MatrixXd::Ones(1, 2); });
  expect_refused("Problem::T", [](Problem& p) { p.T = -1.0; });
  expect_refused("Problem::e_of_time", [](Problem& p) { p.e_of_time = [](double, VectorRef) {}; });
  expect_refused("Problem::d_of_time", [](Problem& p) {
    p.C.resize(0, 0), p.d.resize(0);
    p.d_of_time = [](double, VectorRef) {};
  });
}

TEST(OptimalControl, CallablesThatGiveNoNumberAreNamed) {
  Problem problem = valley();
  problem.d_of_time = [](double t, VectorRef d) { d[0] += std::sqrt(3.0 - t) - std::sqrt(3.0); };
  for (const bool program : {false, true}) {
    const Solution solution =
        program ? optimal_control::solve_by_program(problem) : optimal_control::solve_by_conditions(problem);
    EXPECT_EQ(solution.status, Status::NumericalFailure);
    EXPECT_NE(solution.not_finite.find("Problem::d_of_time"), std::string::npos) << solution.not_finite;
  }
}

// x >= t (1 - t) and x <= t (1 - t) / 2: the ends are admissible, nothing between them is, which the program and the
// conditions prove.
TEST(OptimalControl, NothingAdmissibleIsProven) {
  Problem problem = before_a_wall(1.0 / 9.0);
  problem.C = Eigen::MatrixXd{{1.0, 0.0}, {-1.0, 0.0}};
  problem.d = Eigen::VectorXd{{0.0, 0.0}};
  problem.d_of_time = [](double t, VectorRef d) { d << -t * (1.0 - t), 0.5 * t * (1.0 - t); };
  EXPECT_EQ(optimal_control::solve_by_program(problem, {.steps = 20}).status, Status::Infeasible);
  const Solution conditions = optimal_control::solve_by_conditions(problem, {.steps = 20});
  EXPECT_EQ(conditions.status, Status::Infeasible) << conditions.reason;
  EXPECT_TRUE(boundary_value::proves_no_solution(optimal_control::necessary_conditions(problem), {.steps = 20},
                                                 conditions.proof));
}

}  // namespace
}  // namespace nonsmooth::optimal_control_test
