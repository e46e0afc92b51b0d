// SPDX-License-Identifier: Apache-2.0
// Springs and contacts in one island: what tolerances count against is what moves, however far a spring is stretched.
#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::springs_beside_contacts_test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon(), kGravity = 9.81, kStep = 1e-3, kForce = 2.0;

/// 1 kg on a floor, pulled down and to the left along (0.6, 0.8) by kForce, of a spring of stiffness k that is
/// stretched by kForce / k; h W0 a = h^2 k / 4 of its row.
struct Pulled {
  NonSmoothDynamicalSystem model;
  SystemHandle mass;
  InteractionHandle floor, spring;
  double a, sigma;

  explicit Pulled(double k, double lower = -std::numeric_limits<double>::infinity())
      : a(0.25 * kStep * k), sigma(kStep * a / (1.0 + kStep * a)) {
    mass = model.add(LagrangianLinearSystem{
        .mass = Eigen::Matrix2d(Eigen::Matrix2d::Identity()), .force = {0.0, -kGravity}, .q0 = {0.0, 0.0}});
    floor = model.link(mass, LagrangianLinearRelation{.H = {{0.0, 1.0}}}, NewtonImpactLaw{});
    spring = model.link(mass, LagrangianLinearRelation{.H = {{0.6, 0.8}}, .b = {kForce / k}},
                        SpringDamperLaw{.stiffness = k, .lower = lower});
  }
  /// Impulses of the floor and the spring in the first step, both rows at u = 0: with c = 1 / (h a),
  /// N + 0.8 p = g h and 0.8 N + (1 + c) p = 0.8 g h - kForce / a.
  [[nodiscard]] Eigen::Vector2d exact() const {
    const Eigen::Matrix2d W = (Eigen::Matrix2d() << 1.0, 0.8, 0.8, 1.0 + 1.0 / (kStep * a)).finished();
    const double fall = kGravity * kStep;
    return W.partialPivLu().solve(Eigen::Vector2d(fall, 0.8 * fall - kForce / a));
  }
};

TEST(SpringsBesideContacts, TheScaleIsThatOfWhatMoves) {
  for (const double k : {1e-6, 1e-2, 1.0, 1e3, 1e6, 1e9}) {
    const Pulled scene(k);
    TimeStepping simulation(scene.model, {.step = kStep});
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    // q of the floor is -g h; of the spring, whose 4 y / h is 8e9 m/s where k = 1e-6, sigma times that less 0.8 g h.
    const double of_spring = std::abs(scene.sigma * (kForce / scene.a - 0.8 * kGravity * kStep));
    EXPECT_NEAR(report.certificate.scale, std::max(kGravity * kStep, of_spring), 1e-12) << k;
    EXPECT_LE(report.certificate.scale, kGravity * kStep + kForce * kStep) << k;
    // The problem keeps its units: rows of W and q are u and p, and the set says what they count by.
    const mixed::Problem& problem = simulation.problem().reduced;
    ASSERT_EQ(problem.K.num_blocks(), 2);
    EXPECT_NEAR(problem.K[1].unit, std::max(kEps, scene.sigma), 8.0 * kEps * scene.sigma) << k;
    EXPECT_NEAR(problem.q[1], kForce / scene.a - 0.8 * kGravity * kStep, 8.0 * kEps * kForce / scene.a) << k;
    const State& state = std::as_const(simulation).state();
    const Eigen::Vector2d found(state.impulse(scene.floor)[0], state.impulse(scene.spring)[0]), exact = scene.exact();
    // Certified to 1e-10 of the scale, in rows of W0 = 1; rounding of kForce / a times sigma besides.
    EXPECT_LE((found - exact).cwiseAbs().maxCoeff(), 1e-10 * report.certificate.scale + 16.0 * kEps * kForce * kStep)
        << k;
  }
}

TEST(SpringsBesideContacts, ALooseToleranceHoldsTheContact) {
  // 1e-6 of 8e3 m/s would let the mass through the floor at 8 mm/s, as fast as it falls in a step.
  for (const AnySolver& solver :
       {AnySolver(mixed::GaussSeidel{.tolerance = 1e-6}), AnySolver(mixed::Automatic{.tolerance = 1e-6}),
        AnySolver(mixed::Admm{.tolerance = 1e-6})}) {
    const Pulled scene(1.0);
    TimeStepping simulation(scene.model, {.step = kStep, .solver = solver});
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    EXPECT_LE(std::abs(std::as_const(simulation).state().v(scene.mass)[1]), 2e-6 * (kGravity + kForce) * kStep);
  }
}

TEST(SpringsBesideContacts, LimitsHoldAsWithoutAUnit) {
  // lower = -1 N: half of what the spring would pull with. p = -h exactly, and N = (g + 0.8) h.
  for (const double k : {1e-2, 1e3}) {
    const Pulled scene(k, -1.0);
    TimeStepping simulation(scene.model, {.step = kStep});
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    const State& state = std::as_const(simulation).state();
    EXPECT_NEAR(state.impulse(scene.spring)[0], -kStep, 4.0 * kEps * kStep) << k;
    EXPECT_NEAR(state.impulse(scene.floor)[0], (kGravity + 0.8) * kStep, 1e-10 * 2.0 * kGravity * kStep) << k;
  }
}

}  // namespace
}  // namespace nonsmooth::springs_beside_contacts_test
