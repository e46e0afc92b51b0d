// SPDX-License-Identifier: Apache-2.0
// Circuits with ideal diodes, relays, friction as a relay.
#include <algorithm>

#include "cards.hpp"

namespace nonsmooth::validation {

using problems::Model;

void add_circuit_cards(std::vector<Card>& list) {
  list.push_back({.name = "CircuitRLCD",
                  .columns = {"vC", "iL", "vR", "lam", "unused"},
                  .make = [] { return problems::rlc_diode(); },
                  .row =
                      [](const Model& m, const State& s, Row& row) {
                        const auto x = s.x(m.bodies[0]);
                        row = {x[0], x[1], -s.y(m.contacts[0])[0], s.lambda(m.contacts[0])[0], 0.0};
                      },
                  .bounds = {{.tolerance = 1e-10}},
                  .reference_microseconds = 2678.0 / 499.0});
  list.push_back(
      {.name = "DiodeBridge",
       .columns = {"vC", "iL", "y0", "mlam0", "mlam1", "lam2", "iR"},
       .make = [] { return problems::diode_bridge(); },
       .row =
           [](const Model& m, const State& s, Row& row) {
             const auto x = s.x(m.bodies[0]);
             const auto y = s.y(m.contacts[0]), lambda = s.lambda(m.contacts[0]);
             row = {x[0], x[1], y[0], -lambda[0], -lambda[1], lambda[2], y[0] + lambda[2]};
           },
       .bounds = {{.tolerance = 1e-9}, {.tolerance = 1e-7, .columns = {"y0", "mlam0", "mlam1", "lam2", "iR"}}},
       .reference_microseconds = 33240.0 / 4999.0});
  list.push_back({.name = "DiodeBridgeCapFilter",
                  .columns = {"vC", "iL", "lam0", "my0", "mlam1", "lam2"},
                  .make = [] { return problems::diode_bridge_filter(); },
                  .row =
                      [](const Model& m, const State& s, Row& row) {
                        const auto x = s.x(m.bodies[0]);
                        const auto y = s.y(m.contacts[0]), lambda = s.lambda(m.contacts[0]);
                        row = {x[0], x[1], lambda[0], -y[0], -lambda[1], lambda[2]};
                      },
                  .bounds = {{.tolerance = 1e-9}},
                  // While all four diodes block (every current zero), lambda_1 and y_0 share out the filter's voltage
                  // v_f = y_0 + lambda_1 (first row of y) in any way that leaves the reverse voltages nonnegative:
                  //   0 <= lambda_1, v_C + lambda_1 = y_3, v_f - lambda_1 = y_0, v_f - v_C - lambda_1 = y_2.
                  // No current depends on it. lambda_3 is no column; y_1 = lambda_0 + lambda_2 - lambda_3 >= 0 makes
                  // it zero where lambda_0 and lambda_2 are. The sum is compared as a column of its own.
                  .set_valued = [](const std::string& column, const Row& row) -> std::optional<Interval> {
                    const double vC = row[1], lambda0 = row[3], lambda2 = row[6], vf = -row[4] - row[5];
                    if (row[0] == 0.0 || std::max(lambda0, lambda2) > 1e-12)
                      return std::nullopt;  // row 0: before any step
                    const double low = std::max(0.0, -vC), high = std::min(vf, vf - vC);
                    if (column == "mlam1") return Interval{-high, -low};
                    if (column == "my0") return Interval{low - vf, high - vf};
                    return std::nullopt;
                  },
                  .derived = {{"my0 + mlam1", [](const Row& row) { return row[4] + row[5]; }}},
                  .reference_microseconds = 48920.0 / 4999.0});
  list.push_back({.name = "PRC",
                  .columns = {"iLr", "vCr", "iLf", "vCf"},
                  .make = [] { return problems::resonant_converter(); },
                  .row =
                      [](const Model& m, const State& s, Row& row) {
                        const auto x = s.x(m.bodies[0]);
                        row.assign(x.begin(), x.end());
                      },
                  .bounds = {{.tolerance = 1e-6}},
                  .reference_microseconds = 307900.0 / 39999.0});

  list.push_back({.name = "SimpleExampleRelay",
                  .columns = {"x0", "x1", "lam0", "lam1", "y0", "y1"},
                  .make = [] { return problems::simple_relay(); },
                  .row =
                      [](const Model& m, const State& s, Row& row) {
                        const auto x = s.x(m.bodies[0]);
                        const auto y = s.y(m.contacts[0]), lambda = s.lambda(m.contacts[0]);
                        row = {x[0], x[1], lambda[0], lambda[1], y[0], y[1]};
                      },
                  .bounds = {{.tolerance = 1e-9}},
                  .reference_microseconds = 4620.0 / 800.0});
  list.push_back({.name = "RelayOscillatorWithSliding",
                  .columns = {"x0", "x1", "x2", "lam", "y"},
                  .make = [] { return problems::relay_oscillator(); },
                  .row =
                      [](const Model& m, const State& s, Row& row) {
                        const auto x = s.x(m.bodies[0]);
                        row = {x[0], x[1], x[2], s.lambda(m.contacts[0])[0], s.y(m.contacts[0])[0]};
                      },
                  .bounds = {{.tolerance = 1e-7, .until = 30.0}, {.tolerance = 1e-5, .from = 30.0}},
                  .reference_microseconds = 62730.0 / 9999.0});
  list.push_back({.name = "FrictionOscillator",
                  .columns = {"x", "v", "lam", "y", "z5", "z6", "f0", "f1"},
                  .make = [] { return problems::friction_oscillator(); },
                  .row =
                      [](const Model& m, const State& s, Row& row) {
                        const auto x = s.x(m.bodies[0]);
                        const double lambda = s.lambda(m.contacts[0])[0];
                        row = {x[0], x[1], lambda, s.y(m.contacts[0])[0], 0.0, 0.0, x[1], -x[0] + lambda};
                      },
                  .first_row =
                      [](Row& first, const Row& second) {
                        first[3] = 0.0;        // y is not evaluated before the first step
                        first[6] = second[6];  // the vector field of row 0 is that of row 1
                        first[7] = second[7];
                      },
                  .bounds = {{.tolerance = 1e-8}},
                  .reference_microseconds = 54770.0 / 9999.0});
}

}  // namespace nonsmooth::validation
