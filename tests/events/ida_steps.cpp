// SPDX-License-Identifier: Apache-2.0
// Steps of IDA on implicit equations with multipliers among the unknowns.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "smooth_steppers.hpp"

namespace nonsmooth::ida_steps_test {
namespace {

using Eigen::VectorXd;
using smooth::ErrorControl;
using smooth::Outcome;

class IdaSteps : public ::testing::Test {
  void SetUp() override {
    if (!Ida::available()) GTEST_SKIP() << "built without SUNDIALS (NONSMOOTH_WITH_SUNDIALS)";
  }
};

/// A pendulum of length 1 in x and y, g = 1: z = (q; v), vdot + (0, 1) + 2 q lambda = 0, |v|^2 + q . vdot = 0.
struct Rod final : smooth::RightHandSide {
  bool held = true;  ///< else in free fall
  Index calls = 0, residuals = 0, throw_at = -1, nan_at = -1;

  [[nodiscard]] Index size() const override { return 4; }
  [[nodiscard]] double multiplier(const VectorXd& z) const {
    return held ? 0.5 * (z.tail(2).squaredNorm() - z[1]) / z.head(2).squaredNorm() : 0.0;
  }
  void operator()(double, const VectorXd& z, VectorXd& zdot) override {
    ++calls;
    zdot.head(2) = z.tail(2);
    zdot.tail(2) = -2.0 * multiplier(z) * z.head(2) - Eigen::Vector2d(0.0, 1.0);
  }
  [[nodiscard]] Index num_multipliers() const override { return held ? 1 : 0; }
  void consistent_rates(double t, const VectorXd& z, VectorXd& zdot, VectorXd& lambda) override {
    zdot.resize(4), lambda.resize(num_multipliers());
    (*this)(t, z, zdot);
    lambda.setConstant(multiplier(z));
  }
  void residual(double, const VectorXd& z, const VectorXd& zdot, const VectorXd& lambda, VectorXd& r) override {
    if (++residuals == throw_at) throw std::runtime_error("a user's callable");
    r.resize(4 + lambda.size());
    r.head(2) = zdot.head(2) - z.tail(2);
    r.segment(2, 2) = zdot.tail(2) + Eigen::Vector2d(0.0, 1.0);
    if (held) {
      r.segment(2, 2) += 2.0 * lambda[0] * z.head(2);
      r[4] = z.tail(2).squaredNorm() + z.head(2).dot(zdot.tail(2));
    }
    if (residuals == nan_at) r[0] = std::nan("");
  }
};

VectorXd rod_at(double angle) { return VectorXd{{std::sin(angle), -std::cos(angle), 0.0, 0.0}}; }

TEST_F(IdaSteps, ARodSwingsAsItsAngleDoes) {
  smooth::Function angle(2, [](double, const VectorXd& z, VectorXd& zdot) { zdot << z[1], -std::sin(z[0]); });
  const double start = 1.5, T = 5.0;
  const auto exact = smooth::make(DormandPrince{}, {.relative = 1e-13, .absolute = 1e-13}, angle);
  exact->start(0.0, VectorXd{{start, 0.0}});
  smooth::run_to(*exact, T);
  const double a = exact->z()[0], rate = exact->z()[1];
  const VectorXd end{{std::sin(a), -std::cos(a), rate * std::cos(a), rate * std::sin(a)}};
  for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
    Rod rod;
    const auto stepper = smooth::make(Ida{}, {.relative = tolerance, .absolute = tolerance}, rod);
    stepper->start(0.0, rod_at(start));
    Index steps = 0;
    for (; stepper->t() < T; ++steps) ASSERT_EQ(stepper->advance(T), Outcome::Taken);
    // The tolerance a step, carried along with a factor of 5 or less (period and drift off the circle grow linearly).
    EXPECT_LT((stepper->z() - end).norm(), 5.0 * tolerance * static_cast<double>(steps)) << tolerance;
    EXPECT_LT(steps, 1500) << tolerance;
    EXPECT_LT(rod.calls, 40);  // one starting step: the rest is the implicit form
    EXPECT_GT(rod.residuals, steps);
    EXPECT_EQ(stepper->evaluations(), rod.residuals + rod.calls);
    EXPECT_EQ(stepper->z().size(), 4);
    EXPECT_EQ(stepper->dense().coefficients.rows(), 4);
  }
}

TEST_F(IdaSteps, MultipliersMayComeAndGoBetweenPhases) {
  Rod rod;
  const auto stepper = smooth::make(Ida{}, {.relative = 1e-9, .absolute = 1e-9}, rod);
  stepper->start(0.0, rod_at(1.5));
  smooth::run_to(*stepper, 1.0);
  const VectorXd cut = stepper->z();
  rod.held = false;
  stepper->start(1.0, cut);
  smooth::run_to(*stepper, 2.0);
  // A parabola: the error estimate, one order above, vanishes; what is left is Newton's third of a tolerance a step.
  const Eigen::Vector2d fall(0.0, -0.5);
  EXPECT_LT((stepper->z().head(2) - cut.head(2) - cut.tail(2) - fall).norm(), 1e-9 * 100.0);
  rod.held = true;
  stepper->start(0.0, rod_at(1.5));
  smooth::run_to(*stepper, 1.0);
  // Of what came between only the length of a step is left: as far apart as two runs within the tolerance.
  EXPECT_LT((stepper->z() - cut).norm(), 1e-9 * 200.0);
}

TEST_F(IdaSteps, StiffnessOnTheWayThroughAMultiplier) {
  // zdot = -sin t - rate lambda, z - cos t = lambda: z = cos t, which is all that decides the steps.
  struct Stiff final : smooth::RightHandSide {
    double rate = 0.0;
    [[nodiscard]] Index size() const override { return 1; }
    [[nodiscard]] Index num_multipliers() const override { return 1; }
    void operator()(double t, const VectorXd& z, VectorXd& zdot) override {
      zdot[0] = -std::sin(t) - rate * (z[0] - std::cos(t));
    }
    void consistent_rates(double t, const VectorXd& z, VectorXd& zdot, VectorXd& lambda) override {
      zdot.resize(1), lambda.resize(1);
      (*this)(t, z, zdot);
      lambda[0] = z[0] - std::cos(t);
    }
    void residual(double t, const VectorXd& z, const VectorXd& zdot, const VectorXd& lambda, VectorXd& r) override {
      r = VectorXd{{zdot[0] + std::sin(t) + rate * lambda[0], z[0] - std::cos(t) - lambda[0]}};
    }
  } f;
  for (const double rate : {1.0, 1e4, 1e8}) {
    f.rate = rate;
    const auto stepper = smooth::make(Ida{}, {.relative = 1e-7, .absolute = 1e-7}, f);
    stepper->start(0.0, VectorXd{{1.0}});
    int steps = 0;
    double worst = 0.0;
    for (; stepper->t() < 10.0; ++steps) {
      ASSERT_EQ(stepper->advance(10.0), Outcome::Taken);
      worst = std::max(worst, std::abs(stepper->z()[0] - std::cos(stepper->t())));
    }
    EXPECT_LT(worst, 1e-7 * steps) << rate;
    EXPECT_LT(steps, 600) << rate;  // steps that followed the rate would be 1e4 and more
  }
}

TEST_F(IdaSteps, WhatResidualsThrowPassesAndNaNShortensTheStep) {
  const ErrorControl control{.relative = 1e-8, .absolute = 1e-8};
  for (int after = 1; after <= 12; ++after) {  // residuals of steps and of Jacobians
    Rod rod;
    const auto stepper = smooth::make(Ida{}, control, rod);
    stepper->start(0.0, rod_at(1.5));
    rod.throw_at = after;
    EXPECT_THROW(while (stepper->t() < 1.0)(void) stepper->advance(1.0), std::runtime_error) << after;
    const double t = stepper->t();
    rod.throw_at = -1;
    smooth::run_to(*stepper, 1.0);
    EXPECT_GT(stepper->t(), t);

    Rod other;
    other.nan_at = after;
    const auto second = smooth::make(Ida{}, control, other);
    second->start(0.0, rod_at(1.5));
    smooth::run_to(*second, 1.0);
    EXPECT_LT((second->z() - stepper->z()).norm(), 1e-8 * 5.0 * 200.0) << after;
  }
}

}  // namespace
}  // namespace nonsmooth::ida_steps_test
