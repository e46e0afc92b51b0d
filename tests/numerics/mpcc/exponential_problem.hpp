// SPDX-License-Identifier: Apache-2.0
// A smooth program with one pair, both of whose minimisers are known.
#pragma once

#include <cmath>

#include <nonsmooth/numerics/mpcc.hpp>

namespace nonsmooth::exponential_problem {

/// x_i of two unknowns.
inline NonlinearMap coordinate(Index i) {
  return {.num_unknowns = 2, .num_values = 1, .value = [i](ConstVectorRef x, VectorRef f) { f[0] = x[i]; }};
}

/// exp(x) - 2 x + (y - 1)^2 on 0 <= x ⟂ y >= 0: (log 2, 0) of value 3 - 2 log 2, and (0, 1) of value 1, the minimiser
/// of its piece alone as there f_x = -1 < 0, which u = -1 tells where y = 1 > 0: not on beta, so S all the same.
inline mpcc::NonlinearProblem exponential() {
  return {.f = {.num_unknowns = 2,
                .num_values = 1,
                .value = [](ConstVectorRef x,
                            VectorRef f) { f[0] = std::exp(x[0]) - 2.0 * x[0] + (x[1] - 1.0) * (x[1] - 1.0); },
                .dense_jacobian = [](ConstVectorRef x, MatrixRef J) { J << std::exp(x[0]) - 2.0, 2.0 * x[1] - 2.0; }},
          .G = coordinate(0),
          .H = coordinate(1)};
}

}  // namespace nonsmooth::exponential_problem
