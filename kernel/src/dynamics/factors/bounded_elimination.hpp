// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

/// Gaussian elimination that knows what round-off may have left of each entry, so that zeros are told from pivots.
namespace nonsmooth {

/// Bounds of the round-off in a given matrix: an entry that is not zero may err by 16 n eps of the size that its row
/// and column have, 2^-(r_i + c_j), where r and c minimise the sum of (log2 |A_ij| + r_i + c_j)^2 over these entries
/// (by sweeps over rows and columns; sixteen at most). Units of rows and columns scale entries and bounds alike.
/// Source: Curtis and Reid 1972 [curtis1972].
[[nodiscard]] Eigen::MatrixXd round_off_bounds(const Eigen::MatrixXd& A);

/// Rows with a bound of the error of each entry, brought to echelon form. A row loses the multiple p of a pivot's row
/// and its bounds gain |p| of that row's bounds, the error of p times that row, and the round-off of the sum. The next
/// pivot is the entry that is the largest of its bound; entries within their bounds are no pivots. So no decision
/// depends on units of rows or columns.
class BoundedElimination {
 public:
  /// Of the first `candidates` columns pivots are chosen; the others follow. Bounds are >= 0 and of the entries' shape.
  BoundedElimination(const Eigen::MatrixXd& entries, const Eigen::MatrixXd& bounds, Index candidates);

  /// Pivots until none is left.
  void run();

  /// Rows without a pivot, zero to their bounds in the first half, take their second half in its place and zeros in
  /// the second, and lose what the pivots' rows eliminate. The candidates must be half of the columns.
  void shift_rest();

  [[nodiscard]] Index rank() const { return rank_; }
  [[nodiscard]] std::vector<Index> rows() const { return rows_; }  ///< those of the pivots in their order, then others
  [[nodiscard]] std::vector<Index> columns() const;                ///< of the candidates; the others ascending

 private:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  [[nodiscard]] std::pair<Index, Index> next_pivot() const;
  void eliminate(Index pivot, Index row);

  Rows entries_, bounds_;
  Index candidates_, rank_ = 0;
  std::vector<Index> rows_, pivot_columns_;
  std::vector<char> has_pivot_;  ///< of each candidate
};

}  // namespace nonsmooth
