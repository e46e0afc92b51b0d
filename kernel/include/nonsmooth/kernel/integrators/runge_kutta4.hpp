// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/staged_integrator.hpp>

namespace nonsmooth {

/// The classical explicit Runge-Kutta method of four stages, for first-order systems whose multipliers follow from the
/// state at every stage (StagedIntegrator):
///
///     a_21 = a_32 = 1/2, a_43 = 1,    b = (1, 2, 2, 1) / 6,    c = (0, 1/2, 1/2, 1).
///
/// Order 4 where no mode changes. The right side is Lipschitz where D is a P-matrix, so that a step over a change errs
/// by O(h^2), and a run with few of them is of order 2; under relays it jumps, and the order is 1. With `locate` it is
/// 4 again. Stable for h w < 2.8, w a frequency, or h r < 2.78, r a rate of decay. Source: Acary & Brogliato
/// 2008, 1.1.4 and 9.2 [acarybrogliato2008].
struct RungeKutta4 {
  bool locate = false;  ///< instants at which the mode changes end a step (StagedIntegrator)
  Index looks = 4;      ///< in [0, 1000]: StagedIntegrator::looks, where it locates

  friend bool operator==(const RungeKutta4&, const RungeKutta4&) = default;
};

[[nodiscard]] std::shared_ptr<const OneStepIntegrator> make_integrator(const RungeKutta4& scheme);

}  // namespace nonsmooth
