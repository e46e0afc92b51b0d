// SPDX-License-Identifier: Apache-2.0
// Cards of first-order models with nonlinear inputs or sampled feedback.
#include <problems/first_order.hpp>

#include "cards.hpp"

namespace nonsmooth::validation {

using problems::Model;

void add_first_order_cards(std::vector<Card>& list) {
  list.push_back({.name = "StepSystem",
                  .columns = {"x0", "x1", "lam0", "lam1", "lam2", "lam3", "f0", "f1"},
                  .make = [] { return problems::gene_network(); },
                  .row =
                      [](const Model& m, const State& s, Row& row) {
                        const auto x = s.x(m.bodies[0]), lambda = s.lambda(m.contacts[0]);
                        row = {x[0],
                               x[1],
                               lambda[0],
                               lambda[1],
                               lambda[2],
                               lambda[3],
                               -4.5 * x[0] + 40.0 * (1.0 - lambda[2]) * lambda[1],
                               -1.5 * x[1] + 40.0 * lambda[0] * (1.0 - lambda[3])};
                      },
                  .first_row =
                      [](Row& first, const Row& second) {
                        first[6] = second[6];  // the vector field of row 0 is that of row 1
                        first[7] = second[7];
                      },
                  .bounds = {{.tolerance = 1e-5}},
                  .reference_microseconds = 32880.0 / 3000.0});
  list.push_back({.name = "Zhuravlev",
                  .columns = {"s", "v", "lam0", "lam1"},
                  .make = [] { return problems::unfolded_ball(); },
                  .row =
                      [](const Model& m, const State& s, Row& row) {
                        const auto x = s.x(m.bodies[0]), lambda = s.lambda(m.contacts[0]);
                        row = {x[0], x[1], lambda[0], lambda[1]};
                      },
                  .bounds = {{.tolerance = 1e-8}},
                  // While the ball comes to rest, a step's linearised problem has several solutions; then lambda_1
                  // acts on nothing.
                  .set_valued = [](const std::string& column, const Row& row) -> std::optional<Interval> {
                    const double t = row[0];
                    if (column == "lam1" && t > 1.855) return Interval{-1.0, 1.0};
                    if (column == "lam0" && t > 1.855 && t < 1.865) return Interval{-1.0, 1.0};
                    return std::nullopt;
                  },
                  .reference_microseconds = 580000.0 / 10000.0});
  list.push_back({.name = "ObserverLCS",
                  .columns = {"x0", "x1", "xh0", "xh1", "lam", "lamh", "y", "yh", "z0"},
                  .make = [] { return problems::observed_system(); },
                  .row =
                      [](const Model& m, const State& s, Row& row) {
                        const auto x = s.x(m.bodies[0]), z = s.x(m.bodies[1]);
                        row = {x[0],
                               x[1],
                               z[0],
                               z[1],
                               s.lambda(m.contacts[0])[0],
                               s.lambda(m.contacts[1])[0],
                               s.y(m.contacts[0])[0],
                               s.y(m.contacts[1])[0],
                               x[0]};
                      },
                  .bounds = {{.tolerance = 1e-9}},
                  .reference_microseconds = 195400.0 / 19999.0});
}

}  // namespace nonsmooth::validation
