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
  for (std::vector<Index>* each : {&order_, &group_of_, &begin_, &members_}) each->reserve(at(blocks) + 2);
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

bool Interfaces::compress(const BlockSparseMatrix& W, ConstVectorRef root) {
  constexpr Index largest_group = 150;  // rows: their eigenvectors cost less than one factorization of the whole
  const Index groups = num_groups();
  const auto may_shrink = [&](Index g) { return begin(g + 1) - begin(g) > 1 && rows_of(W, g) <= largest_group; };
  Index fewest = 0;  // that remain where every group that may shrink has rank 1
  for (Index g = 0; g < groups; ++g) fewest += may_shrink(g) ? 1 : rows_of(W, g);
  if (static_cast<double>(fewest) > worth * static_cast<double>(W.rows())) return false;
  const auto scaled = [&](Index row, Index column, Index k) -> Eigen::MatrixXd {
    return root.segment(W.offset(row), W.size(row)).asDiagonal() * W.block(row, k) *
           root.segment(W.offset(column), W.size(column)).asDiagonal();
  };
  std::vector<Eigen::MatrixXd> bases(static_cast<std::size_t>(groups));
  std::vector<Index> sizes(static_cast<std::size_t>(groups)), local(members_.size());
  Index total = 0;
  for (Index g = 0; g < groups; ++g) {
    Index rows = 0;
    for (Index m = begin(g); m < begin(g + 1); ++m) {
      local[static_cast<std::size_t>(m)] = rows;
      rows += W.size(member(m));
    }
    Eigen::MatrixXd& V = bases[static_cast<std::size_t>(g)];
    V.setIdentity(rows, rows);
    if (may_shrink(g)) {
      Eigen::MatrixXd diagonal = Eigen::MatrixXd::Zero(rows, rows);
      for (Index m = begin(g); m < begin(g + 1); ++m)
        for (Index l = begin(g); l < begin(g + 1); ++l) {
          const Index k = W.find(member(m), member(l));
          if (k >= 0)
            diagonal.block(local[static_cast<std::size_t>(m)], local[static_cast<std::size_t>(l)], W.size(member(m)),
                           W.size(member(l))) = scaled(member(m), member(l), k);
        }
      const SymmetricEigen eigen = symmetric_eigen(0.5 * (diagonal + diagonal.transpose()));
      if (!eigen.converged) return false;
      const double least = rank_tolerance * eigen.values.cwiseAbs().maxCoeff();
      const Index rank = std::max<Index>(1, (eigen.values.array() > least).count());
      if (rank < rows) V = eigen.V.rightCols(rank);
    }
    sizes[static_cast<std::size_t>(g)] = V.cols();
    total += V.cols();
  }
  if (static_cast<double>(total) > worth * static_cast<double>(W.rows())) return false;

  W_.begin_pattern(sizes);
  for (Index g = 0; g < groups; ++g) {
    const Index b = member(begin(g));
    std::vector<Index> columns;
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k)
      columns.push_back(group_of_[static_cast<std::size_t>(W.column(k))]);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const Index column : columns) W_.insert(column);
    W_.next_row();
  }
  W_.end_pattern();
  for (Index g = 0; g < groups; ++g) {
    const Eigen::MatrixXd& V = bases[static_cast<std::size_t>(g)];
    for (Index k = W_.row_begin(g); k < W_.row_begin(g + 1); ++k) {
      const Index h = W_.column(k);
      const Eigen::MatrixXd& U = bases[static_cast<std::size_t>(h)];
      Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(V.rows(), U.rows());
      for (Index m = begin(g); m < begin(g + 1); ++m)
        for (Index l = begin(h); l < begin(h + 1); ++l) {
          const Index entry = W.find(member(m), member(l));
          if (entry < 0) continue;
          whole.block(local[static_cast<std::size_t>(m)], local[static_cast<std::size_t>(l)], W.size(member(m)),
                      W.size(member(l))) = scaled(member(m), member(l), entry);
        }
      const Eigen::MatrixXd reduced = V.transpose() * whole * U;
      const double error = (whole - V * reduced * U.transpose()).lpNorm<Eigen::Infinity>();
      if (!(error <= left_out)) return false;
      W_.block(g, k) = reduced;
    }
  }
  for (Index g = 0; g < groups; ++g)
    for (Index m = begin(g); m < begin(g + 1); ++m) {
      const Eigen::MatrixXd rows =
          bases[static_cast<std::size_t>(g)].middleRows(local[static_cast<std::size_t>(m)], W.size(member(m)));
      basis_begin_.push_back(static_cast<Index>(bases_.size()));
      bases_.insert(bases_.end(), rows.data(), rows.data() + rows.size());
    }
  return true;
}

}  // namespace nonsmooth::friction::internal
