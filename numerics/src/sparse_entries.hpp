// SPDX-License-Identifier: Apache-2.0
// What the families do with each entry of a sparse matrix; not installed.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include <Eigen/SparseCore>

#include <internal/check.hpp>

namespace nonsmooth::detail {

/// each(row, column, value), column by column.
template <class Each>
void for_each_entry(const Eigen::SparseMatrix<double>& M, Each&& each) {
  for (Index j = 0; j < M.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(M, j); it; ++it) each(it.row(), j, it.value());
  }
}

/// The same of a dense matrix, entries that are 0 among them.
template <class Each>
void for_each_entry(const Eigen::MatrixXd& M, Each&& each) {
  for (Index j = 0; j < M.cols(); ++j) {
    for (Index i = 0; i < M.rows(); ++i) each(i, j, M(i, j));
  }
}

/// As check::finite of a dense matrix.
inline void check_finite(std::string_view argument, const Eigen::SparseMatrix<double>& M) {
  for_each_entry(M, [argument](Index i, Index j, double value) {
    if (std::isfinite(value)) return;
    throw InvalidArgument(std::string(argument),
                          check::text(value) + " in entry (" + std::to_string(i) + ", " + std::to_string(j) + ")",
                          "finite entries");
  });
}
inline void check_finite(std::string_view argument, const Eigen::MatrixXd& M) {
  check::finite(argument, ConstMatrixRef(M));
}

/// s_i of the certificates: M_ii where positive, else the largest |M_ij| of the row, else 1.
inline void row_scales(const Eigen::SparseMatrix<double>& M, VectorRef s) {
  Eigen::VectorXd largest = Eigen::VectorXd::Zero(s.size());
  s.setZero();
  for_each_entry(M, [&](Index i, Index j, double value) {
    largest[i] = std::max(largest[i], std::abs(value));
    if (i == j) s[j] = value;
  });
  for (Index i = 0; i < s.size(); ++i) {
    if (s[i] > 0.0) continue;
    s[i] = largest[i] > 0.0 ? largest[i] : 1.0;
  }
}

}  // namespace nonsmooth::detail
