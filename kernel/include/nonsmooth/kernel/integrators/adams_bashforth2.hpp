// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/staged_integrator.hpp>

namespace nonsmooth {

/// Adams and Bashforth's explicit method of two steps, for first-order systems whose multipliers follow from the state
/// (StagedIntegrator). With r the length of a step over that of the step before,
///
///     x_{k+1} = x_k + h ((1 + r/2) F_k - r/2 F_{k-1}),    M F = f + g, lambda_k from x_k.
///
/// Order 2 where no mode changes; explicit Euler, r = 0, where there is no step before. One evaluation a step. Stable
/// for rates of decay below 1/h; an oscillation grows by (h w)^4 / 4 a step.
/// Source: Hairer, Nørsett & Wanner 1993, III.1 and III.5 [hairer1993].
struct AdamsBashforth2 {
  bool locate = false;  ///< instants at which the mode changes end a step (StagedIntegrator)
  Index looks = 4;      ///< in [0, 1000]: StagedIntegrator::looks, where it locates

  friend bool operator==(const AdamsBashforth2&, const AdamsBashforth2&) = default;
};

[[nodiscard]] std::shared_ptr<const OneStepIntegrator> make_integrator(const AdamsBashforth2& scheme);

}  // namespace nonsmooth
