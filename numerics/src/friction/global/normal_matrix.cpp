// SPDX-License-Identifier: Apache-2.0
#include "normal_matrix.hpp"

#include <algorithm>

#include <internal/at.hpp>

#include "global_bodies.hpp"

namespace nonsmooth::friction::internal {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

}  // namespace

void NormalMatrix::prepare(const Sparse& A, const Sparse& H) {
  A_ = &A;
  H_ = &H;
  const Columns columns(H);
  row_begin_.assign(at(H.rows()) + 1, 0);
  for (Index j = 0; j < H.cols(); ++j)
    for (Index k = columns.begin(j); k < columns.end(j); ++k) ++row_begin_[at(columns.row[k]) + 1];
  for (std::size_t i = 1; i < row_begin_.size(); ++i) row_begin_[i] += row_begin_[i - 1];
  next_.assign(row_begin_.begin(), row_begin_.end());
  columns_.resize(at(row_begin_.back()));
  values_.resize(columns_.size());
  for (Index j = 0; j < H.cols(); ++j)
    for (Index k = columns.begin(j); k < columns.end(j); ++k) {
      const std::size_t to = at(next_[at(columns.row[k])]++);
      columns_[to] = static_cast<int>(j);
      values_[to] = columns.value[k];
    }
  lay_columns();
}

void NormalMatrix::lay_columns() {
  const Columns A(*A_), H(*H_);
  const Index n = A_->cols();
  begin_.assign(1, 0);
  rows_.clear();
  seen_.assign(at(n), -1);
  for (Index j = 0; j < n; ++j) {
    const auto take = [&](int row) {
      if (seen_[at(row)] == static_cast<int>(j)) return;
      seen_[at(row)] = static_cast<int>(j);
      rows_.push_back(row);
    };
    for (Index k = A.begin(j); k < A.end(j); ++k) take(A.row[k]);
    for (Index k = H.begin(j); k < H.end(j); ++k)
      for (int l = row_begin_[at(H.row[k])]; l < row_begin_[at(H.row[k]) + 1]; ++l) take(columns_[at(l)]);
    std::sort(rows_.begin() + begin_.back(), rows_.end());
    begin_.push_back(static_cast<int>(rows_.size()));
  }
  const auto entries = static_cast<Index>(rows_.size());
  room_.shape(n, n, entries, static_cast<Index>(rows_.capacity()), matrix_);
  std::copy(begin_.begin(), begin_.end(), matrix_.outerIndexPtr());
  std::copy(rows_.begin(), rows_.end(), matrix_.innerIndexPtr());
  sums_.assign(at(n), 0.0);
}

const Sparse& NormalMatrix::write(const GrowingVector& R) {
  const Columns A(*A_), H(*H_);
  for (Index j = 0; j < A_->cols(); ++j) {
    const int begin = begin_[at(j)], end = begin_[at(j) + 1];
    for (int e = begin; e < end; ++e) sums_[at(rows_[at(e)])] = 0.0;
    for (Index k = H.begin(j); k < H.end(j); ++k) {
      const std::size_t row = at(H.row[k]);
      const double weighted = (1.0 / R[H.row[k]]) * H.value[k];
      for (int l = row_begin_[row]; l < row_begin_[row + 1]; ++l)
        sums_[at(columns_[at(l)])] += values_[at(l)] * weighted;
    }
    for (Index k = A.begin(j); k < A.end(j); ++k) sums_[at(A.row[k])] = A.value[k] + sums_[at(A.row[k])];
    for (int e = begin; e < end; ++e) matrix_.valuePtr()[e] = sums_[at(rows_[at(e)])];
  }
  return matrix_;
}

bool is_symmetric(const Sparse& A) {
  const Columns columns(A);
  for (Index j = 0; j < A.cols(); ++j)
    for (Index k = columns.begin(j); k < columns.end(j); ++k) {
      const int* const end = columns.row + columns.end(columns.row[k]);
      const int* const found = std::lower_bound(columns.row + columns.begin(columns.row[k]), end, static_cast<int>(j));
      const double mirror = found != end && *found == static_cast<int>(j) ? columns.value[found - columns.row] : 0.0;
      if (!(columns.value[k] - mirror == 0.0)) return false;
    }
  return true;
}

}  // namespace nonsmooth::friction::internal
