// SPDX-License-Identifier: Apache-2.0
#include "cards.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#ifndef NONSMOOTH_REFERENCE_DATA
#define NONSMOOTH_REFERENCE_DATA ""
#endif

namespace nonsmooth::validation {
namespace {

using problems::Model;

std::vector<Card> make_cards() {
  std::vector<Card> list;

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
  return list;
}

struct Reference {
  std::vector<std::string> columns;  ///< t first
  std::vector<Row> rows;
};

Reference read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot be read: " + path);
  Reference reference;
  std::string line, word;
  std::getline(file, line);
  for (std::istringstream words(line); words >> word;) reference.columns.push_back(word);
  while (std::getline(file, line)) {
    Row row;
    for (std::istringstream words(line); words >> word;) row.push_back(std::stod(word));
    if (row.empty()) continue;
    if (row.size() != reference.columns.size()) throw std::runtime_error("a row of another length in " + path);
    reference.rows.push_back(std::move(row));
  }
  return reference;
}

/// All rows 0..steps, t first.
std::vector<Row> run(const Card& card, double& step) {
  Model model = card.make();
  step = model.options.step;
  TimeStepping simulation(model.system, model.options);
  std::vector<Row> rows;
  Row row;
  const auto record = [&] {
    const State& state = simulation.state();
    card.row(model, state, row);
    rows.push_back(row);
    rows.back().insert(rows.back().begin(), state.t);
  };
  record();
  for (Index k = 0; k < model.steps; ++k) {
    if (card.before_step) card.before_step(model, simulation);
    if (const StepReport report = simulation.step(); !report) throw std::runtime_error(report.message());
    record();
  }
  if (card.first_row) {
    Row first(rows[0].begin() + 1, rows[0].end()), second(rows[1].begin() + 1, rows[1].end());
    card.first_row(first, second);
    std::copy(first.begin(), first.end(), rows[0].begin() + 1);
  }
  return rows;
}

bool names(const std::vector<std::string>& columns, const std::string& column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

}  // namespace

const std::vector<Card>& cards() {
  static const std::vector<Card> list = make_cards();
  return list;
}

const Card& card(const std::string& name) {
  for (const Card& c : cards())
    if (c.name == name) return c;
  throw std::invalid_argument("no card " + name);
}

std::string reference_file(const Card& card) {
  const std::string root = NONSMOOTH_REFERENCE_DATA;
  if (root.empty()) return {};
  const std::string path = root + "/validation/" + card.name + "/" + card.name + ".ref.txt";
  return std::filesystem::exists(path) ? path : std::string{};
}

Comparison compare(const Card& card) {
  Comparison comparison;
  Reference reference;
  std::vector<Row> ours;
  double step = 0.0;
  try {
    reference = read(reference_file(card));
    ours = run(card, step);
  } catch (const std::exception& failure) {
    comparison.failure = failure.what();
    return comparison;
  }
  std::vector<std::string> columns = card.columns;
  columns.insert(columns.begin(), "t");
  if (columns != reference.columns) {
    comparison.failure = "the columns of the reference file are not the card's";
    return comparison;
  }
  if (std::lround(reference.rows.back()[0] / step) != static_cast<long>(ours.size()) - 1) {
    comparison.failure = "the run does not end where the reference does";
    return comparison;
  }
  comparison.rows = static_cast<Index>(reference.rows.size());
  for (const Derived& derived : card.derived) {
    columns.push_back(derived.name);
    for (Row& row : reference.rows) row.push_back(derived.value(row));
    for (Row& row : ours) row.push_back(derived.value(row));
  }

  Row scale(columns.size(), 1e-12);
  for (const Row& row : reference.rows)
    for (std::size_t c = 0; c < row.size(); ++c) scale[c] = std::max(scale[c], std::abs(row[c]));

  for (const Bound& bound : card.bounds) {
    Deviation deviation{.bound = &bound, .worst = 0.0, .column = {}, .t = 0.0, .entries = 0};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const bool named_elsewhere = std::any_of(card.bounds.begin(), card.bounds.end(),
                                               [&](const Bound& b) { return names(b.columns, columns[c]); });
      if (bound.columns.empty() ? named_elsewhere : !names(bound.columns, columns[c])) continue;
      for (const Row& row : reference.rows) {
        const double t = row[0];
        if (t < bound.from || t > bound.until) continue;
        const auto k = static_cast<std::size_t>(std::lround(t / step));
        double difference = std::abs(ours[k][c] - row[c]) / scale[c];
        if (card.set_valued) {
          if (const auto interval = card.set_valued(columns[c], row)) {
            const double outside = std::max(interval->lower - ours[k][c], ours[k][c] - interval->upper);
            difference = std::isnan(ours[k][c]) ? ours[k][c] : std::max(0.0, outside) / scale[c];
            ++comparison.set_valued;
          }
        }
        ++deviation.entries;
        if (std::isnan(deviation.worst)) continue;
        if (!(difference <= deviation.worst) || deviation.column.empty()) {
          deviation.worst = difference;
          deviation.column = columns[c];
          deviation.t = t;
        }
      }
    }
    comparison.deviations.push_back(deviation);
  }
  return comparison;
}

double microseconds_per_step(const Card& card, int repeats) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    Model model = card.make();
    TimeStepping simulation(model.system, model.options);
    const auto begin = std::chrono::steady_clock::now();
    for (Index k = 0; k < model.steps; ++k) {
      if (card.before_step) card.before_step(model, simulation);
      if (!simulation.step()) return std::numeric_limits<double>::quiet_NaN();
    }
    const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
    times.push_back(taken.count() / static_cast<double>(model.steps));
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace nonsmooth::validation
