// SPDX-License-Identifier: Apache-2.0
#include "neighborhood.hpp"

#include <algorithm>

#include <internal/at.hpp>

namespace nonsmooth::friction::internal {

void Neighborhood::prepare(const mixed::Problem& problem) {
  problem_ = &problem;
  local_.assign(at(problem.W.num_block_rows()), -1);
  blocks_.clear();
}

void Neighborhood::find(Index center, Index size) {
  const BlockSparseMatrix& W = problem_->W;
  for (const Index block : blocks_) local_[at(block)] = -1;
  blocks_.assign(1, center);
  local_[at(center)] = 0;
  for (std::size_t k = 0; k < blocks_.size() && static_cast<Index>(blocks_.size()) < size; ++k)
    for (Index e = W.row_begin(blocks_[k]); e < W.row_begin(blocks_[k] + 1); ++e) {
      if (local_[at(W.column(e))] >= 0) continue;
      local_[at(W.column(e))] = 0;
      blocks_.push_back(W.column(e));
    }
  std::sort(blocks_.begin(), blocks_.end());
  for (std::size_t k = 0; k < blocks_.size(); ++k) local_[at(blocks_[k])] = static_cast<Index>(k);
}

void Neighborhood::take(Index center, Index size, ConstVectorRef r) {
  const BlockSparseMatrix& W = problem_->W;
  find(center, size);
  sizes_.clear();
  part_.K.clear();
  for (const Index block : blocks_) {
    sizes_.push_back(W.size(block));
    part_.K.push_back(problem_->K[block], W.size(block));
  }
  part_.W.begin_pattern(sizes_);
  for (const Index block : blocks_) {
    for (Index e = W.row_begin(block); e < W.row_begin(block + 1); ++e)
      if (local_[at(W.column(e))] >= 0) part_.W.insert(local_[at(W.column(e))]);
    part_.W.next_row();
  }
  part_.W.end_pattern();
  part_.q.resize(part_.W.rows());
  start_.resize(part_.W.rows());
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Index block = blocks_[k], row = static_cast<Index>(k), n = W.size(block), o = part_.W.offset(row);
    start_.segment(o, n) = r.segment(W.offset(block), n);
    auto q = part_.q.segment(o, n);
    q = problem_->q.segment(W.offset(block), n);
    // Blocks are ascending, so a row's blocks lie in the same order in both.
    Index to = part_.W.row_begin(row);
    for (Index e = W.row_begin(block); e < W.row_begin(block + 1); ++e) {
      const Index column = W.column(e);
      if (local_[at(column)] >= 0)
        std::copy_n(W.values(e), n * W.size(column), part_.W.values(to++));
      else
        q.noalias() += W.block(block, e) * r.segment(W.offset(column), W.size(column));
    }
  }
}

void Neighborhood::scatter(ConstVectorRef part, VectorRef r) const {
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Index block = blocks_[k], n = problem_->W.size(block);
    r.segment(problem_->W.offset(block), n) = part.segment(part_.W.offset(static_cast<Index>(k)), n);
  }
}

}  // namespace nonsmooth::friction::internal
