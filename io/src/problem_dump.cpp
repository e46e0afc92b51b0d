// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/problem_dump.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <system_error>
#include <utility>

#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/mixed.hpp>

#include "dump_title.hpp"
#include "known_solver.hpp"
#include "number.hpp"

namespace nonsmooth {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

bool has_entry(const auto& registry, std::string_view name) {
  return std::any_of(registry.begin(), registry.end(), [name](const auto& entry) { return entry.name == name; });
}

/// `nonsmooth solve` takes this name for problems of this class.
bool is_known(std::string_view solver, const AnyProblem& problem) {
  switch (class_of(problem)) {
    case ProblemClass::GlobalFriction:
    case ProblemClass::GlobalRollingFriction:
      return has_entry(friction::global_registry(), solver);
    case ProblemClass::Friction:
    case ProblemClass::RollingFriction:
      return has_entry(friction::registry(), solver);
    default:
      return has_entry(mixed::registry(), solver);
  }
}

/// Names are the user's, a title takes no control characters.
std::string without_controls(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0x7f || (byte < 0x20 && c != '\n' && c != '\t')) c = ' ';
  }
  return text;
}

std::string title_of(const OneStepNSProblem& problem, const AnyProblem& written, const fs::path& path,
                     std::string_view remark, std::optional<double> tolerance) {
  const std::string_view solver = problem.result.solver;
  std::string title(remark);
  if (!title.empty()) title += '\n';
  title += dump_lines(problem, path.filename().string(), is_known(solver, written) ? solver : "", tolerance);
  return without_controls(title);
}

void require_count(const char* field, Index found, Index least) {
  if (found < least)
    throw InvalidArgument(std::string("ProblemDumpOptions::") + field, std::to_string(found),
                          "at least " + std::to_string(least));
}

/// The same numbers and the same answer.
bool is_same(const mixed::Problem& problem, const mixed::Result& result, const Eigen::VectorXd& q,
             const Eigen::VectorXd& r) {
  return problem.q.size() == q.size() && result.r.size() == r.size() && problem.q == q && result.r == r;
}

}  // namespace

void dump_problem(const OneStepNSProblem& problem, const fs::path& path, std::string_view remark,
                  std::optional<double> tolerance) {
  if (problem.empty()) throw InvalidArgument("dump_problem: problem", "no rows", "a problem that was handed out");
  const AnyProblem written = problem.global ? AnyProblem(*problem.global) : AnyProblem(problem.reduced);
  write_problem(written, path, title_of(problem, written, path, remark, tolerance));
}

std::optional<double> solver_tolerance(const Simulation& simulation) {
  const auto* stepping = dynamic_cast<const TimeStepping*>(&simulation);
  if (!stepping) return std::nullopt;
  const std::optional<KnownSolver> known = known_solver(stepping->options().solver);
  return known ? std::optional<double>(known->tolerance) : std::nullopt;
}

void ProblemDumpOptions::validate() const {
  require_count("failed", failed, 0);
  require_count("every", every, 0);
  require_count("slowest", slowest, 0);
  require_count("most", most, 1);
  if (format != FileFormat::Hdf5 && format != FileFormat::Fclib)
    throw InvalidArgument("ProblemDumpOptions::format", std::string(to_string(format)), "Hdf5 or Fclib");
  if (tolerance && !(*tolerance > 0.0))
    throw InvalidArgument("ProblemDumpOptions::tolerance", number(*tolerance, 6), "a number > 0");
}

struct ProblemDump::Implementation {
  struct Slow {
    double seconds;
    fs::path path;
  };

  const Simulation& simulation;
  ProblemDumpOptions options;
  std::string before, after;  // of a file's name, with its folder
  std::optional<double> tolerance;
  bool is_stepping = false;

  std::vector<fs::path> files{};
  std::vector<Slow> slow{};  // the fastest of them last
  std::optional<Clock::time_point> last_call{};
  Eigen::VectorXd last_q{}, last_r{};  // of event-driven runs, which show a state several times between instants
  Index met = 0, failures = 0, written = 0;
  bool told_refusal = false, told_limit = false;

  void tell(const std::string& message) const {
    if (options.tell) {
      options.tell(message);
    } else {
      std::fprintf(stderr, "%s\n", message.c_str());
    }
  }

  [[nodiscard]] fs::path name(const char* reason, Index number) const {
    std::string digits = std::to_string(number);
    if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
    return before + reason + "-" + digits + after;
  }

  /// False where the format cannot hold it, or enough were written.
  bool write(const OneStepNSProblem& problem, const fs::path& path, const std::string& remark) {
    if (written >= options.most) {
      if (!std::exchange(told_limit, true))
        tell(std::to_string(written) + " one-step problems were dumped (ProblemDumpOptions::most): no more are");
      return false;
    }
    try {
      dump_problem(problem, path, remark, tolerance);
    } catch (const InvalidArgument& refusal) {
      if (!std::exchange(told_refusal, true))
        tell(path.string() + " is not written, as such others will not be: " + refusal.what());
      return false;
    }
    ++written;
    std::erase(files, path);
    files.push_back(path);
    return true;
  }

  void write_slow(Index number, double seconds, const std::string& remark) {
    const auto most = static_cast<std::size_t>(options.slowest);
    if (slow.size() == most && seconds <= slow.back().seconds) return;
    const fs::path path = name("slow", number);
    if (!write(simulation.problem(), path, remark + ", which took " + nonsmooth::number(seconds, 3) + " s")) return;
    const auto place = std::find_if(slow.begin(), slow.end(), [&](const Slow& one) { return one.seconds < seconds; });
    slow.insert(place, {seconds, path});
    if (slow.size() <= most) return;
    std::error_code error;  // one that somebody took away meanwhile is no loss
    fs::remove(slow.back().path, error);
    std::erase(files, slow.back().path);
    slow.pop_back();
    --written;
  }

  void see(const State& state, const StepReport& step, std::optional<double> seconds) {
    const OneStepNSProblem& problem = simulation.problem();
    if (problem.empty() || (is_stepping && step.rows == 0)) return;
    if (!is_stepping) {
      if (is_same(problem.reduced, problem.result, last_q, last_r)) return;
      last_q = problem.reduced.q;
      last_r = problem.result.r;
    }
    ++met;
    const Index number = is_stepping ? static_cast<Index>(state.steps) : met;
    const std::string remark = step_remark(simulation, number, state.t);
    if (!step.ok() && failures < options.failed) {
      const fs::path path = name("failed", number);
      if (!write(problem, path, remark + ", which failed and was taken")) return;
      ++failures;
      tell(remark + " failed and was taken; its one-step problem is in " + path.string());
    } else if (options.every > 0 && number % options.every == 0) {
      (void)write(problem, name("step", number), remark);
    } else if (options.slowest > 0 && seconds) {
      write_slow(number, *seconds, remark);
    }
  }

  /// The problem on which a call ended.
  void see_failure(RunReport& report) {
    if (!report.problem || failures >= options.failed) return;
    const Index number = is_stepping ? static_cast<Index>(simulation.state().steps) + 1 : met + 1;
    const fs::path path = name("failed", number);
    if (!write(*report.problem, path, failure_remark(simulation, report))) return;
    ++failures;
    nonsmooth::tell(dump_sentence(*report.problem, path.string(), solve_command(path.string(), tolerance)), report);
  }
};

ProblemDump::ProblemDump(const fs::path& path, const Simulation& simulation, ProblemDumpOptions options) {
  options.validate();
  std::error_code error;
  std::string before = path.string(), after;
  if (fs::is_directory(path, error) || !path.has_extension()) {
    fs::create_directories(path, error);
    if (!fs::is_directory(path))
      throw FileError(path.string() + ": the folder cannot be made" + (error ? " (" + error.message() + ")" : ""));
    before = (path / "").string();
    after = options.format == FileFormat::Fclib ? ".fclib.h5" : ".h5";
  } else {
    const FileFormat format = format_of(path);
    if (format == FileFormat::Text || format == FileFormat::Mps) {
      throw InvalidArgument("ProblemDump: path", "'" + path.string() + "', whose format holds no blocks",
                            "an extension .h5, .hdf5, .fclib.h5, .fclib.hdf5, .dat or .mtx");
    }
    const bool two = format == FileFormat::Fclib;
    const std::size_t length = path.extension().string().size() + (two ? path.stem().extension().string().size() : 0);
    after = before.substr(before.size() - length);
    before = before.substr(0, before.size() - length) + "-";
  }
  const bool is_stepping = dynamic_cast<const TimeStepping*>(&simulation) != nullptr;
  const std::optional<double> tolerance = options.tolerance ? options.tolerance : solver_tolerance(simulation);
  implementation_ = std::make_unique<Implementation>(
      Implementation{simulation, std::move(options), std::move(before), std::move(after), tolerance, is_stepping});
}

ProblemDump::~ProblemDump() = default;
ProblemDump::ProblemDump(ProblemDump&&) noexcept = default;
ProblemDump& ProblemDump::operator=(ProblemDump&&) noexcept = default;

void ProblemDump::operator()(const State& state, const StepReport& step) {
  Implementation& one = *implementation_;
  std::optional<double> seconds;
  if (one.last_call) seconds = std::chrono::duration<double>(Clock::now() - *one.last_call).count();
  one.see(state, step, seconds);
  one.last_call = Clock::now();
}

void ProblemDump::ended(RunReport& report) { implementation_->see_failure(report); }

std::vector<fs::path> ProblemDump::files() const { return implementation_->files; }

}  // namespace nonsmooth
