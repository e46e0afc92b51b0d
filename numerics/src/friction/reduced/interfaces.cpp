// SPDX-License-Identifier: Apache-2.0
#include "interfaces.hpp"

#include <algorithm>
#include <numeric>

#include <internal/at.hpp>
#include <internal/decompositions.hpp>

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

/// rho^(1/2) W rho^(1/2) between all blocks of two groups.
Eigen::MatrixXd Interfaces::between(const BlockSparseMatrix& W, ConstVectorRef root, Index g, Index h) const {
  Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(rows_of(W, g), rows_of(W, h));
  for (Index m = begin(g); m < begin(g + 1); ++m)
    for (Index l = begin(h); l < begin(h + 1); ++l) {
      const Index row = member(m), column = member(l), k = W.find(row, column);
      if (k < 0) continue;
      whole.block(local_[at(m)], local_[at(l)], W.size(row), W.size(column)) =
          root.segment(W.offset(row), W.size(row)).asDiagonal() * W.block(row, k) *
          root.segment(W.offset(column), W.size(column)).asDiagonal();
    }
  return whole;
}

/// V of each group; none where they save too little.
std::vector<Eigen::MatrixXd> Interfaces::bases_of_groups(const BlockSparseMatrix& W, ConstVectorRef root) const {
  constexpr Index largest_group = 150;  // rows: their eigenvectors cost less than one factorization of the whole
  const auto may_shrink = [&](Index g) { return begin(g + 1) - begin(g) > 1 && rows_of(W, g) <= largest_group; };
  const auto pays = [&](Index rows) { return static_cast<double>(rows) <= worth * static_cast<double>(W.rows()); };
  Index fewest = 0;  // rows that remain where every group that may shrink has rank 1
  for (Index g = 0; g < num_groups(); ++g) fewest += may_shrink(g) ? 1 : rows_of(W, g);
  if (!pays(fewest)) return {};
  std::vector<Eigen::MatrixXd> bases(at(num_groups()));
  Index total = 0;
  for (Index g = 0; g < num_groups(); ++g) {
    const Index rows = rows_of(W, g);
    Eigen::MatrixXd& V = bases[at(g)];
    V.setIdentity(rows, rows);
    if (may_shrink(g)) {
      const Eigen::MatrixXd diagonal = between(W, root, g, g);
      const SymmetricEigen eigen = symmetric_eigen(0.5 * (diagonal + diagonal.transpose()));
      if (!eigen.converged) return {};
      const double least = rank_tolerance * eigen.values.cwiseAbs().maxCoeff();
      const Index rank = std::max<Index>(1, (eigen.values.array() > least).count());
      if (rank < rows) V = eigen.V.rightCols(rank);
    }
    total += V.cols();
  }
  if (!pays(total)) bases.clear();
  return bases;
}

/// The pattern of Ŵ: that of each group's first block, by groups.
void Interfaces::lay_out(const BlockSparseMatrix& W, const std::vector<Eigen::MatrixXd>& bases) {
  std::vector<Index> sizes, columns;
  for (const Eigen::MatrixXd& V : bases) sizes.push_back(V.cols());
  W_.begin_pattern(sizes);
  for (Index g = 0; g < num_groups(); ++g) {
    const Index b = member(begin(g));
    columns.clear();
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) columns.push_back(group_of_[at(W.column(k))]);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const Index column : columns) W_.insert(column);
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
  const std::vector<Eigen::MatrixXd> bases = bases_of_groups(W, root);
  if (bases.empty()) return false;
  lay_out(W, bases);
  for (Index g = 0; g < num_groups(); ++g) {
    const Eigen::MatrixXd& V = bases[at(g)];
    for (Index k = W_.row_begin(g); k < W_.row_begin(g + 1); ++k) {
      const Index h = W_.column(k);
      const Eigen::MatrixXd& U = bases[at(h)];
      const Eigen::MatrixXd whole = between(W, root, g, h);
      const Eigen::MatrixXd reduced = V.transpose() * whole * U;
      const double error = (whole - V * reduced * U.transpose()).lpNorm<Eigen::Infinity>();
      if (!(error <= left_out)) return false;
      W_.block(g, k) = reduced;
    }
  }
  for (Index g = 0; g < num_groups(); ++g)
    for (Index m = begin(g); m < begin(g + 1); ++m) {
      const Eigen::MatrixXd rows = bases[at(g)].middleRows(local_[at(m)], W.size(member(m)));
      basis_begin_.push_back(static_cast<Index>(bases_.size()));
      bases_.insert(bases_.end(), rows.data(), rows.data() + rows.size());
    }
  return true;
}

}  // namespace nonsmooth::friction::internal
