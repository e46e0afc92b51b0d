// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/staged_integrator.hpp>

namespace nonsmooth {

/// The implicit Runge-Kutta methods Radau IIA, for first-order systems: the multipliers of all stages are those of one
/// problem (StagedIntegrator), and the last stage is the end of the step.
///
/// Order 2 s - 1 of s stages where no mode changes, in the state of sliding motion too; lambda has order s there. One
/// stage is implicit Euler. A-stable, and what is fast dies out. It takes every relation of relative degree 0 and 1
/// that EulerMoreau takes, and a singular mass. Over a change of mode the order is 1, or 2 where D is a P-matrix; with
/// `locate` it is that of the smooth motion. A state that jumps is thrown beyond where it has to be, by 4/5 of the jump
/// with two stages, as no lambda >= 0 of the last stage takes back what the first did: take one stage there.
/// Source: Hairer & Wanner 1996, IV.5 [hairer1996]; with changes of mode located: Nurkanović, Sperl, Albrecht & Diehl
/// 2024 [nurkanovic2024].
struct ImplicitRadau {
  Index stages = 2;     ///< 1, 2 or 3
  bool locate = false;  ///< instants at which the mode changes end a step (StagedIntegrator)
  Index looks = 4;      ///< in [0, 1000]: StagedIntegrator::looks, where it locates

  friend bool operator==(const ImplicitRadau&, const ImplicitRadau&) = default;
};

[[nodiscard]] std::shared_ptr<const OneStepIntegrator> make_integrator(const ImplicitRadau& scheme);

}  // namespace nonsmooth
