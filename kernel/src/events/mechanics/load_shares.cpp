// SPDX-License-Identifier: Apache-2.0
#include "load_shares.hpp"

#include <limits>

namespace nonsmooth::events {

void LoadShares::compute(const Eigen::MatrixXd& W, const Eigen::VectorXd& capacities, const Eigen::VectorXd& weights) {
  in_range_ = false;
  finite_ = W.allFinite();
  if (finite_) least_.compute(W, capacities, weights);
}

void LoadShares::compute(const Eigen::MatrixXd& W, const Eigen::MatrixXd& G, const Eigen::VectorXd& capacities,
                         const Eigen::VectorXd& weights) {
  in_range_ = false;
  finite_ = W.allFinite() && G.allFinite();
  if (!finite_) return;
  least_.compute(G, capacities, weights);
  const Index rank = least_.rank();
  moved_.resize(W.rows(), rank);
  nu_.setZero(rank);
  for (Index r = 0; r < rank; ++r) {
    nu_[r] = 1.0;
    expand(nu_, column_);
    nu_[r] = 0.0;
    moved_.col(r).noalias() = W.lazyProduct(column_);
  }
  reduced_.compute_unscaled(moved_);
  in_range_ = reduced_.rank() == rank;
  if (!in_range_) least_.compute(W, capacities, weights);
}

void LoadShares::solve(const Eigen::VectorXd& b, Eigen::VectorXd& lambda) {
  if (!finite_) {
    lambda.setConstant(b.size(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  if (!in_range_) return least_.solve(b, lambda);
  reduced_.solve(b, nu_);
  expand(nu_, lambda);
}

}  // namespace nonsmooth::events
