// SPDX-License-Identifier: Apache-2.0
#include "interfaces.hpp"

#include <algorithm>
#include <numeric>

#include <internal/at.hpp>

namespace nonsmooth::friction::internal {
namespace {

/// Eigenvalues of a group below this share of its largest are round-off of zeros; what the basis then leaves out of W
/// may be this large beside the largest entry of the group.
constexpr double rank_tolerance = 1e-11, left_out = 1e-10;

/// Rows that must remain at most for the products with V to pay.
constexpr double worth = 0.75;

}  // namespace

void Interfaces::prepare(const mixed::Problem& problem, ConstVectorRef root) {
  const BlockSparseMatrix& W = problem.W;
  useful_ = false;
  if (W.rows() <= small) return;
  basis_begin_.clear();
  bases_.clear();
  group(W);
  if (num_groups() == W.num_block_rows()) return;
  useful_ = compress(W, root);
}

void Interfaces::reserve(Index blocks) {
  for (std::vector<Index>* each : {&order_, &group_of_, &begin_, &members_, &local_}) each->reserve(at(blocks) + 2);
}

/// Blocks with the same pattern in their rows of W, in groups by the first of each.
void Interfaces::group(const BlockSparseMatrix& W) {
  const Index blocks = W.num_block_rows();
  const auto compare = [&](Index a, Index b) {  // the patterns, word by word
    const Index rows_a = W.row_begin(a + 1) - W.row_begin(a), rows_b = W.row_begin(b + 1) - W.row_begin(b);
    for (Index k = 0; k < std::min(rows_a, rows_b); ++k) {
      const Index one = W.column(W.row_begin(a) + k), other = W.column(W.row_begin(b) + k);
      if (one != other) return one < other ? -1 : 1;
    }
    return rows_a == rows_b ? 0 : (rows_a < rows_b ? -1 : 1);
  };
  order_.resize(at(blocks));
  std::iota(order_.begin(), order_.end(), Index{0});
  std::sort(order_.begin(), order_.end(), [&](Index a, Index b) {
    const int order = compare(a, b);
    return order != 0 ? order < 0 : a < b;
  });
  // The first block of each group, then its number.
  group_of_.resize(at(blocks));
  for (Index k = 0; k < blocks; ++k) {
    const Index block = order_[at(k)];
    const bool fresh = k == 0 || compare(order_[at(k - 1)], block) != 0;
    group_of_[at(block)] = fresh ? block : group_of_[at(order_[at(k - 1)])];
  }
  begin_.assign(1, 0);
  for (Index b = 0; b < blocks; ++b) {
    const Index first = group_of_[at(b)];
    if (first == b) begin_.push_back(0);
    group_of_[at(b)] = first == b ? num_groups() - 1 : group_of_[at(first)];
    ++begin_[at(group_of_[at(b)] + 1)];
  }
  for (std::size_t g = 1; g < begin_.size(); ++g) begin_[g] += begin_[g - 1];
  members_.resize(at(blocks));
  for (Index b = blocks; b-- > 0;) members_[at(--begin_[at(group_of_[at(b)] + 1)])] = b;
  // Each begin is now that of the group before.
  begin_.erase(begin_.begin());
  begin_.push_back(blocks);
}

Index Interfaces::rows_of(const BlockSparseMatrix& W, Index group) const {
  Index rows = 0;
  for (Index m = begin(group); m < begin(group + 1); ++m) rows += W.size(member(m));
  return rows;
}

/// whole_ := rho^(1/2) W rho^(1/2) between all blocks of two groups.
void Interfaces::write_between(const BlockSparseMatrix& W, ConstVectorRef root, Index g, Index h) {
  whole_.resize(rows_of(W, g), rows_of(W, h));
  whole_.setZero();
  for (Index m = begin(g); m < begin(g + 1); ++m)
    for (Index l = begin(h); l < begin(h + 1); ++l) {
      const Index row = member(m), column = member(l), k = W.find(row, column);
      if (k < 0) continue;
      whole_.block(local_[at(m)], local_[at(l)], W.size(row), W.size(column)) =
          root.segment(W.offset(row), W.size(row)).asDiagonal() * W.block(row, k) *
          root.segment(W.offset(column), W.size(column)).asDiagonal();
    }
}

/// V of each group. False where they save too little.
bool Interfaces::find_bases(const BlockSparseMatrix& W, ConstVectorRef root) {
  constexpr Index largest_group = 150;  // rows: their eigenvectors cost less than one factorization of the whole
  const auto may_shrink = [&](Index g) { return begin(g + 1) - begin(g) > 1 && rows_of(W, g) <= largest_group; };
  const auto pays = [&](Index rows) { return static_cast<double>(rows) <= worth * static_cast<double>(W.rows()); };
  Index fewest = 0;  // rows that remain where every group that may shrink has rank 1
  for (Index g = 0; g < num_groups(); ++g) fewest += may_shrink(g) ? 1 : rows_of(W, g);
  if (!pays(fewest)) return false;
  if (V_.size() < at(num_groups())) V_.resize(at(num_groups()));
  Index total = 0;
  for (Index g = 0; g < num_groups(); ++g) {
    const Index rows = rows_of(W, g);
    GrowingMatrix<>& V = V_[at(g)];
    V.resize(rows, rows);
    V.setIdentity();
    if (may_shrink(g)) {
      write_between(W, root, g, g);
      product_ = 0.5 * (whole_ + whole_.transpose());
      const SymmetricEigen& eigen = eigen_.compute(product_);
      if (!eigen.converged) return false;
      const double least = rank_tolerance * eigen.values.cwiseAbs().maxCoeff();
      const Index rank = std::max<Index>(1, (eigen.values.array() > least).count());
      if (rank < rows) V = eigen.V.rightCols(rank);
    }
    total += V.cols();
  }
  return pays(total);
}

/// The pattern of Ŵ: that of each group's first block, by groups.
void Interfaces::lay_out(const BlockSparseMatrix& W) {
  sizes_.clear();
  for (Index g = 0; g < num_groups(); ++g) sizes_.push_back(V_[at(g)].cols());
  W_.begin_pattern(sizes_);
  for (Index g = 0; g < num_groups(); ++g) {
    const Index b = member(begin(g));
    columns_.clear();
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) columns_.push_back(group_of_[at(W.column(k))]);
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    for (const Index column : columns_) W_.insert(column);
    W_.next_row();
  }
  W_.end_pattern();
}

bool Interfaces::compress(const BlockSparseMatrix& W, ConstVectorRef root) {
  local_.resize(members_.size());
  for (Index g = 0; g < num_groups(); ++g) {
    Index rows = 0;
    for (Index m = begin(g); m < begin(g + 1); ++m) {
      local_[at(m)] = rows;
      rows += W.size(member(m));
    }
  }
  if (!find_bases(W, root)) return false;
  lay_out(W);
  for (Index g = 0; g < num_groups(); ++g) {
    const GrowingMatrix<>& V = V_[at(g)];
    for (Index k = W_.row_begin(g); k < W_.row_begin(g + 1); ++k) {
      const Index h = W_.column(k);
      const GrowingMatrix<>& U = V_[at(h)];
      write_between(W, root, g, h);
      product_.resize(V.cols(), whole_.cols());
      product_.noalias() = V.transpose() * whole_;
      reduced_.resize(V.cols(), U.cols());
      reduced_.noalias() = product_ * U;
      product_.resize(V.rows(), U.cols());
      product_.noalias() = V * reduced_;
      image_.resize(V.rows(), U.rows());
      image_.noalias() = product_ * U.transpose();
      const double error = (whole_ - image_).lpNorm<Eigen::Infinity>();
      if (!(error <= left_out)) return false;
      W_.block(g, k) = reduced_;
    }
  }
  for (Index g = 0; g < num_groups(); ++g)
    for (Index m = begin(g); m < begin(g + 1); ++m) {
      const auto rows = V_[at(g)].middleRows(local_[at(m)], W.size(member(m)));
      basis_begin_.push_back(static_cast<Index>(bases_.size()));
      for (Index j = 0; j < rows.cols(); ++j)
        for (Index i = 0; i < rows.rows(); ++i) bases_.push_back(rows(i, j));
    }
  return true;
}

}  // namespace nonsmooth::friction::internal
