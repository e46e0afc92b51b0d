// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/io/scene.hpp>

#include "json.hpp"
#include "number.hpp"
#include "subcommands.hpp"
#include "text.hpp"

namespace nonsmooth::command {
namespace {

std::string end_of(const RunFile& run) {
  const RunPart& last = run.parts().back();
  if (last.closed && !run.live()) return last.end;
  const std::string end = run.live() ? "still running" : "killed: at most its last chunk is lost";
  return last.end.empty() ? end : end + "; " + last.end;
}

/// The file of the problem on which it failed; empty: none.
std::string failed_step(const RunFile& run) {
  const auto path = failed_step_of(run);
  return path ? path->string() : std::string();
}

std::string last_hash(const RunFile& run) {
  const Index steps = run.num_steps();
  return steps > 0 ? hexadecimal(run.hashes(steps - 1, steps).front()) : std::string();
}

void print_json(const std::string& name, const RunFile& run, std::ostream& out) {
  const std::vector<double> times = run.times();
  JsonObject object;
  object.add("file", name)
      .add("name", run.about().name)
      .add("simulation", run.about().simulation)
      .add("program", run.about().program)
      .add("library", run.about().version)
      .add("units", run.about().units)
      .add("options", run.about().options)
      .add_raw("seed", std::to_string(run.about().seed))
      .add("end", end_of(run))
      .add("failed_step", failed_step(run))
      .add("parts", static_cast<Index>(run.parts().size()))
      .add("steps", run.num_steps())
      .add("systems", static_cast<Index>(run.parts().front().systems.size()))
      .add("interactions", static_cast<Index>(run.parts().front().interactions.size()))
      .add("checkpoints", static_cast<Index>(run.checkpoints().size()))
      .add("hash", last_hash(run));
  if (!times.empty()) object.add("t_begin", times.front()).add("t_end", times.back());
  out << object.text() << '\n';
}

void print_part(const RunFile& run, Index number, std::ostream& out) {
  const RunPart& part = run.parts()[static_cast<std::size_t>(number)];
  std::string sizes;
  for (std::size_t a = 0; a < num_run_arrays; ++a) {
    if (part.sizes[a] == 0) continue;
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(part.sizes[a]) + " " +
             std::string(to_string(static_cast<RunArray>(a)));
  }
  out << "  " << printable(part.path.filename().string()) << ": steps " << part.first_step << " to "
      << part.first_step + part.num_steps - 1 << ", " << part.systems.size() << " systems, " << part.interactions.size()
      << " interactions; a step has " << sizes << "; " << read_scene(run, number).shapes.size() << " shapes\n";
}

/// A key and room for what stands beside it.
std::string padded(std::string_view key) { return "  " + std::string(key) + std::string(13 - key.size(), ' '); }

/// Scheme, step, tolerances, accuracy: a line each, as a recorder keeps them, or the words that a program gave.
void print_options(std::string_view options, std::ostream& out) {
  for (std::string_view key = "options"; !options.empty(); key = "") {
    const std::string_view one = options.substr(0, options.find('\n'));
    out << padded(key) << printable(std::string(one)) << '\n';
    options.remove_prefix(std::min(options.size(), one.size() + 1));
  }
}

void print_text(const std::string& name, const RunFile& run, std::ostream& out) {
  const auto line = [&out](std::string_view key) -> std::ostream& { return out << padded(key); };
  const RunAbout& about = run.about();
  out << printable(name) << '\n';
  const auto tell = [&](std::string_view key, const std::string& text) {
    if (!text.empty()) line(key) << printable(text) << '\n';
  };
  tell("name", about.name);
  tell("simulation", about.simulation);
  tell("program", about.program);
  tell("library", about.version);
  tell("units", about.units);
  print_options(about.options, out);
  if (about.seed != 0) line("seed") << about.seed << '\n';
  const std::vector<double> times = run.times();
  line("steps") << run.num_steps();
  if (!times.empty()) out << ", t = " << number(times.front(), 6) << " to " << number(times.back(), 6) << " s";
  out << '\n';
  line("end") << printable(end_of(run)) << '\n';
  if (const std::string path = failed_step(run); !path.empty())
    line("failed step") << printable(path) << " (nonsmooth replay " << printable(name) << ")\n";
  if (!times.empty()) line("last hash") << last_hash(run) << '\n';
  const auto checkpoints = run.checkpoints();
  line("checkpoints") << checkpoints.size();
  if (!checkpoints.empty())
    out << ", the last at t = " << number(checkpoints.back().t, 6)
        << " s; restore() compares constants of the model, functions at t = 0 alone";
  out << '\n';
  std::string columns;
  for (const std::string& column : run.columns()) columns += (columns.empty() ? "" : ", ") + column;
  tell("columns", columns);
  for (Index p = 0; p < static_cast<Index>(run.parts().size()); ++p) print_part(run, p, out);
  tell("notes", about.notes);
}

}  // namespace

ExitCode run_info(const RunInfoArguments& arguments, const Streams& streams) {
  return tell_files(arguments.files, arguments.json, streams, [&](const std::string& name, std::ostream& out) {
    const RunFile run(name);
    if (arguments.json) return print_json(name, run, out);
    print_text(name, run, out);
  });
}

}  // namespace nonsmooth::command
