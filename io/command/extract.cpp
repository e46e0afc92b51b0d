// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/io/run_series.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "csv_row.hpp"
#include "replaced_file.hpp"
#include "runs/own_file.hpp"
#include "subcommands.hpp"

namespace nonsmooth::command {
namespace {

constexpr Index kBlock = 64;  // rows that are read at once

/// The range within what is there. @throws InvalidArgument for a step that is not.
StepRange within(const RunFile& run, StepRange range) {
  const Index steps = run.num_steps();
  if (range.end < 0) range.end = steps;
  if (range.begin > range.end || range.end > steps) {
    throw InvalidArgument("--steps", std::to_string(range.begin) + ":" + std::to_string(range.end),
                          "steps of this run, 0:" + std::to_string(steps));
  }
  return range;
}

/// Rows are written as they are read, as a run may hold more than memory does.
void write_steps(const RunSeries& series, const StepRange& range, std::ostream& stream) {
  write_csv(Table(series.names()), stream);
  std::string line;
  for (Index from = range.begin; from < range.end && stream; from += kBlock * range.every) {
    const Index to = std::min(range.end, from + (kBlock - 1) * range.every + 1);
    const RunRows rows = series.rows(from, to);
    for (Index k = 0; k < to - from; k += range.every)
      write_csv_row({rows.row(k).data(), static_cast<std::size_t>(rows.cols())}, line, stream);
  }
}

void write_contacts(const RunFile& run, const StepRange& range, std::ostream& stream) {
  write_csv(Table{"step",     "t",       "first",   "second",  "source",    "feature_high", "feature_low",
                  "rows",     "gap",     "point_x", "point_y", "point_z",   "normal_x",     "normal_y",
                  "normal_z", "force_x", "force_y", "force_z", "impulse_x", "impulse_y",    "impulse_z"},
            stream);
  const std::vector<double> times = run.times();
  std::string line;
  for (Index step = range.begin; step < range.end && stream; step += range.every) {
    for (const ActingContact& c : run.contacts(step)) {
      const std::array<double, 21> row{static_cast<double>(step),
                                       times[static_cast<std::size_t>(step)],
                                       static_cast<double>(c.first),
                                       static_cast<double>(c.second),
                                       static_cast<double>(c.source),
                                       static_cast<double>(c.feature >> 32),
                                       static_cast<double>(c.feature & 0xFFFF'FFFF),
                                       static_cast<double>(c.rows),
                                       c.gap,
                                       c.point.x(),
                                       c.point.y(),
                                       c.point.z(),
                                       c.normal.x(),
                                       c.normal.y(),
                                       c.normal.z(),
                                       c.force.x(),
                                       c.force.y(),
                                       c.force.z(),
                                       c.impulse.x(),
                                       c.impulse.y(),
                                       c.impulse.z()};
      write_csv_row(row, line, stream);
    }
  }
}

}  // namespace

ExitCode extract(const ExtractArguments& arguments, const Streams& streams) {
  const RunFile run(arguments.file);
  const StepRange range = within(run, arguments.steps);
  if (arguments.contacts && !arguments.names.empty()) {
    throw InvalidArgument("extract --contacts", "'" + arguments.names.front() + "'",
                          "no names: all of a contact is told");
  }
  if (!arguments.output.empty()) refuse_own_file(run, arguments.output, "extract --output");
  for (auto name = arguments.names.begin(); name != arguments.names.end(); ++name) {
    if (std::find(arguments.names.begin(), name, *name) != name)
      throw InvalidArgument("extract NAME", "'" + *name + "' twice", "each name once");
  }
  std::optional<RunSeries> series;  // names are looked up before anything is written
  if (!arguments.contacts) series.emplace(run, arguments.names.empty() ? series_names(run) : arguments.names);
  const auto write = [&](std::ostream& stream) {
    series ? write_steps(*series, range, stream) : write_contacts(run, range, stream);
  };
  if (arguments.output.empty()) {
    write(streams.out);
  } else {
    replace_file(arguments.output, write);
  }
  return success;
}

}  // namespace nonsmooth::command
