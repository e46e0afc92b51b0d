// SPDX-License-Identifier: Apache-2.0
// Newton's iteration of one step.
#pragma once

#include <nonsmooth/kernel/workspace.hpp>

#include "workspace_implementation.hpp"

namespace nonsmooth {

/// What Newton's iteration came to.
enum class NewtonEnd : unsigned char {
  Converged,
  Limit,
  SolverFailed,
  Woken  ///< somebody who slept has another force: the step begins anew
};

/// Linearises and solves until nothing moves; once where nothing is nonlinear (`iterates` is false).
[[nodiscard]] NewtonEnd iterate_newton(const TimeSteppingOptions& options, const StepView& step, bool iterates,
                                       Workspace::Implementation& caches, StepReport& report);

}  // namespace nonsmooth
