// SPDX-License-Identifier: Apache-2.0
#pragma once

// The peer's side of nonlinear complementarity. Plain declarations: the peer's headers are C++17, ours C++20.

#include <functional>
#include <memory>
#include <vector>

#include <benchmarks/peer/complementarity.hpp>

namespace peer {

/// 0 <= z ⟂ F(z) >= 0. The Jacobian's pattern is given once, column by column; `jacobian` writes its entries in this
/// order.
struct NonlinearMap {
  std::function<void(const double* z, double* F)> value;
  std::function<void(const double* z, double* entries)> jacobian;
  std::vector<int> first, row;  ///< n + 1 places of the columns' first entries, and the rows of all
};

/// Newton's methods with line search (FB and min) and dense factors.
[[nodiscard]] std::unique_ptr<Complementarity> nonlinear(const NonlinearMap& map);

}  // namespace peer
