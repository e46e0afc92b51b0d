// SPDX-License-Identifier: Apache-2.0
#include <problems/shaken_boxes.hpp>

#include <cmath>
#include <numbers>
#include <vector>

#include <nonsmooth/kernel/body_contacts.hpp>
#include <nonsmooth/kernel/laws.hpp>
#include <nonsmooth/kernel/planar_contacts.hpp>
#include <nonsmooth/kernel/systems.hpp>

namespace nonsmooth::problems {
namespace {

constexpr double kInside = ShakenBox::half_width, kWall = 0.02, kSize = 0.015;  // [m]
constexpr double kGravity = 9.81, kDensity = 1000.0;                            // [m/s^2], [kg/m^2] or [kg/m^3]

/// Velocity of the box along x or upwards; `rows` of all others rest.
std::vector<PrescribedVelocity> shaking(Index rows, Index upwards) {
  std::vector<PrescribedVelocity> result;
  for (Index i = 0; i < rows; ++i) {
    const double most = i == upwards ? 0.02 : i == 0 ? 0.01 : 0.0, omega = 10.0 * std::numbers::pi;
    result.push_back({i, [=](double t) { return most * omega * std::cos(omega * t); }});
  }
  return result;
}

/// Where body i starts: rows of four.
Eigen::Vector2d start(Index i) {
  return {-0.066 + 0.044 * static_cast<double>(i % 4) + 0.001 * static_cast<double>(i % 5),
          -0.075 + 0.04 * static_cast<double>(i / 4)};
}

/// A box, a sphere or a capsule, in turn.
ShapeOnBody shape_of_body(Index i, double r) {
  if (i % 3 == 0) return {.shape = Box{Eigen::Vector3d::Constant(0.7 * r)}};
  if (i % 3 == 1) return {.shape = Sphere{r}};
  return {.shape = Capsule{.radius = 0.7 * r, .half_length = 0.5 * r}};
}

}  // namespace

NonSmoothDynamicalSystem shaken_disks(Index count) {
  NonSmoothDynamicalSystem model;
  const double far = kInside + kWall;
  std::vector<PlanarBodyShapes> bodies{{model.add(PlanarBody{.prescribed = shaking(3, 1)}), {}}};
  for (const Eigen::Vector2d& n :
       {Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d(-1.0, 0.0), Eigen::Vector2d(0.0, 1.0), Eigen::Vector2d(0.0, -1.0)}) {
    const Eigen::Vector2d along(-n[1], n[0]);
    bodies.front().shapes.push_back({.shape = PlanarSegment{far * (n - along), far * (n + along), kWall}});
  }
  for (Index i = 0; i < count; ++i) {
    const double r = kSize * (0.9 + 0.02 * static_cast<double>(i % 10)), m = kDensity * std::numbers::pi * r * r;
    const auto body = model.add(PlanarBody{.mass = m,
                                           .inertia = 0.5 * m * r * r,
                                           .position = start(i),
                                           .angle = static_cast<double>(i),
                                           .gravity = {0.0, -kGravity}});
    const double s = 0.6 * r;
    const PlanarShape shape =
        i % 3 == 0 ? PlanarShape(ConvexPolygon{{{s, s}, {-s, s}, {-s, -s}, {s, -s}}, 0.2 * r}) : PlanarShape(Disk{r});
    bodies.push_back({body, {{.shape = shape}}});
  }
  model.detect(PlanarContacts(bodies, {}, NewtonImpactFrictionLaw{.restitution = 0.5, .friction = 0.3}));
  return model;
}

NonSmoothDynamicalSystem shaken_bodies(Index count) {
  NonSmoothDynamicalSystem model;
  const Eigen::Vector3d inside(kInside, 0.5 * kInside, kInside);
  std::vector<BodyShapes> bodies{{model.add(RigidBody{.prescribed = shaking(6, 2)}), {}}};
  for (Index axis = 0; axis < 3; ++axis) {
    Eigen::Vector3d half = inside + Eigen::Vector3d::Constant(2.0 * kWall);
    half[axis] = kWall;
    for (const double side : {-1.0, 1.0})
      bodies.front().shapes.push_back(
          {.shape = Box{half}, .position = side * (inside[axis] + kWall) * Eigen::Vector3d::Unit(axis)});
  }
  for (Index i = 0; i < count; ++i) {
    const double r = kSize * (0.9 + 0.02 * static_cast<double>(i % 10)), m = kDensity * 8.0 * r * r * r;
    const Eigen::Vector2d place = start(i);
    const auto body = model.add(RigidBody{.mass = m,
                                          .inertia = (0.5 * m * r * r) * Eigen::Matrix3d::Identity(),
                                          .position = {place[0], i % 2 == 0 ? 0.02 : -0.02, place[1]},
                                          .angular_velocity = {0.1, 0.2, 0.3},
                                          .gravity = {0.0, 0.0, -kGravity}});
    bodies.push_back({body, {shape_of_body(i, r)}});
  }
  model.detect(BodyContacts(bodies, {}, NewtonImpactFrictionLaw{.restitution = 0.5, .friction = 0.3, .dimension = 3}));
  return model;
}

}  // namespace nonsmooth::problems
