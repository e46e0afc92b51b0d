// SPDX-License-Identifier: Apache-2.0
#pragma once

// LU of any sparse matrix on memory that is kept; not installed.

#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/types.hpp>

#include "triangular_blocks.hpp"

namespace nonsmooth::detail {

/// P R A Q = L U + F of a sparse matrix A (n x n), column by column: R divides each row by its largest entry, P and Q
/// make it block upper triangular (TriangularBlocks), F is what stands above the blocks of the diagonal. Within a block
///
///     L x = b_k   gives column k of U (rows that have been pivots) and of L (those that have not, divided by the
///     pivot),
///
/// in time proportional to the products that it needs: a depth-first search through the columns of L finds which. The
/// pivot is the row of the block's diagonal while |x_d| >= 1e-3 max |x_i|, so that the order keeps what is sparse so,
/// else the largest entry, whose own place then has the row that was not taken as its diagonal. Pivots are those of the
/// values, whatever was factored before, so that the bits do not depend on it.
///
/// What KLU does, which allocates its factors in each call; here their memory is kept, and grows with the most entries
/// that they had.
/// Source: Gilbert, Peierls 1988 [gilbert1988]; Eisenstat, Liu 1992 [eisenstat1992] (what of a column is searched).
class ColumnLu {
 public:
  /// Orders; needed again for another pattern. False where A is singular whatever its values.
  [[nodiscard]] bool analyze(const Eigen::SparseMatrix<double>& A);
  /// False where a row or all that is left of a column vanishes, or an entry of A or of L is not finite. A's pattern is
  /// that of analyze().
  [[nodiscard]] bool factorize(const Eigen::SparseMatrix<double>& A);
  /// The smallest |U_kk| over the largest, of rows divided by their largest entries.
  [[nodiscard]] double pivot_ratio() const noexcept { return smallest_pivot_ / largest_pivot_; }
  /// b := A^-1 b, or A^-T b, of the last factors. Of one thread at a time.
  void solve_in_place(MatrixRef b, bool transposed);

 private:
  /// Columns of one factor: of column k the entries begin[k] .. begin[k + 1] - 1.
  struct Columns {
    std::vector<int> rows;
    std::vector<double> values;
    std::vector<Index> begin;

    void clear();
    void add(int row, double value) { rows.push_back(row), values.push_back(value); }
    void end_column() { begin.push_back(std::ssize(rows)); }
  };

  [[nodiscard]] bool scale_rows(const Eigen::SparseMatrix<double>& A);
  void start();
  void reach(const Eigen::SparseMatrix<double>& A, int place, int first_place);
  void search(int row);
  void eliminate();
  [[nodiscard]] bool choose_pivot(int place);
  void prune(int place);
  template <int width>
  void solve_columns(MatrixRef b);
  template <int width>
  void solve_transposed_columns(MatrixRef b);

  TriangularBlocks order_;
  Columns lower_, upper_, above_;  // L without its diagonal of ones, U without its pivots, F
  std::vector<double> pivots_, largest_in_row_;
  double smallest_pivot_ = 0.0, largest_pivot_ = 0.0;
  std::vector<int> place_, pivot_row_;  // of each row of A, the place at which it was pivot, -1 before; and back
  std::vector<int> diagonal_row_, diagonal_place_;  // of each place the row that is to be its pivot; and back
  // Scratch of a column: its values by row of A; rows that have not been pivots; places whose columns it needs, in the
  // reverse of the order of elimination.
  std::vector<double> x_;
  std::vector<int> open_rows_, needed_, seen_;
  std::vector<int> path_;            // the search: places on the way down
  std::vector<Index> searched_;      // and up to where each has been looked at
  std::vector<Index> searched_end_;  // of each column of L, where its search ends (pruned), -1 before
  std::vector<double> solution_;
};

}  // namespace nonsmooth::detail
