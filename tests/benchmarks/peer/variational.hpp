// SPDX-License-Identifier: Apache-2.0
#pragma once

// The peer's side of variational inequalities on sets with a projection, and of linear complementarity on second-order
// cones. Plain declarations: the peer's headers are C++17, ours C++20.

#include <functional>
#include <memory>
#include <vector>

#include <benchmarks/peer/complementarity.hpp>

namespace peer {

struct Variational {
  int size = 0;
  std::function<void(const double* x, double* F)> value;
  std::function<void(const double* y, double* x)> project;  ///< x := P_K(y)
};

/// F(x)·(y - x) >= 0 for all y in K: extragradient, fixed point of the projection.
[[nodiscard]] std::unique_ptr<Complementarity> variational(const Variational& inequality);

/// z in K, M z + q in K, z·(M z + q) = 0, K cones |z_1..| <= z_0 of the given numbers of rows; M dense, column by
/// column. Block Gauss-Seidel: its detours by the variational inequality abort.
[[nodiscard]] std::unique_ptr<Complementarity> second_order_cones(const std::vector<double>& M,
                                                                  const std::vector<double>& q,
                                                                  const std::vector<int>& rows);

}  // namespace peer
