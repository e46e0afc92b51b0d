// SPDX-License-Identifier: Apache-2.0
#include "interfaces.hpp"

#include <algorithm>
#include <map>

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
  members_.clear();
  basis_begin_.clear();
  bases_.clear();
  group(W);
  if (num_groups() == W.num_block_rows()) return;
  useful_ = compress(W, root);
}

/// Blocks with the same pattern in their rows of W.
void Interfaces::group(const BlockSparseMatrix& W) {
  const Index blocks = W.num_block_rows();
  std::map<std::vector<Index>, Index> groups;
  std::vector<std::vector<Index>> lists;
  std::vector<Index> columns;
  for (Index b = 0; b < blocks; ++b) {
    columns.clear();
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) columns.push_back(W.column(k));
    const auto [found, fresh] = groups.emplace(columns, static_cast<Index>(lists.size()));
    if (fresh) lists.emplace_back();
    lists[static_cast<std::size_t>(found->second)].push_back(b);
  }
  group_of_.resize(static_cast<std::size_t>(blocks));
  begin_.assign(1, 0);
  for (const std::vector<Index>& list : lists) {
    for (const Index b : list) {
      group_of_[static_cast<std::size_t>(b)] = static_cast<Index>(begin_.size()) - 1;
      members_.push_back(b);
    }
    begin_.push_back(static_cast<Index>(members_.size()));
  }
}

bool Interfaces::compress(const BlockSparseMatrix& W, ConstVectorRef root) {
  constexpr Index largest_group = 150;  // rows: their eigenvectors cost less than one factorization of the whole
  const Index groups = num_groups();
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
    if (begin(g + 1) - begin(g) > 1 && rows <= largest_group) {
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
