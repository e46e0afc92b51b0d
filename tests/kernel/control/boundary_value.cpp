// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include <nonsmooth/kernel/boundary_value.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "boundary_value/discrete_problem.hpp"
#include "kernel/fitted_order.hpp"

namespace nonsmooth::boundary_value_test {
namespace {

using boundary_value::MechanicalProblem;
using boundary_value::Options;
using boundary_value::Problem;
using boundary_value::Solution;

/// q'' = f q + g, q(0) = q_0, q(T) = q_T.
Problem two_points(double f, double g, double q_0, double q_T, double T) {
  return {.A = Eigen::MatrixXd{{0.0, 1.0}, {f, 0.0}},
          .a = [g](double, VectorRef value) { value[1] = g; },
          .M = Eigen::MatrixXd{{1.0, 0.0}, {0.0, 0.0}},
          .N = Eigen::MatrixXd{{0.0, 0.0}, {1.0, 0.0}},
          .b = Eigen::VectorXd{{q_0, q_T}},
          .T = T};
}

/// A string that gravity pulls onto a floor: q'' = 2 - lambda, 0 <= lambda ⟂ q >= 0, q = 1 at both ends. q = (1 - t)^2
/// until 1, then 0 with lambda = 2 to T - 1.
Problem string_on_floor(double T) {
  Problem problem = two_points(0.0, 2.0, 1.0, 1.0, T);
  problem.B = Eigen::MatrixXd{{0.0}, {-1.0}};
  problem.C = Eigen::MatrixXd{{1.0, 0.0}};
  problem.atoms_at_end = false;
  return problem;
}

TEST(BoundaryValue, LinearProblemIsExactAtInstants) {
  // q'' = -q, q = sin t / sin 1; each step is exact, so 100 of them leave some 100 eps.
  const Problem problem = two_points(-1.0, 0.0, 0.0, 1.0, 1.0);
  const Solution solution = boundary_value::solve(problem);
  ASSERT_TRUE(solution) << solution.message();
  for (Index k = 0; k < solution.t.size(); ++k)
    EXPECT_NEAR(solution.x(0, k), std::sin(solution.t[k]) / std::sin(1.0), 1e-13);
  EXPECT_EQ(boundary_value::certify(problem, {}, solution).residual, solution.certificate.residual);
}

// The contact ends t = 1, T - 1 are instants, so that q_k of the closed form solve the discrete problem: an atom h
// lambda inside, half of it at the ends. q is the second sum of what is rounded, N^2 eps at worst.
TEST(BoundaryValue, StringLiesOnTheFloorBetweenKnownPoints) {
  const Problem problem = string_on_floor(4.0);
  const Solution solution = boundary_value::solve(problem, {.steps = 400});
  ASSERT_TRUE(solution) << solution.message();
  const double h = 0.01;
  for (Index k = 0; k <= 400; ++k) {
    const double t = solution.t[k], from_end = std::min(t, 4.0 - t);
    EXPECT_NEAR(solution.x(0, k), from_end < 1.0 ? std::pow(1.0 - from_end, 2) : 0.0, 1e-10);
    const double inside = from_end > 1.0 + 1e-9 ? 1.0 : (from_end > 1.0 - 1e-9 ? 0.5 : 0.0);
    EXPECT_NEAR(solution.u(0, k), 2.0 * h * inside, 1e-7);
  }
  EXPECT_GT(solution.meshes, 1);
}

// Off the instants the contact ends move by a part of h: the errors of x are some h^2.
TEST(BoundaryValue, StringConvergesWithOrderTwo) {
  const double order = fitted_order(0.13, 5, [](double h) {
    const double T = 4.0;
    const Solution solution =
        boundary_value::solve(string_on_floor(T), {.steps = static_cast<Index>(std::lround(T / h)) | 1});
    EXPECT_TRUE(solution) << solution.message();
    double error = 0.0;
    for (Index k = 0; k < solution.t.size(); ++k) {
      const double from_end = std::min(solution.t[k], T - solution.t[k]);
      error = std::fmax(error, std::abs(solution.x(0, k) - (from_end < 1.0 ? std::pow(1.0 - from_end, 2) : 0.0)));
    }
    return error;
  });
  EXPECT_NEAR(order, 2.0, 0.35);  // the place of 1 within its interval changes from mesh to mesh
}

// A warm start on another mesh or horizon needs no coarse meshes and few steps.
TEST(BoundaryValue, ContinuesFromAnotherMeshAndHorizon) {
  const Solution first = boundary_value::solve(string_on_floor(4.0), {.steps = 300});
  ASSERT_TRUE(first) << first.message();
  const Solution finer = boundary_value::solve(string_on_floor(4.0), {.steps = 1200, .continue_from = &first});
  ASSERT_TRUE(finer) << finer.message();
  EXPECT_EQ(finer.meshes, 1);
  const Problem longer = string_on_floor(4.4);
  const Solution later = boundary_value::solve(longer, {.steps = 300, .continue_from = &first});
  ASSERT_TRUE(later) << later.message();
  const Solution cold = boundary_value::solve(longer, {.steps = 300});
  EXPECT_LT((later.x - cold.x).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_EQ(later.meshes, 1);
  EXPECT_GT(cold.meshes, 1);
  EXPECT_LT(later.iterations, cold.iterations);
}

TEST(BoundaryValue, OneFlowOfAUniformMesh) {
  // k T / N rounds by some eps T, N eps of a length: 2e-11 of it here. Another length is another flow.
  const Eigen::MatrixXd A{{-1.0}};
  const double T = 0.7;
  const Index N = 100'000;
  boundary_value::detail::FlowCache cache(A, T);
  Index built = 0;
  for (Index k = 1; k <= N; ++k) {
    const auto t = [&](Index i) { return T * static_cast<double>(i) / static_cast<double>(N); };
    built += cache.set(t(k) - t(k - 1)) ? 1 : 0;
  }
  EXPECT_EQ(built, 1);
  EXPECT_TRUE(cache.set(0.5));
  EXPECT_NEAR(cache.flow().Phi(0, 0), std::exp(-0.5), 1e-15);
}

/// 2 q'' + 0.8 q' + 5 q = 10: q = 2 + e^{-t/5} (a cos w t + b sin w t), w^2 = 5/2 - 1/25.
TEST(BoundaryValue, DampedOscillatorBetweenPositions) {
  const double w = std::sqrt(2.46), T = 1.5, a = -1.0, b = 0.5;
  const auto position = [&](double t) {
    return 2.0 + std::exp(-0.2 * t) * (a * std::cos(w * t) + b * std::sin(w * t));
  };
  const Problem problem = boundary_value::first_order({.M = Eigen::MatrixXd{{2.0}},
                                                       .G = Eigen::MatrixXd{{0.8}},
                                                       .K = Eigen::MatrixXd{{5.0}},
                                                       .F = [](double, VectorRef force) { force[0] = 10.0; },
                                                       .q_start = Eigen::VectorXd{{position(0.0)}},
                                                       .q_end = Eigen::VectorXd{{position(T)}},
                                                       .T = T});
  const Solution solution = boundary_value::solve(problem, {.steps = 60});
  ASSERT_TRUE(solution) << solution.message();
  for (Index k = 0; k <= 60; ++k) EXPECT_NEAR(solution.x(0, k), position(solution.t[k]), 1e-13);
}

// Masses 1 and 3 with a rod between them, q_1 - q_2 - 1 = 0, as a free row of H; 4 pulls at the first alone. Both move
// with q'' = 1, q_2 = t (t - 1) / 2 + t, and the rod pulls 3 at the second: lambda = -3, atoms -3 h. Exact at instants.
TEST(BoundaryValue, MassesWithARodBetweenThem) {
  const double infinity = std::numeric_limits<double>::infinity();
  Problem problem = boundary_value::first_order({.M = Eigen::MatrixXd{{1.0, 0.0}, {0.0, 3.0}},
                                                 .F = [](double, VectorRef force) { force[0] = 4.0; },
                                                 .H = Eigen::MatrixXd{{1.0, -1.0}},
                                                 .c = [](double, VectorRef gap) { gap[0] = -1.0; },
                                                 .q_start = Eigen::Vector2d(1.0, 0.0),
                                                 .q_end = Eigen::Vector2d(2.0, 1.0)});
  problem.lower = Eigen::VectorXd{{-infinity}};
  problem.upper = Eigen::VectorXd{{infinity}};
  const Solution solution = boundary_value::solve(problem, {.steps = 40});
  ASSERT_TRUE(solution) << solution.message();
  for (Index k = 0; k <= 40; ++k) {
    const double t = solution.t[k], position = 0.5 * t * (t - 1.0) + t;
    EXPECT_NEAR(solution.x(0, k), position + 1.0, 1e-11);
    EXPECT_NEAR(solution.x(1, k), position, 1e-11);
    const double atom = k > 0 && k < 40 ? -3.0 / 40.0 : 0.0;
    EXPECT_NEAR(solution.u(0, k), atom, 1e-9);  // second differences over h
  }
}

// x' = -1 + u, w = x + u: x = 1 - t, from 1 on x = e^{1-t} - 1, where u = -x. x(0) + x(2) = 1/e asks for just that.
TEST(BoundaryValue, MultiplierOfDegreeZeroIsAFunction) {
  const auto error = [](double h) {
    const Problem problem{.A = Eigen::MatrixXd{{0.0}},
                          .a = [](double, VectorRef value) { value[0] = -1.0; },
                          .B = Eigen::MatrixXd{{1.0}},
                          .C = Eigen::MatrixXd{{1.0}},
                          .D = Eigen::MatrixXd{{1.0}},
                          .M = Eigen::MatrixXd{{1.0}},
                          .N = Eigen::MatrixXd{{1.0}},
                          .b = Eigen::VectorXd{{std::exp(-1.0)}},
                          .T = 2.0};
    const Solution solution = boundary_value::solve(problem, {.steps = static_cast<Index>(std::lround(2.0 / h))});
    EXPECT_TRUE(solution) << solution.message();
    double largest = 0.0;
    for (Index k = 0; k < solution.t.size(); ++k) {
      const double t = solution.t[k];
      largest = std::fmax(largest, std::abs(solution.x(0, k) - (t < 1.0 ? 1.0 - t : std::exp(1.0 - t) - 1.0)));
    }
    return largest;
  };
  EXPECT_NEAR(fitted_order(0.1, 5, error), 2.0, 0.05);
}

// w = x_2 - cos t = 0 with both bounds infinite: a free multiplier that keeps x_2 on cos t, x_1' = x_2, so that x_1 is
// sin t up to what theta = 1/2 or the exact flow makes of an interval, h^2.
TEST(BoundaryValue, FreeRowsHoldEquations) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Problem problem{.A = Eigen::MatrixXd{{0.0, 1.0}, {0.0, 0.0}},
                        .B = Eigen::MatrixXd{{0.0}, {1.0}},
                        .C = Eigen::MatrixXd{{0.0, 1.0}},
                        .c = [](double t, VectorRef value) { value[0] = -std::cos(t); },
                        .lower = Eigen::VectorXd{{-infinity}},
                        .upper = Eigen::VectorXd{{infinity}},
                        .M = Eigen::MatrixXd{{1.0, 0.0}, {0.0, 1.0}},
                        .N = Eigen::MatrixXd::Zero(2, 2),
                        .b = Eigen::VectorXd{{0.0, 1.0}},
                        .T = 1.0};
  const Solution solution = boundary_value::solve(problem, {.steps = 200});
  ASSERT_TRUE(solution) << solution.message();
  EXPECT_NEAR(solution.x(1, 200), std::cos(1.0), 1e-12);
  EXPECT_NEAR(solution.x(0, 200), std::sin(1.0), 0.5 * 0.005);  // x_2 is held at its value before: h/2
}

// q'' = 3/2 q^2, q(0) = 4, q(1) = 1: q = 4 / (1 + t)^2.
TEST(BoundaryValue, NonlinearForceByNewton) {
  const auto error = [](double h) {
    const Problem problem = boundary_value::first_order(MechanicalProblem{
        .M = Eigen::MatrixXd{{2.0}},
        .force = [](double, ConstVectorRef q, ConstVectorRef, VectorRef force) { force[0] = 3.0 * q[0] * q[0]; },
        .q_start = Eigen::VectorXd{{4.0}},
        .q_end = Eigen::VectorXd{{1.0}}});
    const Solution solution = boundary_value::solve(problem, {.steps = static_cast<Index>(std::lround(1.0 / h))});
    EXPECT_TRUE(solution) << solution.message();
    double largest = 0.0;
    for (Index k = 0; k < solution.t.size(); ++k)
      largest = std::fmax(largest, std::abs(solution.x(0, k) - 4.0 / std::pow(1.0 + solution.t[k], 2)));
    return largest;
  };
  EXPECT_NEAR(fitted_order(0.05, 4, error), 2.0, 0.05);
}

// A heavy cable on the floor, q'' = sqrt(1 + q'^2) - lambda: q = cosh(s_1 - s) - 1 to s_1 = arcosh 2, then 0 with
// lambda = 1. The slope sqrt 3 makes errors of theta = 1/2 and of where contact begins some h^2.
TEST(BoundaryValue, NonlinearCableLiesOnTheFloor) {
  Problem problem = string_on_floor(4.0);
  problem.A.resize(0, 0);
  problem.a = nullptr;
  problem.f = [](double, ConstVectorRef x, VectorRef value) { value << x[1], std::sqrt(1.0 + x[1] * x[1]); };
  const double s_1 = std::acosh(2.0);
  const auto error = [&](Index steps) {
    const Solution solution = boundary_value::solve(problem, {.steps = steps});
    EXPECT_TRUE(solution) << solution.message();
    double largest = 0.0;
    for (Index k = 0; k <= steps; ++k) {
      const double from_end = std::min(solution.t[k], 4.0 - solution.t[k]);
      const double exact = from_end < s_1 ? std::cosh(s_1 - from_end) - 1.0 : 0.0;
      largest = std::fmax(largest, std::abs(solution.x(0, k) - exact));
    }
    EXPECT_NEAR(solution.u(0, steps / 2), 4.0 / static_cast<double>(steps), 1e-9);  // h lambda
    return largest;
  };
  EXPECT_LT(error(100), 2e-3);  // h^2 = 1.6e-3
  EXPECT_LT(error(400), 2e-3 / 16.0);
}

// theta = 1, the implicit scheme of Pang and Stewart, on instants of two lengths: order 1 of a decay to both ends.
TEST(BoundaryValue, ThetaOnUnevenInstants) {
  const auto error = [](double h) {
    const Problem problem = two_points(1.0, 0.0, 1.0, std::cosh(1.0), 1.0);  // cosh t
    const Index N = std::lround(1.0 / h);
    Eigen::VectorXd t(N + 1);
    for (Index k = 0; k <= N; ++k) t[k] = k < N ? h * static_cast<double>(k) + (k % 2 == 1 ? 0.3 * h : 0.0) : 1.0;
    const Solution solution =
        boundary_value::solve(problem, {.instants = t, .scheme = boundary_value::Scheme::Theta, .theta = 1.0});
    EXPECT_TRUE(solution) << solution.message();
    return (solution.x.row(0).transpose() - t.array().cosh().matrix()).cwiseAbs().maxCoeff();
  };
  EXPECT_NEAR(fitted_order(0.1, 4, error), 1.0, 0.1);
}

TEST(BoundaryValue, CallablesThatGiveNoNumberAreNamed) {
  Problem problem = string_on_floor(4.0);
  problem.c = [](double t, VectorRef value) { value[0] = std::sqrt(2.0 - t); };
  const Solution solution = boundary_value::solve(problem);
  EXPECT_EQ(solution.status, Status::NumericalFailure);
  EXPECT_NE(solution.message().find("Problem::c is not finite"), std::string::npos) << solution.message();
}

TEST(BoundaryValue, ConditionsThatContradictAreProven) {
  const Problem problem = two_points(-1.0, 0.0, 0.0, 1.0, std::numbers::pi);  // q = c sin t vanishes at pi
  const Solution solution = boundary_value::solve(problem);
  ASSERT_EQ(solution.status, Status::Infeasible) << solution.message();
  EXPECT_TRUE(boundary_value::proves_no_solution(problem, {}, solution.proof));
  EXPECT_TRUE(std::isinf(solution.solvability.condition));
  // A proof of one problem is none of another.
  EXPECT_FALSE(boundary_value::proves_no_solution(two_points(-1.0, 0.0, 0.0, 1.0, 3.0), {}, solution.proof));
  EXPECT_FALSE(boundary_value::proves_no_solution(problem, {}, -solution.proof));
  // With q(pi) = 0 every c solves it: told, not passed over.
  const Solution family = boundary_value::solve(two_points(-1.0, 0.0, 0.0, 0.0, std::numbers::pi));
  EXPECT_NE(family.reason.find("singular"), std::string_view::npos) << family.message();
}

// q'' = lambda >= 0 is convex: from 1 to 1 it is never above 1, and w = q - 1 - t (4 - t) >= 0 asks for that inside.
TEST(BoundaryValue, ConstraintsThatContradictAreProven) {
  Problem problem = string_on_floor(4.0);
  problem.a = nullptr;
  problem.B = -problem.B;
  problem.c = [](double t, VectorRef value) { value[0] = -1.0 - t * (4.0 - t); };
  const Solution solution = boundary_value::solve(problem, {.steps = 50});
  ASSERT_EQ(solution.status, Status::Infeasible) << solution.message();
  EXPECT_TRUE(boundary_value::proves_no_solution(problem, {.steps = 50}, solution.proof));
}

// A string tied below the floor. No atom moves q, so that q(0) >= 0 is asked for although no atom acts there: no mesh
// has a solution that is none of the limit.
TEST(BoundaryValue, EndsThatAreNotAdmissibleAreProven) {
  Problem problem = string_on_floor(4.0);
  problem.b[0] = -0.1;
  const Solution solution = boundary_value::solve(problem, {.steps = 50});
  ASSERT_EQ(solution.status, Status::Infeasible) << solution.message();
  EXPECT_TRUE(vi::proves_empty(boundary_value::admissible_ends(problem), solution.proof));
  EXPECT_TRUE(boundary_value::proves_no_solution(problem, {.steps = 50}, solution.proof));
  // By hand: -q(0) <= 0 once and q(0) = -0.1 once, 0 + 1 (-0.1) < 0. It is none of q(0) = 0.1, nor is any of q(0) = 0.
  problem.b[0] = 0.1;
  EXPECT_FALSE(boundary_value::proves_no_solution(problem, {.steps = 50}, solution.proof));
  problem.b[0] = 0.0;
  EXPECT_TRUE(boundary_value::solve(problem, {.steps = 50}));
  // Neither end is given alone, but their sum is: q(0) + q(T) = -0.1 and both >= 0.
  Problem sum = string_on_floor(4.0);
  sum.M = Eigen::MatrixXd{{1.0, 0.0}, {0.0, 1.0}};
  sum.N = Eigen::MatrixXd{{1.0, 0.0}, {0.0, 1.0}};
  sum.b = Eigen::VectorXd{{-0.1, 0.0}};
  EXPECT_EQ(boundary_value::solve(sum, {.steps = 50}).status, Status::Infeasible);
  // A free row asks for both signs, one of u <= 0 for w <= 0.
  problem.lower = Eigen::VectorXd{{-std::numeric_limits<double>::infinity()}};
  problem.b[0] = 0.1;
  EXPECT_EQ(boundary_value::solve(problem, {.steps = 50}).status, Status::Infeasible);
  problem.upper = Eigen::VectorXd{{0.0}};
  EXPECT_EQ(boundary_value::solve(problem, {.steps = 50}).status, Status::Infeasible);
}

// Two strings as above, of which the conditions leave the second free at 0 (slope 0 there): an atom at 0 for it alone.
// The floor of the second is at 1/2: q = 1/2 + (t - 3)^2 from 3 on, before it lies there with lambda = 2, q'(0) = 0.
TEST(BoundaryValue, AtomsAtAnEndRowByRow) {
  const double T = 4.0;
  Problem problem{.A = Eigen::MatrixXd::Zero(4, 4),
                  .a = [](double, VectorRef value) { value[1] = value[3] = 2.0; },
                  .B = Eigen::MatrixXd::Zero(4, 2),
                  .C = Eigen::MatrixXd::Zero(2, 4),
                  .c = [](double, VectorRef value) { value[1] = -0.5; },
                  .M = Eigen::MatrixXd::Zero(4, 4),
                  .N = Eigen::MatrixXd::Zero(4, 4),
                  .b = Eigen::VectorXd{{1.0, 1.0, 0.0, 1.5}},
                  .T = T,
                  .atoms_at_start = true,
                  .no_atom_at_start = {0},
                  .no_atom_at_end = {0, 1}};
  problem.A(0, 1) = problem.A(2, 3) = 1.0;
  problem.B(1, 0) = problem.B(3, 1) = -1.0;
  problem.C(0, 0) = problem.C(1, 2) = 1.0;
  problem.M(0, 0) = problem.N(1, 0) = problem.M(2, 3) = problem.N(3, 2) = 1.0;
  const Solution solution = boundary_value::solve(problem, {.steps = 80});
  ASSERT_TRUE(solution) << solution.message();
  const double h = T / 80.0;
  for (Index k = 0; k <= 80; ++k) {
    const double t = solution.t[k], from_end = std::min(t, T - t);
    EXPECT_NEAR(solution.x(0, k), from_end < 1.0 ? std::pow(1.0 - from_end, 2) : 0.0, 1e-10) << k;
    EXPECT_NEAR(solution.x(2, k), 0.5 + (t > 3.0 ? std::pow(t - 3.0, 2) : 0.0), 1e-10) << k;
  }
  // q' = 0 of the conditions is before the atom; after it -h, which gravity turns into h: half of an atom inside.
  EXPECT_EQ(solution.u(0, 0), 0.0);
  EXPECT_NEAR(solution.u(1, 0), h, 1e-9);
  EXPECT_NEAR(solution.u(1, 40), 2.0 * h, 1e-9);
  EXPECT_EQ(solution.u(1, 80), 0.0);
  EXPECT_EQ(boundary_value::certify(problem, {.steps = 80}, solution).residual, solution.certificate.residual);
}

// psi = 0.5 of A alone, M = N = 1/2: |(M + N)^-1 N| = 1/2, limit 3; e^{T/2} < 3 up to T = 2 log 3.
TEST(BoundaryValue, SolvabilityBoundOfTheSlides) {
  Problem problem{.A = Eigen::MatrixXd{{0.5}},
                  .M = Eigen::MatrixXd{{0.5}},
                  .N = Eigen::MatrixXd{{0.5}},
                  .b = Eigen::VectorXd{{1.0}},
                  .T = 2.0};
  const boundary_value::Solvability inside = boundary_value::solvability(problem);
  EXPECT_NEAR(inside.limit, 3.0, 1e-14);
  EXPECT_NEAR(inside.growth, std::exp(1.0), 1e-14);
  EXPECT_TRUE(inside.holds);
  problem.T = 2.3;  // 2 log 3 = 2.197
  EXPECT_FALSE(boundary_value::solvability(problem).holds);
  problem.N = -problem.M;
  EXPECT_NE(boundary_value::solvability(problem).reason.find("singular"), std::string_view::npos);
}

// x' = u >= 0, 0 <= u ⟂ x >= 0, x(0) - 2 x(2) = 1: x(0) >= 0 stays, -x(0) = 1; x(0) < 0 jumps to 0, x(0) = 1. None, so
// the jump must count: psi = 0, but J = 2, above 1 + 1/2. With M = 1, N = 0.3 the limit is 1 + 1.3/0.3.
TEST(BoundaryValue, SolvabilityBoundCountsTheJumpAtTheStart) {
  Problem problem{.A = Eigen::MatrixXd{{0.0}},
                  .B = Eigen::MatrixXd{{1.0}},
                  .C = Eigen::MatrixXd{{1.0}},
                  .M = Eigen::MatrixXd{{1.0}},
                  .N = Eigen::MatrixXd{{-2.0}},
                  .b = Eigen::VectorXd{{1.0}},
                  .T = 2.0};
  const boundary_value::Solvability none = boundary_value::solvability(problem);
  EXPECT_EQ(none.psi, 0.0);
  EXPECT_NEAR(none.jump, 2.0, 1e-15);
  EXPECT_NEAR(none.growth, 2.0, 1e-15);
  EXPECT_NEAR(none.limit, 1.5, 1e-14);
  EXPECT_FALSE(none.holds);
  EXPECT_FALSE(boundary_value::solvability(problem, 0.1).holds);  // a psi that is given bounds no jump
  const Solution solution = boundary_value::solve(problem, {.steps = 20});
  ASSERT_EQ(solution.status, Status::Infeasible) << solution.message();
  EXPECT_TRUE(boundary_value::proves_no_solution(problem, {.steps = 20}, solution.proof));

  problem.N(0, 0) = 0.3;
  problem.b[0] = -1.0;
  problem.atoms_at_start = true;
  EXPECT_TRUE(boundary_value::solvability(problem).holds);
  const Solution jumps = boundary_value::solve(problem, {.steps = 20});
  ASSERT_TRUE(jumps) << jumps.message();
  EXPECT_NEAR(jumps.x_start[0], -1.0, 1e-12);  // then 0 to the end
  EXPECT_NEAR(jumps.x(0, 0), 0.0, 1e-12);

  problem.D = Eigen::MatrixXd{{0.5}};  // w = x + u / 2 answers to any x: no jump
  EXPECT_EQ(boundary_value::solvability(problem).jump, 1.0);
  problem.D.resize(0, 0);
  problem.A = Eigen::MatrixXd{{0.0, 1.0}, {0.0, 0.0}};
  problem.B = Eigen::MatrixXd{{0.0}, {1.0}};  // C B = 0: v jumps by no known bound
  problem.C = Eigen::MatrixXd{{1.0, 0.0}};
  problem.M.setIdentity(2, 2);
  problem.N.setZero(2, 2);
  problem.b.setZero(2);
  EXPECT_FALSE(boundary_value::solvability(problem, 0.1).holds);
}

// q'' = K q, eigenvalues 1 and 9 in axes turned by 30 degrees, q given at both ends 20 apart: e^60 hides the slow mode
// in e^{A T}, yet q = e^{-sqrt(K) t} q(0) near 0 and backwards from T is the one well-conditioned solution.
TEST(BoundaryValue, ConditionOfStiffModesIsThatOfTheProblem) {
  const double c = std::cos(std::numbers::pi / 6.0), s = 0.5;
  const Eigen::Matrix2d axes{{c, -s}, {s, c}};
  const auto problem_of = [&](double slow, double T) {
    const Eigen::Matrix2d K = axes * Eigen::Vector2d(slow, 9.0).asDiagonal() * axes.transpose();
    return boundary_value::first_order({.M = Eigen::Matrix2d::Identity(),
                                        .K = -K,
                                        .q_start = Eigen::Vector2d(1.0, 2.0),
                                        .q_end = Eigen::Vector2d(-1.0, 1.0),
                                        .T = T});
  };
  for (const double T : {20.0, 400.0}) {  // e^{A T} overflows at the second
    const Solution solution = boundary_value::solve(problem_of(1.0, T), {.steps = 200});
    ASSERT_TRUE(solution) << solution.message();
    EXPECT_LT(solution.solvability.condition, 100.0) << T;
    EXPECT_EQ(solution.reason.find("singular"), std::string_view::npos) << solution.message();
    const double t = solution.t[1];
    const Eigen::Vector2d modes = axes.transpose() * Eigen::Vector2d(1.0, 2.0),
                          exact = axes * Eigen::Vector2d(std::exp(-t) * modes[0], std::exp(-3.0 * t) * modes[1]);
    EXPECT_LT((solution.x.col(1).head(2) - exact).norm(), T > 100.0 ? 1e-9 : 1e-7);  // e^-20 from the other end
  }
  // A slow mode that returns after T = pi is open or contradicts, whatever the fast one is.
  EXPECT_TRUE(std::isinf(boundary_value::solvability(problem_of(-1.0, std::numbers::pi)).condition));
  // Beside a fast mode that needs e^{60} both estimates see one that is open: not told apart from a lost one.
  EXPECT_FALSE(std::isfinite(boundary_value::solvability(problem_of(-1.0, 6.0 * std::numbers::pi)).condition));
}

template <class Change>
void expect_refused(const char* name, Change&& change) {
  Problem problem = string_on_floor(4.0);
  change(problem);
  try {
    (void)boundary_value::solve(problem);
    ADD_FAILURE() << name << " was not refused";
  } catch (const InvalidArgument& refused) {
    EXPECT_NE(std::string(refused.what()).find(name), std::string::npos) << refused.what();
  }
}

TEST(BoundaryValue, RefusesBadInputByName) {
  expect_refused("Problem::M", [](Problem& p) { p.M = Eigen::MatrixXd::Zero(1, 2); });
  expect_refused("Problem::N", [](Problem& p) { p.N = Eigen::MatrixXd::Zero(2, 3); });
  expect_refused("Problem::M, N", [](Problem& p) { p.N.row(1) = p.N.row(0); });
  expect_refused("Problem::T", [](Problem& p) { p.T = 0.0; });
  expect_refused("Problem::A", [](Problem& p) { p.A(0, 0) = std::nan(""); });
  expect_refused("Problem::lower", [](Problem& p) {
    p.lower = Eigen::VectorXd{{1.0}};
    p.upper = Eigen::VectorXd{{0.0}};
  });
  expect_refused("Problem::no_atom_at_end", [](Problem& p) { p.no_atom_at_end = {1}; });
  expect_refused("Problem::no_atom_at_start", [](Problem& p) { p.no_atom_at_start = {-1}; });
  expect_refused("Problem::acts", [](Problem& p) {
    p.D = Eigen::MatrixXd{{1.0}};
    p.acts = {boundary_value::Acts::Instants};
  });
  const Problem problem = string_on_floor(4.0);
  EXPECT_THROW((void)boundary_value::solve(problem, {.steps = 0}), InvalidArgument);
  EXPECT_THROW((void)boundary_value::solve(problem, {.instants = Eigen::VectorXd{{0.0, 5.0, 4.0}}}), InvalidArgument);
  EXPECT_THROW((void)boundary_value::first_order(MechanicalProblem{.M = Eigen::MatrixXd{{-1.0}}}), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::boundary_value_test
