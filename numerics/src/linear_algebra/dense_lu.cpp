// SPDX-License-Identifier: Apache-2.0
#include "dense_lu.hpp"

#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>

#include "dense_kernels.hpp"

namespace nonsmooth::detail {

void DenseLu::reserve(Index n) {
  const auto rows = static_cast<std::size_t>(n);
  a_.reserve(rows * rows);
  smallest_.reserve(rows);
  swaps_.reserve(rows);
  packed_.reserve(lu_scratch(n));
}

bool DenseLu::factorize_principal(ConstMatrixRef A, const std::vector<Index>& rows) {
  n_ = static_cast<Index>(rows.size());
  a_.resize(static_cast<std::size_t>(n_ * n_));
  double* to = a_.data();
  for (const Index j : rows) {
    const double* const from = A.data() + j * A.outerStride();
    for (const Index i : rows) *to++ = from[i];
  }
  return factorize_stored();
}

bool DenseLu::factorize(ConstMatrixRef A) {
  n_ = A.rows();
  a_.resize(static_cast<std::size_t>(n_ * n_));
  Eigen::Map<Eigen::MatrixXd>(a_.data(), n_, n_) = A;
  return factorize_stored();
}

bool DenseLu::factorize_stored() {
  // A pivot counts as zero where it is no more than what elimination leaves of one: n eps times its column's largest.
  smallest_.resize(static_cast<std::size_t>(n_));
  swaps_.resize(static_cast<std::size_t>(n_));
  const double* column = a_.data();
  for (double& smallest : smallest_) {
    double largest = 0.0;
    for (Index i = 0; i < n_; ++i) largest = std::max(largest, std::abs(column[i]));
    smallest = static_cast<double>(n_) * eps * largest;
    column += n_;
  }
  return lu_in_place(n_, a_.data(), smallest_.data(), swaps_.data(), packed_);
}

void DenseLu::solve_in_place(VectorRef b) const { lu_solve(n_, a_.data(), swaps_.data(), b.data()); }

}  // namespace nonsmooth::detail
