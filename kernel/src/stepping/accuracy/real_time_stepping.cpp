// SPDX-License-Identifier: Apache-2.0
// The clock stands above the steps: each gets a limit for its problem, and is timed.
#include <nonsmooth/kernel/real_time_stepping.hpp>

#include <algorithm>
#include <chrono>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>

namespace nonsmooth {
namespace {

constexpr double kFade = 0.99, kLeastShare = 0.1, kMostShare = 0.9;

/// The user's options with another limit; without memory of its own.
AnySolver with_limit(const AnySolver& solver, double limit) {
  if (const auto* automatic = solver.get_if<mixed::Automatic>()) {
    mixed::Automatic limited = *automatic;
    limited.time_limit = limit;
    return limited;
  }
  mixed::GaussSeidel limited = *solver.get_if<mixed::GaussSeidel>();
  limited.time_limit = limit;
  return limited;
}

TimeSteppingOptions accepting(const RealTimeOptions& options) {
  options.validate();
  TimeSteppingOptions stepping = options.stepping;
  stepping.on_failure = OnFailure::Accept;
  return stepping;
}

}  // namespace

void RealTimeOptions::validate() const {
  check::positive("RealTimeOptions::budget", budget);
  stepping.validate();
  if (stepping.on_failure != OnFailure::Stop)
    throw InvalidArgument("RealTimeOptions::stepping.on_failure", "another one than it comes with",
                          "none: what is not solved in time is accepted");
  if (!stepping.solver.get_if<mixed::Automatic>() && !stepping.solver.get_if<mixed::GaussSeidel>())
    throw InvalidArgument("RealTimeOptions::stepping.solver", "an algorithm that allocates in each step",
                          "mixed::Automatic or mixed::GaussSeidel");
}

RealTimeStepping::RealTimeStepping(NonSmoothDynamicalSystem model, RealTimeOptions options, double t0)
    : TimeStepping(std::move(model), accepting(options), t0), budget_(options.budget) {
  const auto* automatic = options_.solver.get_if<mixed::Automatic>();
  most_ = automatic ? automatic->time_limit : options_.solver.get_if<mixed::GaussSeidel>()->time_limit;
  rest_ = kLeastShare * budget_;
}

StepReport RealTimeStepping::timed_step(double h) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const double limit = std::min(most_, budget_ - std::clamp(rest_, kLeastShare * budget_, kMostShare * budget_));
  options_.solver = with_limit(options_.solver, limit);
  StepReport report = step_by(h);
  options_.solver = with_limit(options_.solver, most_);  // options() are the user's
  const double took = std::chrono::duration<double>(Clock::now() - start).count();
  rest_ *= kFade;
  if (report.solver == Status::TimeLimit) {
    rest_ = std::max(rest_, took - limit);
    ++counts_.limited;
    counts_.worst_residual = std::max(counts_.worst_residual, report.certificate.residual);
  }
  if (report.taken) ++counts_.taken;
  if (took > budget_) ++counts_.late;
  counts_.longest = std::max(counts_.longest, took);
  counts_.total += took;
  return report;
}

StepReport RealTimeStepping::step() { return timed_step(options_.step); }

RunReport RealTimeStepping::run(double T, Call call, void* observer) {
  return run_by([this](double h) { return timed_step(h); }, T, call, observer);
}

}  // namespace nonsmooth
