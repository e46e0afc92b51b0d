// SPDX-License-Identifier: Apache-2.0
#include "block_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear_algebra/dense_kernels.hpp"

namespace nonsmooth::friction::internal {
namespace {

/// Up to here a dense LU beats a sparse one whatever the pattern; up to the second where a third of it is filled.
constexpr Index small_dense = 96, large_dense = 1500;
constexpr double dense_share = 0.3;

/// A pivot of round-off among entries of order one, by the number of rows.
constexpr double pivot_round_off = 1e-3 * std::numeric_limits<double>::epsilon();

}  // namespace

void BlockLu::layout(const BlockSparseMatrix& pattern, const std::vector<Index>& first) {
  size_ = first.back();
  const Index blocks = pattern.num_block_rows();
  dense_ = size_ <= small_dense;
  if (!dense_ && size_ <= large_dense) {
    double filled = 0.0;
    for (Index b = 0; b < blocks; ++b)
      for (Index k = pattern.row_begin(b); k < pattern.row_begin(b + 1); ++k)
        filled += static_cast<double>(rows(first, b) * rows(first, pattern.column(k)));
    dense_ = filled > dense_share * static_cast<double>(size_) * static_cast<double>(size_);
  }
  if (dense_) return values_.assign(static_cast<std::size_t>(size_ * size_), 0.0);
  // Rows come one by one: the compressed columns of the transposed matrix.
  outer_.assign(1, 0);
  inner_.clear();
  for (Index b = 0; b < blocks; ++b)
    for (Index i = 0; i < rows(first, b); ++i) {
      for (Index k = pattern.row_begin(b); k < pattern.row_begin(b + 1); ++k)
        for (Index j = row(first, pattern.column(k)); j < row(first, pattern.column(k) + 1); ++j)
          inner_.push_back(static_cast<int>(j));
      outer_.push_back(static_cast<int>(inner_.size()));
    }
  values_.resize(inner_.size());
}

void BlockLu::reserve_dense(Index rows) {
  const auto size = static_cast<std::size_t>(rows);
  values_.reserve(size * size);
  smallest_.reserve(size);
  swaps_.reserve(size);
  packed_.reserve(detail::lu_scratch(rows));
}

bool BlockLu::finish() {
  if (size_ == 0) return true;
  for (const double value : values_)
    if (!std::isfinite(value)) return false;
  if (!dense_) {
    const auto entries = static_cast<Index>(values_.size());
    room_.shape(size_, size_, entries, entries, transposed_);
    std::copy(outer_.begin(), outer_.end(), transposed_.outerIndexPtr());
    std::copy(inner_.begin(), inner_.end(), transposed_.innerIndexPtr());
    std::copy(values_.begin(), values_.end(), transposed_.valuePtr());
    return factors_.factorize(transposed_);
  }
  smallest_.assign(static_cast<std::size_t>(size_), pivot_round_off * static_cast<double>(size_));
  swaps_.resize(static_cast<std::size_t>(size_));
  return detail::lu_in_place(size_, values_.data(), smallest_.data(), swaps_.data(), packed_);
}

void BlockLu::solve_in_place(double* x) const {
  if (size_ == 0) return;
  if (dense_) return detail::lu_solve(size_, values_.data(), swaps_.data(), x);
  Eigen::Map<Eigen::VectorXd> vector(x, size_);
  factors_.solve_transposed_in_place(vector);
}

}  // namespace nonsmooth::friction::internal
