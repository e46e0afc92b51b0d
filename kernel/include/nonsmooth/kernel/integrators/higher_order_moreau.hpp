// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/one_step_integrator.hpp>

namespace nonsmooth {

/// The scheme of the higher-order sweeping process, for first-order systems whose constraint has levels
/// (link_higher_order(), which has the equations), of any relative degree r >= 1:
///
///     M (x_{k+1} - x_k) = h f_{k+1} + sum_i E_i mu_i,    z_{k+1} = z(x_{k+1}),    mu_i = h lambda_i,
///
/// drift, multipliers and outputs at the end of the step, h lambda_i the measure of level i over it: the only weights
/// under which a measure that is an atom takes part with its size, whatever h. On what has no levels it is EulerMoreau
/// with theta = 1. Order 1, through jumps in the Hausdorff distance of the graphs. It has no parameter. Source: Acary,
/// Brogliato & Goeleven 2008 [acary2008].
struct HigherOrderMoreau {
  friend bool operator==(const HigherOrderMoreau&, const HigherOrderMoreau&) = default;
};

[[nodiscard]] std::shared_ptr<const OneStepIntegrator> make_integrator(const HigherOrderMoreau& scheme);

}  // namespace nonsmooth
