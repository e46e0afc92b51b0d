// SPDX-License-Identifier: Apache-2.0
// Hertz's contact, F = k d^(3/2), as a compliant relation that is nonlinear in its force: an impact in closed form.
#include <cmath>

#include <gtest/gtest.h>

#include "kernel/closed_forms.hpp"

namespace nonsmooth::hertz_test {
namespace {

using namespace closed_forms;

/// 0 <= y = q + (lambda / k)^(2/3) ⟂ lambda >= 0. The compliance 2/3 k^(-2/3) lambda^(-1/3) is infinite at the first
/// touch; Newton takes that of a force of `least`, far below those that count, and climbs from there: lambda to the
/// power 1/3 an iteration.
CompliantRelation hertz(double k, double least) {
  const auto compliance = [k, least](double force) {
    return 2.0 / 3.0 * std::pow(k, -2.0 / 3.0) / std::cbrt(std::max(force, least));
  };
  return {.rows = 1,
          .h = [k](ConstVectorRef q, ConstVectorRef force,
                   VectorRef y) { y[0] = q[0] + std::pow(std::max(force[0], 0.0) / k, 2.0 / 3.0); },
          .H = [](ConstVectorRef, ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; },
          .D = [compliance](ConstVectorRef, ConstVectorRef force, MatrixRef D) { D(0, 0) = compliance(force[0]); }};
}

struct Impact {
  double duration = 0.0, depth = 0.0, rebound = 0.0, largest_force = 0.0;
};

Impact impact(double m, double k, double v, double h) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(mass_point(m, 0.0, 0.0, -v));
  const auto contact = model.link(ball, hertz(k, 1e-12), ComplementarityLaw{});
  TimeStepping run(model, moreau_jean(h));
  Impact result;
  double first = -1.0, last = 0.0;
  const auto report = run.advance_to(1.0, [&](const State& state) {
    const double force = state.force(contact)[0];
    EXPECT_GE(force, 0.0);
    if (force > 0.0 && first < 0.0) first = state.t - h;
    if (force > 0.0) last = state.t;
    result.depth = std::max(result.depth, -state.q(ball)[0]);
    result.largest_force = std::max(result.largest_force, force);
    return first < 0.0 || force > 0.0;
  });
  EXPECT_TRUE(report) << report.message();
  result.duration = last - first;
  result.rebound = run.state().v(ball)[0];
  return result;
}

TEST(Hertz, AnImpactHasItsDepthAndDuration) {
  // m v^2 / 2 = 2/5 k d^(5/2), and the time is the integral of dd / v over the way in and out. A force taken at the end
  // of each step takes (h / 2) integral of V'' v^2 dt = h / (2 m) integral of F^2 dt from the energy, half of it on the
  // way in; with F^2 integrated by a Beta function, relative to m v^2 / 2: 2 * 1.5625 * 0.4 B(8/5, 1/2) h v / d.
  const double m = 0.5, k = 1e5, v = 2.0;
  const double depth = std::pow(1.25 * m * v * v / k, 0.4);
  const double duration = 0.8 * std::sqrt(kPi) * std::tgamma(0.4) / std::tgamma(0.9) * depth / v;
  EXPECT_NEAR(duration, 2.9432 * depth / v, 1e-4 * depth / v);  // the factor as handbooks have it
  const double beta = std::tgamma(1.6) * std::tgamma(0.5) / std::tgamma(2.1);
  for (const double steps : {100.0, 200.0, 400.0, 800.0}) {
    const double h = duration / steps, loss = 1.25 * beta * h * v / depth;
    const Impact x = impact(m, k, v, h);
    // What is left is of the next order, a few times 1 / steps^2; the end of contact is seen to a step, and a slower
    // ball stays a little longer, by less than another.
    EXPECT_NEAR(x.rebound / v, 1.0 - 0.5 * loss, 10.0 / (steps * steps)) << steps;
    EXPECT_NEAR(x.depth / depth, 1.0 - 0.4 * 0.5 * loss, 4.0 / (steps * steps)) << steps;
    EXPECT_NEAR(x.largest_force / (k * std::pow(depth, 1.5)), 1.0 - 0.6 * 0.5 * loss, 4.0 / (steps * steps)) << steps;
    EXPECT_NEAR(x.duration, duration, 2.0 * h) << steps;
  }
}

TEST(Hertz, ABallAtRestHasTheCircleOfItsWeight) {
  // k = 4/3 E* sqrt(R) and a = sqrt(R d): a^3 = 3 F R / (4 E*), under m g.
  const double m = 2.0, radius = 0.05, modulus = 1e9, k = 4.0 / 3.0 * modulus * std::sqrt(radius), h = 1e-3;
  const double depth = std::pow(m * kGravity / k, 2.0 / 3.0);
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(mass_point(m, -m * kGravity, -depth, 0.0));
  const auto contact = model.link(ball, hertz(k, 1e-9), ComplementarityLaw{});
  TimeStepping run(model, moreau_jean(h));
  ASSERT_TRUE(run.advance_to(1.0, [&](const State& state) {
    const double force = state.force(contact)[0], circle = std::sqrt(-radius * state.q(ball)[0]);
    EXPECT_NEAR(force, m * kGravity, 1e-6);
    EXPECT_NEAR(std::pow(circle, 3.0), 0.75 * force * radius / modulus, 1e-8);
  }));
}

}  // namespace
}  // namespace nonsmooth::hertz_test
