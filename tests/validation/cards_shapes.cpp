// SPDX-License-Identifier: Apache-2.0
// Cards once more as bodies with shapes: the same reference trajectories, columns and tolerances; contacts are found in
// each step, or linked for all that shapes may meet.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <problems/mechanics.hpp>
#include <problems/shapes.hpp>

#include "cards.hpp"

namespace nonsmooth::validation {
namespace {

using problems::Model;
using Make = Model (*)();
using RowOf = std::function<void(const Model&, const State&, Row&)>;

const Card& named(const std::vector<Card>& list, const std::string& name) {
  return *std::find_if(list.begin(), list.end(), [&](const Card& card) { return card.name == name; });
}

/// The card of another model of what `name` is about; no `row`: its columns are the same functions of the state.
void add_shaped(std::vector<Card>& list, const std::string& name, const char* contacts, Make make, RowOf row = {}) {
  Card card = named(list, name);
  card.name += std::string(", ") + contacts;
  card.make = make;
  card.before_step = {};  // links contacts where these are not found
  if (row) card.row = std::move(row);
  list.push_back(std::move(card));
}

/// (N, T) of the only contact that was found in the last step, or zero.
std::array<double, 2> found_impulse(const State& s) {
  if (s.contacts.empty()) return {};
  return {s.contacts[0].impulse[0], s.contacts[0].impulse[1]};
}

void ball(const Model& m, const State& s, Row& row) {
  const double p = found_impulse(s)[0];
  row = {s.q(m.bodies[0])[0], s.v(m.bodies[0])[0], p, p};
}

void tilted_ball(const Model& m, const State& s, Row& row) {
  const auto q = s.q(m.bodies[0]), v = s.v(m.bodies[0]);
  const double p = found_impulse(s)[0] / problems::kTiltedLength;
  row = {q[0], q[1], v[0], v[1], p, p};
}

void projected_ball(const Model& m, const State& s, Row& row) {
  const double p = found_impulse(s)[0];
  row = {s.q(m.bodies[0])[0], s.v(m.bodies[0])[0], p, p, 0.0, 0.0};
}

void ball_on_moving_plane(const Model& m, const State& s, Row& row) {
  const auto q = s.q(m.bodies[0]), v = s.v(m.bodies[0]), qp = s.q(m.bodies[1]), vp = s.v(m.bodies[1]);
  const double p = found_impulse(s)[0];
  row = {q[0], v[0], p, p, q[1], v[1], qp[0], vp[0], qp[1], vp[1], -1.0 * vp[0] - p};
}

void disk(const Model& m, const State& s, Row& row) {
  constexpr double R = 0.1;
  const auto q = s.q(m.bodies[0]), v = s.v(m.bodies[0]);
  const auto [normal, tangential] = found_impulse(s);  // along x, the reference's along -x
  row = {q[0], q[1], q[2], v[0], tangential, q[1], -q[0] - R * q[2], v[1], -v[0] - R * v[2], normal, -tangential};
}

void cam_follower(const Model& m, const State& s, Row& row) {
  const double q = s.q(m.bodies[0])[0];
  const auto cam = problems::CamProfile::at(s.t);
  row = {q, s.v(m.bodies[0])[0], found_impulse(s)[0], 0.0, cam.height, cam.velocity, cam.height + q};
}

void block(const Model& m, const State& s, Row& row) {
  const auto q = s.q(m.bodies[0]), v = s.v(m.bodies[0]);
  row = {q[0], q[1], q[2], v[0], v[1], v[2]};
  for (const std::size_t corner : {0u, 1u}) row.push_back(s.y(m.contacts[corner])[0]);
  for (const std::size_t corner : {0u, 1u}) row.push_back(s.u(m.contacts[corner])[0]);
  for (const std::size_t corner : {0u, 1u}) row.push_back(s.force(m.contacts[corner])[0]);
}

}  // namespace

void add_shape_cards(std::vector<Card>& list) {
  using namespace problems;
  add_shaped(
      list, "BouncingBallTS", "found", [] { return found_ball(); }, ball);
  add_shaped(
      list, "BouncingBallTS-theta075", "found", [] { return found_ball(0.75); }, ball);
  add_shaped(list, "BouncingBallTS-MoreauJeanDirectProjectionOSI", "found", found_projected_ball, projected_ball);
  add_shaped(list, "BouncingBallTS-Scleronomous", "found", found_tilted_ball, tilted_ball);
  add_shaped(list, "ColumnOfBeadsTS", "found", found_column_of_beads);
  add_shaped(list, "BallOnMovingPlane", "found", found_ball_on_moving_plane, ball_on_moving_plane);
  add_shaped(list, "BouncingDisk2DFriction", "found", found_disk, disk);
  add_shaped(list, "CamFollower-Rheonomous", "found", found_cam_follower, cam_follower);
  const RowOf as_there = named(list, "ImpactingStick").row;
  add_shaped(list, "ImpactingStick", "linked", linked_stick, [as_there](const Model& m, const State& s, Row& row) {
    as_there(m, s, row);
    for (const std::size_t tangential : {6u, 10u, 12u}) row[tangential] *= -1.0;  // the tangent is the other way round
  });
  add_shaped(list, "GranularDisks2D", "linked", linked_disks_in_a_box);
  add_shaped(list, "BouncingBallTS-SchatzmanPaoliOSI", "linked", linked_position_level_ball);
  add_shaped(list, "BouncingBallTS-CompliantContact", "linked", [] { return linked_ball_on_compliant_floor(5e-4); });
  add_shaped(list, "BouncingBallED", "linked", [] { return linked_falling_ball(0.9); });
  add_shaped(list, "BouncingBallED-withRestingContact", "linked", [] { return linked_falling_ball(0.0); });
  add_shaped(list, "BeadColumnED_LZBModel", "linked", linked_column_of_steel_balls);
  add_shaped(list, "RockingBlockED_NewMarkAlpha", "linked", linked_block, block);
}

}  // namespace nonsmooth::validation
