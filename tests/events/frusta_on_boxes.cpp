// SPDX-License-Identifier: Apache-2.0
// Cylinders and boxes on one another by events: a coin that rolls steadily on a circle and one that falls, a plank that
// rocks on a log, a coin that goes over an edge, a wheel that rolls off a table, what stands on what.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <problems/reference.hpp>

#include "coins.hpp"
#include "contact/shape_pairs/frustum_on_hull.hpp"
#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::frusta_on_boxes_test {
namespace {

using namespace event_log;
using coins::CircleOfCoin;
using coins::Coin;
using Eigen::Vector3d;
using shape_bodies::turned_by;

/// A step's error is below 1e-10 of its coordinates, of order one here; some tens to hundreds of steps.
constexpr double kIntegrated = 1e-8;

/// Its top is z = 0.
const ShapeOnBody kTable{.shape = Box{{1.0, 0.8, 0.1}}, .position = {0.0, 0.0, -0.1}};

/// The rims of a cylinder on the table alone, one row each, as sources have them: with edges and vertices a run over an
/// edge takes minutes.
void link_rims(NonSmoothDynamicalSystem& model, SystemHandle body, const Coin& coin, int count) {
  using Made = shape_pairs::ContactRelation<shape_pairs::FrustumOnHull, joints::SpaceBodies>;
  const shape_pairs::FrustumOnBody solid{narrow_phase::frustum_of(Cylinder{coin.R, coin.half})};
  const shape_pairs::HullOnBody table{narrow_phase::box_hull(std::get<Box>(kTable.shape).half_extents),
                                      kTable.position};
  for (int end = 0; end < count; ++end) {
    model.link(body,
               AnyRelation(std::make_shared<const Made>(
                   shape_pairs::FrustumOnHull{shape_pairs::cap_of(solid, end), table}, Index{1})),
               NewtonImpactLaw{});
  }
}

/// What touches at the start does so all the time, without slip.
void expect_kept(const EventDriven& simulation) {
  for (const EventKind kind : {EventKind::Impact, EventKind::Opening, EventKind::Slip})
    EXPECT_TRUE(events_of(simulation, kind).empty());
}

double energy_of(const RigidBody& body, const EventDriven& simulation, SystemHandle handle) {
  const auto v = simulation.state().v(handle);
  const Vector3d spin = v.tail<3>();
  return 0.5 * (body.mass * v.head<3>().squaredNorm() + spin.dot(body.inertia * spin)) -
         body.mass * body.gravity.dot(Vector3d(simulation.state().q(handle).head<3>()));
}

TEST(FrustaOnBoxes, ACoinRollsOnACircle) {
  const CircleOfCoin circle;
  constexpr double T = 1.0;
  NonSmoothDynamicalSystem model;
  const auto handle = model.add(circle.start());
  model.detect(BodyContacts({{handle, {{.shape = circle.coin.shape()}}}}, {kTable},
                            NewtonImpactFrictionLaw{.friction = 5.0, .dimension = 3}));
  EventDriven simulation(model);
  run_to(simulation, T);
  expect_kept(simulation);
  circle.expect_at(T, simulation.state(), handle, kIntegrated);
  EXPECT_NEAR(simulation.state().forces[0], circle.coin.m * kGravity, 1e-6);
}

/// On its rim without friction, from rest: with the height z(theta) and the turn about a level axis,
/// (A + m z'^2) theta'^2 / 2 = m g (z(start) - z(theta)).
struct FallingCoin {
  Coin coin{};
  double start = 1.0, end = 0.3;

  [[nodiscard]] double rate(double turned) const {
    const double angle = start - turned, half_way = 0.5 * (start + angle), sine = 2.0 * std::sin(0.5 * turned);
    const double dropped = sine * (coin.R * std::cos(half_way) - coin.half * std::sin(half_way));
    const double slope = coin.slope(angle);
    return std::sqrt(2.0 * coin.m * kGravity * dropped / (coin.across() + coin.m * slope * slope));
  }
  /// turned = (start - end) s^2 makes it regular.
  [[nodiscard]] double time() const {
    const double way = start - end;
    return problems::integral_between([&](double s) { return 2.0 * way * s / rate(way * s * s); }, 0.0, 1.0);
  }
  [[nodiscard]] SystemHandle add(NonSmoothDynamicalSystem& model) const {
    RigidBody body = coin.body();
    body.orientation = turned_by({start, 0.0, 0.0});
    body.position = {0.0, 0.0, coin.height(start)};
    const auto handle = model.add(body);
    model.detect(BodyContacts({{handle, {{.shape = coin.shape()}}}}, {kTable}, NewtonImpactLaw{}));
    return handle;
  }
  [[nodiscard]] static double angle(const State& state, SystemHandle handle) {
    return 2.0 * std::atan2(state.q(handle)[4], state.q(handle)[3]);
  }
};

TEST(FrustaOnBoxes, ACoinFallsAsByQuadrature) {
  const FallingCoin falling;
  NonSmoothDynamicalSystem model;
  const auto handle = falling.add(model);
  EventDriven simulation(model);
  run_to(simulation, falling.time());
  const State& state = simulation.state();
  EXPECT_NEAR(FallingCoin::angle(state, handle), falling.end, kIntegrated);
  EXPECT_NEAR(state.q(handle)[2], falling.coin.height(falling.end), kIntegrated);
  EXPECT_NEAR(state.v(handle)[3], -falling.rate(falling.start - falling.end), 10.0 * kIntegrated);  // 10 rad/s
  EXPECT_LE(state.q(handle).head<2>().norm(), 1e-12);
  expect_kept(simulation);
}

TEST(FrustaOnBoxes, StepsComeToTheSameFallAtOrderOne) {
  // Moreau-Jean's contact is of order one: halving h halves the error, to a tenth at these steps.
  const FallingCoin falling;
  const double T = falling.time();
  std::vector<double> errors;
  for (const double steps : {200.0, 400.0, 800.0}) {
    NonSmoothDynamicalSystem model;
    const auto handle = falling.add(model);
    TimeStepping simulation(model, {.integrator = MoreauJean{.theta = 0.5}, .step = T / steps});
    const auto report = simulation.advance_to(T);
    ASSERT_TRUE(report) << report.message();
    errors.push_back(std::abs(FallingCoin::angle(simulation.state(), handle) - falling.end));
  }
  EXPECT_NEAR(errors[0] / errors[1], 2.0, 0.2);
  EXPECT_NEAR(errors[1] / errors[2], 2.0, 0.2);
  EXPECT_LE(errors[2], 5e-3);
}

TEST(FrustaOnBoxes, ACoinSlidesOverAnEdgeAndKeepsItsEnergy) {
  // Without friction, tilted about its way, over the edge x = 1: there its rim crosses the edge, whose normal goes on
  // from that of the top.
  const Coin coin;
  RigidBody body = coin.body();
  const double theta = 1.3;
  body.orientation = turned_by({theta, 0.0, 0.0});
  body.position = {0.99, 0.1, coin.height(theta)};
  body.velocity = {0.15, 0.0, 0.0};
  body.angular_velocity = {0.0, 0.0, 25.0};
  NonSmoothDynamicalSystem model;
  const auto handle = model.add(body);
  link_rims(model, handle, coin, 1);
  EventDriven simulation(model, {.relative_tolerance = 1e-12});
  const double before = energy_of(body, simulation, handle);
  double lean = 0.0;
  for (const double T : {0.05, 0.1, 0.15, 0.2}) {
    run_to(simulation, T);
    EXPECT_NEAR(energy_of(body, simulation, handle), before, 1e-9 * before) << T;
    lean = std::max(lean, std::abs(simulation.state().v(handle)[0] - 0.15));
  }
  EXPECT_GT(lean, 1e-3) << "the edge pushes it on";
  for (const Event& event : simulation.events()) EXPECT_NE(event.kind, EventKind::Impact) << event.t;
}

/// As a rod across a cylinder: crossed_sides.cpp has the derivation.
TEST(FrustaOnBoxes, APlankRocksOnALog) {
  const double R = 0.3, r = 0.05, m = 1.2, I = 0.1, start = 0.4;
  const auto place = [&](double th) {
    return Vector3d((R + r) * std::sin(th) - R * th * std::cos(th), 0.0,
                    (R + r) * std::cos(th) + R * th * std::sin(th));
  };
  const auto rate = [&](double turned) {
    const double th = start - turned, half_way = 0.5 * (start + th), sine = 2.0 * std::sin(0.5 * turned);
    const double dropped =
        -(R + r) * std::sin(half_way) * sine + R * (turned * std::sin(start) + th * std::cos(half_way) * sine);
    return std::sqrt(2.0 * m * kGravity * dropped / (I + m * (r * r + R * R * th * th)));
  };
  const double quarter =
      problems::integral_between([&](double s) { return 2.0 * start * s / rate(start * s * s); }, 0.0, 1.0);
  NonSmoothDynamicalSystem model;
  const auto plank = model.add(RigidBody{.mass = m,
                                         .inertia = Vector3d(0.01, I, 0.1).asDiagonal().toDenseMatrix(),
                                         .position = place(start),
                                         .orientation = turned_by({0.0, start, 0.0}),
                                         .gravity = {0.0, 0.0, -kGravity}});
  const ShapeOnBody log{.shape = Cylinder{R, 0.4}, .orientation = turned_by({0.5 * kPi, 0.0, 0.0})};
  model.detect(BodyContacts({{plank, {{.shape = Box{{0.5, 0.1, r}}}}}}, {log},
                            NewtonImpactFrictionLaw{.friction = 1.5, .dimension = 3}));
  EventDriven simulation(model);
  run_to(simulation, quarter);
  const State& state = simulation.state();
  EXPECT_LE((state.q(plank).head<3>() - place(0.0)).norm(), kIntegrated);
  EXPECT_NEAR(state.v(plank)[4], -rate(start), kIntegrated);
  const double w = rate(start);
  double sum = 0.0;
  int pushing = 0;
  for (Index k = 0; 3 * k < state.forces.size(); ++k) {
    sum += state.forces[3 * k];
    pushing += state.forces[3 * k] > 0.0 ? 1 : 0;
  }
  EXPECT_NEAR(sum, m * (kGravity + (R - r) * w * w), 1e-6);
  EXPECT_EQ(pushing, 2) << "an edge of the face on either side";
  run_to(simulation, 2.0 * quarter);
  EXPECT_LE((state.q(plank).head<3>() - place(-start)).norm(), kIntegrated);
  EXPECT_TRUE(events_of(simulation, EventKind::Slip).empty());
  EXPECT_TRUE(events_of(simulation, EventKind::Opening).empty());
}

TEST(FrustaOnBoxes, AWheelRollsOffATable) {
  // Without friction over the edge x = 1, along its axis: from there the centre goes on a circle of radius R about it,
  // at the angle phi to the vertical and the speed v, v^2 = v0^2 + 2 g R (1 - cos(phi)), until the edge pushes no more,
  // g cos(phi) = v^2 / R: at cos(phi) = (2 + v0^2 / (g R)) / 3.
  const double R = 0.1, half = 0.05, v0 = 0.3, start = 0.9;
  const Coin wheel{R, half, 2.0};
  RigidBody body = wheel.body();
  body.orientation = turned_by({0.5 * kPi, 0.0, 0.0});
  body.position = {start, 0.1, R};
  body.velocity = {v0, 0.0, 0.0};
  NonSmoothDynamicalSystem model;
  const auto handle = model.add(body);
  link_rims(model, handle, wheel, 2);
  EventDriven simulation(model);
  const double lift = std::acos((2.0 + v0 * v0 / (kGravity * R)) / 3.0);
  const double on_edge = problems::integral_between(
      [&](double phi) {
        const double sine = std::sin(0.5 * phi);
        return R / std::sqrt(v0 * v0 + 4.0 * kGravity * R * sine * sine);
      },
      0.0, lift);
  const double left = (1.0 - start) / v0 + on_edge;
  run_to(simulation, left + 0.02);
  const auto openings = times_of(simulation, EventKind::Opening);
  ASSERT_FALSE(openings.empty());
  // A push that goes through zero with a slope of m g and some 1 / s, known to 1e-7: to 1e-8 s.
  EXPECT_NEAR(openings.back(), left, 1e-7);
  const double v = std::sqrt(v0 * v0 + 2.0 * kGravity * R * (1.0 - std::cos(lift)));
  const double t = simulation.state().t - left;
  const Vector3d expected(1.0 + R * std::sin(lift) + v * std::cos(lift) * t, 0.1,
                          R * std::cos(lift) - v * std::sin(lift) * t - 0.5 * kGravity * t * t);
  EXPECT_LE((simulation.state().q(handle).head<3>() - expected).norm(), 1e-7);
}

TEST(FrustaOnBoxes, WhatStandsOnAnEndRests) {
  // A cylinder on a table, and a box that is smaller than the end on a cylinder: on four points, and on four vertices,
  // 1e-6 radii early.
  const Coin post{0.1, 0.2, 1.5};
  for (const bool box_above : {false, true}) {
    NonSmoothDynamicalSystem model;
    RigidBody body = post.body();
    body.position = {0.02, 0.01, (box_above ? 0.25 : 0.2) + 1e-6 * post.R};
    const auto handle = model.add(body);
    const ShapeOnBody above =
        box_above ? ShapeOnBody{.shape = Box{{0.04, 0.05, 0.05}}} : ShapeOnBody{.shape = post.shape()};
    const ShapeOnBody below = box_above ? ShapeOnBody{.shape = post.shape()} : kTable;
    model.detect(BodyContacts({{handle, {above}}}, {below}, NewtonImpactFrictionLaw{.friction = 0.5, .dimension = 3}));
    EventDriven simulation(model);
    run_to(simulation, 1.0);
    const State& state = simulation.state();
    EXPECT_LE((state.q(handle).head<2>() - Eigen::Vector2d(0.02, 0.01)).norm(), 1e-12);
    EXPECT_NEAR(state.q(handle)[2], (box_above ? 0.25 : 0.2) + 1e-6 * post.R, 1e-10);
    double sum = 0.0;
    for (Index k = 0; 3 * k < state.forces.size(); ++k) sum += state.forces[3 * k];
    EXPECT_NEAR(sum, body.mass * kGravity, 1e-9);
  }
}

}  // namespace
}  // namespace nonsmooth::frusta_on_boxes_test
