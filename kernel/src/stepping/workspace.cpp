// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/workspace.hpp>

#include <sstream>

#include <nonsmooth/numerics/error.hpp>

#include "workspace_implementation.hpp"

namespace nonsmooth {

Workspace::Workspace(int threads) : implementation_(std::make_unique<Implementation>(threads)) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

Workspace::Implementation& WorkspaceAccess::caches(Workspace& workspace) {
  return const_cast<Workspace::Implementation&>(caches(std::as_const(workspace)));
}

const Workspace::Implementation& WorkspaceAccess::caches(const Workspace& workspace) {
  if (!workspace.implementation_)
    throw InvalidArgument("Workspace", "one that was moved from", "a workspace that lives");
  return *workspace.implementation_;
}

std::string StepReport::message() const {
  std::ostringstream text;
  text.precision(3);
  switch (outcome) {
    case Outcome::Completed:
      return {};
    case Outcome::SolverFailed:
      text << "step to t = " << t << " s: the one-step problem of " << rows << " rows ended " << to_string(solver)
           << " at residual " << certificate.residual << ". " << detail << (detail.empty() ? "" : " ");
      if (taken) {
        text << "The step was taken.";
      } else if (solver == Status::Infeasible) {
        text << "Look for what contradicts them: a constraint, a bound, a prescribed motion.";
      } else if (solver == Status::NumericalFailure) {
        text
            << "Shorten the step, or look at the data of what is named: numbers over many decades, a motion that grows "
               "without bound.";
      } else {
        text << "Shorten the step, or set on_failure = Accept.";
      }
      break;
    case Outcome::NewtonLimit:
      text << "step to t = " << t << " s: Newton did not converge in " << newton_iterations << " iterations. " << detail
           << (detail.empty() ? "" : " ")
           << (taken ? "The step was taken." : "Check the Jacobians, shorten the step, or set on_failure = Accept.");
      break;
    case Outcome::ProjectionLimit:
      text << "step to t = " << t << " s: positions were still off their constraints after " << projections
           << " projections. " << detail << (detail.empty() ? "" : " ")
           << (taken ? "The step was taken." : "Shorten the step, or look for constraints that contradict each other.");
      break;
    case Outcome::StepUnderflow:
      text << "step to t = " << t << " s: the shortest step misses the accuracy. " << detail
           << " Look there for what jumps without a law or grows without bound; a larger bound, fewer expected events "
              "or "
              "more halvings let the run go on.";
      break;
    case Outcome::CallableFailed:
      text << "step to t = " << t << " s: " << detail;
      break;
  }
  return text.str();
}

}  // namespace nonsmooth
