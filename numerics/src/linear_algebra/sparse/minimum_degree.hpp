// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the factors of block-sparse matrices share: the order of elimination; not installed.

#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::detail {

/// Approximate minimum degree of a symmetric pattern: the order that AMD's amd_order() gives, on memory that is kept.
class MinimumDegree {
 public:
  /// order[k] := the row that is eliminated k-th. Row i has the columns column(begin(i)) .. column(begin(i + 1) - 1),
  /// ascending, its own among them.
  template <class Begin, class Column>
  void order(Index rows, Begin begin, Column column, std::vector<Index>& order) {
    if (!start(rows, rows > 0 ? begin(rows) : 0, order)) return;
    for (Index i = 0; i < rows; ++i) {
      next_row(i);
      for (Index k = begin(i); k < begin(i + 1); ++k)
        if (column(k) != i) add(column(k));
    }
    finish(order);
  }
  /// Memory for any pattern of up to so many rows.
  void reserve(Index rows);

 private:
  [[nodiscard]] bool start(Index rows, Index entries, std::vector<Index>& order);
  void next_row(Index row) { begin_[row] = used_; }
  void add(Index column) { graph_[static_cast<std::size_t>(used_++)] = static_cast<int>(column); }
  void finish(std::vector<Index>& order);

  std::vector<int> graph_, arrays_;
  int* begin_ = nullptr;  // in arrays_
  int rows_ = 0, used_ = 0;
};

/// The most values of the updates that a multifrontal elimination holds at once, whatever the pattern: rows below k
/// fronts that wait for their parents are none of theirs, and one more front is being made.
[[nodiscard]] Index most_waiting_values(Index blocks, Index rows);

}  // namespace nonsmooth::detail
