// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/examination.hpp>

#include "plan.hpp"

/// What a simulation looks at before its first step: the cheap part of an examination.
namespace nonsmooth::stages {

/// M(q) of every general system at the state: symmetric to 1e-9, positive semidefinite to 1e-12. One that throws or is
/// not finite is for the run to tell.
/// @throws InvalidArgument naming the system.
void require_masses(const NonSmoothDynamicalSystem& model, const State& state);

/// Rows of an island up to which its steps' other answers are looked for.
inline constexpr double kMostDoubtfulRows = 4.0;
/// The other states in which a step of length h from `before` might have ended, as possible_steps() finds them: those
/// that differ from `after` by more than 1e-8 of the way between the two. Empty where that cannot be told.
[[nodiscard]] std::vector<State> other_ends(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                                            double h, const State& before, const State& after);

/// Relative degrees of linear first-order rows under their schemes, and where the initial state is inside an obstacle
/// or off an equality by more than the tolerances of a projection. `plan` is prepared, the state's outputs are those of
/// its coordinates; singular masses under theta < 1. Islands of more than 200 first-order states, or with matrices that
/// vary, are not looked at. Cost: per row of an island of n states n^2 a derivative.
[[nodiscard]] Remarks examine_start(const NonSmoothDynamicalSystem& model, const ProjectionOptions& tolerances,
                                    const State& state, Plan& plan);

}  // namespace nonsmooth::stages
