// SPDX-License-Identifier: Apache-2.0
#include <problems/shapes.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/link_contacts.hpp>
#include <nonsmooth/kernel/loads.hpp>
#include <nonsmooth/kernel/planar_contacts.hpp>
#include <problems/event_driven.hpp>
#include <problems/mechanics.hpp>

namespace nonsmooth::problems {
namespace {

constexpr double kBallRadius = 0.1;

/// A ball of 1 kg whose first coordinate is its height.
PlanarBody ball_at(double height, double gravity, double inertia = 0.4 * kBallRadius * kBallRadius) {
  return {.inertia = inertia, .position = {height, 0.0}, .gravity = {-gravity, 0.0}, .name = "ball"};
}

/// The scheme and the steps of another model.
Model run_as(const Model& other) {
  Model m;
  m.options = other.options;
  m.steps = other.steps;
  return m;
}

/// Disks of one radius on all bodies of a model.
std::vector<PlanarBodyShapes> disks_on(const std::vector<SystemHandle>& bodies, double radius) {
  std::vector<PlanarBodyShapes> disks;
  for (const SystemHandle body : bodies)
    disks.push_back({.body = body, .shapes = {{.shape = Disk{radius}, .position = Eigen::Vector2d::Zero()}}});
  return disks;
}

void link(Model& m, const ContactSource& source) {
  for (const LinkedContact& contact : link_contacts(m.system, source)) m.contacts.push_back(contact.interaction);
}

void sort_by_gap(Model& m) {
  const State start = m.system.initial_state();
  std::sort(m.contacts.begin(), m.contacts.end(),
            [&](InteractionHandle a, InteractionHandle b) { return start.y(a)[0] < start.y(b)[0]; });
}

/// One disk over a half-plane; `offset`: of its surface.
PlanarContacts disk_over(const Model& m, const Eigen::Vector2d& normal, double offset, const Law& law) {
  return {disks_on(m.bodies, kBallRadius), {{.shape = HalfPlane{normal, offset}}}, law};
}

PlanarContacts disks_between_walls(const Model& m) {
  constexpr double wall = 0.26;
  return {disks_on(m.bodies, 0.1),
          {{.shape = HalfPlane{{0.0, 1.0}, 0.0}},
           {.shape = HalfPlane{{1.0, 0.0}, -wall}},
           {.shape = HalfPlane{{-1.0, 0.0}, -wall}}},
          NewtonImpactFrictionLaw{.restitution = 0.2, .friction = 0.3}};
}

Model disks_to_fall() {
  const Model other = disks_in_a_box();
  Model m = run_as(other);
  const State start = other.system.initial_state();
  for (const SystemHandle disk : other.bodies) {
    m.bodies.push_back(m.system.add(PlanarBody{.inertia = 0.005,
                                               .position = start.q(disk).head<2>(),
                                               .gravity = {0.0, -9.81},
                                               .name = "disk " + std::to_string(m.bodies.size())}));
  }
  return m;
}

}  // namespace

Model found_ball(double theta) {
  Model m = run_as(bouncing_ball(theta));
  m.bodies = {m.system.add(ball_at(1.0, 9.81))};
  m.system.detect(disk_over(m, {1.0, 0.0}, -kBallRadius, NewtonImpactLaw{0.9}));
  return m;
}

Model found_projected_ball() {
  Model m = found_ball();
  m.options = projected_ball().options;
  return m;
}

Model found_tilted_ball() {
  Model m = run_as(bouncing_ball_tilted());
  m.bodies = {m.system.add(ball_at(1.0, 10.0))};
  m.system.detect(disk_over(m, {1.0, kTilt}, -kBallRadius, NewtonImpactLaw{0.9}));
  return m;
}

Model found_column_of_beads() {
  Model m = run_as(column_of_beads());
  for (int i = 0; i < 10; ++i) {
    PlanarBody bead = ball_at(1.0 + 0.25 * i, 9.81, 0.006);
    bead.name = "bead " + std::to_string(i);
    m.bodies.push_back(m.system.add(std::move(bead)));
  }
  m.system.detect(
      PlanarContacts(disks_on(m.bodies, kBeadRadius), {{.shape = HalfPlane{{1.0, 0.0}, 0.0}}}, NewtonImpactLaw{0.9}));
  return m;
}

Model found_ball_on_moving_plane() {
  Model m = run_as(ball_on_moving_plane());
  PlanarBody plane = ball_at(0.0, 9.81);
  plane.prescribed = {
      {.component = 0, .velocity = [](double t) { return 2.0 + std::cos(std::numbers::pi * t / 2.0); }}};
  plane.name = "plane";
  m.bodies = {m.system.add(ball_at(1.0, 9.81)), m.system.add(std::move(plane))};
  const PlanarSegment surface{.from = {-kBallRadius, -1.0}, .to = {-kBallRadius, 1.0}};
  m.system.detect(PlanarContacts({{.body = m.bodies[0], .shapes = {{.shape = Disk{kBallRadius}}}},
                                  {.body = m.bodies[1], .shapes = {{.shape = surface}}}},
                                 {}, NewtonImpactLaw{0.9}));
  return m;
}

Model found_disk() {
  Model m = run_as(bouncing_disk());
  m.bodies = {m.system.add(PlanarBody{.inertia = 0.4 * kBallRadius * kBallRadius,
                                      .position = {0.0, 1.0},
                                      .velocity = {1.0, 0.0},
                                      .angular_velocity = 20.0,
                                      .gravity = {0.0, -9.81},
                                      .name = "disk"})};
  m.system.detect(disk_over(m, {0.0, 1.0}, -kBallRadius, NewtonImpactFrictionLaw{.restitution = 0.9, .friction = 0.5}));
  return m;
}

Model found_cam_follower() {
  Model m = run_as(cam_follower());
  m.bodies = {m.system.add(PlanarBody{.mass = 1.221,
                                      .position = {0.40, 0.0},
                                      .velocity = {0.4, 0.0},
                                      .loads = {PointSpring{.stiffness = 1430.8}},
                                      .name = "follower"})};
  m.system.detect(disk_over(m, {1.0, 0.0}, -kBallRadius, NewtonImpactLaw{0.8}));
  return m;
}

Model linked_stick() {
  constexpr double half = 0.5, pi = std::numbers::pi;
  Model m = run_as(impacting_stick());
  m.bodies = {m.system.add(PlanarBody{.inertia = 1.0 / 12.0,
                                      .position = {half * std::sin(pi / 4), half * std::cos(pi / 4) + 0.01},
                                      .angle = pi / 4,
                                      .velocity = {-0.5, 0.1},
                                      .angular_velocity = 0.1,
                                      .gravity = {0.0, -10.0},
                                      .name = "stick"})};
  link(m, PlanarContacts(
              {{.body = m.bodies[0], .shapes = {{.shape = PlanarSegment{.from = {0.0, -half}, .to = {0.0, half}}}}}},
              {{.shape = HalfPlane{}}}, NewtonImpactFrictionLaw{.restitution = 1.0, .friction = 0.01}));
  sort_by_gap(m);
  return m;
}

Model linked_disks_in_a_box() {
  Model m = disks_to_fall();
  link(m, disks_between_walls(m));
  return m;
}

Model found_disks_in_a_box() {
  Model m = disks_to_fall();
  m.system.detect(disks_between_walls(m));
  return m;
}

Model linked_position_level_ball() {
  Model m = run_as(position_level_ball());
  m.bodies = {m.system.add(ball_at(1.0, 9.81))};
  link(m, disk_over(m, {1.0, 0.0}, -kBallRadius, NewtonImpactLaw{0.9}));
  return m;
}

Model linked_ball_on_compliant_floor(double step) {
  Model m = run_as(ball_on_compliant_floor(step));
  m.bodies = {m.system.add(ball_at(1.0, 9.81))};
  ContactMaterials roof_and_floor(2, 0);
  roof_and_floor.set_law(0, 1, 1);
  link(m, PlanarContacts(disks_on(m.bodies, kBallRadius),
                         {{.shape = HalfPlane{{-1.0, 0.0}, -0.7 - kBallRadius}},
                          {.shape = HalfPlane{{1.0, 0.0}, 0.0}, .material = 1}},
                         {NewtonImpactLaw{1.0}, SpringDashpotLaw{.stiffness = 100.0}}, roof_and_floor));
  sort_by_gap(m);
  return m;
}

Model linked_falling_ball(double restitution) {
  Model m = run_as(falling_ball(restitution));
  m.bodies = {m.system.add(ball_at(1.0, 9.81, 0.6 * kBallRadius * kBallRadius))};
  link(m, disk_over(m, {1.0, 0.0}, -kBallRadius, NewtonImpactLaw{restitution}));
  return m;
}

Model linked_column_of_steel_balls() {
  constexpr double radius = 0.005, young = 203e9, poisson = 0.3, pi = 3.14159265;  // pi as in the reference
  const double mass = 4.0 / 3.0 * pi * radius * radius * radius * 7780.0;
  const double wall = 4.0 / 3.0 * young * young / (2.0 * (1.0 - poisson * poisson) * young);
  const double ball = 2.0 / 3.0 * young / (1.0 - poisson * poisson);
  Model m = run_as(column_of_steel_balls());
  double height = 0.05 + radius;
  for (int i = 0; i < 10; ++i, height += 2.0 * radius) {
    m.bodies.push_back(m.system.add(PlanarBody{.mass = mass,
                                               .inertia = 0.4 * mass * radius * radius,
                                               .position = {height, 0.0},
                                               .gravity = {-9.81, 0.0},
                                               .name = "ball " + std::to_string(i)}));
  }
  const auto law = [](double stiffness) {
    return LiuZhaoBrogliatoImpactLaw{.restitution = 1.0, .stiffness = stiffness, .exponent = 1.5};
  };
  ContactMaterials steel_and_wall(2, 0);
  steel_and_wall.set_law(0, 1, 1);
  link(m, PlanarContacts(disks_on(m.bodies, radius), {{.shape = HalfPlane{{1.0, 0.0}, 0.0}, .material = 1}},
                         {law(std::sqrt(0.5 * radius) * ball), law(std::sqrt(radius) * wall)}, steel_and_wall));
  return m;
}

Model linked_block() {
  constexpr double L = 0.1, B = 0.05, angle = std::numbers::pi / 3.0;
  Model m = run_as(block_on_two_corners());
  m.bodies = {m.system.add(PlanarBody{
      .inertia = (0.5 * 0.5 + 1.0) / 12.0,
      .position = {0.5 * std::cos(angle) - 0.25 * std::sin(angle), 0.5 * std::sin(angle) + 0.25 * std::cos(angle)},
      .angle = angle,
      .gravity = {0.0, -9.81},
      .name = "block"})};
  link(m, PlanarContacts({{.body = m.bodies[0],
                           .shapes = {{.shape = ConvexPolygon{.vertices = {{-L, -B}, {L, -B}, {L, B}, {-L, B}}}}}}},
                         {{.shape = HalfPlane{}}}, NewtonImpactLaw{0.9}));
  // At 60 degrees the vertices are, from low to high, (-L, -B), (-L, B), (L, -B), (L, B).
  sort_by_gap(m);
  std::swap(m.contacts[1], m.contacts[2]);
  return m;
}

}  // namespace nonsmooth::problems
