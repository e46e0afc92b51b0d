// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/one_step_integrator.hpp>

namespace nonsmooth {

/// Euler-Moreau time-stepping for first-order systems.
///
///     M (x_{k+1} - x_k) = h (theta f_{k+1} + (1-theta) f_k) + h (w r_{k+1} + (1-w) r_k),  w = multiplier_weight,
///     y = h(t_{k+1}, g x_{k+1} + (1-g) x_k, lambda_{k+1}),                                g = relation_weight.
///
/// Order 1; 2 for theta = 1/2 where no multiplier acts. theta = 1 for stiff systems and states that jump. w = 1: the
/// multiplier is fully implicit, the choice for jumps; w = theta = 1/2: dissipation of the step is that of the averaged
/// multiplier, and free motion keeps its energy, for relations of relative degree 0. Source: Acary & Brogliato 2008,
/// chapter 9 [acarybrogliato2008].
struct EulerMoreau {
  double theta = 0.5;              ///< in [0, 1]
  double multiplier_weight = 1.0;  ///< in (0, 1]
  double relation_weight = 1.0;    ///< in (0, 1]; the output that the state keeps is at t_{k+1} all the same

  friend bool operator==(const EulerMoreau&, const EulerMoreau&) = default;
};

[[nodiscard]] std::shared_ptr<const OneStepIntegrator> make_integrator(const EulerMoreau& scheme);

}  // namespace nonsmooth
