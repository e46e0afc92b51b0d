// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "smooth/stepper.hpp"
#include "smooth_mode.hpp"

namespace nonsmooth::events {

/// The generalised-alpha method (see GeneralisedAlpha) on the mechanical subsystem, in the mode that it has: closed
/// contacts are held at y = 0, rows of velocities at u = 0; where rows depend on one another, with multipliers in the
/// span of the rows of W, which are those that the mode's accelerations choose (LeastNorm). `flow` gives the
/// accelerations that a phase starts with. Newton's iteration with differences of a_free: n + 1 evaluations and a solve
/// of n + |J| rows an iteration matrix, made anew where corrections do not fall fast; with rows that depend, |J| solves
/// of n rows an iteration besides. It ends at round-off of the accelerations, or of what the positions that are held
/// tell of them. On manifolds q_{k+1} = retract(q_k, n), differences go through it at the iterate's n, and rows are
/// among what is differentiated. Dense output: HermiteOutput.
[[nodiscard]] std::unique_ptr<smooth::Stepper> make_generalised_alpha(const GeneralisedAlpha& method,
                                                                      const smooth::ErrorControl& control,
                                                                      MechanicalModel& model, SmoothMode& mode,
                                                                      smooth::RightHandSide& flow);

}  // namespace nonsmooth::events
