// SPDX-License-Identifier: Apache-2.0
// Rigid bodies in space, free and on a joint.
#include <problems/rigid_bodies.hpp>

#include "cards.hpp"

namespace nonsmooth::validation {
namespace {

using problems::Model;

Card spinning_body() {
  return {.name = "NE_1DS",
          .columns = {"x", "y", "z", "p0", "p1", "p2", "p3"},
          .make = [] { return problems::free_body(); },
          .row =
              [](const Model& m, const State& s, Row& row) {
                const auto q = s.q(m.bodies[0]);
                row.assign(q.begin(), q.end());
              },
          .bounds = {{.tolerance = 1e-9}},
          .reference_microseconds = 15150.0 / 1000.0};
}

Card body_on_ball_joint() {
  return {.name = "NE_1DS_1Knee_MLCP",
          .columns = {"x", "y", "z", "p0", "p1", "p2", "p3", "ny", "nydot"},
          .make = [] { return problems::body_on_ball_joint(); },
          .row =
              [](const Model& m, const State& s, Row& row) {
                const auto q = s.q(m.bodies[0]);
                row.assign(q.begin(), q.end());
                row.push_back(s.y(m.contacts[0]).norm());
                row.push_back(s.u(m.contacts[0]).norm());
              },
          // The last is the rate with the H that the independent code's last solve had, so its round-off: not compared.
          .bounds = {{.tolerance = 1e-8, .columns = {"x", "y", "z", "p0", "p1", "p2", "p3", "ny"}}},
          .reference_microseconds = 34800.0 / 1000.0};
}

}  // namespace

void add_body_cards(std::vector<Card>& list) {
  list.push_back(spinning_body());
  list.push_back(body_on_ball_joint());
}

}  // namespace nonsmooth::validation
