// SPDX-License-Identifier: Apache-2.0
// Optimal control at the ends: atoms there, row by row, and ends that break a constraint or leave it at once.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <nonsmooth/kernel/optimal_control.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "optimal_control_problems.hpp"

namespace nonsmooth::optimal_control_ends_test {
namespace {

using optimal_control::Atom;
using optimal_control::Problem;
using optimal_control::Solution;
using namespace optimal_control_problems;

// The valley with F = 1 and a free end, x >= 1 to it: from x = 1 on u = 0, eta = 0 inside, and an atom at T:
// eta(T) = -F x(T) = -1.
TEST(OptimalControlEnds, AtomAtAFreeEnd) {
  Problem problem = valley();
  problem.F = Eigen::MatrixXd{{1.0}};
  problem.M = Eigen::MatrixXd{{1.0}}, problem.N = Eigen::MatrixXd{{0.0}}, problem.b = Eigen::VectorXd{{2.0}};
  const Solution solution = optimal_control::solve_by_conditions(problem, {.steps = 400});
  ASSERT_TRUE(solution) << solution.reason;
  EXPECT_NEAR(solution.x(0, 400), 1.0, 1e-12);
  const std::vector<Atom> atoms = optimal_control::atoms(solution);
  ASSERT_EQ(atoms.size(), 1u);
  EXPECT_NEAR(atoms[0].t, 4.0, 0.02);
  EXPECT_NEAR(atoms[0].mass, 1.0, 0.05);  // and the density of two and a half steps, 0.025
}

// x'' = u, v from -1 to 0 within 1, x(1) = 0. Left alone u = 1 and x(0) = 1/2; with x <= 2/5 the start lies on the
// constraint: u = 1 - s (t - 1/2), 1/2 - s / 12 = 2/5, and eta_1 jumps from 0 to s = 6/5 at 0. Cost (1 + s^2 / 12) / 2.
TEST(OptimalControlEnds, AtomAtAFreeStart) {
  Problem problem = mass({0.0, 0.0}, {0.0, 0.0});
  problem.C = Eigen::MatrixXd{{-1.0, 0.0}};
  problem.d = Eigen::VectorXd{{0.4}};
  problem.M = Eigen::MatrixXd{{0.0, 1.0}, {0.0, 0.0}, {0.0, 0.0}};
  problem.N = Eigen::MatrixXd{{0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}};
  problem.b = Eigen::VectorXd{{-1.0, 0.0, 0.0}};
  const boundary_value::Problem conditions = optimal_control::necessary_conditions(problem);
  EXPECT_TRUE(conditions.no_atom_at_start.empty());
  EXPECT_EQ(conditions.no_atom_at_end, std::vector<Index>{0});
  for (const bool program : {false, true}) {
    const Solution solution = program ? optimal_control::solve_by_program(problem, {.steps = 50})
                                      : optimal_control::solve_by_conditions(problem, {.steps = 50});
    ASSERT_TRUE(solution) << solution.reason;
    const double tolerance = program ? 1e-3 : 1e-9;  // u constant over h: h^2 / 24 s^2 of the cost, 2.4e-5; s some h^2
    EXPECT_NEAR(solution.x(0, 0), 0.4, 1e-7);
    EXPECT_NEAR(solution.lambda(0, 0), 1.2, tolerance);
    EXPECT_NEAR(solution.cost, 0.56, tolerance);
  }
}

// The valley's cost for a periodic motion: x = 1, u = 0 with the density 1. x(0) = x(T), so one atom serves both ends.
// On a mesh eta' = x between atoms makes 2 tanh(h/2) of each.
TEST(OptimalControlEnds, PeriodicEndsShareTheirAtom) {
  Problem problem = valley();
  problem.M = Eigen::MatrixXd{{1.0}}, problem.N = Eigen::MatrixXd{{-1.0}}, problem.b = Eigen::VectorXd{{0.0}};
  const boundary_value::Problem conditions = optimal_control::necessary_conditions(problem);
  EXPECT_EQ(conditions.no_atom_at_start, std::vector<Index>{0});
  EXPECT_TRUE(conditions.no_atom_at_end.empty());
  const Solution solution = optimal_control::solve_by_conditions(problem, {.steps = 40});
  ASSERT_TRUE(solution) << solution.reason;
  for (Index k = 1; k <= 40; ++k) EXPECT_NEAR(solution.lambda(0, k), 2.0 * std::tanh(0.05), 1e-9);
  EXPECT_NEAR(solution.x(0, 0), 1.0, 1e-10);
  EXPECT_NEAR(solution.cost, 2.0, 0.01);  // h^2
}

// The same with x(T) = x(0) + 1: x = 1 lies at the start, x = cosh(t - 4 + s) to 2 at the end, s = arcosh 2. eta(0)
// before its atom is eta(T) = x'(T) = sqrt 3, behind it 0, and on a mesh -tanh(h/2): half of an atom inside. The end of
// contact is within a step of 4 - s, so that eta(T) has errors of some h^2 = 1e-4.
TEST(OptimalControlEnds, TiedEndsHaveTheirAtomWhereTheConstraintIsNearer) {
  Problem problem = valley();
  problem.M = Eigen::MatrixXd{{1.0}}, problem.N = Eigen::MatrixXd{{-1.0}}, problem.b = Eigen::VectorXd{{-1.0}};
  const boundary_value::Problem conditions = optimal_control::necessary_conditions(problem);
  EXPECT_TRUE(conditions.no_atom_at_start.empty());
  EXPECT_EQ(conditions.no_atom_at_end, std::vector<Index>{0});
  const double s = std::acosh(2.0);
  for (const bool program : {false, true}) {
    const Solution solution = program ? optimal_control::solve_by_program(problem, {.steps = 400})
                                      : optimal_control::solve_by_conditions(problem, {.steps = 400});
    ASSERT_TRUE(solution) << solution.reason;
    EXPECT_NEAR(solution.x(0, 0), 1.0, program ? 1e-7 : 1e-10);
    EXPECT_NEAR(solution.lambda(0, 0), std::sqrt(3.0) + std::tanh(0.005), 1e-4);
    EXPECT_EQ(solution.lambda(0, 400), 0.0);
    EXPECT_NEAR(solution.cost, 0.5 * (4.0 - s) + std::sqrt(3.0), 1e-4);
  }
  // x(0) = x(T) + 1 has it at T; so has x(0) = x(T) where the constraint falls, and at 0 where it rises.
  problem.b[0] = 1.0;
  EXPECT_EQ(optimal_control::necessary_conditions(problem).no_atom_at_start, std::vector<Index>{0});
  problem.b[0] = 0.0;
  for (const double slope : {-0.1, 0.1}) {
    problem.d_of_time = [slope](double t, VectorRef d) { d[0] += slope * t; };
    const boundary_value::Problem moving = optimal_control::necessary_conditions(problem);
    EXPECT_EQ(slope < 0.0 ? moving.no_atom_at_start : moving.no_atom_at_end, std::vector<Index>{0});
    EXPECT_TRUE((slope < 0.0 ? moving.no_atom_at_end : moving.no_atom_at_start).empty());
  }
}

// The free start and the periodic valley above beside each other within T = 1, neither knows of the other: the first
// row has its atom at 0, the second at T.
TEST(OptimalControlEnds, EndsAreDecidedRowByRow) {
  const Problem problem{.A = Eigen::MatrixXd{{0.0, 1.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}},
                        .B = Eigen::MatrixXd{{0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}},
                        .Q = Eigen::Vector3d(0.0, 0.0, 1.0).asDiagonal(),
                        .R = Eigen::MatrixXd::Identity(2, 2),
                        .C = Eigen::MatrixXd{{-1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}},
                        .d = Eigen::VectorXd{{0.4, -1.0}},
                        .M = Eigen::MatrixXd{{0.0, 1.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}},
                        .N = Eigen::MatrixXd{{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, -1.0}},
                        .b = Eigen::VectorXd{{-1.0, 0.0, 0.0, 0.0}}};
  const boundary_value::Problem conditions = optimal_control::necessary_conditions(problem);
  EXPECT_EQ(conditions.no_atom_at_start, std::vector<Index>{1});
  EXPECT_EQ(conditions.no_atom_at_end, std::vector<Index>{0});
  for (const bool program : {false, true}) {
    const Solution solution = program ? optimal_control::solve_by_program(problem, {.steps = 40})
                                      : optimal_control::solve_by_conditions(problem, {.steps = 40});
    ASSERT_TRUE(solution) << solution.reason;
    const double tolerance = program ? 1e-3 : 1e-8;  // as AtomAtAFreeStart; h = 1/40 in place of 1/50
    EXPECT_NEAR(solution.lambda(0, 0), 1.2, tolerance);
    EXPECT_NEAR(solution.lambda(1, 40), program ? 1.0 / 40.0 : 2.0 * std::tanh(1.0 / 80.0), program ? 1e-5 : 1e-9);
    EXPECT_NEAR(solution.cost, 0.56 + 0.5, 1e-3);
    EXPECT_EQ(solution.lambda(0, 40), 0.0);
    EXPECT_EQ(solution.lambda(1, 0), 0.0);
  }
}

// A mass that starts behind the wall: x(0) = 0 > l. No motion is admissible, whatever u; without the proof meshes would
// have solutions, that leave the wall within one step at a cost that grows like h^-3.
TEST(OptimalControlEnds, EndsThatBreakAConstraintAreProven) {
  const Problem problem = before_a_wall(-0.1);
  const vi::Polyhedron ends = boundary_value::admissible_ends(optimal_control::necessary_conditions(problem));
  for (const bool program : {false, true}) {
    const Solution solution = program ? optimal_control::solve_by_program(problem, {.steps = 20})
                                      : optimal_control::solve_by_conditions(problem, {.steps = 20});
    ASSERT_EQ(solution.status, Status::Infeasible) << solution.reason;
    EXPECT_TRUE(vi::proves_empty(ends, solution.proof));
    EXPECT_TRUE(optimal_control::atoms(solution).empty());
    EXPECT_TRUE(std::isnan(solution.cost));
    if (program) {  // there is no x
      EXPECT_THROW((void)optimal_control::arcs(problem, solution), InvalidArgument);
    }
  }
  EXPECT_TRUE(optimal_control::solve_by_conditions(before_a_wall(1e-3), {.steps = 20}));
}

// l = 0: x(0) = 0 lies on the wall, and v(0) = 1, which no u changes at once, goes into it. Meshes have solutions all
// the same, turned round within one step, whose cost 3 / h belongs to no motion. For l > 0, however small, it is 4 / (9
// l).
TEST(OptimalControlEnds, EndsThatLeaveAConstraintAtOnceAreProven) {
  Problem problem = before_a_wall(0.0);
  const auto status_of = [&](bool program) {
    const Solution solution = program ? optimal_control::solve_by_program(problem, {.steps = 20})
                                      : optimal_control::solve_by_conditions(problem, {.steps = 20});
    const boundary_value::Problem conditions = optimal_control::necessary_conditions(problem);
    EXPECT_EQ(solution.status == Status::Infeasible,
              boundary_value::proves_no_solution(conditions, {.steps = 20}, solution.proof));
    return solution.status;
  };
  for (const bool program : {false, true}) {
    problem = before_a_wall(0.0);
    EXPECT_EQ(status_of(program), Status::Infeasible);
    problem.b << 0.0, -1.0, 0.0, -1.0;  // away from the wall at 0, but out of it at 1
    EXPECT_EQ(status_of(program), Status::Infeasible);
    problem.b[3] = 1.0;  // against it at 1
    EXPECT_EQ(status_of(program), Status::Solved);
    problem.b << 0.0, 0.0, 0.0, 0.0;  // along it
    EXPECT_EQ(status_of(program), Status::Solved);
    problem = before_a_wall(1e-12);
    EXPECT_EQ(status_of(program), Status::Solved);
    // x <= 2 t gives way faster than v(0) = 1 follows, x <= t / 2 does not; the motion ends at -1, far from both.
    problem.b << 0.0, 1.0, -1.0, -1.0;
    for (const double slope : {2.0, 0.5}) {
      problem.d[0] = 0.0;
      problem.d_of_time = [slope](double t, VectorRef d) { d[0] += slope * t; };
      EXPECT_EQ(status_of(program), slope > 1.0 ? Status::Solved : Status::Infeasible);
    }
    // A wind of 2: away from the wall, faster than v(0) = 1 goes into it; into it, faster than v(0) = -1 goes away.
    for (const double wind : {-2.0, 2.0}) {
      problem = before_a_wall(0.0);
      problem.a = [wind](double, VectorRef a) { a[0] = wind; };
      problem.b << 0.0, -0.5 * wind, -1.0, 0.0;
      EXPECT_EQ(status_of(program), wind < 0.0 ? Status::Solved : Status::Infeasible);
    }
  }
}

// x''' = u from rest on the wall x <= 0 with an acceleration, to rest at -1: into the wall, or away from it. Backwards
// the same, from -1 to the wall, where x'' < 0 brakes what comes from inside.
TEST(OptimalControlEnds, EndsThatLeaveAConstraintByTheirAccelerationAreProven) {
  Problem problem{.A = Eigen::MatrixXd{{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}},
                  .B = Eigen::MatrixXd{{0.0}, {0.0}, {1.0}},
                  .R = Eigen::MatrixXd{{1.0}},
                  .C = Eigen::MatrixXd{{-1.0, 0.0, 0.0}},
                  .d = Eigen::VectorXd{{0.0}},
                  .M = Eigen::MatrixXd::Zero(6, 3),
                  .N = Eigen::MatrixXd::Zero(6, 3)};
  problem.M.topRows(3).setIdentity();
  problem.N.bottomRows(3).setIdentity();
  for (const double acceleration : {-1.0, 1.0}) {
    for (const bool backwards : {false, true}) {
      const Eigen::Vector3d on(0.0, 0.0, acceleration), away(-1.0, 0.0, 0.0);
      problem.b.resize(6);
      problem.b << (backwards ? away : on), (backwards ? on : away);
      const Status expected = acceleration < 0.0 ? Status::Solved : Status::Infeasible;
      EXPECT_EQ(optimal_control::solve_by_conditions(problem, {.steps = 10}).status, expected) << backwards;
      EXPECT_EQ(optimal_control::solve_by_program(problem, {.steps = 10}).status, expected) << backwards;
    }
  }
}

// From rest to rest over 1 within 1 takes |u| >= 4. Conditions that hold the mean of u over intervals alone are solved
// with less, by a u that turns inside of them, at a cost that grows with 1 / h. No u has |u| <= -1.
TEST(OptimalControlEnds, BoundsThatDoNotReachTheEndAreTold) {
  for (const double bound : {-1.0, 1.0, 3.9, 4.1}) {
    Problem problem = mass({0.0, 0.0}, {1.0, 0.0});
    problem.E = Eigen::MatrixXd{{-1.0}, {1.0}};
    problem.e = Eigen::VectorXd{{bound, bound}};
    for (const Index steps : {20, 40}) {
      const Solution conditions = optimal_control::solve_by_conditions(problem, {.steps = steps});
      const Solution program = optimal_control::solve_by_program(problem, {.steps = steps});
      const Status expected = bound > 4.0 ? Status::Solved : Status::Infeasible;
      EXPECT_EQ(conditions.status, expected) << bound << ": " << conditions.reason;
      EXPECT_EQ(program.status, expected) << bound << ": " << program.reason;
      EXPECT_EQ(std::isnan(conditions.cost), bound < 4.0);
      EXPECT_EQ(std::isnan(program.cost), bound < 4.0);
    }
  }
}

}  // namespace
}  // namespace nonsmooth::optimal_control_ends_test
