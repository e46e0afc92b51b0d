// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::vtk_test {

/// Balls, boxes and one body of two shapes that fall on a floor, beside a lumped chain that nothing draws.
inline NonSmoothDynamicalSystem falling_bodies() {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> shapes;
  for (int k = 0; k < 8; ++k) {
    const double half = 0.3 * (k + 1);
    const auto body =
        model.add(RigidBody{.inertia = 0.01 * Eigen::Matrix3d::Identity(),
                            .position = {0.25 * (k % 2), 0.25 * (k / 2 % 2), 0.15 + 0.3 * (k / 4)},
                            .orientation = {std::cos(half), 0.6 * std::sin(half), 0.0, 0.8 * std::sin(half)},
                            .angular_velocity = {1.0, -2.0, 0.5 * k},
                            .gravity = {0.0, 0.0, -9.81},
                            .name = "body " + std::to_string(k)});
    if (k == 7)
      shapes.push_back(
          {body, {{.shape = Sphere{0.05}, .position = {0.1, 0.0, 0.0}}, {.shape = Box{{0.1, 0.02, 0.02}}}}});
    else
      shapes.push_back({body, {{.shape = k % 2 == 0 ? Shape{Sphere{0.1}} : Shape{Box{{0.08, 0.06, 0.04}}}}}});
  }
  model.detect(
      BodyContacts(shapes, {{.shape = HalfSpace{}}}, NewtonImpactFrictionLaw{.friction = 0.4, .dimension = 3}));
  model.add(LagrangianLinearSystem{.mass = Eigen::MatrixXd::Identity(3, 3),
                                   .stiffness = Eigen::MatrixXd{{2, -1, 0}, {-1, 2, -1}, {0, -1, 1}},
                                   .q0 = Eigen::Vector3d(0.1, 0.2, 0.3),
                                   .name = "chain"});
  return model;
}

/// Disks that fall on a line, the last one with an edge.
inline NonSmoothDynamicalSystem falling_disks() {
  NonSmoothDynamicalSystem model;
  std::vector<PlanarBodyShapes> shapes;
  for (int k = 0; k < 4; ++k) {
    const auto body = model.add(PlanarBody{.inertia = 0.005,
                                           .position = {0.21 * k, 0.15 + 0.05 * k},
                                           .angle = 0.4 * k,
                                           .velocity = {0.3, 0.0},
                                           .gravity = {0.0, -9.81},
                                           .name = "disk " + std::to_string(k)});
    if (k == 3)
      shapes.push_back({body, {{.shape = ConvexPolygon{{{0.1, 0}, {0, 0.1}, {-0.1, -0.1}}, 0.02}}}});
    else
      shapes.push_back({body, {{.shape = Disk{0.1}}}});
  }
  model.detect(PlanarContacts(shapes, {{.shape = HalfPlane{}}}, NewtonImpactFrictionLaw{.friction = 0.4}));
  return model;
}

/// Two states that turn about each other: nothing to be drawn.
inline NonSmoothDynamicalSystem oscillator() {
  NonSmoothDynamicalSystem model;
  model.add(FirstOrderLinearSystem{.A = {{0.0, 1.0}, {-1.0, 0.0}}, .x0 = {1.0, 0.0}, .name = "oscillator"});
  return model;
}

}  // namespace nonsmooth::vtk_test
