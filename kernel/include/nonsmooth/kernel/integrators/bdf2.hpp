// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/staged_integrator.hpp>

namespace nonsmooth {

/// Backward differences of two steps, for first-order systems. With r the length of a step over that of the step
/// before,
///
///     M (x_{k+1} - x_k - r^2 / (1 + 2 r) (x_k - x_{k-1})) = h (1 + r) / (1 + 2 r) (f_{k+1} + g_{k+1}),
///
/// one problem a step (StagedIntegrator). Order 2 where no mode changes. Implicit Euler, r = 0, where there is no step
/// before: at a start, behind a located instant, and where a step is more than 1 + sqrt(2) times as long as the one
/// before, beyond which the formula is not stable. A-stable for equal steps. What EulerMoreau with theta = 1 takes it
/// takes, but at a jump of the state the step before still counts, and the error is O(1) in the step behind it. Source:
/// Hairer, Nørsett & Wanner 1993, III.5 [hairer1993].
struct Bdf2 {
  bool locate = false;  ///< instants at which the mode changes end a step (StagedIntegrator)
  Index looks = 4;      ///< in [0, 1000]: StagedIntegrator::looks, where it locates

  friend bool operator==(const Bdf2&, const Bdf2&) = default;
};

[[nodiscard]] std::shared_ptr<const OneStepIntegrator> make_integrator(const Bdf2& scheme);

}  // namespace nonsmooth
