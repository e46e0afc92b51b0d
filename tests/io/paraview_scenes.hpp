// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/io/field_mesh.hpp>
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

/// A square sheet, whose first node is held and whose others move by q, and a rod with three temperatures.
inline NonSmoothDynamicalSystem sheet_and_rod(SystemHandle* rod = nullptr) {
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.mass = Eigen::MatrixXd::Identity(6, 6),
                                   .stiffness = 4.0 * Eigen::MatrixXd::Identity(6, 6),
                                   .q0 = {0.1, 0.0, 0.2, 0.3, 0.0, -0.1},
                                   .name = "sheet"});
  const auto added = model.add(FirstOrderLinearSystem{
      .A = {{-2.0, 1.0, 0.0}, {1.0, -2.0, 1.0}, {0.0, 1.0, -2.0}}, .x0 = {1.0, 0.0, 0.5}, .name = "rod"});
  if (rod) *rod = added;
  return model;
}
inline RecorderOptions with_meshes() {
  RecorderOptions options{.name = "meshes"};
  keep_mesh({.name = "sheet",
             .system = "sheet",
             .carries = FieldMesh::Carries::Displacements,
             .components = 2,
             .nodes = Eigen::MatrixXd{{0.0, 1.0, 1.0, 0.0}, {0.0, 0.0, 1.0, 1.0}},
             .cells = Eigen::Matrix<Index, 4, 1>(0, 1, 2, 3),
             .first = {-1, 0, 2, 4}},
            options);
  keep_mesh({.name = "temperatures",
             .system = "rod",
             .nodes = Eigen::MatrixXd{{0.0, 1.0, 2.0}, {0.0, 0.0, 0.0}, {-1.0, -1.0, -1.0}},
             .cells = Eigen::Matrix<Index, 2, 2>{{0, 1}, {1, 2}}},
            options);
  return options;
}

}  // namespace nonsmooth::vtk_test
