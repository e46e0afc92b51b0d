// SPDX-License-Identifier: Apache-2.0
// Balls and disks on shapes of the ground by events: off points and curved sides, down a cone, in a bowl, over ridges
// into valleys, against closed forms.
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include <problems/reference.hpp>
#include <support/parameter_name.hpp>

#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::round_on_shapes_test {
namespace {

using namespace event_log;
using Eigen::Vector2d;
using Eigen::Vector3d;
using shape_bodies::ball;
using shape_bodies::turned_by;

/// A step's error is below 1e-10 of its coordinates, of order one here; some tens of steps with factors of a few.
constexpr double kIntegrated = 1e-8;
constexpr double kRadius = 0.1, kStart = 0.3;  ///< of what slides off, and where it starts [rad]

/// Where a round body leaves a round ground, or slips on it, which it goes down from rest at the angle kStart: on a
/// path of radius L, v^2 = 2 g L (c0 - c) / (1 + k), k = J / (m r^2) while it rolls, else 0; it leaves at c = 2/3 c0,
/// and slips where |F_T| / F_N = k / (1 + k) sin / (c - 2 (c0 - c) / (1 + k)) is mu.
struct Descent {
  double k, mu;

  [[nodiscard]] double cosine_of_end() const {
    const double c0 = std::cos(kStart);
    if (mu == 0.0) return 2.0 / 3.0 * c0;
    const auto margin = [&](double angle) {
      const double c = std::cos(angle);
      return mu * (c - 2.0 * (c0 - c) / (1.0 + k)) - k / (1.0 + k) * std::sin(angle);
    };
    return std::cos(problems::root_between(margin, kStart, 0.9));
  }
  [[nodiscard]] double square_of_speed(double path) const {
    return 2.0 * kGravity * path * (std::cos(kStart) - cosine_of_end()) / (1.0 + (mu > 0.0 ? k : 0.0));
  }
  [[nodiscard]] Law law(Index dimension) const {
    if (mu == 0.0) return NewtonImpactLaw{};
    return NewtonImpactFrictionLaw{.friction = mu, .dimension = dimension};
  }
  /// q and v of the body where it opens or slips.
  void run(EventDriven& simulation, SystemHandle body, Eigen::VectorXd& q, Eigen::VectorXd& v) const {
    const EventKind end = mu > 0.0 ? EventKind::Slip : EventKind::Opening;
    const auto report = simulation.advance_to(3.0, EventDrivenObserver{.instant = [&](const Instant& at) {
                                                if (at.events[0].kind != end) return true;
                                                q = at.before.q(body), v = at.before.v(body);
                                                return false;
                                              }});
    ASSERT_EQ(report.outcome, RunReport::Outcome::StoppedByObserver) << report.message();
  }
};

/// A ground whose highest place is the origin, straight or round to `radius` below.
struct Summit {
  std::string name;
  ShapeOnBody ground;
  double radius = 0.0;
  Index interactions = 1;
  friend void PrintTo(const Summit& summit, std::ostream* out) { *out << summit.name; }
};

std::vector<Summit> summits() {
  const std::vector<Vector3d> pyramid{
      {0.0, 0.0, 0.0}, {-0.3, -0.3, -1.0}, {0.3, -0.3, -1.0}, {0.3, 0.3, -1.0}, {-0.3, 0.3, -1.0}};
  const Eigen::MatrixXd peak{{-1.0, -1.0, -1.0}, {-1.0, 0.0, -1.0}, {-1.0, -1.0, -1.0}};
  const Vector3d below(0.0, 0.0, -0.5), across = 0.5 * kPi * Vector3d(-0.6, -0.8, 0.0);  // z to (-0.8, 0.6, 0)
  return {{"ConesTip", {.shape = Cone{0.3, 1.0}, .position = {0.0, 0.0, -1.0}}},
          {"Pyramid", {.shape = ConvexPolyhedron(pyramid)}},
          {"MeshOfAPyramid", {.shape = TriangleMesh(pyramid, {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 1}})}},
          {"PeakOfAField", {.shape = HeightField(peak, {0.3, 0.3}), .position = {-0.3, -0.3, 0.0}}, 0.0, 3},
          {"CylindersSide", {.shape = Cylinder{0.5, 2.0}, .position = below, .orientation = turned_by(across)}, 0.5},
          {"CapsulesSide", {.shape = Capsule{0.5, 2.0}, .position = below, .orientation = turned_by(across)}, 0.5}};
}

class OffASummit : public testing::TestWithParam<Summit> {};

TEST_P(OffASummit, ASphereSlidesOrRolls) {
  const Summit& summit = GetParam();
  const double path = summit.radius + kRadius;
  const Vector3d middle(0.0, 0.0, -summit.radius);
  const Vector3d start = middle + path * Vector3d(0.6 * std::sin(kStart), 0.8 * std::sin(kStart), std::cos(kStart));
  for (const double mu : {0.0, 0.7}) {
    const Descent descent{0.4, mu};
    NonSmoothDynamicalSystem model;
    const auto body = model.add(ball(kRadius, 0.8, start, Vector3d::Zero(), kGravity));
    model.detect(BodyContacts({{body, {{.shape = Sphere{kRadius}}}}}, {summit.ground}, descent.law(3)));
    EventDriven simulation(model);
    EXPECT_EQ(simulation.model().num_interactions(), summit.interactions);
    Eigen::VectorXd q = Eigen::VectorXd::Zero(7), v = Eigen::VectorXd::Zero(6);
    descent.run(simulation, body, q, v);
    const Vector3d from = q.head<3>() - middle;
    EXPECT_NEAR(from.norm(), path, 1e-10);
    EXPECT_NEAR(from[1] / from[0], 0.8 / 0.6, 1e-8);  // in the plane that it started in
    EXPECT_NEAR(from[2] / path, descent.cosine_of_end(), kIntegrated);
    EXPECT_NEAR(v.head<3>().squaredNorm(), descent.square_of_speed(path), kIntegrated);
  }
}

INSTANTIATE_TEST_SUITE_P(All, OffASummit, testing::ValuesIn(summits()), test::parameter_name);

TEST(RoundOnShapesByEvents, ADiskSlidesOrRollsOffAPoint) {
  const ConvexPolygon spike{.vertices = {{0.0, 0.0}, {-0.3, -1.0}, {0.3, -1.0}}};
  const PlanarSegment wall{{0.0, 0.0}, {0.0, -1.0}, 0.05};
  const HeightLine ridge{{{-0.3, -1.0}, {0.0, 0.0}, {0.3, -1.0}}};
  for (const PlanarShape& ground : {PlanarShape{spike}, PlanarShape{wall}, PlanarShape{ridge}}) {
    const double path = kRadius + (std::holds_alternative<PlanarSegment>(ground) ? wall.rounding : 0.0);
    for (const double mu : {0.0, 0.4}) {
      const Descent descent{0.5, mu};
      NonSmoothDynamicalSystem model;
      const auto body = model.add(PlanarBody{.mass = 0.8,
                                             .inertia = 0.5 * 0.8 * kRadius * kRadius,
                                             .position = path * Vector2d(std::sin(kStart), std::cos(kStart)),
                                             .gravity = {0.0, -kGravity}});
      model.detect(PlanarContacts({{body, {{.shape = Disk{kRadius}}}}}, {{.shape = ground}}, descent.law(2)));
      EventDriven simulation(model);
      EXPECT_EQ(simulation.model().num_interactions(), 1);
      Eigen::VectorXd q = Eigen::VectorXd::Zero(3), v = Eigen::VectorXd::Zero(3);
      descent.run(simulation, body, q, v);
      EXPECT_NEAR(q.head<2>().norm(), path, 1e-10);
      EXPECT_NEAR(q[1] / path, descent.cosine_of_end(), kIntegrated);
      EXPECT_NEAR(v.head<2>().squaredNorm(), descent.square_of_speed(path), kIntegrated);
    }
  }
}

TEST(RoundOnShapesByEvents, ASphereGoesDownACone) {
  // Along a line of its side, 0.6 in 1: with g sin(slope) where it slides, 5/7 of that where it rolls.
  const double slope = std::atan(1.0 / 0.6), t = 0.2;
  const Vector3d normal(0.8 * std::sin(slope), 0.6 * std::sin(slope), std::cos(slope)),
      down(0.8 * std::cos(slope), 0.6 * std::cos(slope), -std::sin(slope)), tip(0.0, 0.0, 1.0);
  for (const double mu : {0.0, 2.0}) {
    const Vector3d start = tip + 0.3 * down + kRadius * normal;
    NonSmoothDynamicalSystem model;
    const auto body = model.add(ball(kRadius, 0.8, start, Vector3d::Zero(), kGravity));
    model.detect(
        BodyContacts({{body, {{.shape = Sphere{kRadius}}}}}, {{.shape = Cone{0.6, 1.0}}}, Descent{0.4, mu}.law(3)));
    EventDriven simulation(model);
    run_to(simulation, t);
    const double a = kGravity * std::sin(slope) * (mu > 0.0 ? 5.0 / 7.0 : 1.0);
    EXPECT_LE((simulation.state().q(body).head<3>() - start - 0.5 * a * t * t * down).norm(), 1e-10);
    EXPECT_LE((simulation.state().v(body).head<3>() - a * t * down).norm(), 1e-9);
  }
}

TEST(RoundOnShapesByEvents, ASphereSwingsInAHollowOne) {
  // A pendulum of length R - r, with 5/7 of the gravity where the sphere rolls.
  const double R = 0.6, path = R - kRadius, angle = 1.1, T = 2.0;
  for (const double mu : {0.0, 1.0}) {
    NonSmoothDynamicalSystem model;
    const Vector3d start = path * Vector3d(0.6 * std::sin(angle), 0.8 * std::sin(angle), -std::cos(angle));
    const auto body = model.add(ball(kRadius, 0.8, start, Vector3d::Zero(), kGravity));
    model.link(body, SphereInSphere{{.radius = kRadius}, {.radius = R}, mu > 0.0 ? 3 : 1}, Descent{0.4, mu}.law(3));
    EventDriven simulation(model);
    run_to(simulation, T);
    const double pull = kGravity / path * (mu > 0.0 ? 5.0 / 7.0 : 1.0);
    const Eigen::VectorXd swing =
        problems::solve_ode([&](double, ConstVectorRef z, VectorRef rate) { rate << z[1], -pull * std::sin(z[0]); },
                            Vector2d(angle, 0.0), 0.0, T);
    const Vector3d at = path * Vector3d(0.6 * std::sin(swing[0]), 0.8 * std::sin(swing[0]), -std::cos(swing[0]));
    EXPECT_LE((simulation.state().q(body).head<3>() - at).norm(), kIntegrated) << mu;
    EXPECT_NEAR(simulation.state().v(body).head<3>().norm(), path * std::abs(swing[1]), kIntegrated) << mu;
  }
}

/// Along a flat ground, over a ridge at x = 0, down by 0.2 over 0.8 and into a valley, flat behind it. The height of
/// the centre tells the speed up to the valley, where an impact without restitution takes what goes into the flat part
/// away.
struct RidgeAndValley {
  double r = 0.5, v0 = 1.0, drop = 0.2, length = 0.8, T = 1.9;

  [[nodiscard]] double down() const { return std::sqrt(v0 * v0 + 2.0 * kGravity * drop); }
  [[nodiscard]] double sine() const { return drop / std::hypot(drop, length); }
  [[nodiscard]] double cosine() const { return length / std::hypot(drop, length); }
  void expect(const EventDriven& simulation, double mass, double height, ConstVectorRef v) const {
    const auto impacts = events_of(simulation, EventKind::Impact);
    ASSERT_EQ(impacts.size(), 1u);
    EXPECT_NEAR(impacts[0].value, mass * down() * sine(), 1e-10);  // speeds as energy, to what is integrated
    EXPECT_EQ(events_of(simulation, EventKind::Opening).size(), 1u);
    EXPECT_NEAR(v[0], down() * cosine(), 1e-10);
    EXPECT_LE(std::abs(v[1]) + std::abs(v[2]), 1e-12);
    EXPECT_NEAR(height, r - drop, 1e-12);
  }
};

TEST(RoundOnShapesByEvents, ADiskSlidesOverARidgeIntoAValley) {
  const RidgeAndValley way;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(
      PlanarBody{.mass = 0.7, .position = {-1.0, way.r}, .velocity = {way.v0, 0.0}, .gravity = {0.0, -kGravity}});
  const HeightLine ground{{{-3.0, 0.0}, {-1.0, 0.0}, {0.0, 0.0}, {way.length, -way.drop}, {3.0, -way.drop}}};
  model.detect(PlanarContacts({{body, {{.shape = Disk{way.r}}}}}, {{.shape = ground}}, NewtonImpactLaw{}));
  EventDriven simulation(model);
  EXPECT_EQ(simulation.model().num_interactions(), 2);
  run_to(simulation, way.T);
  way.expect(simulation, 0.7, simulation.state().q(body)[1], simulation.state().v(body));
}

TEST(RoundOnShapesByEvents, ASphereSlidesOverARidgeIntoAValleyOfAField) {
  const RidgeAndValley way;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(ball(way.r, 0.7, {-1.0, 0.1, way.r}, {way.v0, 0.0, 0.0}, kGravity));
  Eigen::MatrixXd heights = Eigen::MatrixXd::Zero(8, 3);
  heights.bottomRows(4).setConstant(-way.drop);  // from x = 0.8 on
  model.detect(BodyContacts({{body, {{.shape = Sphere{way.r}}}}},
                            {{.shape = HeightField(heights, {way.length, 1.0}), .position = {-2.4, -1.0, 0.0}}},
                            NewtonImpactLaw{}));
  EventDriven simulation(model);
  EXPECT_EQ(simulation.model().num_interactions(), 2);
  run_to(simulation, way.T);
  way.expect(simulation, 0.7, simulation.state().q(body)[2], simulation.state().v(body));
}

TEST(RoundOnShapesByEvents, ASphereBouncesOnAFloorOfTriangles) {
  // As on a half-space: flights of the height 0.3, which is lost by e^2 each time; over a vertex inside a face.
  const double e = 0.8, height = 0.3, first = std::sqrt(2.0 * height / kGravity);
  NonSmoothDynamicalSystem model;
  const auto body = model.add(ball(kRadius, 0.7, {0.0, 0.0, kRadius + height}, Vector3d::Zero(), kGravity));
  const HeightField floor(Eigen::MatrixXd::Zero(5, 5), {0.5, 0.5});
  model.detect(BodyContacts({{body, {{.shape = Sphere{kRadius}}}}}, {{.shape = floor, .position = {-1.0, -1.0, 0.0}}},
                            NewtonImpactLaw{.restitution = e}));
  EventDriven simulation(model);
  run_to(simulation, first * (1.0 + 2.0 * e + 2.0 * e * e) + 0.01);
  expect_times(times_of(simulation, EventKind::Impact),
               {first, first * (1.0 + 2.0 * e), first * (1.0 + 2.0 * e + 2.0 * e * e)}, 1e-13);
}

}  // namespace
}  // namespace nonsmooth::round_on_shapes_test
