// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/staged_integrator.hpp>

namespace nonsmooth {

/// Explicit Euler by a selection of the multiplier, for first-order systems:
///
///     M (x_{k+1} - x_k) = h (f(t_k, x_k) + g(t_k, x_k, lambda_k)),    lambda_k from x_k (StagedIntegrator).
///
/// Order 1. For xdot in f - A(x), A maximal monotone, order 1/2 at least in theory and 1 where A is that of relays; the
/// state does not slide on a surface but crosses it in each step, within h times the size of the jump of xdot
/// (chattering). Stable for h |eigenvalue + 1/h| <= 1. Source: Acary & Brogliato 2008, 9.2 [acarybrogliato2008].
struct ExplicitEuler {
  bool locate = false;  ///< instants at which the mode changes end a step (StagedIntegrator)
  Index looks = 4;      ///< in [0, 1000]: StagedIntegrator::looks, where it locates

  friend bool operator==(const ExplicitEuler&, const ExplicitEuler&) = default;
};

[[nodiscard]] std::shared_ptr<const OneStepIntegrator> make_integrator(const ExplicitEuler& scheme);

}  // namespace nonsmooth
