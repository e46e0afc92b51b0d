// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// A square matrix of dense blocks in compressed block rows, with variable block sizes and 64-bit offsets.
///
/// Block row i owns rows offset(i) .. offset(i+1)-1. Its blocks lie one after the other, sorted by block column
/// (the diagonal block always present), each column-major. Where all blocks have one size of 1, 2 or 3, products run
/// fixed-size kernels, chosen once per call; mixed sizes take a general path. A pattern is laid once
/// (begin_pattern, insert..., end_pattern) and its values are written as often as wanted: nothing is allocated while
/// the new pattern is no larger than any seen before.
class BlockSparseMatrix {
 public:
  BlockSparseMatrix() = default;

  /// Starts a new pattern of `sizes.size()` block rows, each block of size >= 1. Values are lost.
  /// @throws InvalidArgument a size < 1, more rows in all than memory could hold (the matrix is then empty, as after
  /// every throw of these four).
  void begin_pattern(const std::vector<Index>& sizes);
  /// Block row by block row, in order, columns in any order but each once; call next_row() after each row.
  void insert(Index block_column) { columns_.push_back(block_column); }
  /// Ends one block row: sorts its columns and adds the diagonal block if it is missing. Cost: linear in the row's
  /// length for short rows that come nearly sorted. @throws InvalidArgument a column out of range or inserted twice,
  /// more rows than sizes.
  void next_row();
  /// Lays out and zeroes the values. @throws InvalidArgument fewer rows than sizes, more entries than memory could
  /// hold.
  void end_pattern();

  [[nodiscard]] Index num_block_rows() const noexcept { return static_cast<Index>(offsets_.size()) - 1; }
  [[nodiscard]] Index rows() const noexcept { return offsets_.back(); }
  [[nodiscard]] Index num_blocks() const noexcept { return static_cast<Index>(columns_.size()); }
  [[nodiscard]] Index offset(Index block_row) const noexcept { return offsets_[static_cast<std::size_t>(block_row)]; }
  [[nodiscard]] Index size(Index block_row) const noexcept { return offset(block_row + 1) - offset(block_row); }
  /// The common block size, or 0 where sizes differ (or the matrix is empty).
  [[nodiscard]] Index uniform_size() const noexcept { return uniform_size_; }

  /// Blocks of row i are numbered row_begin(i) .. row_begin(i+1)-1.
  [[nodiscard]] Index row_begin(Index block_row) const noexcept {
    return row_begin_[static_cast<std::size_t>(block_row)];
  }
  [[nodiscard]] Index column(Index block) const noexcept { return columns_[static_cast<std::size_t>(block)]; }
  [[nodiscard]] Index diagonal(Index block_row) const noexcept {
    return diagonal_[static_cast<std::size_t>(block_row)];
  }
  [[nodiscard]] double* values(Index block) noexcept {
    return values_.data() + value_begin_[static_cast<std::size_t>(block)];
  }
  [[nodiscard]] const double* values(Index block) const noexcept {
    return values_.data() + value_begin_[static_cast<std::size_t>(block)];
  }
  /// All values, block after block.
  [[nodiscard]] Eigen::Map<const Eigen::VectorXd> entries() const noexcept {
    return {values_.data(), static_cast<Index>(values_.size())};
  }
  /// The number of the block (i, j), or -1 where the pattern has none. Cost: log of the row's length.
  [[nodiscard]] Index find(Index block_row, Index block_column) const noexcept;
  /// A view of one block, size(row) x size(column). The caller knows the row a block belongs to.
  [[nodiscard]] Eigen::Map<Eigen::MatrixXd> block(Index block_row, Index block) noexcept;
  [[nodiscard]] Eigen::Map<const Eigen::MatrixXd> block(Index block_row, Index block) const noexcept;

  void set_zero() noexcept;

  /// y = A x + b, without a temporary; x, y, b of rows() entries, y distinct from x. y may be b.
  /// @throws InvalidArgument on other sizes.
  void multiply_add(ConstVectorRef x, ConstVectorRef b, VectorRef y) const;
  /// y = sum over the blocks j of row i of A_ij x_j, for one block row; y has size(i) entries.
  void multiply_row(Index block_row, ConstVectorRef x, VectorRef y) const {
    multiply_row(block_row, x.data(), y.data());
  }
  /// The same behind pointers, for inner loops: x of rows() entries, y of size(i) entries outside x.
  void multiply_row(Index block_row, const double* x, double* y) const noexcept {
    switch (uniform_size_) {
      case 1:
        return multiply_row_fixed<1>(block_row, x, y);
      case 2:
        return multiply_row_fixed<2>(block_row, x, y);
      case 3:
        return multiply_row_fixed<3>(block_row, x, y);
      default:
        return multiply_row_general(block_row, x, y);
    }
  }
  /// The same for a caller that has tested uniform_size() == N once outside its loop.
  template <int N>
  void multiply_row_fixed(Index block_row, const double* x, double* y) const noexcept {
    double sum[N] = {};
    const Index begin = row_begin(block_row), end = row_begin(block_row + 1);
    const double* a = values_.data() + begin * (N * N);
    const Index* column = columns_.data();
    for (Index k = begin; k < end; ++k, a += N * N) {
      const double* xj = x + column[k] * N;
      for (int c = 0; c < N; ++c) {
        for (int r = 0; r < N; ++r) sum[r] += a[c * N + r] * xj[c];
      }
    }
    for (int r = 0; r < N; ++r) y[r] = sum[r];
  }

  [[nodiscard]] Eigen::MatrixXd to_dense() const;
  void to_dense(MatrixRef dense) const;                         ///< the same into a caller's matrix, without allocation
  [[nodiscard]] Eigen::SparseMatrix<double> to_sparse() const;  ///< column-major, structural zeros of blocks kept

 private:
  template <int N>
  void multiply_add_fixed(const double* x, const double* b, double* y) const noexcept;
  void multiply_row_general(Index block_row, const double* x, double* y) const noexcept;
  void reset() noexcept;

  std::vector<Index> offsets_ = {0}, row_begin_ = {0}, columns_, value_begin_, diagonal_;
  std::vector<double> values_;
  Index uniform_size_ = 0;
};

}  // namespace nonsmooth
