// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/one_step_integrator.hpp>

namespace nonsmooth {

/// Zero-order hold for linear first-order systems with constant A: exact in A, inputs held over the step,
///
///     x_{k+1} = e^{A h} x_k + (integral_0^h e^{A s} ds) M^-1 (b + r_{k+1}),
///
/// b at t_{k+1} or t_k. Exact for constant inputs, whatever h; order 1 otherwise. A stands for M^-1 A where there is M.
struct ZeroOrderHold {
  enum class Sample : unsigned char { End, Start };
  Sample sample = Sample::End;  ///< where in the step b(t) is taken; End as implicit multipliers are

  friend bool operator==(const ZeroOrderHold&, const ZeroOrderHold&) = default;
};

[[nodiscard]] std::shared_ptr<const OneStepIntegrator> make_integrator(const ZeroOrderHold& scheme);

}  // namespace nonsmooth
