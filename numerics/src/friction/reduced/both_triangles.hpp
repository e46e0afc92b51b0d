// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include <internal/at.hpp>
#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>

namespace nonsmooth::friction::internal {

/// The pattern of W with both triangles, as factors want it: (j, i) wherever W has (i, j).
class BothTriangles {
 public:
  struct Entry {
    Index column, block;  // block of W, -1: zero
  };

  /// That of another matrix. Keeps its memory.
  void prepare(const BlockSparseMatrix& W) {
    const Index rows = W.num_block_rows();
    begin_.assign(at(rows) + 1, 0);
    each(W, [&](Index row, Entry) { ++begin_[at(row)]; });
    Index sum = 0;
    for (Index& begin : begin_) {
      sum += begin;
      begin = sum;  // where the row ends, until its entries are in
    }
    entries_.resize(at(sum));
    each(W, [&](Index row, Entry entry) { entries_[at(--begin_[at(row)])] = entry; });
    for (Index i = 0; i < rows; ++i)
      std::sort(entries_.begin() + begin(i), entries_.begin() + begin(i + 1),
                [](const Entry& a, const Entry& b) { return a.column < b.column; });
  }
  void reserve(Index block_rows) {
    begin_.reserve(at(block_rows) + 1);
    entries_.reserve(at(block_rows * block_rows));
  }

  /// Entries of row i are begin(i) .. begin(i + 1) - 1, by column.
  [[nodiscard]] Index begin(Index i) const { return begin_[at(i)]; }
  [[nodiscard]] const Entry& operator[](Index k) const { return entries_[at(k)]; }

 private:
  template <class Visit>
  static void each(const BlockSparseMatrix& W, Visit visit) {
    for (Index i = 0; i < W.num_block_rows(); ++i)
      for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
        visit(i, Entry{W.column(k), k});
        if (W.find(W.column(k), i) < 0) visit(W.column(k), Entry{i, -1});
      }
  }

  std::vector<Index> begin_;
  std::vector<Entry> entries_;
};

}  // namespace nonsmooth::friction::internal
