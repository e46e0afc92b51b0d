// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <internal/sparse_room.hpp>
#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>

namespace nonsmooth::friction::internal {

/// A + H^T R^-1 H with R diagonal and positive, the values of Eigen's sparse product and sum, bit for bit, in memory
/// that is kept.
class NormalMatrix {
 public:
  /// For the products that follow; both must stay as they are.
  void prepare(const Eigen::SparseMatrix<double>& A, const Eigen::SparseMatrix<double>& H);
  /// Until the next call. Its pattern is that of the entries stored in A and H, zeros too.
  [[nodiscard]] const Eigen::SparseMatrix<double>& write(const GrowingVector& R);

 private:
  void lay_columns();

  const Eigen::SparseMatrix<double>* A_ = nullptr;
  const Eigen::SparseMatrix<double>* H_ = nullptr;
  std::vector<int> row_begin_, next_, columns_;  // of H by rows
  std::vector<double> values_;
  std::vector<int> begin_, rows_, seen_;  // of the result: where columns begin, their rows; by row, the last column
  std::vector<double> sums_;              // H^T R^-1 H of one column, by row
  Eigen::SparseMatrix<double> matrix_;
  SparseRoom room_;
};

/// A = A^T entry by entry, those that are not stored being zero.
[[nodiscard]] bool is_symmetric(const Eigen::SparseMatrix<double>& A);

}  // namespace nonsmooth::friction::internal
