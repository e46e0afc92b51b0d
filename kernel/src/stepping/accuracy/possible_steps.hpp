// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/kernel/possible_steps.hpp>

namespace nonsmooth::stages {

/// possible_steps() with caches that are kept.
[[nodiscard]] std::vector<PossibleStep> possible_steps(const NonSmoothDynamicalSystem& model,
                                                       const TimeSteppingOptions& options, double h, const State& state,
                                                       Workspace& workspace);
/// Of all ends of a step from `before`, those other than `after`: in which one of the doubtful systems, which are
/// linear, differs by more than 1e-8 of the way between the two from `after` and from each other. What a projection or
/// Newton's iteration does to other systems is none of it.
[[nodiscard]] std::vector<State> other_ends(const std::vector<PossibleStep>& all, const State& before,
                                            const State& after, const std::vector<Index>& doubtful);

}  // namespace nonsmooth::stages
