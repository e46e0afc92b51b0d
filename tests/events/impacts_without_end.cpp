// SPDX-License-Identifier: Apache-2.0
// Impacts that follow one another at one instant are followed as long as they come, up to 256 of them; beyond them the
// run ends, says so and keeps what it has.
#include <cmath>
#include <limits>
#include <vector>

#include "event_log.hpp"

namespace nonsmooth::impacts_without_end_test {
namespace {

using namespace event_log;
using Ending = RunReport::Outcome;

constexpr int kMost = 256;                              ///< impacts that are followed
constexpr double kStruck = 0.45, kEnd = 0.55;           ///< when the light ball is struck, and until when is run [s]
constexpr double kHeight = 0.5 * kGravity * 0.1 * 0.1;  ///< from which a ball falls for 0.1 s [m]

/// A light ball of mass m between a wall and a heavy one of 1 kg, which all touch, at rest until it is struck: off the
/// wall, at 1 m/s. With e = 1 it flies to and fro in a gap of no width.
///
/// In (sqrt(m) v, V), v of the light ball and V of the heavy one, the kinetic energy is a circle. With tan(phi) =
/// sqrt(m) an impact between them mirrors the angle a to pi - 2 phi - a, where v > V: a < pi/2 - phi; the wall mirrors
/// it to pi - a, where v < 0: a > pi/2. From a = 0 on the n-th impact between them is at (2 n - 2) phi, and with pi /
/// (2 phi) = N + 1/2 there are N impacts in all [galperin2003]. A third ball bounces elsewhere, each 0.2 s.
struct Galperin {
  double phi, m;
  NonSmoothDynamicalSystem model{};
  SystemHandle light{}, heavy{}, bouncing{};

  explicit Galperin(int impacts) : phi(0.5 * kPi / (impacts + 0.5)), m(std::pow(std::tan(phi), 2)) {
    light = model.add(LagrangianLinearSystem{
        .mass = {{m}}, .q0 = {0.0}, .impulses = {{.instant = kStruck, .impulse = {m}}}, .name = "light"});
    heavy = model.add(LagrangianLinearSystem{.q0 = {0.0}, .name = "heavy"});
    bouncing = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {kHeight}, .name = "bouncing"});
    const NewtonImpactLaw elastic{.restitution = 1.0};
    model.link(light, LagrangianLinearRelation{.H = {{1.0}}}, elastic, "wall");
    model.link({light, heavy}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, elastic, "balls");
    model.link(bouncing, LagrangianLinearRelation{.H = {{1.0}}}, elastic, "floor");
  }
};

/// Where the third ball is at kStruck, 0.05 s from its highest place on its second flight.
constexpr double kThen = kHeight - 0.5 * kGravity * 0.05 * 0.05;
/// Of times and places on two flights: errors of steps and roots are at most 1e-10 each, by default.
constexpr double kOfFlights = 1e-9;

/// v and V behind that many impacts: an even number ends with the wall, at the angle impacts phi, an odd one at pi -
/// (impacts + 1) phi. Each impact rounds v by some 4 eps of 1 m/s, and V by as much of sqrt(m), its largest.
void expect_velocities(const State& state, const Galperin& balls, int impacts) {
  const double a = impacts % 2 == 0 ? impacts * balls.phi : kPi - (impacts + 1) * balls.phi;
  const double rounding = impacts * 4.0 * std::numeric_limits<double>::epsilon();
  EXPECT_NEAR(state.v(balls.light)[0], std::cos(a), rounding) << impacts;
  EXPECT_NEAR(state.v(balls.heavy)[0], std::sqrt(balls.m) * std::sin(a), rounding) << impacts;
}

TEST(ImpactsWithoutEnd, AreFollowedAsLongAsTheyCome) {
  for (const int impacts : {2, 7, 100, kMost - 1, kMost}) {
    const Galperin balls(impacts);
    EventDriven simulation(balls.model);
    run_to(simulation, kEnd);
    const std::vector<double> times = times_of(simulation, EventKind::Impact);
    ASSERT_EQ(times.size(), static_cast<std::size_t>(impacts) + 3) << impacts;  // the floor's at 0.1, 0.3 and 0.5 s
    for (int k = 0; k < impacts; ++k) EXPECT_EQ(times[static_cast<std::size_t>(k) + 2], kStruck);
    expect_velocities(simulation.state(), balls, impacts);
  }
}

TEST(ImpactsWithoutEnd, EndARunThatKeepsWhatItHas) {
  for (const int impacts : {kMost + 1, 1000}) {
    const Galperin balls(impacts);
    EventDriven simulation(balls.model);
    std::vector<double> seen;
    const RunReport report = simulation.advance_to(kEnd, [&](const State& state) { seen.push_back(state.t); });
    EXPECT_FALSE(report);
    EXPECT_EQ(report.outcome, Ending::ImpactUnsolved);
    EXPECT_EQ(report.message(),
              "the problem of an instant was not solved at t = 0.45: impacts at wall on light and balls on light and "
              "heavy follow one another at one instant, 256 so far: each has another contact approach");
    EXPECT_EQ(report.t, kStruck);
    // Up to there it is as any other run, and the impacts that were followed are told.
    const State& state = simulation.state();
    EXPECT_EQ(state.t, kStruck);
    EXPECT_NEAR(state.q(balls.bouncing)[0], kThen, kOfFlights);
    EXPECT_EQ(state.q(balls.light)[0], 0.0);
    EXPECT_EQ(state.q(balls.heavy)[0], 0.0);
    expect_velocities(state, balls, kMost);
    const std::vector<double> times = times_of(simulation, EventKind::Impact);
    ASSERT_EQ(times.size(), static_cast<std::size_t>(kMost) + 2);
    EXPECT_NEAR(times[0], 0.1, kOfFlights);
    EXPECT_NEAR(times[1], 0.3, kOfFlights);
    EXPECT_EQ(events_of(simulation, EventKind::Impulse).size(), 1u);
    ASSERT_GT(seen.size(), 2u);
    EXPECT_LE(seen.back(), kStruck);
  }
}

}  // namespace
}  // namespace nonsmooth::impacts_without_end_test
