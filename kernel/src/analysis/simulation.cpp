// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/simulation.hpp>

#include <sstream>

#include <nonsmooth/kernel/event_driven.hpp>

namespace nonsmooth {
namespace {

/// What was compared, how far it was apart at most, relative to what, and when.
std::string verified_message(const RunReport& report) {
  std::ostringstream text;
  text << report.verified_steps << " of " << report.steps << " steps were made again, subdivided: ";
  if (report.worst_subdivision_difference > 0.0) {
    text << "positions, velocities or states of a system end apart by at most " << report.worst_subdivision_difference
         << " times the way that they went in the step, in the one that ends at t = " << report.worst_subdivision_t
         << " s";
  } else {
    text << "positions, velocities and states end the same, to 1e-9 of their sizes";
  }
  if (report.worst_growth > 0.0)
    text << ", and multipliers of the subdivided steps are at most " << report.worst_growth
         << " times those of the whole";
  return text.str();
}

/// How a run by events failed or stopped, and what observers added; empty where neither, or where a step says it.
std::string ending_of(const RunReport& report) {
  const char* what = "";
  switch (report.outcome) {
    case RunReport::Outcome::Completed:
    case RunReport::Outcome::StoppedByEvent:
      return report.detail;
    case RunReport::Outcome::StoppedByObserver:
      return "stopped by the observer" + (report.detail.empty() ? std::string() : ": " + report.detail);
    case RunReport::Outcome::StepFailed:
      what = "a step was not taken";
      break;
    case RunReport::Outcome::IntegratorFailed:
      what = "a smooth phase could not be integrated";
      break;
    case RunReport::Outcome::NoMode:
      what = "no motion satisfies the laws";
      break;
    case RunReport::Outcome::ImpactUnsolved:
      what = "the problem of an instant was not solved";
      break;
    case RunReport::Outcome::Ambiguous:
      what = "several motions go on";
      break;
    case RunReport::Outcome::Chattering:
      what = "events without end";
      break;
    case RunReport::Outcome::CallableFailed:
      what = "a function of the model or an observer failed";
      break;
  }
  std::ostringstream text;
  text.precision(9);
  text << what << " at t = " << report.t << ": " << report.detail;
  return text.str();
}

}  // namespace

void tell_of_problem(const OneStepNSProblem& problem, StepReport& step) {
  if (problem.empty()) return;
  step.rows = problem.num_rows();
  step.solver = problem.result.status;
  step.at_round_off = problem.result.at_round_off;
  step.certificate = problem.result.certificate;
  step.solver_iterations = problem.result.iterations;
}

std::string RunReport::message() const {
  std::string text = last.message();
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  };
  if (last.taken) add(ending_of(*this));
  if (steps_accepted > 0) {
    std::ostringstream accepted;
    accepted << steps_accepted << " of " << steps << " steps were accepted above tolerance (worst residual "
             << worst_residual << "), the first to t = " << first_accepted << " s";
    add(accepted.str());
  }
  if (ambiguous_steps > 0) {
    std::ostringstream several;
    several << ambiguous_steps << " of " << steps << " steps had several answers, the first to t = " << first_ambiguity
            << " s";
    add(several.str());
  }
  for (const RunRemark& finding : findings) {
    const bool told = ambiguous_steps > 0 && finding.kind == RunRemark::Kind::SeveralAnswers;
    if (!told) add(finding.message());
  }
  if (verified_steps > 0) add(verified_message(*this));
  return text;
}

const std::vector<Event>& Simulation::events() const {
  static const std::vector<Event> none;
  return none;
}

}  // namespace nonsmooth
