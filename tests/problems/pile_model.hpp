// SPDX-License-Identifier: Apache-2.0
// The piles and walls of piles.hpp as models of the kernel: bodies of six coordinates, a user's law of dry friction in
// space at every contact. The first step of a simulation is the problem that piles.hpp writes down.
#pragma once

#include <nonsmooth/kernel/model.hpp>

#include <problems/piles.hpp>

namespace nonsmooth::problems {

/// The frames of the contacts stay as they are: to be stepped pile_step seconds at a time, a few steps.
NonSmoothDynamicalSystem pile_model(const Pile& pile);

}  // namespace nonsmooth::problems
