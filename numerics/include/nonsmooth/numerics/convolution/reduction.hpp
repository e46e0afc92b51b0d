// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/convolution/stepping.hpp>

namespace nonsmooth::convolution {

/// What the reduced index costs: the same steps with k and with k + epsilon I.
struct IndexReduction {
  Result exact, reduced;
  double w_error = 0.0;        ///< max over steps of |w_epsilon - w|_inf [unit of w]
  double impulse_error = 0.0;  ///< max over steps of |int_0^{t_n} (z_epsilon - z)|_inf [unit of z times s]

  [[nodiscard]] bool ok() const noexcept { return exact.ok() && reduced.ok(); }
};

/// Cost: two runs. @throws InvalidArgument as solve and reduce_index.
[[nodiscard]] IndexReduction measure_index_reduction(const Problem& problem, double epsilon, const Stepping& options);

}  // namespace nonsmooth::convolution
