// SPDX-License-Identifier: Apache-2.0
// Cards of event-driven runs.
#include <algorithm>

#include <problems/event_driven.hpp>

#include "cards.hpp"

namespace nonsmooth::validation {

using problems::Model;

namespace {

double force(const State& state, InteractionHandle contact, Index row = 0) {
  return state.forces[state.layout()->at(contact).row + row];
}

}  // namespace

void add_event_driven_cards(std::vector<Card>& list) {
  // Event times are proposed to 1e-9 s: of 8.5 s, 1e-10 is less. The contact force jumps at an impact, so that rows
  // before one hold what the file has there: the impulse, and the force, of the row after.
  list.push_back(
      {.name = "BouncingBallED",
       .columns = {"q0", "v0", "p1_0", "p2_0", "lambda1", "lambda2"},
       .make = [] { return problems::falling_ball(0.9); },
       .row =
           [](const Model& m, const State& s, Row& row) {
             const double p = s.percussion(m.contacts[0])[0], f = force(s, m.contacts[0]);
             row = {s.q(m.bodies[0])[0], s.v(m.bodies[0])[0], p, f, p, f};
           },
       .bounds = {{.tolerance = 1e-10, .columns = {"t"}}, {.tolerance = 1e-8}},
       .reference_microseconds = 6434.0 / 1744.0,
       .event_driven = EventDrivenRun{.options = {}, .first_rows = 0, .row_before = [](Row& before, const Row& after) {
                                        before[2] = after[2];
                                        before[3] = after[3];
                                      }}});
  list.push_back(
      {.name = "BouncingBallED-withRestingContact",
       .columns = {"q0", "v0", "p1_0", "p2_0"},
       .make = [] { return problems::falling_ball(0.0); },
       .row =
           [](const Model& m, const State& s, Row& row) {
             row = {s.q(m.bodies[0])[0], s.v(m.bodies[0])[0], s.percussion(m.contacts[0])[0], force(s, m.contacts[0])};
           },
       .bounds = {{.tolerance = 1e-10, .columns = {"t"}}, {.tolerance = 1e-9}},
       .reference_microseconds = 12840.0 / 1701.0,
       .event_driven = EventDrivenRun{.options = {}, .first_rows = 0, .row_before = {}}});

  std::vector<std::string> heights, speeds, columns;
  for (int i = 0; i < 10; ++i) heights.push_back("q" + std::to_string(i)), speeds.push_back("v" + std::to_string(i));
  columns = heights;
  columns.insert(columns.end(), speeds.begin(), speeds.end());
  // Three rows of t = 0: the initial state, and two of an instant there at which nothing happens. The impulse steps are
  // the reference's: second impacts depend on them, converged ones part from it by 0.1 mm.
  list.push_back(
      {.name = "BeadColumnED_LZBModel",
       .columns = columns,
       .make = [] { return problems::column_of_steel_balls(); },
       .row =
           [](const Model& m, const State& s, Row& row) {
             row.clear();
             for (const SystemHandle ball : m.bodies) row.push_back(s.q(ball)[0]);
             for (const SystemHandle ball : m.bodies) row.push_back(s.v(ball)[0]);
           },
       .bounds = {{.tolerance = 1e-6}, {.tolerance = 1e-4, .columns = speeds}},
       .reference_microseconds = 747100.0 / 639.0,
       .event_driven = EventDrivenRun{.options = {.impulse_step = 1e-6}, .first_rows = 3, .row_before = {}}});

  // The reference leaves its first impact, at t = 0.30168, with a corner's velocity of 4026 m/s instead of 0.9 times
  // the 2.96 m/s at which it came: its impact breaks u+ = -e u-. What it holds up to there is compared, that is t and
  // the configuration of the rows of the impact too; velocities and gaps there are of afterwards, in both rows. The
  // flight that follows from u+ = -e u- is compared with its closed form in block_on_two_corners.cpp.
  list.push_back(
      {.name = "RockingBlockED_NewMarkAlpha",
       .columns = {"x", "y", "theta", "vx", "vy", "omega", "gap1", "gap2", "gapvel1", "gapvel2", "lambda1", "lambda2"},
       .make = [] { return problems::block_on_two_corners(); },
       .row =
           [](const Model& m, const State& s, Row& row) {
             const auto q = s.q(m.bodies[0]), v = s.v(m.bodies[0]);
             const auto y = s.y(m.contacts[0]), u = s.u(m.contacts[0]);
             row = {q[0], q[1], q[2], v[0], v[1], v[2], y[0], y[1], u[0], u[1]};
             for (const Index corner : {0, 1}) row.push_back(force(s, m.contacts[0], corner));
           },
       .first_row = [](Row& first, const Row&) { std::fill(first.begin() + 6, first.begin() + 10, 0.0); },  // gaps
       .bounds = {{.tolerance = 1e-6, .columns = {"t", "x", "y", "theta"}, .until = 0.3017, .own_scale = true},
                  {.tolerance = 1e-6, .until = 0.3015, .own_scale = true}},
       .reference_microseconds = 5704.0 / 581.0,
       .event_driven = EventDrivenRun{.options = {.integrator = GeneralisedAlpha{.rho = 0.99}, .step = 1e-3},
                                      .first_rows = 1,
                                      .row_before = {}}});
}

}  // namespace nonsmooth::validation
