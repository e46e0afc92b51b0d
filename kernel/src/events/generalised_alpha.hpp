// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "../smooth/stepper.hpp"
#include "mechanical_part.hpp"

namespace nonsmooth::events {

/// The generalised-alpha method (see GeneralisedAlpha) on the mechanical half, in the mode that it has: closed contacts
/// are held at y = 0, rows of velocities at u = 0. `flow` gives the accelerations that a phase starts with. Newton's
/// iteration with differences of a_free: n + 1 evaluations and a solve of n + |J| rows an iteration matrix, made anew
/// in each step. Dense output: Hermite, degree 5 in q, 3 in v.
[[nodiscard]] std::unique_ptr<smooth::Stepper> make_generalised_alpha(const GeneralisedAlpha& method,
                                                                      const smooth::ErrorControl& control,
                                                                      MechanicalPart& mechanics,
                                                                      smooth::RightHandSide& flow);

}  // namespace nonsmooth::events
