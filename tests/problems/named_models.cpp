// SPDX-License-Identifier: Apache-2.0
#include "named_models.hpp"

#include <problems/event_driven.hpp>
#include <problems/first_order.hpp>
#include <problems/mechanics.hpp>
#include <problems/pile_model.hpp>

namespace nonsmooth::problems {
namespace {

/// x'' = -9 x from (1, 0), as the contract of the integrators has it.
Model oscillator(bool mechanical) {
  Model m;
  if (mechanical) {
    m.system.add(LagrangianLinearSystem{.mass = {{1.0}}, .stiffness = {{9.0}}, .q0 = {1.0}});
  } else {
    m.system.add(FirstOrderLinearSystem{.A = {{0.0, 1.0}, {-9.0, 0.0}}, .x0 = {1.0, 0.0}});
  }
  m.options.step = 5e-3;
  m.steps = 400;
  return m;
}

/// Four beads between two walls, without forces: the contract's too.
Model beads_between_walls(double restitution) {
  const NewtonImpactLaw law{restitution};
  const double v0[4] = {1.0, -2.0, 0.5, -1.0};
  Model m;
  for (int i = 0; i < 4; ++i) {
    m.bodies.push_back(m.system.add(LagrangianLinearSystem{
        .mass = {{1.0 + 0.3 * i}}, .q0 = {1.0 * i + 0.5}, .v0 = Eigen::VectorXd::Constant(1, v0[i])}));
  }
  m.system.link(m.bodies[0], LagrangianLinearRelation{.H = {{1.0}}}, law);
  m.system.link(m.bodies[3], LagrangianLinearRelation{.H = {{-1.0}}, .b = {4.0}}, law);
  for (std::size_t i = 0; i < 3; ++i)
    m.system.link({m.bodies[i], m.bodies[i + 1]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, law);
  m.options.step = 1e-2;
  m.steps = 1000;
  return m;
}

Model ball_over_floor() {
  Model m;
  m.bodies = {m.system.add(LagrangianLinearSystem{.mass = {{1.0}}, .force = {-9.81}, .q0 = {1.0}})};
  m.system.link(m.bodies[0], LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{0.8});
  m.options.step = 5e-3;
  m.steps = 800;
  return m;
}

/// A body that tumbles about its middle axis and whose centre bounces.
Model spinning_body() {
  Model m;
  m.bodies = {m.system.add(RigidBody{
      .mass = 1.5,
      .inertia = Eigen::Vector3d(1.0, 2.0, 2.7).asDiagonal(),
      .position = {0.0, 0.0, 1.0},
      .velocity = {0.3, 0.0, 0.0},
      .angular_velocity = {0.1, 3.0, 0.2},
      .gravity = {0.0, 0.0, -9.81},
      .loads = {PointSpring{.point = {0.2, 0.0, 0.1}, .anchor = {0.0, 0.0, 1.5}, .stiffness = 5.0, .damping = 0.1}}})};
  m.system.link(m.bodies[0],
                ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[2]; },
                                     .H = [](ConstVectorRef, MatrixRef H) { H(0, 2) = 1.0; },
                                     .curvature = [](ConstVectorRef, ConstVectorRef, VectorRef) {}},
                NewtonImpactLaw{0.8});
  m.options.step = 5e-3;
  m.steps = 400;
  return m;
}

/// With all contacts from the start, for runs by events.
Model column_of_linked_beads() {
  Model m = column_of_beads();
  for (std::size_t i = 0; i < m.bodies.size(); ++i)
    m.contacts.push_back(link_bead(m.system, m.bodies, static_cast<Index>(i)));
  return m;
}

/// A few steps: the frames of its contacts stay as they are.
Model pile(const Pile& bodies) {
  Model m;
  m.system = pile_model(bodies);
  m.options.solver = mixed::Automatic{.tolerance = 1e-10};
  m.options.step = pile_step;
  m.steps = 5;
  return m;
}

}  // namespace

const std::vector<NamedModel>& mechanical_models() {
  static const std::vector<NamedModel> list{
      {"oscillator", [] { return oscillator(true); }},
      {"beads_between_walls_000", [] { return beads_between_walls(0.0); }},
      {"beads_between_walls_050", [] { return beads_between_walls(0.5); }},
      {"beads_between_walls_100", [] { return beads_between_walls(1.0); }},
      {"ball_over_floor", ball_over_floor},
      {"bouncing_ball", [] { return bouncing_ball(); }},
      {"bouncing_ball_tilted", bouncing_ball_tilted},
      {"column_of_beads", [] { return column_of_beads(); }, "ColumnOfBeadsTS"},
      {"column_of_linked_beads", column_of_linked_beads},
      {"ball_on_moving_plane", ball_on_moving_plane},
      {"bouncing_disk", bouncing_disk},
      {"woodpecker", woodpecker},
      {"cam_follower", cam_follower},
      {"double_pendulum", double_pendulum},
      {"impacting_stick", impacting_stick},
      {"slider_crank", slider_crank},
      {"disks_in_a_box", disks_in_a_box},
      {"ball_on_beam", [] { return ball_on_beam(20); }},
      {"position_level_ball", position_level_ball},
      {"projected_ball", projected_ball},
      {"ball_on_compliant_floor", [] { return ball_on_compliant_floor(1e-2); }},
      {"falling_ball_090", [] { return falling_ball(0.9); }},
      {"falling_ball_000", [] { return falling_ball(0.0); }},
      {"block_on_two_corners", block_on_two_corners},
  };
  return list;
}

const std::vector<NamedModel>& bodies_in_space() {
  static const std::vector<NamedModel> list{{"spinning_body", spinning_body}};
  return list;
}

const std::vector<NamedModel>& piles() {
  static const std::vector<NamedModel> list{
      {"pile_settled", [] { return pile(ball_pile(30, 11, Rest::Settled)); }},
      {"pile_flowing", [] { return pile(ball_pile(60, 12, Rest::Flowing)); }},
      {"pile_loaded", [] { return pile(ball_pile(40, 13, Rest::Loaded)); }},
      {"brick_wall", [] { return pile(brick_wall(3, 4, 14, false)); }},
      {"brick_wall_pushed", [] { return pile(brick_wall(3, 4, 15, true)); }},
  };
  return list;
}

const std::vector<NamedModel>& waves() {
  static const std::vector<NamedModel> list{{"column_of_steel_balls", column_of_steel_balls}};
  return list;
}

const std::vector<NamedModel>& first_order_models() {
  static const std::vector<NamedModel> list{
      {"oscillator_of_first_order", [] { return oscillator(false); }},
      {"rlc_diode", rlc_diode},
      {"diode_bridge", diode_bridge},
      {"diode_bridge_filter", diode_bridge_filter},
      {"resonant_converter", resonant_converter},
      {"simple_relay", simple_relay},
      {"relay_oscillator", relay_oscillator},
      {"friction_oscillator", friction_oscillator},
      {"gene_network", gene_network},
      {"unfolded_ball", unfolded_ball},
      {"observed_system", observed_system},
  };
  return list;
}

}  // namespace nonsmooth::problems
