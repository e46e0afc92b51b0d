// SPDX-License-Identifier: Apache-2.0
// Planks of several shapes that rock on round ones of the ground, by events.
#include <cmath>
#include <vector>

#include <problems/reference.hpp>

#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::rocking_shapes_test {
namespace {

using namespace event_log;
using Eigen::Vector2d;
using Eigen::Vector3d;
using shape_bodies::turned_by;

/// A plank whose middle is b over its lower side rolls on a circle of radius R without slipping: tilted by theta, it
/// touches it in R n, n = (-sin theta, cos theta), with its middle R theta along t and b along n from there,
///
///     (J + m (b^2 + R^2 theta^2)) theta'' + m R^2 theta theta'^2 + m g (R theta cos theta - b sin theta) = 0.
struct Rocking {
  double R = 0.5, b = 0.1, m = 1.2, J = 0.15, start = 0.3, T = 1.5;

  [[nodiscard]] Vector2d middle(double theta) const {
    const Vector2d n(-std::sin(theta), std::cos(theta)), t(std::cos(theta), std::sin(theta));
    return (R + b) * n + R * theta * t;
  }
  /// theta and its rate at T.
  [[nodiscard]] Eigen::VectorXd end() const {
    return problems::solve_ode(
        [this](double, ConstVectorRef z, VectorRef rate) {
          const double theta = z[0], w = z[1];
          const double pull = kGravity * (R * theta * std::cos(theta) - b * std::sin(theta));
          rate << w, -m * (R * R * theta * w * w + pull) / (J + m * (b * b + R * R * theta * theta));
        },
        Vector2d(start, 0.0), 0.0, T);
  }
  /// Tenths of steps of an error of 1e-10 each.
  void expect(const Vector2d& place, double theta, double rate) const {
    const Eigen::VectorXd expected = end();
    EXPECT_NEAR(theta, expected[0], 1e-8);
    EXPECT_NEAR(rate, expected[1], 1e-8);
    EXPECT_LE((place - middle(expected[0])).norm(), 1e-8);
    EXPECT_GT(std::abs(rate), 0.1);  // on its way, not where it turns
  }
};

TEST(RockingByEvents, BoxesCapsulesAndCylindersOnSpheresAndCapsules) {
  const Rocking rocking;
  const auto turned = [](double angle, const Vector3d& axis) { return turned_by(angle * axis); };
  const ShapeOnBody box{.shape = Box{{0.2, 0.6, rocking.b}}};
  const ShapeOnBody capsule{.shape = Capsule{rocking.b, 0.6}, .orientation = turned(0.5 * kPi, {1.0, 0.0, 0.0})};
  const ShapeOnBody cylinder{.shape = Cylinder{rocking.b, 0.6}, .orientation = turned(0.5 * kPi, {1.0, 0.0, 0.0})};
  const ShapeOnBody sphere{.shape = Sphere{rocking.R}};
  const ShapeOnBody across{.shape = Capsule{rocking.R, 0.3}, .orientation = turned(0.5 * kPi, {0.0, 1.0, 0.0})};
  struct Case {
    const char* name;
    ShapeOnBody plank, ground;
  };
  for (const Case& c : {Case{"box on a sphere", box, sphere}, Case{"cylinder on a sphere", cylinder, sphere},
                        Case{"capsule on a sphere", capsule, sphere}, Case{"capsule on a capsule", capsule, across}}) {
    SCOPED_TRACE(c.name);
    NonSmoothDynamicalSystem model;
    const Vector2d place = rocking.middle(rocking.start);
    const auto body = model.add(RigidBody{.mass = rocking.m,
                                          .inertia = Vector3d(rocking.J, 0.05, 0.16).asDiagonal().toDenseMatrix(),
                                          .position = {0.0, place[0], place[1]},
                                          .orientation = turned(rocking.start, {1.0, 0.0, 0.0}),
                                          .gravity = {0.0, 0.0, -kGravity}});
    model.detect(
        BodyContacts({{body, {c.plank}}}, {c.ground}, NewtonImpactFrictionLaw{.friction = 2.0, .dimension = 3}));
    EventDriven simulation(model);
    EXPECT_EQ(simulation.model().num_interactions(), 1);
    run_to(simulation, rocking.T);
    const auto q = simulation.state().q(body), v = simulation.state().v(body);
    rocking.expect(q.segment<2>(1), 2.0 * std::atan2(q[4], q[3]), v[3]);
    EXPECT_LE(std::abs(q[0]) + q.tail<2>().norm() + v.tail<2>().norm(), 1e-9);  // in the plane
  }
}

TEST(RockingByEvents, PolygonsAndSegmentsOnDisks) {
  const Rocking rocking;
  const double b = rocking.b;
  const ConvexPolygon rectangle{.vertices = {{-0.6, -b}, {0.6, -b}, {0.6, b}, {-0.6, b}}};
  const ConvexPolygon rounded{.vertices = {{-0.6, -0.6 * b}, {0.6, -0.6 * b}, {0.0, 0.5}}, .rounding = 0.4 * b};
  const PlanarSegment segment{{-0.6, 0.0}, {0.6, 0.0}, b};
  for (const PlanarShape& plank : {PlanarShape{rectangle}, PlanarShape{rounded}, PlanarShape{segment}}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(PlanarBody{.mass = rocking.m,
                                           .inertia = rocking.J,
                                           .position = rocking.middle(rocking.start),
                                           .angle = rocking.start,
                                           .gravity = {0.0, -kGravity}});
    model.detect(PlanarContacts({{body, {{.shape = plank}}}}, {{.shape = Disk{rocking.R}}},
                                NewtonImpactFrictionLaw{.friction = 2.0}));
    EventDriven simulation(model);
    EXPECT_EQ(simulation.model().num_interactions(), 1);
    run_to(simulation, rocking.T);
    const auto q = simulation.state().q(body), v = simulation.state().v(body);
    rocking.expect(q.head<2>(), q[2], v[2]);
  }
}

}  // namespace
}  // namespace nonsmooth::rocking_shapes_test
