// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::problem_files {

using SparseIndex = Eigen::SparseMatrix<double>::StorageIndex;
using Triplet = Eigen::Triplet<double, SparseIndex>;

/// Of a size or an index: what the index type of sparse matrices holds.
inline constexpr Index largest_size = std::numeric_limits<SparseIndex>::max();

/// The most entries [128 MiB], those of 4096 x 4096, that a matrix may get by filling in zeros its file does not hold.
inline constexpr Index largest_fill = Index{1} << 24;

/// A matrix as a file stores it, before the class of the problem says which form it takes.
struct StoredMatrix {
  enum class Storage : unsigned char { Dense, BlockSparse, Sparse };
  struct Block {
    Index row = 0, column = 0;
    std::size_t begin = 0;  ///< of its values, column-major, in `values`
  };

  Storage storage = Storage::Dense;
  Index rows = 0, columns = 0;
  Eigen::MatrixXd dense;                    ///< Dense
  Eigen::SparseMatrix<double> sparse;       ///< Sparse, compressed
  std::vector<Index> row_offsets = {0};     ///< BlockSparse: where block rows begin, and the end
  std::vector<Index> column_offsets = {0};  ///< BlockSparse
  std::vector<Block> blocks;                ///< BlockSparse: row by row
  std::vector<double> values;               ///< BlockSparse

  [[nodiscard]] Index num_stored() const noexcept;
  /// Zeros filled in. @throws InvalidArgument beyond largest_fill.
  [[nodiscard]] Eigen::MatrixXd to_dense() const;
  /// What is stored; of a dense matrix what is not zero.
  [[nodiscard]] Eigen::SparseMatrix<double> to_sparse() const;
  /// In square blocks of these sizes, which sum to rows = columns: the blocks in which something is stored (of a dense
  /// matrix: something is not zero), and the diagonal ones. @throws InvalidArgument beyond largest_fill.
  [[nodiscard]] BlockSparseMatrix to_blocks(const std::vector<Index>& sizes) const;
};

}  // namespace nonsmooth::problem_files
