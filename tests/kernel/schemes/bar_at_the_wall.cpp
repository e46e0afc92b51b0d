// SPDX-License-Identifier: Apache-2.0
// A bar of finite elements that flies against a wall: contact does no work, step by step.
//
//   M v' = -K q - b K v + n dp,   0 <= q_1  ⟂  dp >= 0,   unit length, density and stiffness,   v = -v_0 at the start.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/kernel/time_stepping.hpp>

namespace nonsmooth::bar_at_the_wall_test {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Eigen::VectorXd;

constexpr double kSpeed = 0.1;

struct Bar {
  Sparse M, K;
};

/// n linear elements, their mass consistent or lumped.
Bar bar(Index n, bool lumped) {
  const double l = 1.0 / static_cast<double>(n);
  std::vector<Eigen::Triplet<double>> mass, stiffness;
  for (Index i = 0; i < n; ++i) {
    for (const Index row : {i, i + 1}) {
      for (const Index column : {i, i + 1}) {
        const bool same = row == column;
        stiffness.emplace_back(static_cast<int>(row), static_cast<int>(column), same ? 1.0 / l : -1.0 / l);
        if (same || !lumped)
          mass.emplace_back(static_cast<int>(row), static_cast<int>(column),
                            lumped ? l / 2.0
                            : same ? l / 3.0
                                   : l / 6.0);
      }
    }
  }
  Bar made{.M = Sparse(n + 1, n + 1), .K = Sparse(n + 1, n + 1)};
  made.M.setFromTriplets(mass.begin(), mass.end());
  made.K.setFromTriplets(stiffness.begin(), stiffness.end());
  return made;
}

struct Flight {
  double largest_work = 0.0;     ///< |p (gap+ - gap)| / h of a step: <a', b> with a the gap, b the force
  double largest_balance = 0.0;  ///< what is left of the energy of a step
  double impulse = 0.0, last_contact = 0.0;
};

/// Moreau and Jean's scheme with theta = 1, e = 0. Then gap+ - gap = h u+ with u+ ⟂ p, and v+ times the equations is
///
///     E+ - E = -1/2 |v+ - v|_M^2 - 1/2 |q+ - q|_K^2 - h b |v+|_K^2 + u+ p,     E = 1/2 |v|_M^2 + 1/2 |q|_K^2.
Flight fly(Index elements, double damping, bool lumped, Index steps) {
  const Bar of = bar(elements, lumped);
  const Index n = elements + 1;
  NonSmoothDynamicalSystem model;
  const auto system = model.add(LagrangianLinearSystem{.mass = of.M,
                                                       .damping = Sparse(damping * of.K),
                                                       .stiffness = of.K,
                                                       .q0 = VectorXd::Zero(n),
                                                       .v0 = VectorXd::Constant(n, -kSpeed)});
  const auto wall =
      model.link(system, LagrangianLinearRelation{.H = Eigen::RowVectorXd::Unit(n, 0)}, NewtonImpactLaw{});
  const double end = 3.0, h = end / static_cast<double>(steps);
  TimeStepping simulation{model, {.integrator = MoreauJean{.theta = 1.0}, .step = h}};
  Flight flight;
  VectorXd q = VectorXd::Zero(n), v = VectorXd::Constant(n, -kSpeed);
  const auto square = [](const Sparse& A, const VectorXd& x) -> double { return x.dot(A * x); };
  const RunReport report = simulation.advance_to(end, [&](const State& state) {
    const VectorXd q_next = state.q(system), v_next = state.v(system);
    const double p = state.impulse(wall)[0];
    flight.largest_work = std::max(flight.largest_work, std::abs(p * (q_next[0] - q[0])) / h);
    const double change = 0.5 * (square(of.M, v_next) + square(of.K, q_next) - square(of.M, v) - square(of.K, q));
    const double lost =
        0.5 * square(of.M, v_next - v) + 0.5 * square(of.K, q_next - q) + h * damping * square(of.K, v_next);
    flight.largest_balance = std::max(flight.largest_balance, std::abs(change + lost));
    flight.impulse += p;
    if (p > 0.0) flight.last_contact = state.t;
    q = q_next;
    v = v_next;
  });
  EXPECT_TRUE(report) << report.message();
  return flight;
}

// Products of terms of size p <= 0.2, u <= 0.1 per step, to the tolerance of the step's problem, 1e-9 of |q| = 0.1 at
// most; of energies 1/2 v^2 = 5e-3 to rounding of some 10^3 terms of stiffness 1/l.
TEST(BarAtTheWall, ContactDoesNoWorkInAnyStepAndEnergyBalances) {
  for (const bool lumped : {false, true}) {
    for (const double damping : {0.0, 1e-3, 0.1}) {
      const Flight flight = fly(50, damping, lumped, 1500);
      EXPECT_GT(flight.impulse, kSpeed) << damping;
      EXPECT_LE(flight.largest_work, 1e-11) << damping << (lumped ? ", lumped" : ", consistent");
      EXPECT_LE(flight.largest_balance, 1e-12) << damping << (lumped ? ", lumped" : ", consistent");
    }
  }
}

// Without damping contact lasts 2 L / c = 2 with the force v_0: the impulse 2 v_0. Backward Euler smears the front by
// some sqrt(h t) = 0.04 and loses some of the rebound, the mass of half an element has an impulse v l of its own.
TEST(BarAtTheWall, ContactLastsTwoPassagesOfTheWave) {
  const Flight flight = fly(200, 0.0, true, 3000);
  EXPECT_NEAR(flight.last_contact, 2.0, 3.0 * std::sqrt(2.0 * 1e-3));
  EXPECT_NEAR(flight.impulse, 2.0 * kSpeed, 0.05 * 2.0 * kSpeed);
}

}  // namespace
}  // namespace nonsmooth::bar_at_the_wall_test
