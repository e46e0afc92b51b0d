// SPDX-License-Identifier: Apache-2.0
// The options of what shows and compares recorded runs.
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

#include "parse_number.hpp"
#include "registered.hpp"

namespace nonsmooth::command {
namespace {

/// The command line as text, before its values are checked.
struct RunLine {
  std::vector<std::string> files, names;
  std::string first, second, output, steps, tolerance, x = "t", title, three, frames, megabytes, compression;
  bool json = false, contacts = false, no_contacts = false, logarithmic = false, spectrum = false, doubles = false,
       restarted = false;

  /// What may stand behind `--`.
  [[nodiscard]] std::vector<std::string*> positional() {
    std::vector<std::string*> texts = {&first, &second};
    for (std::string& file : files) texts.push_back(&file);
    for (std::string& name : names) texts.push_back(&name);
    return texts;
  }
};

Index parse_step(std::string_view text) {
  return parse_number<Index>("--steps", text, "BEGIN:END or BEGIN:END:EVERY, whole numbers >= 0",
                             [](Index n) { return n >= 0; });
}

/// "BEGIN:END", "BEGIN:END:EVERY"; a bound that is empty is the first or the last step.
StepRange parse_steps(const std::string& text) {
  StepRange range;
  if (text.empty()) return range;
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    range.begin = parse_step(text);
    range.end = range.begin + 1;
    return range;
  }
  const std::size_t second = text.find(':', colon + 1);
  const std::string end = text.substr(colon + 1, second == std::string::npos ? second : second - colon - 1);
  if (colon > 0) range.begin = parse_step(std::string_view(text).substr(0, colon));
  if (!end.empty()) range.end = parse_step(end);
  if (second != std::string::npos) {
    range.every = parse_number<Index>("--steps", std::string_view(text).substr(second + 1),
                                      "EVERY, a whole number >= 1", [](Index n) { return n >= 1; });
  }
  return range;
}

void add_run(CLI::App* app, RunLine& line) {
  app->add_option("RUN", line.first, "The first file of a run, as a Recorder wrote it")->required()->type_name("");
}

void add_output(CLI::App* app, RunLine& line, const std::string& what, bool required) {
  app->add_option("-o,--output", line.output, what)->required(required)->type_name("OUT");
}

void add_run_info(CLI::App& app, RunLine& line) {
  CLI::App* info = app.add_subcommand("run-info", "Say what recorded runs hold and how they ended");
  info->add_option("RUN", line.files, "First files of runs")->required()->type_name("");
  info->add_flag("--json", line.json, "JSON Lines: one object for each run");
  info->footer(
      "Exit status: 0, or 2 where a file cannot be read.\n\n"
      "Examples:\n"
      "  nonsmooth run-info pile.h5\n"
      "  nonsmooth run-info --json *.h5");
}

void add_extract(CLI::App& app, RunLine& line) {
  CLI::App* extract = app.add_subcommand("extract", "Write steps or contacts of a run as CSV");
  add_run(extract, line);
  extract->add_option("NAME", line.names, "Columns and entries, as t, residual, ball.q1, floor.p1; default: all")
      ->type_name("");
  add_output(extract, line, "File to write; default: standard output", false);
  extract->add_option("--steps", line.steps, "BEGIN:END or BEGIN:END:EVERY, from 0, END not among them")
      ->type_name("RANGE");
  extract->add_flag("--contacts", line.contacts, "A line for each contact that acts, not for each step");
  extract->footer(
      "Numbers have 17 digits: they read back to the same bits. Units are those of the model.\n\n"
      "Examples:\n"
      "  nonsmooth extract pendulum.h5 t bob.q1 kinetic -o bob.csv\n"
      "  nonsmooth extract pile.h5 --steps 0:1000:10 -o pile.csv\n"
      "  nonsmooth extract pile.h5 --contacts --steps 999 -o contacts.csv");
}

void add_compare(CLI::App& app, RunLine& line) {
  CLI::App* compare = app.add_subcommand("compare", "Compare two runs step by step");
  compare->add_option("A", line.first, "A run")->required()->type_name("");
  compare->add_option("B", line.second, "Another")->required()->type_name("");
  compare
      ->add_option("--tolerance", line.tolerance,
                   "Largest |a - b| over the largest |a| and |b| of a column (of residual: or 1e-12 where they are "
                   "smaller), >= 0; default: 0, the same bits")
      ->type_name("T");
  compare->add_flag(
      "--restarted", line.restarted,
      "B went on from a checkpoint: its steps behind the first are compared with those of A from there on");
  compare->add_flag("--json", line.json, "JSON Lines: one object for each column that differs, then one for the runs");
  compare->footer(
      "Tells the columns and entries that differ, and numbers of contacts and events, their worst deviation with its "
      "step, and the first step that differs; contacts and events that one run alone has, the first step that another "
      "algorithm solved, and the first state with another hash. Contacts are the same by source, feature and "
      "bodies.\n\n"
      "Exit status: 0 all within the tolerance, 1 they differ or no step is in both, 2 a file cannot be read.\n\n"
      "Examples:\n"
      "  nonsmooth compare --restarted straight.h5 further.h5\n"
      "  nonsmooth compare --tolerance 1e-9 today.h5 reference.h5");
}

void add_plot(CLI::App& app, RunLine& line) {
  CLI::App* plot = app.add_subcommand("plot", "Draw columns and entries of a run");
  add_run(plot, line);
  plot->add_option("NAME", line.names, "Columns and entries: kinetic, residual, ball.q1...")->required()->type_name("");
  add_output(plot, line, "Picture to write: OUT.svg and OUT.png", true);
  plot->add_option("--x", line.x, "What is drawn to the right; default: t. ball.q1 makes a phase portrait")
      ->type_name("NAME");
  plot->add_flag("--log", line.logarithmic, "Logarithmic axis upwards");
  plot->add_flag("--spectrum", line.spectrum,
                 "Amplitudes over frequency, of steps of equal length; not with --x, --log");
  plot->footer(
      "Pictures are drawn by gnuplot.\n\n"
      "Examples:\n"
      "  nonsmooth plot pile.h5 kinetic potential -o energy\n"
      "  nonsmooth plot pile.h5 residual --log -o residual\n"
      "  nonsmooth plot pendulum.h5 bob.v1 --x bob.q1 -o portrait\n"
      "  nonsmooth plot boat.h5 boat.v4 --spectrum -o rolling");
}

void add_view(CLI::App& app, RunLine& line) {
  CLI::App* view = app.add_subcommand("view", "Write a run as a page for a browser, which fetches nothing");
  add_run(view, line);
  add_output(view, line, "Page to write: .html", true);
  view->add_option("--title", line.title, "Title; default: the run's name")->type_name("TEXT");
  view->add_option("--frames", line.frames, "Steps shown at most, >= 2; default: 1000")->type_name("N");
  view->add_option("--megabytes", line.megabytes, "Largest page, > 0; default: 60")->type_name("MB");
  view->add_option("--three", line.three, "three.min.js; default: where Debian's libjs-three has it")
      ->type_name("FILE");
  view->footer(
      "Examples:\n"
      "  nonsmooth view pile.h5 -o pile.html\n"
      "  nonsmooth view pile.h5 --frames 300 --title 'A pile comes to rest' -o talk.html");
}

void add_paraview(CLI::App& app, RunLine& line) {
  CLI::App* paraview = app.add_subcommand("paraview", "Write a run as a folder for ParaView");
  add_run(paraview, line);
  add_output(paraview, line, "Folder to write, which must not exist or be empty", true);
  paraview->add_option("--frames", line.frames, "Steps written at most, >= 2; default: 1000")->type_name("N");
  paraview->add_flag("--no-contacts", line.no_contacts, "Without contacts and their network");
  paraview->add_flag("--doubles", line.doubles, "Numbers of 8 bytes, with all their bits; default: of 4");
  paraview->add_option("--compression", line.compression, "0 (none) to 9; default: 1")->type_name("N");
  paraview->footer(
      "OUT/scene.py shows it: File > Load State in ParaView, 5.11 or later. The files are VTK's XML.\n\n"
      "Examples:\n"
      "  nonsmooth paraview pile.h5 -o pile\n"
      "  nonsmooth paraview pile.h5 --frames 300 --no-contacts -o bodies_alone");
}

PlotArguments plot_arguments(const RunLine& line) {
  if (line.spectrum && (line.logarithmic || line.x != "t"))
    throw InvalidArgument("--spectrum", line.logarithmic ? "--log beside it" : "--x beside it",
                          "neither --log nor --x");
  return {.file = line.first,
          .output = line.output,
          .names = line.names,
          .x = line.x,
          .logarithmic = line.logarithmic,
          .spectrum = line.spectrum};
}

CompareArguments compare_arguments(const RunLine& line) {
  CompareArguments arguments{
      .first = line.first, .second = line.second, .restarted = line.restarted, .json = line.json};
  if (!line.tolerance.empty()) {
    arguments.tolerance = parse_number<double>("--tolerance", line.tolerance, "a finite number >= 0",
                                               [](double t) { return t >= 0.0 && std::isfinite(t); });
  }
  return arguments;
}

Index parse_frames(const std::string& text) {
  return parse_number<Index>("--frames", text, "a whole number >= 2", [](Index n) { return n >= 2; });
}

ViewArguments view_arguments(const RunLine& line) {
  ViewArguments arguments{.file = line.first, .output = line.output, .title = line.title, .three = line.three};
  if (!line.frames.empty()) arguments.frames = parse_frames(line.frames);
  if (!line.megabytes.empty()) {
    arguments.megabytes = parse_number<double>("--megabytes", line.megabytes, "a finite number > 0",
                                               [](double m) { return m > 0.0 && std::isfinite(m); });
  }
  return arguments;
}

ParaviewArguments paraview_arguments(const RunLine& line) {
  ParaviewArguments arguments{.file = line.first, .output = line.output};
  if (!line.frames.empty()) arguments.options.frames = parse_frames(line.frames);
  arguments.options.contacts = !line.no_contacts;
  arguments.options.doubles = line.doubles;
  if (!line.compression.empty()) {
    arguments.options.compression = parse_number<int>("--compression", line.compression, "a whole number, 0 to 9",
                                                      [](int n) { return n >= 0 && n <= 9; });
  }
  return arguments;
}

}  // namespace

void add_run_commands(CLI::App& app, std::vector<Registered>& commands) {
  const auto line = std::make_shared<RunLine>();
  add_run_info(app, *line);
  add_extract(app, *line);
  add_compare(app, *line);
  add_plot(app, *line);
  add_view(app, *line);
  add_paraview(app, *line);
  const auto add = [&](const char* name, std::function<ExitCode(const Streams&)> run) {
    commands.push_back({name, std::move(run), [line] { return line->positional(); }});
  };
  add("run-info",
      [line](const Streams& streams) { return run_info({.files = line->files, .json = line->json}, streams); });
  add("extract", [line](const Streams& streams) {
    return extract({.file = line->first,
                    .output = line->output,
                    .names = line->names,
                    .steps = parse_steps(line->steps),
                    .contacts = line->contacts},
                   streams);
  });
  add("compare", [line](const Streams& streams) { return compare(compare_arguments(*line), streams); });
  add("plot", [line](const Streams& streams) { return plot(plot_arguments(*line), streams); });
  add("view", [line](const Streams& streams) { return view(view_arguments(*line), streams); });
  add("paraview", [line](const Streams& streams) { return paraview(paraview_arguments(*line), streams); });
}

}  // namespace nonsmooth::command
