// SPDX-License-Identifier: Apache-2.0
// Capsules, cylinders and cones across the sides of cylinders and cones, by events: a rod that rocks, an impact of two
// bars, and what a run says of bars that come to lie along one another.
#include <cmath>
#include <utility>

#include <problems/reference.hpp>

#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::crossed_sides_test {
namespace {

using namespace event_log;
using Eigen::Vector3d;
using shape_bodies::turned_by;

constexpr double kQuarterTurn = 0.5 * kPi;
/// A step's error is below 1e-10 of its coordinates, of order one here; some tens of steps with factors of a few.
constexpr double kIntegrated = 1e-8;

/// A truncated cone of which a line of the side lies at x along z, from -0.5 to 0.5 or so, the rest of it behind this.
ShapeOnBody cone_with_line_at(double x) {
  const Cone cone{0.25, 1.1, 0.1};
  const double side = x > 0.0 ? 1.0 : -1.0, slope = std::atan2(cone.radius - cone.top_radius, cone.height);
  return {.shape = cone,
          .position = {x - side * cone.radius * std::cos(slope), 0.0,
                       cone.radius * std::sin(slope) - 0.5 * std::hypot(cone.radius - cone.top_radius, cone.height)},
          .orientation = turned_by({0.0, side * slope, 0.0})};
}

/// A rod of radius r, or a body whose lowest line is r under its middle, across a cylinder of radius R that lies along
/// y: at the angle th it touches where n = (sin(th), cos(th)) and, as it rolls, R th from its middle, whose place is (R
/// + r) n - R th t, t = (cos(th), -sin(th)). So v^2 = (r^2 + R^2 th^2) th'^2, and the height h = (R + r) cos(th) + R th
/// sin(th) is a minimum at 0 for R > r.
struct RockingRod {
  static constexpr double R = 0.3, r = 0.05, half = 0.5, m = 1.2, I = 0.1, start = 0.4;

  [[nodiscard]] static Vector3d place(double th) {
    const double s = std::sin(th), c = std::cos(th);
    return {(R + r) * s - R * th * c, 0.0, (R + r) * c + R * th * s};
  }
  /// h(start) - h(th) of th = start - turned, without the noise of a difference.
  [[nodiscard]] static double dropped(double turned) {
    const double th = start - turned, half_way = 0.5 * (start + th), sine = 2.0 * std::sin(0.5 * turned);
    return -(R + r) * std::sin(half_way) * sine + R * (turned * std::sin(start) + th * std::cos(half_way) * sine);
  }
  [[nodiscard]] static double rate(double turned) {
    const double th = start - turned;
    return std::sqrt(2.0 * m * kGravity * dropped(turned) / (I + m * (r * r + R * R * th * th)));
  }
};

TEST(CrossedSides, ARodRocksOnACylinder) {
  using Rod = RockingRod;
  // turned = start s^2 makes the time to the upright regular.
  const double quarter = problems::integral_between(
      [](double s) { return 2.0 * Rod::start * s / Rod::rate(Rod::start * s * s); }, 0.0, 1.0);
  for (const ShapeOnBody& shape : {ShapeOnBody{.shape = Capsule{Rod::r, Rod::half}},
                                   ShapeOnBody{.shape = Cylinder{Rod::r, Rod::half}}, cone_with_line_at(Rod::r)}) {
    NonSmoothDynamicalSystem model;
    const auto rod = model.add(RigidBody{.mass = Rod::m,
                                         .inertia = Vector3d(Rod::I, Rod::I, 0.003).asDiagonal(),
                                         .position = Rod::place(Rod::start),
                                         .orientation = turned_by({0.0, kQuarterTurn + Rod::start, 0.0}),
                                         .gravity = {0.0, 0.0, -kGravity}});
    const ShapeOnBody log{.shape = Cylinder{Rod::R, 0.4}, .orientation = turned_by({kQuarterTurn, 0.0, 0.0})};
    const auto linked = link_contacts(
        model, BodyContacts({{rod, {shape}}}, {log}, NewtonImpactFrictionLaw{.friction = 1.5, .dimension = 3}));
    ASSERT_EQ(linked.size(), 1u);
    EventDriven simulation(model);
    run_to(simulation, quarter);
    const State& state = simulation.state();
    EXPECT_LE((state.q(rod).head<3>() - Rod::place(0.0)).norm(), kIntegrated);
    EXPECT_NEAR(state.v(rod)[4], -Rod::rate(Rod::start), kIntegrated);
    // The force at the lowest point, m (g + y'') of y = (R + r) cos(th) + R th sin(th): y'' = (R - r) w^2 at th = 0. It
    // is made of accelerations, whose errors are 10 to 100 times those of the state.
    const double w = Rod::rate(Rod::start);
    EXPECT_NEAR(state.force(linked[0].interaction)[0], Rod::m * (kGravity + (Rod::R - Rod::r) * w * w), 1e-6);
    run_to(simulation, 2.0 * quarter);
    EXPECT_LE((state.q(rod).head<3>() - Rod::place(-Rod::start)).norm(), kIntegrated);
    EXPECT_LE(state.v(rod).norm(), 1e-7);
    EXPECT_TRUE(events_of(simulation, EventKind::Slip).empty());
    EXPECT_TRUE(events_of(simulation, EventKind::Opening).empty());
  }
}

TEST(CrossedSides, TwoBarsMeetBetweenTheirEnds) {
  // Along y and, turned by 0.3 about x, along z: across both is x, and the axes come within the radii at a speed of 2.
  // They meet at z = 0 of the first and y = 0.2 + 0.1 tan(0.3) of the second, with levers to these, across x.
  const double r_1 = 0.1, r_2 = 0.2, speed = 2.0, start = 0.8, m_1 = 1.5, m_2 = 2.5, I_1 = 0.3, I_2 = 0.4, tilt = 0.3;
  const double lever_1 = 0.1 / std::cos(tilt), lever_2 = 0.2 + 0.1 * std::tan(tilt);
  const double W = 1.0 / m_1 + 1.0 / m_2 + lever_1 * lever_1 / I_1 + lever_2 * lever_2 / I_2;
  const ShapeOnBody post{.shape = Cylinder{r_2, 0.5}};
  for (const auto& [shape, other] :
       {std::pair(ShapeOnBody{.shape = Capsule{r_1, 0.6}}, post),
        std::pair(ShapeOnBody{.shape = Cylinder{r_1, 0.6}}, post), std::pair(cone_with_line_at(-r_1), post),
        std::pair(cone_with_line_at(-r_1), cone_with_line_at(r_2))}) {
    for (const double e : {0.5, 1.0}) {
      NonSmoothDynamicalSystem model;
      const auto one = model.add(RigidBody{.mass = m_1,
                                           .inertia = Vector3d(I_1, I_1, 0.01).asDiagonal(),
                                           .position = {start, 0.2, 0.1},
                                           .orientation = turned_by({tilt, 0.0, 0.0}),
                                           .velocity = {-speed, 0.0, 0.0}});
      const auto two = model.add(RigidBody{.mass = m_2,
                                           .inertia = Vector3d(I_2, I_2, 0.05).asDiagonal(),
                                           .orientation = turned_by({kQuarterTurn, 0.0, 0.0})});
      const auto linked =
          link_contacts(model, BodyContacts({{one, {shape}}, {two, {other}}}, {}, NewtonImpactLaw{.restitution = e}));
      ASSERT_EQ(linked.size(), 1u);
      EventDriven simulation(model);
      const double met = (start - r_1 - r_2) / speed;
      run_to(simulation, met + 1e-3);
      expect_times(times_of(simulation, EventKind::Impact), {met}, 1e-13);
      const double p = (1.0 + e) * speed / W;
      const State& state = simulation.state();
      EXPECT_NEAR(state.v(one)[0], -speed + p / m_1, 1e-12);
      EXPECT_NEAR(state.v(two)[0], -p / m_2, 1e-12);
      EXPECT_NEAR(state.v(one).tail<3>().norm(), lever_1 * p / I_1, 1e-8);  // they turn on for 1 ms
      EXPECT_NEAR(state.v(two).tail<3>().norm(), lever_2 * p / I_2, 1e-8);
    }
  }
}

TEST(CrossedSides, BarsThatComeToLieAlongOneAnotherEndTheRunByName) {
  // Both along y, one falls on the other: where they touch, no point of the line is nearer than another.
  for (const Shape& shape : {Shape(Capsule{0.1, 0.3}), Shape(Cylinder{0.1, 0.3})}) {
    NonSmoothDynamicalSystem model;
    const auto along_y = turned_by({kQuarterTurn, 0.0, 0.0});
    const auto bar = model.add(RigidBody{
        .position = {0.0, 0.0, 0.5}, .orientation = along_y, .gravity = {0.0, 0.0, -kGravity}, .name = "bar"});
    model.detect(BodyContacts({{bar, {{.shape = shape}}}}, {{.shape = Cylinder{0.2, 0.4}, .orientation = along_y}},
                              NewtonImpactLaw{}));
    EventDriven simulation(model);
    const RunReport report = simulation.advance_to(1.0);
    EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
    EXPECT_NE(report.message().find("on a cylinder"), std::string::npos) << report.message();
    EXPECT_NEAR(simulation.state().q(bar)[2], 0.3, 1e-6) << "where they touch";
    State touching = model.initial_state();
    touching.q(bar)[2] = 0.3;
    EventDriven other(model);
    EXPECT_THROW(other.set_state(touching), InvalidArgument);
  }
}

TEST(CrossedSides, ABarThatSlidesPastAnEndEndsTheRunByName) {
  // Along x on a cylinder along y, which ends at y = 0.4; slow enough to stay on the rim, v^2 / r < g.
  NonSmoothDynamicalSystem model;
  const auto bar = model.add(RigidBody{.position = {0.0, 0.2, 0.3},
                                       .orientation = turned_by({0.0, kQuarterTurn, 0.0}),
                                       .velocity = {0.0, 0.5, 0.0},
                                       .gravity = {0.0, 0.0, -kGravity},
                                       .name = "bar"});
  const ShapeOnBody log{.shape = Cylinder{0.2, 0.4}, .orientation = turned_by({kQuarterTurn, 0.0, 0.0})};
  model.detect(BodyContacts({{bar, {{.shape = Cylinder{0.1, 0.3}}}}}, {log}, NewtonImpactLaw{}));
  EventDriven simulation(model);
  const RunReport report = simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("a cylinder or cone on a cylinder or cone"), std::string::npos) << report.message();
  const auto q = simulation.state().q(bar);
  EXPECT_NEAR(q[2], 0.3, kIntegrated) << "on the side, or at its end";
  EXPECT_LE(q[1], 0.4 + 1e-3);
  EXPECT_GE(q[1], 0.3);
}

}  // namespace
}  // namespace nonsmooth::crossed_sides_test
