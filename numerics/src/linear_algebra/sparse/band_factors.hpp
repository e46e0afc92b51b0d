// SPDX-License-Identifier: Apache-2.0
#pragma once

// L D L^T of a symmetric matrix of small bandwidth, in the order that it has; not installed.

#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::detail {

/// A = L D L^T of a positive definite A whose entries lie near its diagonal, as those of chains and of small grids do:
/// no order is looked for, nothing is analysed, and columns are added to each other as they lie. Entries that are 0
/// cost nothing, so that A may consist of parts. Cost: sum of the squares of the heights of columns.
/// Source: George, Liu 1981, chapter 4 [george1981].
class BandFactors {
 public:
  /// A := 0, of reach.size() rows. Column j has entries from row j to row reach[j] >= j; L has what lies between, for
  /// which `reach` is made ascending. Keeps its memory.
  void clear(std::vector<int>& reach);
  [[nodiscard]] double& entry(Index i, Index j) noexcept {  ///< A_ij, j <= i <= reach[j], before factorize()
    return values_[static_cast<std::size_t>(j * stride_ + i - j)];
  }
  /// False where a pivot is rounding beside its entry of A, or no number.
  [[nodiscard]] bool factorize();
  void solve_in_place(double* x) const;  ///< x := A^-1 x

  /// The height of the highest column that clear(reach) would make.
  [[nodiscard]] static Index height(const std::vector<int>& reach) noexcept;

 private:
  Index n_ = 0, stride_ = 1;
  std::vector<int> heights_;
  std::vector<double> values_, smallest_;  // column by column, each from its diagonal entry on
};

}  // namespace nonsmooth::detail
