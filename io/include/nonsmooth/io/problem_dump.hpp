// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/kernel/simulation.hpp>

namespace nonsmooth {

/// Writes a one-step problem in the format of the path's extension: the global form where that was solved, else W, q
/// and K, every double as it is. The file's title is `remark` (`nonsmooth replay` finds "step 250" at its beginning and
/// "t = 0.25" in it) and what to replay it with,
///
///     step 250 to t = 0.25 s
///     level velocity, 12 rows, solved by block gauss-seidel after 31 iterations, residual 4e-09
///     worst: row 0 of stop on ball and box
///     nonsmooth solve step-000250.h5 --solver "block gauss-seidel" --tolerance 1e-08
///
/// the algorithm where `nonsmooth solve` has it for problems of that class, the tolerance where one is given. A file
/// of that name is replaced. @throws FileError, and InvalidArgument where there is no problem, where its numbers are
/// not finite or the format cannot hold it (FCLIB: other sets than friction), as write_problem
void dump_problem(const OneStepNSProblem& problem, const std::filesystem::path& path, std::string_view remark = {},
                  std::optional<double> tolerance = {});

/// The tolerance that a simulation's one-step problems are solved to; empty of EventDriven, and of an algorithm of the
/// user's own.
[[nodiscard]] std::optional<double> solver_tolerance(const Simulation& simulation);

/// Which problems of a run are written. A step is written once, for the first reason that it has, in this order.
struct ProblemDumpOptions {
  Index failed = 1;     ///< of the first so many steps that failed, taken (OnFailure::Accept) or not; >= 0
  Index every = 0;      ///< n > 0: of every n-th step; 1: of all; 0: none
  Index slowest = 0;    ///< of the so many steps that took longest so far, by wall time; >= 0
  Index most = 10'000;  ///< files; then no more are written, and that is told; >= 1
  FileFormat format = FileFormat::Hdf5;          ///< of files in a folder: Hdf5 or Fclib
  std::optional<double> tolerance{};             ///< to replay with; empty: solver_tolerance()
  std::function<void(std::string_view)> tell{};  ///< takes messages, a line each; none: standard error

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// Writes the one-step problems of a running simulation (Simulation::problem()) to files that `nonsmooth solve`
/// replays: an observer.
///
///     ProblemDump dump("dumps", simulation, {.every = 100});
///     RunReport report = simulation.advance_to(T, observe(recorder, dump));
///     if (!report) std::cerr << explain_failure(simulation, report) << '\n';     // failure_report.hpp
///
/// In a folder the files are failed-000250.h5, step-000300.h5, slow-000317.h5, by the number of the step
/// (State::steps; of event-driven runs, the number of the problem that was met: each once, that of accelerations or of
/// the mode at an instant); of a path NAME.h5 or NAME.fclib.h5, NAME-step-000300.h5 and so on. Files of these names are
/// replaced; one of the slowest steps goes where another step took longer. That of a failed step is told by its name;
/// where it was not taken, in the report's detail. Steps without a problem (nothing acted) leave none.
///
/// Of a step that is made in parts (AdaptiveTimeStepping, OnFailure::Subdivide) each part has its problem, and so has
/// the whole, of lengths that were rejected too: TimeStepping::watch_problems. The last is in step-000300.h5, those
/// before it in step-000300-1.h5, -2 and so on, in the order in which they were solved; of a step that failed and was
/// taken, those that were not solved. Each title has the length and the end of its part.
///
/// A step's time goes from the end of one call to the beginning of the next, so that other observers count and the
/// first step has none. Cost: of a step that is not written a clock, and copies of its problems where it is made in
/// parts and slow ones are asked for; of one that is, a copy of its problems and files.
class ProblemDump {
 public:
  /// `path`: a folder, there or (without extension) to be made; or a file's name, with the extension of a format that
  /// write_problem knows. `simulation` has to stay where it is. @throws InvalidArgument: bad options, an extension that
  /// means no format; FileError: a folder that cannot be made
  ProblemDump(const std::filesystem::path& path, const Simulation& simulation, ProblemDumpOptions options = {});
  ~ProblemDump();
  ProblemDump(ProblemDump&&) noexcept;
  ProblemDump& operator=(ProblemDump&&) noexcept;

  /// What advance_to() calls. @throws FileError where a file cannot be written. A problem that the format cannot hold
  /// is left out, and the first one told.
  void operator()(const State& state, const StepReport& step);
  /// What advance_to() calls at its end: writes the problem on which the call ended. @throws likewise
  void ended(RunReport& report);

  [[nodiscard]] std::vector<std::filesystem::path> files() const;  ///< that are there now, in the order of writing

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth
