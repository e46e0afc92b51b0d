// SPDX-License-Identifier: Apache-2.0
// Boxes and polyhedra on one another by events: impacts of edges that cross and of a tip under a face, a box dropped
// tilted, a beam that slides and turns on an edge, a bar that is dropped flat across a bar and rests, one that slides
// on it, and what a run says of a corner that passes an edge.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::crossed_edges_events_test {
namespace {

using namespace event_log;
using Eigen::Vector3d;
using shape_bodies::turned_by;

constexpr double kEighthTurn = 0.25 * kPi;
/// A step's error is below 1e-10 of its coordinates, of order one here; some tens of steps with factors of a few.
constexpr double kIntegrated = 1e-8;
constexpr double kMass = 0.8, kAbout = 0.03;  ///< of a beam; about its edge it turns with half of what it does across
const double kHigh = 0.1 * std::sqrt(2.0);    ///< from the middle of a beam to its edges
const Box kBeam{{0.5, 0.1, 0.1}};

/// Along x, stands on an edge: turned about x, and then about y.
RigidBody beam(const Vector3d& position, double tilt = 0.0) {
  const double c = std::cos(0.5 * tilt), s = std::sin(0.5 * tilt), a = std::cos(0.5 * kEighthTurn),
               b = std::sin(0.5 * kEighthTurn);
  return {.mass = kMass,
          .inertia = Vector3d(0.5 * kAbout, kAbout, kAbout).asDiagonal(),
          .position = position,
          .orientation = {c * a, c * b, s * a, -s * b},
          .gravity = {0.0, 0.0, -kGravity}};
}
/// Of the ground, with an edge on top along y, in x = z = 0.
ShapeOnBody rail() {
  return {
      .shape = Box{{0.1, 0.8, 0.1}}, .position = {0.0, 0.0, -kHigh}, .orientation = turned_by({0.0, kEighthTurn, 0.0})};
}

TEST(CrossedEdgesByEvents, AnImpactOfEdgesGivesTheImpulseOfItsArm) {
  // At d along the beam: p (1 / m + d^2 / J) = (1 + e) v, then it falls and turns at w = d p / J about y.
  const double e = 0.6, h = 0.3, d = 0.12, t1 = std::sqrt(2.0 * h / kGravity), v = kGravity * t1, after = 0.05;
  const double p = (1.0 + e) * v / (1.0 / kMass + d * d / kAbout);
  NonSmoothDynamicalSystem model;
  const auto body = model.add(beam({-d, 0.03, kHigh + h}));
  model.detect(BodyContacts({{body, {{.shape = kBeam}}}}, {rail()}, NewtonImpactLaw{e}));
  EventDriven simulation(model);
  EXPECT_EQ(simulation.model().num_interactions(), 8 + 8 + 144);
  run_to(simulation, t1 + after);
  const auto impacts = events_of(simulation, EventKind::Impact);
  ASSERT_EQ(impacts.size(), 1u);
  EXPECT_NEAR(impacts.front().t, t1, kIntegrated);
  const std::string& name = simulation.model().interactions()[impacts.front().interaction.slot].name;
  EXPECT_NE(name.find("at edges"), std::string::npos) << name;
  const double up = p / kMass - v;
  const Vector3d expected(-d, 0.03, kHigh + up * after - 0.5 * kGravity * after * after);
  EXPECT_LE((simulation.state().q(body).head<3>() - expected).norm(), kIntegrated);
  const Vector3d velocity = simulation.state().v(body).head<3>();
  EXPECT_LE((velocity - Vector3d(0.0, 0.0, up - kGravity * after)).norm(), kIntegrated);
  // The edge is at +d of the beam's middle: the impulse lifts this side, a turn about -y.
  const double c = std::cos(kEighthTurn), spin = d * p / kAbout;
  EXPECT_LE((simulation.state().v(body).tail<3>() - Vector3d(0.0, -spin * c, spin * c)).norm(), 2.0 * kIntegrated);
}

TEST(CrossedEdgesByEvents, ATipUnderAFaceGivesTheImpulseOfItsArm) {
  // The same of a pyramid's tip in (d, 0, 0) under a box that lies flat: p (1 / m + d^2 / J) = (1 + e) v.
  const double e = 0.6, h = 0.3, d = 0.12, t1 = std::sqrt(2.0 * h / kGravity), v = kGravity * t1, after = 0.05;
  const double p = (1.0 + e) * v / (1.0 / kMass + d * d / kAbout);
  NonSmoothDynamicalSystem model;
  RigidBody block = beam({0.0, 0.0, 0.1 + h});
  block.orientation = {1.0, 0.0, 0.0, 0.0};
  const auto body = model.add(block);
  const ConvexPolyhedron pyramid(
      {{d, 0.0, 0.0}, {-0.3, -0.2, -0.6}, {0.5, -0.3, -0.6}, {0.4, 0.3, -0.6}, {-0.2, 0.2, -0.6}});
  model.detect(BodyContacts({{body, {{.shape = kBeam}}}}, {{.shape = pyramid}}, NewtonImpactLaw{e}));
  EventDriven simulation(model);
  run_to(simulation, t1 + after);
  expect_times(times_of(simulation, EventKind::Impact), {t1}, kIntegrated);
  const double up = p / kMass - v;
  const Vector3d place(0.0, 0.0, 0.1 + up * after - 0.5 * kGravity * after * after);
  EXPECT_LE((simulation.state().q(body).head<3>() - place).norm(), kIntegrated);
  EXPECT_LE((simulation.state().v(body).tail<3>() - Vector3d(0.0, -d * p / kAbout, 0.0)).norm(), kIntegrated);
}

TEST(CrossedEdgesByEvents, ABoxDroppedTiltedOnABoxMovesAsOnAHalfSpace) {
  // Bounces, slides and tips until T, a chain of events that multiplies errors by some ten.
  const Law law = NewtonImpactFrictionLaw{.restitution = 0.3, .friction = 0.35, .dimension = 3};
  const auto run = [&](const ShapeOnBody& ground) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(RigidBody{.mass = kMass,
                                          .inertia = Vector3d(0.02, 0.03, 0.04).asDiagonal(),
                                          .position = {0.1, -0.05, 0.5},
                                          .orientation = turned_by({0.3, 0.5, -0.2}),
                                          .velocity = {0.3, 0.1, 0.0},
                                          .gravity = {0.0, 0.0, -kGravity}});
    model.detect(BodyContacts({{body, {{.shape = Box{{0.3, 0.2, 0.15}}}}}}, {ground}, law));
    EventDriven simulation(model);
    run_to(simulation, 0.6);
    Eigen::VectorXd end(13);
    end << simulation.state().q(body), simulation.state().v(body);
    EXPECT_GE(events_of(simulation, EventKind::Impact).size(), 3u);
    return end;
  };
  const Eigen::VectorXd on_box = run({.shape = Box{{2.0, 2.0, 0.3}}, .position = {0.0, 0.0, -0.3}}),
                        on_plane = run({.shape = HalfSpace{}});
  EXPECT_LE((on_box - on_plane).lpNorm<Eigen::Infinity>(), 10.0 * kIntegrated);
}

/// A beam on a rail without friction, in their plane: its middle is s along the edge from where this touches and c over
/// it, the edge at an angle phi under x. With the speed s' + c phi' of the middle along the edge and s phi' across,
///   s'' + c phi'' = s phi'^2 + g sin(phi),
///   (J + m s^2) phi'' = m g s cos(phi) - m c s phi'^2 - 2 m s s' phi'.
struct BeamOnRail {
  using Numbers = std::array<double, 4>;  ///< s, phi and their rates

  [[nodiscard]] static Numbers rates(const Numbers& x) {
    const auto [s, phi, ds, dphi] = x;
    const double turn =
        kMass * s * (kGravity * std::cos(phi) - kHigh * dphi * dphi - 2.0 * ds * dphi) / (kAbout + kMass * s * s);
    return {ds, dphi, s * dphi * dphi + kGravity * std::sin(phi) - kHigh * turn, turn};
  }
  /// By the classical Runge-Kutta scheme, 4000 steps: (1e-4)^4 of the rates' growth, 1e-13 or so.
  [[nodiscard]] static Numbers at(double T, Numbers x) {
    constexpr int steps = 4000;
    const double step = T / steps;
    const auto moved = [](const Numbers& from, double by, const Numbers& rate) {
      Numbers to = from;
      for (std::size_t i = 0; i < 4; ++i) to[i] += by * rate[i];
      return to;
    };
    for (int k = 0; k < steps; ++k) {
      const Numbers a = rates(x), b = rates(moved(x, 0.5 * step, a)), c = rates(moved(x, 0.5 * step, b)),
                    d = rates(moved(x, step, c));
      for (std::size_t i = 0; i < 4; ++i) x[i] += step / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
    }
    return x;
  }
};

TEST(CrossedEdgesByEvents, ABeamSlidesAndTurnsOnAnEdge) {
  constexpr double s0 = 0.08, T = 0.28;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(beam({s0, 0.03, kHigh}));
  model.detect(BodyContacts({{body, {{.shape = kBeam}}}}, {rail()}, NewtonImpactLaw{}));
  EventDriven simulation(model);
  run_to(simulation, T);
  const auto [s, phi, ds, dphi] = BeamOnRail::at(T, {s0, 0.0, 0.0, 0.0});
  EXPECT_GT(phi, 0.5) << "no test of curvature otherwise";
  const double c = std::cos(phi), sine = std::sin(phi), along = ds + kHigh * dphi, across = -s * dphi;
  const Vector3d place(s * c + kHigh * sine, 0.03, -s * sine + kHigh * c),
      velocity(along * c + across * sine, 0.0, -along * sine + across * c);
  EXPECT_LE((simulation.state().q(body).head<3>() - place).norm(), kIntegrated);
  EXPECT_LE((simulation.state().v(body).head<3>() - velocity).norm(), 10.0 * kIntegrated);  // rates of some 10 / s
  EXPECT_TRUE(events_of(simulation, EventKind::Impact).empty());
}

/// A bar along y, flat across a bar of the ground along x: their faces overlap in a square of four crossings.
struct BarOnBar {
  NonSmoothDynamicalSystem model{};
  SystemHandle body;
  std::vector<LinkedContact> contacts;

  BarOnBar(const Vector3d& position, const Law& law, const Vector3d& velocity = Vector3d::Zero())
      : body(model.add(RigidBody{.mass = kMass,
                                 .inertia = Vector3d(0.1, 0.02, 0.1).asDiagonal(),
                                 .position = position + Vector3d(0.0, 0.0, 0.1),
                                 .velocity = velocity,
                                 .gravity = {0.0, 0.0, -kGravity}})),
        contacts(link_contacts(model,
                               BodyContacts({{body, {{.shape = Box{{0.1, 0.6, 0.1}}}}}},
                                            {{.shape = Box{{0.9, 0.15, 0.1}}, .position = {0.0, 0.0, -0.1}}}, law))) {}
};

TEST(CrossedEdgesByEvents, ABarThatIsDroppedFlatBouncesAndRests) {
  // Its middle over the square: all four at once, at t1 and then after 2 e^k t1; the last at t1 (1 + e) / (1 - e).
  const double h = 0.2, e = 0.5, t1 = std::sqrt(2.0 * h / kGravity), rest = t1 * (1.0 + e) / (1.0 - e);
  BarOnBar scene({0.2, 0.05, h}, NewtonImpactLaw{e});
  EventDriven simulation(scene.model);
  run_to(simulation, rest + 0.1);
  const std::vector<double> times = times_of(simulation, EventKind::Impact);
  ASSERT_GE(times.size(), 8u);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(times[k], t1, kIntegrated);
  for (std::size_t k = 4; k < 8; ++k) EXPECT_NEAR(times[k], t1 * (1.0 + 2.0 * e), kIntegrated);
  EXPECT_LE((simulation.state().q(scene.body).head<3>() - Vector3d(0.2, 0.05, 0.1)).norm(), kIntegrated);
  EXPECT_LE(simulation.state().v(scene.body).norm(), kIntegrated);
  double load = 0.0;
  int loaded = 0;
  for (const LinkedContact& contact : scene.contacts) {
    const double force = simulation.state().force(contact.interaction)[0];
    load += force;
    loaded += force > 0.0 ? 1 : 0;
  }
  EXPECT_NEAR(load, kMass * kGravity, 1e-9 * kMass * kGravity);
  EXPECT_GE(loaded, 3);  // three carry it, of four that are one too many
}

TEST(CrossedEdgesByEvents, ABarThatSlidesAcrossStopsByFriction) {
  // Along x, at v0: it stops at v0^2 / (2 mu g).
  const double v0 = 0.8, mu = 0.4, way = v0 * v0 / (2.0 * mu * kGravity), stop = v0 / (mu * kGravity);
  BarOnBar scene({-0.1, 0.05, 0.0}, NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}, {v0, 0.0, 0.0});
  EventDriven simulation(scene.model);
  run_to(simulation, stop + 0.1);
  EXPECT_LE((simulation.state().q(scene.body).head<3>() - Vector3d(way - 0.1, 0.05, 0.1)).norm(), kIntegrated);
  EXPECT_LE(simulation.state().v(scene.body).norm(), kIntegrated);
}

TEST(CrossedEdgesByEvents, ACornerThatPassesAnEdgeIsRefused) {
  // Along x without friction at 0.5 m/s: its edge, 0.1 before the middle, comes to the ground's corners at x = 0.9.
  BarOnBar scene({0.5, 0.05, 0.0}, NewtonImpactLaw{}, {0.5, 0.0, 0.0});
  EventDriven simulation(scene.model);
  const auto report = simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("an end of one touching the other"), std::string::npos) << report.message();
  EXPECT_NEAR(simulation.state().t, 0.6, 1e-6);
}

}  // namespace
}  // namespace nonsmooth::crossed_edges_events_test
