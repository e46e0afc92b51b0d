// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/time_stepping.hpp>

#include <cmath>
#include <sstream>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace {

/// A remainder below this part of a step belongs to rounding of k h, not to a step of its own.
constexpr double kGridTolerance = 1e-9;

}  // namespace

std::string AdvanceReport::message() const {
  std::string text = last.message();
  if (stopped_by_observer) text += text.empty() ? "stopped by the observer" : "; stopped by the observer";
  if (steps_accepted > 0) {
    std::ostringstream accepted;
    accepted << (text.empty() ? "" : "; ") << steps_accepted << " of " << steps
             << " steps were accepted above tolerance (worst residual " << worst_residual << ")";
    text += accepted.str();
  }
  return text;
}

TimeStepping::TimeStepping(NonSmoothDynamicalSystem model, TimeSteppingOptions options, double t0)
    : model_(std::move(model)), options_(std::move(options)), workspace_((options_.validate(), options_.threads)) {
  if (model_.num_systems() == 0) throw InvalidArgument("TimeStepping: model", "no system", "at least one system");
  state_ = model_.initial_state(t0);
}

void TimeStepping::set_state(const State& state) {
  if (!state.layout() || state.layout()->revision != model_.layout()->revision) {
    throw InvalidArgument("TimeStepping::set_state", "a state of another revision or model",
                          "one of the model's present revision (migrate() carries an old one over)");
  }
  state_ = state;
}

StepReport TimeStepping::step() { return nonsmooth::step(model_, options_, options_.step, state_, workspace_); }

AdvanceReport TimeStepping::run(double T, Call call, void* object) {
  check::finite("advance_to: T", T);
  const double h = options_.step;
  if (T < state_.t - kGridTolerance * h) {
    throw InvalidArgument("advance_to: T", std::to_string(T) + " s",
                          "at least the present time, " + std::to_string(state_.t) + " s");
  }
  AdvanceReport report;
  while (state_.t < T - kGridTolerance * h) {
    const double next = state_.grid_step == h ? state_.t_origin + static_cast<double>(state_.k + 1) * h : state_.t + h;
    const bool shortened = next > T + kGridTolerance * h;
    report.last = nonsmooth::step(model_, options_, shortened ? T - state_.t : h, state_, workspace_);
    if (shortened && report.last.taken) {
      state_.t = state_.t_origin = T;  // t + (T - t) may miss T by a rounding; the next grid starts there
      state_.k = 0;
    }
    report.newton_iterations += report.last.newton_iterations;
    if (report.last.rows > 0 && report.last.certificate.residual > report.worst_residual) {
      report.worst_residual = report.last.certificate.residual;
    }
    if (!report.last.taken) return report;
    ++report.steps;
    if (!report.last.ok()) ++report.steps_accepted;
    if (!call(object, state_)) {
      report.stopped_by_observer = true;
      return report;
    }
  }
  return report;
}

void TimeStepping::adopt(NonSmoothDynamicalSystem model) {
  if (model.num_systems() == 0) throw InvalidArgument("edit: model", "no system", "at least one system");
  State state = model.migrate(state_);
  model_ = std::move(model);
  state_ = std::move(state);
}

}  // namespace nonsmooth
