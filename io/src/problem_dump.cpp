// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/problem_dump.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <system_error>
#include <utility>

#include <nonsmooth/kernel/adaptive_time_stepping.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/mixed.hpp>

#include "dump_lines.hpp"
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

/// Where a simulation may make a step in several parts: of these each has its problem.
const TimeStepping* in_parts(const Simulation& simulation) {
  const auto* stepping = dynamic_cast<const TimeStepping*>(&simulation);
  const bool parts = dynamic_cast<const AdaptiveTimeStepping*>(&simulation) != nullptr ||
                     (stepping && stepping->options().on_failure == OnFailure::Subdivide);
  return parts ? stepping : nullptr;
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
  /// The problem of a part of a step.
  struct PartProblem {
    OneStepNSProblem problem;
    Index number;      ///< of those of the step, from 1 on
    double t, length;  ///< its end, and how long it is [s]
  };

  struct Slow {
    double seconds;
    std::vector<fs::path> paths;
  };

  const Simulation& simulation;
  ProblemDumpOptions options;
  std::string before, after;  // of a file's name, with its folder
  std::optional<double> tolerance;
  bool is_stepping = false;

  std::vector<fs::path> files{};
  std::vector<Slow> slow{};                     // the fastest of them last
  std::shared_ptr<const ProblemWatch> watch{};  // of steps in parts
  std::vector<PartProblem> parts{};             // of the step that is made, as far as they may be written
  Index num_parts = 0, next = 0;                // all of these, and the step's number
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

  /// `part`: of a problem that was not the step's last; 0: of that one.
  [[nodiscard]] fs::path name(const char* reason, Index number, Index part = 0) const {
    std::string digits = std::to_string(number);
    if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
    if (part > 0) digits += "-" + std::to_string(part);
    return before + reason + "-" + digits + after;
  }

  /// "step 12, problem 2 of 3: 0.0625 s to t = 0.3125 s"
  static std::string part_remark(Index step, const PartProblem& part, Index of) {
    return "step " + std::to_string(step) + ", problem " + std::to_string(part.number) + " of " + std::to_string(of) +
           ": " + number(part.length, 9) + " s to t = " + number(part.t, 9) + " s";
  }

  void look_at_part(const OneStepNSProblem& problem, double t, double length) {
    ++num_parts;
    const bool due = options.slowest > 0 || (options.every > 0 && next % options.every == 0);
    const bool failed = failures < options.failed && !problem.result.ok();
    if ((due || failed) && written < options.most) parts.push_back({problem, num_parts, t, length});
  }

  void end_step(Index number) {
    parts.clear();
    num_parts = 0;
    next = number + 1;
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

  /// The problems of a step: those of its parts that were kept, or the one that it ended with. Returns the files.
  std::vector<fs::path> write_step(const char* reason, Index number, double t, const std::string& more) {
    std::vector<fs::path> paths;
    const auto add = [&](const OneStepNSProblem& problem, Index part, const std::string& remark) {
      fs::path path = name(reason, number, part);
      if (!write(problem, path, remark + more)) return false;
      paths.push_back(std::move(path));
      return true;
    };
    if (parts.empty() || num_parts == 1) {
      (void)add(simulation.problem(), 0, step_remark(simulation, number, t));
      return paths;
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Index part = k + 1 < parts.size() ? parts[k].number : 0;
      if (!add(parts[k].problem, part, part_remark(number, parts[k], num_parts))) break;
    }
    return paths;
  }

  void write_slow(Index number, double t, double seconds) {
    const auto most = static_cast<std::size_t>(options.slowest);
    if (slow.size() == most && seconds <= slow.back().seconds) return;
    std::vector<fs::path> paths = write_step("slow", number, t, ", which took " + nonsmooth::number(seconds, 3) + " s");
    if (paths.empty()) return;
    const auto place = std::find_if(slow.begin(), slow.end(), [&](const Slow& one) { return one.seconds < seconds; });
    slow.insert(place, {seconds, std::move(paths)});
    if (slow.size() <= most) return;
    for (const fs::path& path : slow.back().paths) {
      std::error_code error;  // one that somebody took away meanwhile is no loss
      fs::remove(path, error);
      std::erase(files, path);
      --written;
    }
    slow.pop_back();
  }

  void see(const State& state, const StepReport& step, std::optional<double> seconds) {
    const OneStepNSProblem& problem = simulation.problem();
    if (parts.empty() && (problem.empty() || (is_stepping && step.rows == 0))) return;
    if (!is_stepping) {
      if (is_same(problem.reduced, problem.result, last_q, last_r)) return;
      last_q = problem.reduced.q;
      last_r = problem.result.r;
    }
    ++met;
    const Index number = is_stepping ? static_cast<Index>(state.steps) : met;
    if (!step.ok() && failures < options.failed) {
      const std::vector<fs::path> paths = write_step("failed", number, state.t, ", which failed and was taken");
      if (paths.empty()) return;
      ++failures;
      tell(step_remark(simulation, number, state.t) + " failed and was taken; its one-step problem is in " +
           paths.back().string());
    } else if (options.every > 0 && number % options.every == 0) {
      (void)write_step("step", number, state.t, {});
    } else if (options.slowest > 0 && seconds) {
      write_slow(number, state.t, *seconds);
    }
  }

  /// The problem on which a call ended.
  void see_failure(RunReport& report) {
    end_step(static_cast<Index>(simulation.state().steps));
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
  Implementation* const own = implementation_.get();
  own->end_step(static_cast<Index>(simulation.state().steps));
  if (const TimeStepping* const stepping = in_parts(simulation)) {
    own->watch = stepping->watch_problems(
        [own](const OneStepNSProblem& problem, double t, double length) { own->look_at_part(problem, t, length); });
  }
}

ProblemDump::~ProblemDump() = default;
ProblemDump::ProblemDump(ProblemDump&&) noexcept = default;
ProblemDump& ProblemDump::operator=(ProblemDump&&) noexcept = default;

void ProblemDump::operator()(const State& state, const StepReport& step) {
  Implementation& one = *implementation_;
  std::optional<double> seconds;
  if (one.last_call) seconds = std::chrono::duration<double>(Clock::now() - *one.last_call).count();
  one.see(state, step, seconds);
  one.end_step(static_cast<Index>(state.steps));
  one.last_call = Clock::now();
}

void ProblemDump::ended(RunReport& report) { implementation_->see_failure(report); }

std::vector<fs::path> ProblemDump::files() const { return implementation_->files; }

}  // namespace nonsmooth
