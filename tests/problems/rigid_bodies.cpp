// SPDX-License-Identifier: Apache-2.0
#include <problems/rigid_bodies.hpp>

#include <cmath>
#include <numbers>
#include <string>

#include <nonsmooth/kernel/link_joint.hpp>
#include <nonsmooth/kernel/planar_contacts.hpp>
#include <nonsmooth/kernel/relations.hpp>
#include <nonsmooth/kernel/systems.hpp>
#include <problems/mechanics.hpp>

namespace nonsmooth::problems {
namespace {

RigidBody unbalanced_body(double spin) {
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
  m.bodies = {m.system.add(unbalanced_body(100.0))};
  return m;
}

Model body_on_ball_joint(bool projected) {
  Model m = run_implicitly();
  const RigidBody body = unbalanced_body(0.0);
  const Eigen::VectorXd start = make_system(body)->initial_position();
  m.bodies = {m.system.add(body)};
  m.contacts = {
      link_joint(m.system, m.bodies, BallJoint{joint_to_ground(start, Eigen::Vector3d::Zero())}, "ball joint")};
  if (projected) m.options.projection = {.kind = Projection::Direct, .bilateral_tolerance = 1e-10};
  return m;
}

Model double_pendulum_of_bodies() {
  const Eigen::Vector2d upper(std::sin(0.1), -std::cos(0.1));
  const Eigen::Vector2d lower = upper + Eigen::Vector2d(std::sin(0.2), -std::cos(0.2));
  Model m;
  m.bodies = {m.system.add(PlanarBody{.position = upper, .gravity = {0.0, -10.0}, .name = "upper"}),
              m.system.add(PlanarBody{.position = lower, .gravity = {0.0, -10.0}, .name = "lower"})};
  link_joint(m.system, {m.bodies[0]}, DistanceJoint{.length = 1.0}, "upper rod");
  link_joint(m.system, m.bodies, DistanceJoint{.length = 1.0}, "lower rod");
  // Of materials 0, the wall's and the upper one's, and 1.
  constexpr double radius = 0.1;
  m.system.detect(PlanarContacts({{.body = m.bodies[0], .shapes = {{.shape = Disk{radius}}}},
                                  {.body = m.bodies[1], .shapes = {{.shape = Disk{radius}, .material = 1}}}},
                                 {{.shape = HalfPlane{{1.0, 0.0}, -radius}}},
                                 {NewtonImpactLaw{1.0}, NewtonImpactLaw{0.0}},
                                 ContactMaterials(2, 0).set_law(0, 1, 1)));
  m.options.integrator = MoreauJean{.theta = 0.500001};
  m.options.step = 5e-4;
  m.steps = 10000;
  return m;
}

Model slider_crank_of_bodies() {
  using S = SliderCrank;
  const auto on_axis = [](double x) { return Eigen::Vector3d(x, 0.0, 0.0); };
  const Eigen::Vector3d crank = on_axis(0.5 * S::l1), rod = on_axis(S::l1 + 0.5 * S::l2),
                        slider = on_axis(S::l1 + S::l2);
  Model m;
  const auto add = [&](double mass, double inertia, const Eigen::Vector3d& at, double rise, double spin,
                       const char* name) {
    m.bodies.push_back(m.system.add(PlanarBody{.mass = mass,
                                               .inertia = inertia,
                                               .position = at.head<2>(),
                                               .velocity = {0.0, rise},
                                               .angular_velocity = spin,
                                               .gravity = {0.0, -S::g},
                                               .name = name}));
  };
  add(S::m1, S::J1, crank, 75.0 * S::l1, 150.0, "crank");
  add(S::m2, S::J2, rod, 150.0 * S::l1 - 37.5 * S::l2, -75.0, "rod");
  add(S::m3, S::J3, slider, 150.0 * S::l1 - 75.0 * S::l2, -0.01, "slider");
  link_joint(m.system, {m.bodies[0]}, PlanarHinge{planar_joint_to_ground(crank, {0.0, 0.0})}, "bearing");
  link_joint(m.system, {m.bodies[0], m.bodies[1]}, PlanarHinge{planar_joint_between(crank, rod, {S::l1, 0.0})},
             "elbow");
  link_joint(m.system, {m.bodies[1], m.bodies[2]}, PlanarHinge{planar_joint_between(rod, slider, slider.head<2>())},
             "wrist");
  const ConvexPolygon outline{.vertices = {{-S::a, -S::b}, {S::a, -S::b}, {S::a, S::b}, {-S::a, S::b}}};
  m.system.detect(
      PlanarContacts({{.body = m.bodies[2], .shapes = {{.shape = outline}}}},
                     {{.shape = HalfPlane{{0.0, -1.0}, -0.5 * S::d}}, {.shape = HalfPlane{{0.0, 1.0}, -0.5 * S::d}}},
                     NewtonImpactFrictionLaw{.restitution = 0.4, .friction = 0.01}));
  m.options.integrator = MoreauJean{.theta = 0.5};
  m.options.step = 1e-5;
  m.steps = 20000;
  return m;
}

}  // namespace nonsmooth::problems
