// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/one_step_ns_problem.hpp>

#include "mechanical_model.hpp"

/// Where the rows of an instant's problems come from.
namespace nonsmooth::events {

void clear_origins(const MechanicalModel& model, OneStepNSProblem& problem);
/// A block of the first `size` rows of a contact, behind those before.
void add_origin(const MechanicalModel& model, const Contact& contact, Index size, OneStepNSProblem& problem);

}  // namespace nonsmooth::events
