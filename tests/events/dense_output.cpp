// SPDX-License-Identifier: Apache-2.0
// Dense output of GeneralisedAlpha, which is kept as long as its step stands: a ball in free fall, whose parabola the
// method and the polynomial have but for round-off.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include <nonsmooth/kernel.hpp>

#include "events/mechanics/generalised_alpha.hpp"
#include "events/mechanics/mechanical_part.hpp"

namespace nonsmooth::dense_output_test {
namespace {

constexpr double kGravity = 9.81, kStep = 0.1;
constexpr double kRounding = 1e-14;  // of sums of some ten terms up to 1, and 10 times the way of a step

Eigen::Vector2d fall(double t) { return {1.0 + 0.5 * t - 0.5 * kGravity * t * t, 0.5 - kGravity * t}; }

class FallingBall final : public smooth::RightHandSide {
 public:
  FallingBall() : part_(model_, model_.layout(), options_) {
    part_.set_window({});
    Eigen::VectorXd z = fall(0.0);
    std::vector<Event> log;
    EXPECT_TRUE(part_.resolve(0.0, z, {}, log));
    stepper = events::make_generalised_alpha({.rho = 0.8}, {.fixed_step = kStep}, part_.model(), part_.mode(), *this);
    stepper->start(0.0, z);
  }
  [[nodiscard]] Index size() const override { return 2; }
  void operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) override {
    zdot.resize(2);
    part_.rates(t, z, zdot);
  }

  /// z(t) of the dense output.
  [[nodiscard]] Eigen::VectorXd at(double t) {
    Eigen::VectorXd z(2);
    stepper->dense().evaluate(t, z);
    return z;
  }

  std::unique_ptr<smooth::Stepper> stepper;

 private:
  static NonSmoothDynamicalSystem ball() {
    NonSmoothDynamicalSystem model;
    model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {1.0}, .v0 = {0.5}});
    return model;
  }

  NonSmoothDynamicalSystem model_ = ball();
  EventDrivenOptions options_{.integrator = GeneralisedAlpha{}, .step = kStep};
  events::MechanicalPart part_;
};

TEST(DenseOutput, OfGeneralisedAlphaIsOfTheStepThatStands) {
  FallingBall ball;
  for (int step = 0; step < 2; ++step) {
    ASSERT_EQ(ball.stepper->advance(1.0), smooth::Outcome::Taken);
    const double start = kStep * step;
    for (const double t : {start, start + 0.3 * kStep, start + kStep})
      EXPECT_LE((ball.at(t) - fall(t)).norm(), kRounding);
  }
  ASSERT_EQ(ball.stepper->shorten(1.4 * kStep), smooth::Outcome::Taken);
  EXPECT_NEAR(ball.stepper->dense().end(), 1.4 * kStep, kRounding);
  EXPECT_LE((ball.at(1.4 * kStep) - fall(1.4 * kStep)).norm(), kRounding);
}

TEST(DenseOutput, OfGeneralisedAlphaEndsWhereTheStateWasMovedTo) {
  FallingBall ball;
  ASSERT_EQ(ball.stepper->advance(1.0), smooth::Outcome::Taken);
  EXPECT_LE((ball.at(kStep) - fall(kStep)).norm(), kRounding);
  const Eigen::Vector2d moved = fall(kStep) + Eigen::Vector2d(0.25, -0.5);
  ball.stepper->amend(moved);
  EXPECT_LE((ball.at(kStep) - moved).norm(), kRounding);
  EXPECT_LE((ball.at(0.0) - fall(0.0)).norm(), kRounding);
}

}  // namespace
}  // namespace nonsmooth::dense_output_test
