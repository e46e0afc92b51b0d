// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nonsmooth on the scenes of engines.hpp.

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <benchmarks/engines/known_motions.hpp>
#include <benchmarks/timing.hpp>
#include <nonsmooth/kernel.hpp>

namespace nonsmooth::benchmarks {

class OurEngine final : public engines::Engine {
 public:
  /// Moreau-Jean with theta = 1/2, answers to `tolerance`; a step that fails is told to `failed`.
  OurEngine(const engines::Scene& scene, double tolerance, std::function<void(const std::string&)> failed)
      : simulation_(simulation_of(scene, tolerance, bodies_)), failed_(std::move(failed)) {}

  double step() override {
    const double start = cpu_seconds();
    const StepReport report = simulation_.step();
    const double time = cpu_seconds() - start;
    if (!report.ok()) failed_(report.message());
    return time;
  }
  void set_velocity(std::size_t body, const engines::Vector& velocity) override {
    State state = simulation_.state();
    state.v(bodies_[body]).head<3>() = vector_of(velocity);
    simulation_.set_state(state);
  }
  [[nodiscard]] long contacts() const override { return static_cast<long>(simulation_.state().contacts.size()); }
  [[nodiscard]] engines::Motion motion(std::size_t body) const override {
    const auto q = simulation_.state().q(bodies_[body]), v = simulation_.state().v(bodies_[body]);
    const Eigen::Vector3d spin = Eigen::Quaterniond(q[3], q[4], q[5], q[6]) * Eigen::Vector3d(v.tail<3>());
    return {{{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}}, {v[0], v[1], v[2]}, {spin[0], spin[1], spin[2]}};
  }

 private:
  static Shape shape_of(const engines::Body& body) {
    if (body.half_length > 0.0) return Capsule{.radius = body.radius, .half_length = body.half_length};
    if (body.radius > 0.0) return Sphere{body.radius};
    return Box{vector_of(body.half_extents)};
  }
  static RigidBody rigid_body(const engines::Body& description, double gravity) {
    RigidBody body;
    body.mass = description.mass;
    body.inertia = MassProperties::of_mass(shape_of(description), description.mass).inertia;
    body.position = vector_of(description.pose.position);
    const auto& q = description.pose.orientation;
    body.orientation = {q[0], q[1], q[2], q[3]};
    body.gravity = {0.0, 0.0, -gravity};
    if (const Eigen::Vector3d force = vector_of(description.force); force != Eigen::Vector3d::Zero())
      body.loads.emplace_back(GivenLoad{
          .load = [force](double, ConstVectorRef, ConstVectorRef, VectorRef load) { load.head<3>() = force; }});
    if (description.guided) {
      for (const Index component : {1, 2, 3, 4, 5}) body.prescribed.push_back({component, [](double) { return 0.0; }});
    }
    return body;
  }
  static TimeStepping simulation_of(const engines::Scene& scene, double tolerance, std::vector<SystemHandle>& bodies) {
    NonSmoothDynamicalSystem model;
    std::vector<BodyShapes> shapes;
    for (const engines::Body& body : scene.bodies) {
      bodies.push_back(model.add(rigid_body(body, scene.gravity)));
      shapes.push_back({bodies.back(), {{.shape = shape_of(body)}}});
    }
    std::vector<ShapeOnBody> ground;
    for (const engines::Plane& plane : scene.planes)
      ground.push_back({.shape = HalfSpace{.normal = vector_of(plane.normal), .offset = plane.offset}});
    NewtonImpactFrictionLaw law;
    law.restitution = scene.restitution;
    law.friction = scene.friction;
    law.dimension = 3;
    model.detect(BodyContacts(shapes, ground, law));
    TimeSteppingOptions options;
    options.step = scene.step;
    options.solver = mixed::Automatic{.tolerance = tolerance};
    return {std::move(model), options};
  }

  std::vector<SystemHandle> bodies_;
  TimeStepping simulation_;
  std::function<void(const std::string&)> failed_;
};

}  // namespace nonsmooth::benchmarks
