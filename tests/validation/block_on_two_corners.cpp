// SPDX-License-Identifier: Apache-2.0
// The flight of the block on two corners after its impact, where its reference trajectory breaks u+ = -e u-; its rows
// by hand, and a polygon's.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <nonsmooth/kernel/event_driven.hpp>
#include <problems/event_driven.hpp>
#include <problems/shapes.hpp>

namespace nonsmooth::block_on_two_corners_test {
namespace {

/// Falling without rotation, y = y_0 - g t^2 / 2, corner 1 meets the floor at t_1 with u = -g t_1. Its row of H at
/// theta = pi/3 is (0, 1, h), so an impulse p = (1 + e) g t_1 / W, W = 1 + h^2 / I, makes u+ = e g t_1; then flight.
TEST(BlockOnTwoCorners, FliesAsItsImpactSays) {
  constexpr double g = 9.81, e = 0.9, I = (0.25 + 1.0) / 12.0, theta = std::numbers::pi / 3.0;
  const double s = std::sin(theta), c = std::cos(theta), h = -0.1 * c + 0.05 * s;
  const double fall = 0.5 * s + 0.25 * c - (0.1 * s + 0.05 * c), t_1 = std::sqrt(2.0 * fall / g), W = 1.0 + h * h / I;
  const double p = (1.0 + e) * g * t_1 / W;

  for (const int run : {0, 1, 2, 3}) {
    const bool by_shapes = run >= 2;
    const problems::Model m = by_shapes ? problems::linked_block() : problems::block_on_two_corners();
    EventDrivenOptions options;
    if (run % 2 == 1) {
      options.integrator = GeneralisedAlpha{.rho = 0.99};
      options.step = m.options.step;
    }
    EventDriven simulation(m.system, options);
    Index instants = 0, samples = 0;
    State at = simulation.state();
    const auto report = simulation.advance_to(
        0.58, {.segment =
                   [&](const SmoothSegment& segment) {
                     if (segment.start() < t_1 - 1e-9) return true;
                     for (const double part : {0.0, 0.5, 1.0}) {
                       segment.evaluate(segment.start() + part * (segment.end() - segment.start()), at);
                       const double t = at.t - t_1;
                       const auto q = at.q(m.bodies[0]), v = at.v(m.bodies[0]);
                       // Constant accelerations are integrated without truncation: round-off of some hundred steps.
                       EXPECT_NEAR(q[1], 0.1 * s + 0.05 * c + (p - g * t_1) * t - 0.5 * g * t * t, 1e-12);
                       EXPECT_NEAR(q[2], theta + h * p / I * t, 1e-12);
                       EXPECT_NEAR(v[0], 0.0, 1e-15);
                       EXPECT_NEAR(v[1], p - g * t_1 - g * t, 1e-12);
                       EXPECT_NEAR(v[2], h * p / I, 1e-12);
                       ++samples;
                     }
                     return true;
                   },
               .instant =
                   [&](const Instant& instant) {
                     ++instants;
                     const double u_minus = instant.before.u(m.contacts[0])[0];
                     EXPECT_NEAR(instant.after.t, t_1, 1e-13);
                     EXPECT_NEAR(u_minus, -g * t_1, 1e-12);
                     EXPECT_NEAR(instant.after.u(m.contacts[0])[0], -e * u_minus, 1e-12);
                     EXPECT_NEAR(instant.after.percussion(m.contacts[0])[0], p, 1e-12);
                     return true;
                   }});
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(instants, 1);
    EXPECT_GE(samples, 3);
  }
}

}  // namespace
}  // namespace nonsmooth::block_on_two_corners_test
