// SPDX-License-Identifier: Apache-2.0
#pragma once

// The order in which a sparse matrix is eliminated column by column; not installed.

#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/types.hpp>

#include "minimum_degree.hpp"

namespace nonsmooth::detail {

/// Rows and columns of A (n x n) such that A is block upper triangular with entries on all of its diagonal, with as
/// many blocks as can be: a maximum transversal and the strong components of what it leaves (SuiteSparse's BTF). Rows
/// and columns of a block B come in the order of approximate minimum degree on the pattern of B + B^T. On memory that
/// is kept.
///
/// Source: Davis, Palamadai Natarajan 2010 [davis2010].
class TriangularBlocks {
 public:
  /// False where no choice of rows has an entry in each column: A is singular whatever its values.
  [[nodiscard]] bool analyze(const Eigen::SparseMatrix<double>& A);

  [[nodiscard]] int num_blocks() const noexcept { return num_blocks_; }
  /// The first place of block b; of block num_blocks(): n.
  [[nodiscard]] int begin(int b) const { return begin_[static_cast<std::size_t>(b)]; }
  [[nodiscard]] int row(int place) const { return rows_[static_cast<std::size_t>(place)]; }
  [[nodiscard]] int column(int place) const { return columns_[static_cast<std::size_t>(place)]; }

 private:
  void order_block(const Eigen::SparseMatrix<double>& A, int first, int last);

  int num_blocks_ = 0;
  std::vector<int> begin_, rows_, columns_;
  std::vector<int> work_, place_;    // scratch of BTF; of each row of A its place
  std::vector<Index> from_, to_;     // graph of a block: row i's are to_[from_[i]] .. to_[from_[i + 1] - 1]
  std::vector<Index> next_, order_;  // where row i's next goes; the order found
  std::vector<int> moved_;
  MinimumDegree degree_;
};

}  // namespace nonsmooth::detail
