// SPDX-License-Identifier: Apache-2.0
// Blocks whose friction is at its bound, or nearly, while an instant elsewhere, an impulse or a force that jumps
// changes what pulls, against closed forms.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::friction_bounds_test {
namespace {

constexpr double kFriction = 0.5, kWeight = 8.0, kBound = 4.0;  // [-], N, N; blocks of 1 kg
/// Velocities of order one: some hundred steps with 1e-10 of them each.
constexpr double kIntegrated = 1e-8;

/// A block pulled along x by `pull` [N], on one or two feet in the plane or four in space.
struct Block {
  SystemHandle handle;
  Index n;
  Block(NonSmoothDynamicalSystem& model, int feet, double pull, std::vector<PrescribedImpulse> impulses = {})
      : n(feet == 4 ? 6 : 3) {
    Eigen::VectorXd force = Eigen::VectorXd::Zero(n);
    force[0] = pull;
    force[feet == 4 ? 2 : 1] = -kWeight;
    handle = model.add(LagrangianLinearSystem{.mass = Eigen::MatrixXd::Identity(n, n),
                                              .force = force,
                                              .q0 = Eigen::VectorXd::Zero(n),
                                              .impulses = std::move(impulses)});
    for (int k = 0; k < feet; ++k) stand(model, feet, k % 2 == 0 ? 1.0 : -1.0, k < 2 ? 1.0 : -1.0);
  }

 private:
  void stand(NonSmoothDynamicalSystem& model, int feet, double a, double b) const {
    if (feet == 4) {
      const Eigen::MatrixXd H{{0.0, 0.0, 1.0, b, -a, 0.0}, {1.0, 0.0, 0.0, 0.0, 0.0, -b}, {0.0, 1.0, 0.0, 0.0, 0.0, a}};
      model.link(handle, LagrangianLinearRelation{.H = H},
                 NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 3});
      return;
    }
    model.link(handle, LagrangianLinearRelation{.H = {{0.0, 1.0, feet == 1 ? 0.0 : a}, {1.0, 0.0, 0.0}}},
               NewtonImpactFrictionLaw{.friction = kFriction});
  }
};

Eigen::VectorXd along_x(Index n, double size) {
  Eigen::VectorXd along = Eigen::VectorXd::Zero(n);
  along[0] = size;
  return along;
}

TEST(FrictionBounds, AnImpulseMovesABlockAtItsBound) {
  // Along the pull it goes on at 1 m/s, as the pull balances friction; against it, it is slowed down by 8 m/s^2.
  for (const int feet : {1, 2, 4}) {
    for (const double excess : {0.0, -1e-12, 1e-12, -1e-6}) {
      for (const double impulse : {1.0, -1.0}) {
        NonSmoothDynamicalSystem model;
        const Block block(model, feet, kBound * (1.0 + excess),
                          {{.instant = 0.1, .impulse = ConstantVector(along_x(feet == 4 ? 6 : 3, impulse))}});
        EventDriven run(model);
        const RunReport report = run.advance_to(0.2);
        ASSERT_TRUE(report) << feet << ' ' << excess << ": " << report.message();
        const double expected = (impulse > 0.0 ? 1.0 : -0.2) + 0.1 * kBound * excess;
        EXPECT_NEAR(run.state().v(block.handle)[0], expected, kIntegrated * 0.1) << feet << ' ' << excess;
      }
    }
  }
}

TEST(FrictionBounds, ABlockAtItsBoundToRoundOffRests) {
  // As on an incline with tan(angle) = mu. What pulls more than friction holds, to what is known of forces (1e-10), may
  // move it, by as much.
  for (const int feet : {1, 2, 4}) {
    for (const double excess : {-1e-9, -1e-10, -1e-11, -1e-12, -1e-15, 0.0, 1e-15, 1e-12, 1e-11}) {
      NonSmoothDynamicalSystem model;
      const Block block(model, feet, kBound * (1.0 + excess));
      EventDriven run(model);
      const RunReport report = run.advance_to(1.0);
      ASSERT_TRUE(report) << feet << ' ' << excess << ": " << report.message();
      EXPECT_GE(run.state().v(block.handle)[0], -1e-14) << feet << ' ' << excess;
      EXPECT_LE(run.state().v(block.handle)[0], kBound * std::max(0.0, excess) + 1e-14) << feet << ' ' << excess;
    }
  }
}

/// A body (1 kg) at rest, that a ball as heavy hits at t = 0.1: it goes on at 1 m/s along `sense`.
SystemHandle struck_body(NonSmoothDynamicalSystem& model, double x, double force, double sense) {
  const auto body = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .force = {force}, .q0 = {x}});
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {x - 0.1 * sense}, .v0 = {sense}});
  model.link({body, ball}, LagrangianLinearRelation{.H = {{sense, -sense}}}, NewtonImpactLaw{.restitution = 1.0});
  return body;
}

TEST(FrictionBounds, ADamperToAStruckBodyMovesABlockAtTheInstant) {
  // d (V - v) pulls: w = V - v decays as w' = -2 d w + 4 while the block slips, and V' = -d w.
  for (const int feet : {1, 2, 4}) {
    for (const double d : {3.9, 5.0, 8.0}) {
      NonSmoothDynamicalSystem model;
      const Block block(model, feet, 0.0);
      const auto body = struck_body(model, 0.0, 0.0, 1.0);
      Eigen::MatrixXd H = -along_x(block.n + 1, 1.0).transpose();
      H(0, block.n) = 1.0;
      model.link({block.handle, body}, LagrangianLinearRelation{.H = H}, SpringDamperLaw{.damping = d});
      EventDriven run(model);
      constexpr double passed = 0.01;
      const RunReport report = run.advance_to(0.1 + passed);
      ASSERT_TRUE(report) << feet << ' ' << d << ": " << report.message();
      // d w falls from d to 2 as exp(-2 d t): above 4 N for the 0.01 s from d = 5 on.
      const double w = 2.0 / d + (1.0 - 2.0 / d) * std::exp(-2.0 * d * passed);
      const double momentum = 1.0 - kBound * passed;  // V + v
      const double v = d < kBound ? 0.0 : 0.5 * (momentum - w);
      EXPECT_NEAR(run.state().v(block.handle)[0], v, kIntegrated) << feet << ' ' << d;
      EXPECT_NEAR(run.state().v(body)[0], d < kBound ? std::exp(-d * passed) : v + w, kIntegrated) << feet << ' ' << d;
    }
  }
}

TEST(FrictionBounds, ASpringToAStruckBodyMovesABlockAtItsBound) {
  // The spring pulls with 4 N when the body is hit. Along it, w = V - v has w'' = -2 w about rest, and V + v stays 1;
  // back, the body alone swings, V = -cos t.
  for (const int feet : {1, 2, 4}) {
    for (const double sense : {1.0, -1.0}) {
      NonSmoothDynamicalSystem model;
      const Block block(model, feet, 0.0);
      const auto body = struck_body(model, kBound, kBound, sense);
      Eigen::MatrixXd H = -along_x(block.n + 1, 1.0).transpose();
      H(0, block.n) = 1.0;
      model.link({block.handle, body}, LagrangianLinearRelation{.H = H}, SpringDamperLaw{.stiffness = 1.0});
      EventDriven run(model);
      const RunReport report = run.advance_to(0.3);
      ASSERT_TRUE(report) << feet << ' ' << sense << ": " << report.message();
      const double w = std::cos(std::sqrt(2.0) * 0.2);
      EXPECT_NEAR(run.state().v(block.handle)[0], sense > 0.0 ? 0.5 * (1.0 - w) : 0.0, kIntegrated) << feet;
      EXPECT_NEAR(run.state().v(body)[0], sense > 0.0 ? 0.5 * (1.0 + w) : -std::cos(0.2), kIntegrated) << feet;
    }
  }
}

}  // namespace
}  // namespace nonsmooth::friction_bounds_test
