// SPDX-License-Identifier: Apache-2.0
#include "dropped_bodies.hpp"

#include <algorithm>
#include <cmath>

#include "laid_bodies.hpp"
#include "uniform_numbers.hpp"

namespace nonsmooth::problems {
namespace {

std::vector<DroppedBodies::Place> laid_places(const DroppedBodies& scene) {
  std::vector<DroppedBodies::Place> result;
  if (scene.kind == DroppedBodies::Kind::Spheres) {
    for (const Eigen::Vector3d& centre : laid_spheres(scene.count, DroppedBodies::radius, scene.half_width()))
      result.push_back({centre, Eigen::Vector4d::UnitX()});
  } else {
    for (const LaidBox& box : laid_boxes(scene.count, DroppedBodies::half_extents, scene.half_width()))
      result.push_back({box.position, {std::cos(0.5 * box.angle), 0.0, 0.0, std::sin(0.5 * box.angle)}});
  }
  return result;
}

}  // namespace

Shape DroppedBodies::shape() const {
  if (kind == Kind::Boxes) return Box{half_extents};
  return Sphere{radius};
}

MassProperties DroppedBodies::solid() const { return MassProperties::of_density(shape(), density); }

Index DroppedBodies::columns_of_sixteen_layers(Index count) {
  return static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(count) / 16.0)));
}

std::vector<DroppedBodies::Place> DroppedBodies::places() const {
  if (laid) return laid_places(*this);
  constexpr double spacing = 0.115, jitter = 0.006, lowest = 0.06;
  UniformNumbers uniform;
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
