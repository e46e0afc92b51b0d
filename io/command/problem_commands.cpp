// SPDX-License-Identifier: Apache-2.0
// The options of what reads, solves and converts problems.
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>

#include "catalogue.hpp"
#include "parse_number.hpp"
#include "registered.hpp"

namespace nonsmooth::command {
namespace {

/// The command line as text, before its values are checked.
struct ProblemLine {
  std::vector<std::string> files;
  std::string solver, tolerance, max_iterations, time_limit, problem_class, solution, input, output, shell;
  bool json = false;

  /// What may stand behind `--`.
  [[nodiscard]] std::vector<std::string*> positional() {
    std::vector<std::string*> texts = {&problem_class, &input, &output, &shell};
    for (std::string& file : files) texts.push_back(&file);
    return texts;
  }

  [[nodiscard]] std::optional<ProblemClass> expected_class(std::string_view argument) const {
    if (problem_class.empty()) return std::nullopt;
    return find_class(argument, problem_class);
  }
};

void add_files(CLI::App* app, ProblemLine& line) {
  app->add_option("FILE", line.files, "Problem files: .txt, .dat, .mtx, .mps, .qps, .nl, .h5 (the content decides)")
      ->required()
      ->type_name("");
}

void add_class(CLI::App* app, ProblemLine& line) {
  app->add_option("--class", line.problem_class, "Read the files as this class, where the content leaves it open")
      ->type_name("CLASS");
}

void add_json(CLI::App* app, ProblemLine& line, const std::string& what) {
  app->add_flag("--json", line.json, "JSON Lines: one object for each " + what);
}

void add_info(CLI::App& app, ProblemLine& line) {
  CLI::App* info = app.add_subcommand("info", "Say what problem files hold");
  add_files(info, line);
  add_class(info, line);
  add_json(info, line, "file");
  info->footer(
      "Exit status: 0, or 2 where a file cannot be read.\n\n"
      "Examples:\n"
      "  nonsmooth info contact.dat\n"
      "  nonsmooth info --json *.h5");
}

/// By what problems are solved; what stands where nothing is said.
void add_limits(CLI::App* app, ProblemLine& line, const std::string& solver, const std::string& tolerance) {
  app->add_option("--solver", line.solver, "Algorithm, as listed by `nonsmooth solvers`; default: " + solver)
      ->type_name("NAME");
  app->add_option("--tolerance", line.tolerance, "Largest residual of a solution, > 0; default: " + tolerance)
      ->type_name("T");
  app->add_option("--max-iterations", line.max_iterations,
                  "Pivots, Newton steps or sweeps; default, and 0: the algorithm's own limit")
      ->type_name("N");
  app->add_option("--time-limit", line.time_limit, "Seconds for each solve, > 0; default: none")->type_name("S");
}

void add_solve(CLI::App& app, ProblemLine& line) {
  CLI::App* solve = app.add_subcommand("solve", "Solve problems and certify the answers");
  add_files(solve, line);
  add_limits(solve, line, "automatic", "1e-8");
  add_class(solve, line);
  solve
      ->add_option("--solution", line.solution,
                   "Write the solution, or the proof that there is none, of the one problem as CSV")
      ->type_name("OUT");
  add_json(solve, line, "problem");
  solve->footer(
      "The residual is recomputed from the problem's data. elapsed_s is the time of the solve alone, reading\n"
      "excluded: the median of repeated solves where one takes less than 0.2 s.\n\n"
      "Exit status: 0 all solved, 1 some not solved, 2 a file or argument that cannot be used.\n\n"
      "Examples:\n"
      "  nonsmooth solve contact.dat\n"
      "  nonsmooth solve --solver lemke --tolerance 1e-10 *.dat\n"
      "  nonsmooth solve --json --time-limit 60 *.h5 > results.jsonl\n"
      "  nonsmooth solve contact.dat --solution contact.csv");
}

void add_replay(CLI::App& app, ProblemLine& line) {
  CLI::App* replay = app.add_subcommand("replay", "Solve the dumped problems of a run again");
  replay->add_option("PLACE", line.files, "Runs, folders of dumped problems, problem files")->required()->type_name("");
  add_limits(replay, line, "the one that the dump names", "that of the dump, else 1e-8");
  add_json(replay, line, "problem, then one for all");
  replay->footer(
      "Of a run, the problem on which it failed (RUN.failed.h5, which its Recorder wrote) and those that a "
      "ProblemDump\n"
      "wrote beside it. Solutions start from zero, those of the run from the step before: iterations differ.\n\n"
      "Exit status: 0 all solved, 1 some not solved, 2 a file or argument that cannot be used.\n\n"
      "Examples:\n"
      "  nonsmooth replay pile.h5\n"
      "  nonsmooth replay dumps --solver block-gauss-seidel --max-iterations 10000\n"
      "  nonsmooth replay --json dumps > replayed.jsonl");
}

void add_solvers(CLI::App& app, ProblemLine& line) {
  CLI::App* solvers = app.add_subcommand("solvers", "List the algorithms");
  solvers->add_option("CLASS", line.problem_class, "Of this class alone")->type_name("");
  add_json(solvers, line, "algorithm");
  solvers->footer(
      "Classes: lcp, relay, mlcp, soclcp, friction, plasticity, mixed, rolling, global friction, global rolling,\n"
      "qp, vi, quasi, cone program, mcp, mpcc\n"
      "(global-friction and global_friction are the same).\n\n"
      "Examples:\n"
      "  nonsmooth solvers\n"
      "  nonsmooth solvers friction\n"
      "  nonsmooth solvers lcp --json");
}

void add_convert(CLI::App& app, ProblemLine& line) {
  CLI::App* convert = app.add_subcommand("convert", "Write a problem in another format");
  convert->add_option("IN", line.input, "Problem file to read")->required()->type_name("");
  convert
      ->add_option("OUT", line.output,
                   "File to write; its extension says the format: .txt, .dat, .mtx, .mps, .qps, .h5, .fclib.h5")
      ->required()
      ->type_name("");
  add_class(convert, line);
  convert->footer(
      "Examples:\n"
      "  nonsmooth convert contact.dat contact.h5\n"
      "  nonsmooth convert contact.hdf5 contact.fclib.h5\n"
      "  nonsmooth convert --class relay problem.dat problem.h5");
}

void add_completion(CLI::App& app, ProblemLine& line) {
  CLI::App* completion = app.add_subcommand("completion", "Print the completion script of a shell");
  completion->add_option("SHELL", line.shell, "bash or zsh")->required()->type_name("");
  completion->footer(
      "Examples:\n"
      "  source <(nonsmooth completion bash)\n"
      "  nonsmooth completion zsh > ~/.zfunc/_nonsmooth");
}

Limits limits_of(const ProblemLine& line) {
  Limits limits{.tolerance = 1e-8};
  if (!line.tolerance.empty()) {
    limits.tolerance = parse_number<double>("--tolerance", line.tolerance, "a finite number > 0",
                                            [](double t) { return t > 0.0 && std::isfinite(t); });
  }
  if (!line.max_iterations.empty()) {
    limits.max_iterations = parse_number<Index>("--max-iterations", line.max_iterations, "a whole number >= 0",
                                                [](Index n) { return n >= 0; });
  }
  if (!line.time_limit.empty()) {
    limits.time_limit = parse_number<double>("--time-limit", line.time_limit, "a number of seconds > 0",
                                             [](double s) { return s > 0.0; });
  }
  return limits;
}

SolveArguments solve_arguments(const ProblemLine& line) {
  SolveArguments arguments{.files = line.files, .limits = limits_of(line)};
  if (!line.solver.empty()) arguments.solver = line.solver;
  arguments.problem_class = line.expected_class("--class");
  arguments.solution = line.solution;
  arguments.json = line.json;
  return arguments;
}

}  // namespace

void add_problem_commands(CLI::App& app, std::vector<Registered>& commands) {
  const auto line = std::make_shared<ProblemLine>();
  add_info(app, *line);
  add_solve(app, *line);
  add_replay(app, *line);
  add_solvers(app, *line);
  add_convert(app, *line);
  add_completion(app, *line);
  const auto add = [&](const char* name, std::function<ExitCode(const Streams&)> run) {
    commands.push_back({name, std::move(run), [line] { return line->positional(); }});
  };
  add("info", [line](const Streams& streams) {
    return info({.files = line->files, .problem_class = line->expected_class("--class"), .json = line->json}, streams);
  });
  add("solve", [line](const Streams& streams) { return solve(solve_arguments(*line), streams); });
  add("replay", [line](const Streams& streams) {
    return replay({.places = line->files,
                   .solver = line->solver,
                   .limits = limits_of(*line),
                   .has_tolerance = !line->tolerance.empty(),
                   .json = line->json},
                  streams);
  });
  add("solvers", [line](const Streams& streams) {
    return solvers({.problem_class = line->expected_class("solvers"), .json = line->json}, streams);
  });
  add("convert", [line](const Streams& streams) {
    return convert({.input = line->input, .output = line->output, .problem_class = line->expected_class("--class")},
                   streams);
  });
  add("completion", [line](const Streams& streams) { return completion(line->shell, streams); });
}

}  // namespace nonsmooth::command
