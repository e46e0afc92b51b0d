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
  add_ball_cards(list);
  add_mechanics_cards(list);
  add_body_cards(list);
  add_circuit_cards(list);
  add_first_order_cards(list);
  add_event_driven_cards(list);
  add_shape_cards(list);
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

void write_first_row(const Card& card, std::vector<Row>& rows) {
  if (!card.first_row) return;
  Row first(rows[0].begin() + 1, rows[0].end()), second(rows[1].begin() + 1, rows[1].end());
  card.first_row(first, second);
  std::copy(first.begin(), first.end(), rows[0].begin() + 1);
}

/// All rows 0..steps, t first.
std::vector<Row> run(const Card& card, double& step) {
  Model model = card.make();
  step = model.options.step;
  TimeStepping simulation(model.system, model.options, card.start);
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
  write_first_row(card, rows);
  if (card.history) card.history(rows);
  return rows;
}

/// A whole event-driven run: show(state, before) at each multiple of the model's step and, twice, at each instant; the
/// number of both. `after` is the state behind an instant for the first of its two calls, else null.
template <class Show>
Index run_events(const Card& card, const Model& model, EventDriven& simulation, Show&& show) {
  const double step = model.options.step;
  State shown = simulation.state();
  Index next = 1, instants = 0;
  const auto show_until = [&](double t, const SmoothSegment& segment) {
    for (; next <= model.steps && card.start + static_cast<double>(next) * step <= t; ++next) {
      segment.evaluate(card.start + static_cast<double>(next) * step, shown);
      show(shown, nullptr);
    }
    return true;
  };
  const RunReport report = simulation.advance_to(
      card.start + static_cast<double>(model.steps) * step,
      {.segment = [&](const SmoothSegment& segment) { return show_until(segment.end(), segment); },
       .instant =
           [&](const Instant& at) {
             ++instants;
             show(at.before, &at.after);
             show(at.after, nullptr);
             return true;
           }});
  if (!report) throw std::runtime_error(report.message());
  return next - 1 + instants;
}

/// All rows of an event-driven run, t first.
std::vector<Row> run_events(const Card& card) {
  const Model model = card.make();
  EventDriven simulation(model.system, card.event_driven->options, card.start);
  std::vector<Row> rows;
  Row row, behind;
  const auto record = [&](const State& state, const State* after) {
    card.row(model, state, row);
    if (after != nullptr && card.event_driven->row_before) {
      card.row(model, *after, behind);
      card.event_driven->row_before(row, behind);
    }
    rows.push_back(row);
    rows.back().insert(rows.back().begin(), state.t);
  };
  for (Index k = 0; k < card.event_driven->first_rows; ++k) record(simulation.state(), nullptr);
  run_events(card, model, simulation, record);
  write_first_row(card, rows);
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
  if (root.empty() || !std::filesystem::exists(root + "/validation")) return {};
  const std::string name = card.name.substr(0, card.name.find(','));
  return root + "/validation/" + name + "/" + name + ".ref.txt";  // one that is missing among others fails
}

Comparison compare(const Card& card) {
  Comparison comparison;
  Reference reference;
  std::vector<Row> ours;
  double step = 0.0;
  try {
    reference = read(reference_file(card));
    ours = card.event_driven ? run_events(card) : run(card, step);
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
  // A run that stops before the reference does has to reach the end of every bound.
  const double end = card.event_driven ? ours.back()[0] : card.start + (static_cast<double>(ours.size()) - 0.5) * step;
  const bool reaches =
      std::all_of(card.bounds.begin(), card.bounds.end(), [end](const Bound& bound) { return bound.until <= end; });
  if (card.event_driven && ours.size() != reference.rows.size()) {
    comparison.failure = std::to_string(ours.size()) + " rows, the reference has " +
                         std::to_string(reference.rows.size()) + ": other events";
    return comparison;
  }
  if (!card.event_driven && !reaches &&
      std::lround((reference.rows.back()[0] - card.start) / step) != static_cast<long>(ours.size()) - 1) {
    comparison.failure = "the run does not end where the reference does";
    return comparison;
  }
  comparison.rows = static_cast<Index>(reference.rows.size());
  for (const Derived& derived : card.derived) {
    columns.push_back(derived.name);
    for (Row& row : reference.rows) row.push_back(derived.value(row));
    for (Row& row : ours) row.push_back(derived.value(row));
  }

  for (const Bound& bound : card.bounds) {
    Row scale(columns.size(), 1e-12);
    for (const Row& row : reference.rows) {
      if (bound.own_scale && (row[0] < bound.from || row[0] > bound.until)) continue;
      for (std::size_t c = 0; c < row.size(); ++c) scale[c] = std::max(scale[c], std::abs(row[c]));
    }
    Deviation deviation{.bound = &bound, .worst = 0.0, .column = {}, .t = 0.0, .entries = 0};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const bool named_elsewhere = std::any_of(card.bounds.begin(), card.bounds.end(),
                                               [&](const Bound& b) { return names(b.columns, columns[c]); });
      if (bound.columns.empty() ? named_elsewhere : !names(bound.columns, columns[c])) continue;
      for (std::size_t i = 0; i < reference.rows.size(); ++i) {
        const Row& row = reference.rows[i];
        const double t = row[0];
        if (t < bound.from || t > bound.until) continue;
        const auto k = card.event_driven ? i : static_cast<std::size_t>(std::lround((t - card.start) / step));
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
    if (card.event_driven) {
      EventDriven simulation(model.system, card.event_driven->options, card.start);
      const auto begin = std::chrono::steady_clock::now();
      const Index count = run_events(card, model, simulation, [](const State&, const State*) {});
      const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
      times.push_back(taken.count() / static_cast<double>(count));
      continue;
    }
    TimeStepping simulation(model.system, model.options, card.start);
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
