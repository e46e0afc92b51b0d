// SPDX-License-Identifier: Apache-2.0
// A ball on a floor: m qdd = -m g, y = q, Newton's impact of e. Closed form: t_1 = sqrt(2 q0 / g), flights of
// 2 e^k sqrt(2 q0 / g), their sum ends at t_1 (1 + e) / (1 - e).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nonsmooth/kernel.hpp>

namespace nonsmooth::bouncing_ball_test {
namespace {

constexpr double kGravity = 9.81;

NonSmoothDynamicalSystem ball_on_floor(double restitution, double height = 1.0) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {height}, .v0 = {0.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = restitution});
  return model;
}

std::vector<double> impact_times(const EventDriven& simulation) {
  std::vector<double> times;
  for (const Event& event : simulation.events()) {
    if (event.kind == EventKind::Impact) times.push_back(event.t);
  }
  return times;
}

TEST(BouncingBall, ImpactsAreLocatedToRoundOff) {
  const double e = 0.9, first = std::sqrt(2.0 / kGravity);
  EventDriven simulation(ball_on_floor(e));
  ASSERT_TRUE(simulation.advance_to(8.0));
  const auto times = impact_times(simulation);
  ASSERT_GT(times.size(), 20u);
  constexpr double eps = std::numeric_limits<double>::epsilon();
  double t = first;
  for (std::size_t k = 0; k < times.size(); ++k) {
    // Parabolas are integrated without truncation: a flight adds the roundings of its dozen stages to the velocity,
    // which all flights behind it have as well.
    EXPECT_NEAR(times[k], t, 12.0 * eps * static_cast<double>(k + 1) * t) << "impact " << k;
    t += 2.0 * std::pow(e, static_cast<double>(k + 1)) * first;
  }
}

TEST(BouncingBall, GoesThroughItsAccumulation) {
  const double e = 0.9, end = std::sqrt(2.0 / kGravity) * (1.0 + e) / (1.0 - e);
  NonSmoothDynamicalSystem model = ball_on_floor(e);
  EventDriven simulation(model);
  const auto report = simulation.advance_to(10.0);
  ASSERT_TRUE(report) << report.message();
  const Event* accumulation = nullptr;
  for (const Event& event : simulation.events()) {
    if (event.kind == EventKind::Accumulation) accumulation = &event;
  }
  ASSERT_NE(accumulation, nullptr);
  // 132 located impacts, each within some roundings of t = 9 s, 2e-15, of its place.
  EXPECT_NEAR(accumulation->end, end, 1e-12);
  // The flight that is left out is the one after impact n = 132 or so: it rises by e^(2n), and that is the error of the
  // gap that is held at zero. Velocities come with the roundings of n impacts: relative 1e-13 n / e^n.
  const auto impacts = static_cast<double>(impact_times(simulation).size());
  const double rise = std::pow(e, 2.0 * impacts);
  EXPECT_NEAR(accumulation->value, rise, 1e-7 * rise);
  EXPECT_LE(accumulation->value, 1e-12);
  EXPECT_GT(std::pow(e, 2.0 * (impacts - 1.0)), 1e-12);  // and not an impact earlier
  EXPECT_NEAR(end, 8.5789491787, 1e-10);
  const State& state = simulation.state();
  EXPECT_LE(std::abs(state.positions[0]), accumulation->value);
  EXPECT_EQ(state.unknowns[0], 0.0);
  EXPECT_NEAR(state.forces[0], kGravity, 1e-14 * kGravity);
}

}  // namespace
}  // namespace nonsmooth::bouncing_ball_test
