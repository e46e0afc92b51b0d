// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nonsmooth/io/panels.hpp>
#include <nonsmooth/io/paraview.hpp>
#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/io/run_series.hpp>
#include <nonsmooth/io/view.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "number.hpp"
#include "runs/own_file.hpp"
#include "subcommands.hpp"

namespace nonsmooth::command {
namespace {

/// In [...], of a column whose unit is known; empty: of others.
std::string unit_of(const RunFile& run, std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 7> units = {{{"t", "s"},
                                                                                     {"length", "s"},
                                                                                     {"kinetic", "J"},
                                                                                     {"potential", "J"},
                                                                                     {"energy_taken", "J"},
                                                                                     {"penetration", "m"},
                                                                                     {"approach", "m/s"}}};
  if (run.about().units != "SI" || !run.has_column(name)) return {};
  const auto at = std::find_if(units.begin(), units.end(), [&](const auto& unit) { return unit.first == name; });
  return at == units.end() ? std::string() : "[" + std::string(at->second) + "]";
}

std::string with_unit(const RunFile& run, const std::string& name) {
  const std::string unit = unit_of(run, name);
  return plain_text(name) + (unit.empty() ? "" : " " + unit);
}

/// Of the axis upwards: the name of one, the unit that several have in common.
std::string label_of(const RunFile& run, const std::vector<std::string>& names) {
  if (names.size() == 1) return with_unit(run, names.front());
  const std::string unit = unit_of(run, names.front());
  const auto differs = [&](const std::string& name) { return unit_of(run, name) != unit; };
  return std::any_of(names.begin(), names.end(), differs) ? std::string() : unit;
}

/// Over time, as a spectrum, or over another entry.
Panel panel_of(const RunFile& run, const PlotArguments& arguments) {
  const bool one = arguments.names.size() == 1;
  const std::string upwards = label_of(run, arguments.names);
  const std::vector<double> x = series_of(run, arguments.x);
  std::vector<Curve> curves;
  std::vector<Orbit> orbits;
  for (const std::string& name : arguments.names) {
    const std::string label = one ? "" : plain_text(name);
    std::vector<double> values = series_of(run, name);
    if (arguments.spectrum || arguments.x == "t") {
      curves.push_back({std::move(values), label});
    } else {
      orbits.push_back({x, std::move(values), label});
    }
  }
  if (arguments.spectrum)
    return spectrum(x, one ? "amplitude of " + upwards : "amplitude" + (upwards.empty() ? "" : " " + upwards), curves);
  Panel panel =
      orbits.empty() ? time_series(x, upwards, curves) : phase_portrait(with_unit(run, arguments.x), upwards, orbits);
  panel.y.logarithmic = arguments.logarithmic;
  return panel;
}

}  // namespace

ExitCode plot(const PlotArguments& arguments, const Streams& streams) {
  const RunFile run(arguments.file);
  std::filesystem::path stem = arguments.output;
  if (stem.extension() == ".svg" || stem.extension() == ".png") stem.replace_extension();
  for (const char* ending : {".svg", ".png"})
    refuse_own_file(run, std::filesystem::path(stem) += ending, "plot --output");
  const Picture picture =
      draw({.title = plain_text(run.about().name), .panels = {panel_of(run, arguments)}}, arguments.output);
  if (picture) {
    streams.out << picture.message() << ": " << run.num_steps() << " steps\n";
    return success;
  }
  streams.say(picture.message());
  return bad_input;
}

ExitCode view(const ViewArguments& arguments, const Streams& streams) {
  const RunFile run(arguments.file);
  const ViewReport page = write_view(run, arguments.output,
                                     {.title = arguments.title,
                                      .frames = arguments.frames,
                                      .megabytes = arguments.megabytes,
                                      .three = arguments.three});
  streams.out << arguments.output << ": " << page.frames << " of " << page.steps << " steps, "
              << number(static_cast<double>(page.bytes) / 1e6, 3) << " MB";
  if (!page.left_out.empty()) streams.out << "; " << page.left_out;
  streams.out << '\n';
  return success;
}

ExitCode paraview(const ParaviewArguments& arguments, const Streams& streams) {
  const RunFile run(arguments.file);
  const ParaviewReport report = write_paraview(run, arguments.output, arguments.options);
  streams.out << arguments.output << ": " << report.frames << " of " << report.steps << " steps, " << report.bodies
              << " bodies, up to " << report.most_contacts << " contacts, " << report.files << " files, "
              << number(static_cast<double>(report.bytes) / 1e6, 3) << " MB";
  if (!report.left_out.empty()) streams.out << "; left out: " << report.left_out;
  streams.out << '\n';
  return success;
}

}  // namespace nonsmooth::command
