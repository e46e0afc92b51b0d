// SPDX-License-Identifier: Apache-2.0
#include "block_selection.hpp"

namespace nonsmooth::impacts {

void BlockSelection::take(const BlockSparseMatrix& from, BlockSparseMatrix& to) {
  sizes_.clear();
  begin_.assign(static_cast<std::size_t>(from.num_block_rows()) + 1, 0);
  for (const Part& part : parts_) {
    sizes_.push_back(part.size);
    ++begin_[static_cast<std::size_t>(part.block) + 1];
  }
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  const auto each_column = [&](Index p, auto visit) {  // (block of `from`, part) on the columns of part p
    const Index i = block(p);
    for (Index k = from.row_begin(i); k < from.row_begin(i + 1); ++k) {
      const auto j = static_cast<std::size_t>(from.column(k));
      for (Index other = begin_[j]; other < begin_[j + 1]; ++other) visit(k, other);
    }
  };
  to.begin_pattern(sizes_);
  for (Index p = 0; p < num_parts(); ++p) {
    each_column(p, [&](Index, Index other) { to.insert(other); });
    to.next_row();
  }
  to.end_pattern();
  for (Index p = 0; p < num_parts(); ++p) {
    each_column(p, [&](Index k, Index other) {
      const auto values = from.block(block(p), k);
      auto taken = to.block(p, to.find(p, other));
      for (Index c = 0; c < size(other); ++c) {
        for (Index r = 0; r < size(p); ++r) {
          const Index a = row(p, r), b = row(other, c);
          taken(r, c) = a >= 0 && b >= 0 ? values(a, b) : p == other && r == c ? values(r, c) : 0.0;
        }
      }
    });
  }
}

}  // namespace nonsmooth::impacts
