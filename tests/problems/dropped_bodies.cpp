// SPDX-License-Identifier: Apache-2.0
#include "dropped_bodies.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace nonsmooth::problems {

Shape DroppedBodies::shape() const {
  if (kind == Kind::Boxes) return Box{half_extents};
  return Sphere{radius};
}

MassProperties DroppedBodies::solid() const { return MassProperties::of_density(shape(), density); }

Index DroppedBodies::columns_of_sixteen_layers(Index count) {
  return static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(count) / 16.0)));
}

std::vector<DroppedBodies::Place> DroppedBodies::places() const {
  constexpr double spacing = 0.115, jitter = 0.006, lowest = 0.06;
  std::uint64_t bits = 88172645463325252u;  // Marsaglia's, 2003
  const auto uniform = [&bits] {            // in [-1, 1)
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    return 0x1p-52 * static_cast<double>(bits >> 11) - 1.0;
  };
  const double middle = 0.5 * static_cast<double>(columns - 1);
  std::vector<Place> result;
  for (Index i = 0; i < count; ++i) {
    const Index layer = i / (columns * columns), in_layer = i % (columns * columns);
    Place place{Eigen::Vector3d(spacing * (static_cast<double>(in_layer % columns) - middle),
                                spacing * (static_cast<double>(in_layer / columns) - middle),
                                lowest + spacing * static_cast<double>(layer)),
                Eigen::Vector4d(1.0, 0.0, 0.0, 0.0)};
    for (double& coordinate : place.position) coordinate += jitter * uniform();
    if (kind == Kind::Boxes) {
      do {
        for (double& component : place.orientation) component = uniform();
      } while (place.orientation.squaredNorm() > 1.0 || place.orientation.squaredNorm() < 0.01);
      place.orientation.normalize();
    }
    result.push_back(place);
  }
  return result;
}

DroppedModel dropped_model(const DroppedBodies& scene) {
  const MassProperties solid = scene.solid();
  DroppedModel result;
  std::vector<BodyShapes> shapes;
  for (const DroppedBodies::Place& place : scene.places()) {
    RigidBody body;
    body.mass = solid.mass;
    body.inertia = solid.inertia;
    body.position = place.position;
    body.orientation = place.orientation;
    body.gravity = {0.0, 0.0, -DroppedBodies::gravity};
    result.bodies.push_back(result.model.add(std::move(body)));
    shapes.push_back({result.bodies.back(), {{.shape = scene.shape()}}});
  }
  std::vector<ShapeOnBody> ground;
  for (const Eigen::Vector3d& inward :
       {Eigen::Vector3d(0.0, 0.0, 1.0), Eigen::Vector3d(1.0, 0.0, 0.0), Eigen::Vector3d(-1.0, 0.0, 0.0),
        Eigen::Vector3d(0.0, 1.0, 0.0), Eigen::Vector3d(0.0, -1.0, 0.0)}) {
    ShapeOnBody plane;
    plane.shape = HalfSpace{.normal = inward, .offset = inward.z() > 0.0 ? 0.0 : -scene.half_width()};
    ground.push_back(plane);
  }
  NewtonImpactFrictionLaw law;
  law.friction = DroppedBodies::friction;
  law.dimension = 3;
  result.contacts = std::make_shared<const BodyContacts>(shapes, ground, law);
  result.model.detect(result.contacts);
  return result;
}

double deepest(const State& state, const ContactSource& contacts) {
  double result = 0.0;
  for (const Interpenetration& pair : interpenetrations(state, contacts)) result = std::max(result, pair.depth);
  return result;
}

}  // namespace nonsmooth::problems
