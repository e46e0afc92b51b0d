// SPDX-License-Identifier: Apache-2.0
#include <problems/rigid_bodies.hpp>

#include <cmath>
#include <numbers>

#include <nonsmooth/kernel/link_joint.hpp>
#include <nonsmooth/kernel/relations.hpp>
#include <nonsmooth/kernel/systems.hpp>

namespace nonsmooth::problems {
namespace {

RigidBody spinning_body(double spin) {
  constexpr double eighth = std::numbers::pi / 8.0;
  const double along = 0.5 / std::sqrt(2.0);
  return {.mass = 1.0,
          .inertia = (Eigen::Matrix3d() << 0.1, 0.1, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0, 1.0).finished(),
          .position = {along, 0.0, -along},
          .orientation = {std::cos(eighth), 0.0, std::sin(eighth), 0.0},
          .velocity = {100.0, 0.0, 0.0},
          .angular_velocity = {0.0, 0.0, spin},
          .gravity = {0.0, 0.0, -9.81},
          .name = "body"};
}

Model run_implicitly() {
  Model m;
  m.options.integrator = MoreauJean{.theta = 1.0};
  m.options.step = 1e-2;
  m.options.newton.residual_tolerance = 1e-6;  // that of the reference trajectories
  m.steps = 1000;
  return m;
}

}  // namespace

Model free_body() {
  Model m = run_implicitly();
  m.bodies = {m.system.add(spinning_body(100.0))};
  return m;
}

Model body_on_ball_joint(bool projected) {
  Model m = run_implicitly();
  const RigidBody body = spinning_body(0.0);
  const Eigen::VectorXd start = make_system(body)->initial_position();
  m.bodies = {m.system.add(body)};
  m.contacts = {
      link_joint(m.system, m.bodies, BallJoint{joint_to_ground(start, Eigen::Vector3d::Zero())}, "ball joint")};
  if (projected) m.options.projection = {.kind = Projection::Direct, .bilateral_tolerance = 1e-10};
  return m;
}

}  // namespace nonsmooth::problems
