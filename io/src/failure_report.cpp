// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/failure_report.hpp>

#include <array>
#include <string_view>

#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/io/problem_dump.hpp>
#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "dump_lines.hpp"
#include "number.hpp"
#include "sentence.hpp"

namespace nonsmooth {
namespace {

using Ending = RunReport::Outcome;

struct Advice {
  std::string_view cause, attempt;
};

Advice of_solver(Status status) {
  switch (status) {
    case Status::Infeasible:
      return {
          "what these rows ask for contradicts itself: a constraint, a bound or a prescribed motion leaves no answer",
          "release one of those named, or let a prescribed motion stop where it would go through another body"};
    case Status::NumericalFailure:
      return {"numbers over many decades, or a motion that grows without bound",
              "shorten the step, and look at the masses, stiffnesses and units of what is named"};
    case Status::TimeLimit:
      return {"the solver's time limit is shorter than this problem takes",
              "raise time_limit, or choose another algorithm for it"};
    case Status::Stalled:
      return {
          "rows that nearly depend on each other, masses or stiffnesses that differ by decades, or a tolerance "
          "below what rounding leaves",
          "replay the problem with a larger tolerance and with other algorithms; bring units and masses closer "
          "together; let on_failure be Subdivide"};
    default:
      return {
          "more iterations are needed: many bodies pressed together, large friction coefficients or masses that "
          "differ by decades slow an algorithm down",
          "replay the problem with other algorithms and more iterations; shorten the step; let on_failure be "
          "Subdivide, or Accept where the residual is small enough for you"};
  }
}

Advice of_function() {
  return {"a function of the model was asked where it is not defined, or has a mistake of its own",
          "mend the function that is named; a shorter step keeps the iterates closer to the motion"};
}

Advice of_observer() {
  return {
      "what was shown the run could not do its own work with it, as a full disk, a folder that is gone or a "
      "mistake of its own makes it; the model is not to blame",
      "make room where it writes, or mend it; another call goes on from here"};
}

Advice of_step(const StepReport& step) {
  switch (step.outcome) {
    case StepReport::Outcome::NewtonLimit:
      return {
          "a Jacobian that does not belong to its function, a force that jumps, or a step that is long for how fast "
          "forces change",
          "check the Jacobians against differences, shorten the step, or let on_failure be Subdivide"};
    case StepReport::Outcome::ProjectionLimit:
      return {"constraints on positions that contradict each other, or a step in which bodies went far in",
              "shorten the step, look for constraints that cannot hold together, or raise projection.max_iterations"};
    case StepReport::Outcome::StepUnderflow:
      return {
          "a function that jumps without a law, which no step length makes smooth, or a motion that grows without "
          "bound",
          "look at what is named; hand known instants to AdaptiveOptions::instants, or ask for less accuracy there"};
    case StepReport::Outcome::CallableFailed:
      return of_function();
    default:
      return of_solver(step.solver);
  }
}

Advice of_run(const RunReport& report) {
  switch (report.outcome) {
    case Ending::IntegratorFailed:
      return {
          "a motion that grows without bound, a stiff system under an explicit integrator, or a function that jumps",
          "look at what is named; take RadauIIA for stiff systems, and events where a function jumps"};
    case Ending::NoMode:
      return {
          "the laws leave no motion at this instant: Painlevé's paradox of a contact with friction, multipliers that "
          "act on no or on a higher derivative of their output, or constraints that contradict each other",
          "TimeStepping, which goes on by an impulse; a smaller friction coefficient; a compliant contact"};
    case Ending::ImpactUnsolved:
      return {"impacts at one instant that contradict each other or depend on each other",
              "look at the laws of what is named, replay the problem with other algorithms, or take TimeStepping"};
    case Ending::Chattering:
      return {
          "impacts that accumulate without a rest in sight, or a law that switches back at once",
          "TimeStepping, which passes through accumulations; a smaller restitution; another call goes on from here"};
    case Ending::CallableFailed:
      return report.observer_threw ? of_observer() : of_function();
    default:
      return of_step(report.last);
  }
}

std::string what_of_step(const Simulation& simulation, const StepReport& step) {
  const std::string to = "the step to t = " + number(step.t, 9) + " s ";
  switch (step.outcome) {
    case StepReport::Outcome::NewtonLimit:
      return to + "was not taken, as Newton did not converge in " + std::to_string(step.newton_iterations) +
             " iterations.";
    case StepReport::Outcome::ProjectionLimit:
      return to + "was not taken, as positions were still off their constraints after " +
             std::to_string(step.projections) + " projections.";
    case StepReport::Outcome::StepUnderflow:
      return to + "was not taken, as it misses the accuracy that was asked.";
    case StepReport::Outcome::CallableFailed:
      return to + "was not taken, as a function failed.";
    default: {
      std::string text = to + "was not taken, as its one-step problem of " + std::to_string(step.rows) +
                         " rows ended with \"" + std::string(to_string(step.solver)) + "\" after " +
                         std::to_string(step.solver_iterations) + " iterations, at residual " +
                         number(step.certificate.residual, 3);
      const std::optional<double> tolerance = solver_tolerance(simulation);
      return text + (tolerance ? ", where " + number(*tolerance, 3) + " was asked." : ".");
    }
  }
}

std::string what_of(const Simulation& simulation, const RunReport& report) {
  switch (report.outcome) {
    case Ending::IntegratorFailed:
      return "a smooth phase could not be integrated.";
    case Ending::NoMode:
      return "no motion satisfies the laws at this instant.";
    case Ending::ImpactUnsolved:
      return "the impacts of this instant were not solved.";
    case Ending::Chattering:
      return "events followed one another without end.";
    case Ending::CallableFailed:
      if (report.observer_threw) return "an observer failed.";
      if (report.last.outcome != StepReport::Outcome::CallableFailed) return "a function failed.";
      [[fallthrough]];
    default:
      return what_of_step(simulation, report.last);
  }
}

/// What went before: steps, and what was noticed in them.
std::string since_when(const RunReport& report) {
  std::string text = report.steps == 0
                         ? "It was the first step of this call."
                         : "Before it " + std::to_string(report.steps) + " steps of this call were taken.";
  if (report.steps_accepted > 0) {
    text += " " + std::to_string(report.steps_accepted) +
            " of them had failed too and were accepted, the first to t = " + number(report.first_accepted, 9) +
            " s (worst residual " + number(report.worst_residual, 3) + ").";
  }
  constexpr std::size_t kMost = 3;  // a paragraph is to be read
  for (std::size_t i = 0; i < report.findings.size() && i < kMost; ++i)
    text += " Noticed: " + sentence(report.findings[i].message());
  if (report.findings.size() > kMost)
    text += " " + std::to_string(report.findings.size() - kMost) + " more remarks are in RunReport::findings.";
  return text;
}

}  // namespace

std::string explain_failure(const Simulation& simulation, const RunReport& report) {
  if (report.ok()) return {};
  const Advice advice = of_run(report);
  std::string text = "The run failed at t = " + number(report.t, 9) + " s: " + what_of(simulation, report);
  if (!report.detail.empty()) text += " " + sentence(report.detail);
  text += " " + since_when(report);
  text += " Likely cause: " + std::string(advice.cause) + ".";
  text += " What to try: " + std::string(advice.attempt) + ".";
  return text;
}

std::string dump_failed_step(const Simulation& simulation, const RunReport& report, const std::filesystem::path& path) {
  (void)format_of(path);
  if (report.ok()) return {};
  std::string text = explain_failure(simulation, report);
  if (!report.problem) return text;
  const std::optional<double> tolerance = solver_tolerance(simulation);
  try {
    dump_problem(*report.problem, path, failure_remark(simulation, report), tolerance);
    text += " " + dump_sentence(*report.problem, path.string(), solve_command(path.string(), tolerance));
  } catch (const FileError& error) {
    text += " The problem could not be written: " + sentence(error.what());
  } catch (const InvalidArgument& error) {
    text += " The problem cannot be kept in " + path.string() + ": " + sentence(error.what());
  }
  return text;
}

}  // namespace nonsmooth
