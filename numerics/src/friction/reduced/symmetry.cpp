// SPDX-License-Identifier: Apache-2.0
#include "symmetry.hpp"

#include <algorithm>
#include <cmath>

namespace nonsmooth::friction::internal {

bool is_symmetric(const BlockSparseMatrix& W, double tolerance) {
  const auto diagonal = [&](Index b, Index i) { return std::abs(W.block(b, W.diagonal(b))(i, i)); };
  for (Index b = 0; b < W.num_block_rows(); ++b)
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
      const Index other = W.column(k), mirror = W.find(other, b);
      for (Index j = 0; j < W.size(other); ++j)
        for (Index i = 0; i < W.size(b); ++i) {
          const double entry = W.block(b, k)(i, j), twin = mirror < 0 ? 0.0 : W.block(other, mirror)(j, i);
          const double size =
              std::max({std::abs(entry), std::abs(twin), std::sqrt(diagonal(b, i) * diagonal(other, j))});
          if (std::abs(entry - twin) > tolerance * size) return false;
        }
    }
  return true;
}

}  // namespace nonsmooth::friction::internal
