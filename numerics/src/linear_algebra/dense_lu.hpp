// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::detail {

/// LU with partial pivoting that keeps its memory and gives the same bits for any number of threads.
class DenseLu {
 public:
  /// Memory for matrices of up to n rows: smaller ones then allocate nothing.
  void reserve(Index n);
  /// Factors A(rows, rows) of a larger A. False if singular to working precision.
  bool factorize_principal(ConstMatrixRef A, const std::vector<Index>& rows);
  bool factorize(ConstMatrixRef A);
  void solve_in_place(VectorRef b) const;
  [[nodiscard]] Index size() const noexcept { return n_; }

 private:
  bool factorize_stored();

  Index n_ = 0;
  std::vector<double> a_;         // column-major, n x n
  std::vector<double> smallest_;  // below it the pivot of a column counts as zero
  std::vector<Index> swaps_;      // row exchanged with row k at step k
  std::vector<double> packed_;    // scratch
};

}  // namespace nonsmooth::detail
