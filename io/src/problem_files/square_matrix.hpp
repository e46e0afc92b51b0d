// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include <Eigen/SparseCore>

#include <internal/check.hpp>

namespace nonsmooth::problem_files {

/// @throws InvalidArgument naming the argument: not n x n, an entry that is not finite.
inline void require_square(const char* argument, const Eigen::MatrixXd& M, Index n) {
  check::shape(argument, M.rows(), M.cols(), n, n);
  check::finite(argument, ConstMatrixRef(M));
}
inline void require_square(const char* argument, const Eigen::SparseMatrix<double>& M, Index n) {
  check::shape(argument, M.rows(), M.cols(), n, n);
  for (Index j = 0; j < M.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(M, j); entry; ++entry) {
      check::finite(argument, entry.value());
    }
  }
}
inline void require_square(const char* argument,
                           const std::variant<Eigen::MatrixXd, Eigen::SparseMatrix<double>>& matrix, Index n) {
  std::visit([&](const auto& M) { require_square(argument, M, n); }, matrix);
}

}  // namespace nonsmooth::problem_files
