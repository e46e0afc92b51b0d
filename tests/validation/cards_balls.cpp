// SPDX-License-Identifier: Apache-2.0
// Balls, beads and a disk under Moreau-Jean.
#include <algorithm>
#include <cmath>

#include "cards.hpp"

namespace nonsmooth::validation {

using problems::Model;

void add_ball_cards(std::vector<Card>& list) {
  const auto ball_row = [](const Model& m, const State& s, Row& row) {
    // Row 0 of H is e_0: the generalised impulse on the height is the contact's.
    const double p = s.impulse(m.contacts[0])[0];
    row = {s.q(m.bodies[0])[0], s.v(m.bodies[0])[0], p, p};
  };
  list.push_back({.name = "BouncingBallTS",
                  .columns = {"q0", "v0", "p0", "lambda"},
                  .make = [] { return problems::bouncing_ball(0.5); },
                  .row = ball_row,
                  .bounds = {{.tolerance = 1e-10}},
                  .reference_microseconds = 5620.0 / 2000.0});
  list.push_back({.name = "BouncingBallTS-theta075",
                  .columns = {"q0", "v0", "p0", "lambda"},
                  .make = [] { return problems::bouncing_ball(0.75); },
                  .row = ball_row,
                  .bounds = {{.tolerance = 1e-10}},
                  .reference_microseconds = 5323.0 / 2000.0});
  list.push_back({.name = "BouncingBallTS-Scleronomous",
                  .columns = {"q0", "q1", "v0", "v1", "p0", "lambda"},
                  .make = [] { return problems::bouncing_ball_tilted(); },
                  .row =
                      [](const Model& m, const State& s, Row& row) {
                        const auto q = s.q(m.bodies[0]), v = s.v(m.bodies[0]);
                        const double p = s.impulse(m.contacts[0])[0];  // H = [1, alpha, 0]
                        row = {q[0], q[1], v[0], v[1], p, p};
                      },
                  .bounds = {{.tolerance = 1e-9}},
                  .reference_microseconds = 1804.0 / 400.0});

  std::vector<std::string> bead_columns, bead_heights;
  for (int i = 0; i < 10; ++i) {
    bead_heights.push_back("q" + std::to_string(i));
    bead_columns.push_back("q" + std::to_string(i));
    bead_columns.push_back("v" + std::to_string(i));
  }
  list.push_back({.name = "ColumnOfBeadsTS",
                  .columns = bead_columns,
                  .make = [] { return problems::column_of_beads(10); },
                  .row =
                      [](const Model& m, const State& s, Row& row) {
                        row.clear();
                        for (const SystemHandle bead : m.bodies) {
                          row.push_back(s.q(bead)[0]);
                          row.push_back(s.v(bead)[0]);
                        }
                      },
                  .before_step =
                      [](Model& m, TimeStepping& simulation) {
                        // Contact i stands once its gap has been within reach; m.contacts[i] is set then.
                        m.contacts.resize(m.bodies.size());
                        for (std::size_t i = 0; i < m.bodies.size(); ++i) {
                          if (m.contacts[i] != InteractionHandle{}) continue;
                          const State& s = simulation.state();
                          const double height = s.q(m.bodies[i])[0];
                          const double gap = i == 0 ? height - problems::kBeadRadius
                                                    : height - s.q(m.bodies[i - 1])[0] - 2.0 * problems::kBeadRadius;
                          if (std::abs(gap) >= problems::kBeadReach) continue;
                          simulation.edit([&](NonSmoothDynamicalSystem& system) {
                            m.contacts[i] = problems::link_bead(system, m.bodies, static_cast<Index>(i));
                          });
                        }
                      },
                  // Chains of impacts amplify round-off after t = 1; velocities at all times under the later bound.
                  .bounds = {{.tolerance = 1e-9, .columns = bead_heights, .until = 1.0},
                             {.tolerance = 1e-6, .columns = bead_columns}},
                  .reference_microseconds = 157400.0 / 4000.0});

  list.push_back({.name = "BallOnMovingPlane",
                  .columns = {"q0", "v0", "p0", "lambda", "q1", "v1", "qp0", "vp0", "qp1", "vp1", "reac"},
                  .make = [] { return problems::ball_on_moving_plane(); },
                  .row =
                      [](const Model& m, const State& s, Row& row) {
                        const auto q = s.q(m.bodies[0]), v = s.v(m.bodies[0]);
                        const auto qp = s.q(m.bodies[1]), vp = s.v(m.bodies[1]);
                        const double lambda = s.impulse(m.contacts[0])[0];
                        // The file's reaction is -(row of W) v + p of the prescribed component, W = M = diag(1, ...)
                        // and p = -lambda: not the reaction of mechanics, but what its columns hold.
                        row = {
                            q[0], v[0], lambda, lambda, q[1], v[1], qp[0], vp[0], qp[1], vp[1], -1.0 * vp[0] - lambda};
                      },
                  .first_row =
                      [](Row& first, const Row&) {
                        first[4] = first[0];  // row 0 repeats q0 and v0 in the lateral columns
                        first[5] = first[1];
                      },
                  .bounds = {{.tolerance = 1e-9}, {.tolerance = 1e-7, .columns = {"reac"}}},
                  .reference_microseconds = 9233.0 / 2000.0});
  list.push_back(
      {.name = "BouncingDisk2DFriction",
       .columns = {"x", "y", "phi", "vx", "p0", "yn", "yt", "un", "ut", "ln", "lt"},
       .make = [] { return problems::bouncing_disk(); },
       .row =
           [](const Model& m, const State& s, Row& row) {
             const auto q = s.q(m.bodies[0]), v = s.v(m.bodies[0]);
             const auto y = s.y(m.contacts[0]), u = s.u(m.contacts[0]), p = s.impulse(m.contacts[0]);
             row = {q[0], q[1], q[2], v[0], -p[1], y[0], y[1], u[0], u[1], p[0], p[1]};
           },
       .first_row = [](Row& first, const Row&) { std::fill(first.begin() + 5, first.begin() + 9, 0.0); },  // y, u
       .bounds = {{.tolerance = 1e-6}},
       .reference_microseconds = 6323.0 / 2000.0});
}

}  // namespace nonsmooth::validation
