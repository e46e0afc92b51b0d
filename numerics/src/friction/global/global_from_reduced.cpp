// SPDX-License-Identifier: Apache-2.0
// to_global: a factor W = L L^T with as many columns as W has rank, island by island.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <internal/disjoint_sets.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/global_problem.hpp>

namespace nonsmooth::friction {
namespace {

/// Islands of block rows that W couples, each a list of block rows in ascending order.
std::vector<std::vector<Index>> islands_of(const BlockSparseMatrix& W) {
  DisjointSets sets(W.num_block_rows());
  for (Index i = 0; i < W.num_block_rows(); ++i)
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) sets.join(i, W.column(k));
  return sets.lists();
}

void refuse(const std::string& found) {
  throw InvalidArgument("friction::to_global: W", found, "a symmetric positive semidefinite matrix");
}

/// L with S = L L^T, pivots chosen largest first; S is destroyed, its entries are known to `uncertainty` beside their
/// rounding. What remains once every pivot is round-off must be round-off itself. Source: Higham, Accuracy and
/// Stability of Numerical Algorithms, 2002, section 10.3.
Eigen::MatrixXd pivoted_cholesky(Eigen::MatrixXd& S, double uncertainty) {
  const Index n = S.rows();
  const double noise = 4.0 * static_cast<double>(n) * (eps * S.diagonal().cwiseAbs().maxCoeff() + uncertainty);
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(n, n);
  for (Index rank = 0; rank < n; ++rank) {
    Index pivot = 0;
    const double largest = S.diagonal().maxCoeff(&pivot);
    if (S.diagonal().minCoeff() < -noise) refuse("a negative pivot " + std::to_string(S.diagonal().minCoeff()));
    if (largest <= noise) {
      // |S_ij| <= sqrt(S_ii S_jj) for what is semidefinite.
      if (S.cwiseAbs().maxCoeff() > 2.0 * noise) refuse("a remainder that no real factor has");
      return L.leftCols(rank);
    }
    L.col(rank) = S.col(pivot) / std::sqrt(largest);
    S.noalias() -= L.col(rank) * L.col(rank).transpose();
    S.row(pivot).setZero();
    S.col(pivot).setZero();
  }
  return L;
}

}  // namespace

GlobalProblem to_global(const Problem& problem) {
  problem.validate();
  const BlockSparseMatrix& W = problem.W;
  std::vector<Eigen::Triplet<double>> entries;
  Index columns = 0;
  for (const std::vector<Index>& island : islands_of(W)) {
    std::vector<Index> rows, first(1, 0);
    for (const Index b : island) {
      for (Index i = 0; i < W.size(b); ++i) rows.push_back(W.offset(b) + i);
      first.push_back(static_cast<Index>(rows.size()));
    }
    const auto n = static_cast<Index>(rows.size());
    Eigen::MatrixXd S = Eigen::MatrixXd::Zero(n, n);
    for (std::size_t i = 0; i < island.size(); ++i)
      for (Index k = W.row_begin(island[i]); k < W.row_begin(island[i] + 1); ++k) {
        const auto j =
            static_cast<std::size_t>(std::lower_bound(island.begin(), island.end(), W.column(k)) - island.begin());
        S.block(first[i], first[j], W.size(island[i]), W.size(W.column(k))) = W.block(island[i], k);
      }
    const double asymmetry = (S - S.transpose()).cwiseAbs().maxCoeff();
    if (asymmetry > 16.0 * eps * S.cwiseAbs().maxCoeff())
      refuse("entries that differ by " + std::to_string(asymmetry) + " from their mirror");
    S = (0.5 * (S + S.transpose())).eval();
    const Eigen::MatrixXd L = pivoted_cholesky(S, 0.5 * asymmetry);
    for (Index j = 0; j < L.cols(); ++j, ++columns)
      for (Index i = 0; i < n; ++i)
        if (L(i, j) != 0.0)
          entries.emplace_back(static_cast<int>(rows[static_cast<std::size_t>(i)]), static_cast<int>(columns), L(i, j));
  }
  columns = std::max(columns, Index{1});  // W = 0 still needs a velocity to be a problem
  GlobalProblem global;
  global.A.resize(columns, columns);
  global.A.setIdentity();
  global.H.resize(W.rows(), columns);
  global.H.setFromTriplets(entries.begin(), entries.end());
  global.f.setZero(columns);
  global.w = problem.q;
  global.K = problem.K;
  return global;
}

}  // namespace nonsmooth::friction
