// SPDX-License-Identifier: Apache-2.0
#include "least_norm.hpp"

#include <algorithm>
#include <cmath>

namespace nonsmooth::events {
namespace {

constexpr double kLeastShare = 1e-6;

}  // namespace

void LeastNorm::compute(const Eigen::MatrixXd& W, const Eigen::VectorXd& capacities, const Eigen::VectorXd& weights) {
  unit_.resize(W.cols());
  const auto mobility_of = [&](Index k) {
    if (weights[k] > 0.0) return weights[k];
    return std::max(std::abs(W(k, k)), kLeastShare * W.row(k).cwiseAbs().maxCoeff());
  };
  double of_friction = 0.0;
  for (Index k = 0; k < W.cols(); ++k) {
    if (capacities[k] > 0.0) of_friction = std::max(of_friction, mobility_of(k));
  }
  double reference = 0.0;  // units that are powers of two then change nothing, as only ratios are rounded
  for (Index k = 0; k < W.cols(); ++k) {
    const double mobility = capacities[k] > 0.0 ? of_friction / capacities[k] : mobility_of(k);
    if (reference == 0.0) reference = mobility;
    unit_[k] = mobility > 0.0 ? std::sqrt(reference / mobility) : 1.0;
  }
  factorize(W);
}

void LeastNorm::compute_unscaled(const Eigen::MatrixXd& A) {
  unit_.setOnes(A.cols());
  factorize(A);
}

void LeastNorm::factorize(const Eigen::MatrixXd& A) {
  scaled_ = A;
  for (Index j = 0; j < A.cols(); ++j) scaled_.col(j) *= unit_[j];
  rows_.setOnes(A.rows());
  for (Index i = 0; i < A.rows() && A.cols() > 0; ++i) {
    const double largest = scaled_.row(i).cwiseAbs().maxCoeff();
    if (largest > 0.0) rows_[i] = 1.0 / largest;
    scaled_.row(i) *= rows_[i];
  }
  factors_.compute(scaled_);
}

void LeastNorm::solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) {
  const Index m = factors_.rows(), rank = factors_.rank();
  image_ = rows_.cwiseProduct(b);
  for (Index k = 0; k < rank; ++k) {  // Q^T
    const auto tail = factors_.matrix_qtz().col(k).tail(m - k - 1);
    const double along = factors_.q_coefficients()[k] * (image_[k] + tail.dot(image_.tail(m - k - 1)));
    image_[k] -= along;
    image_.tail(m - k - 1) -= along * tail;
  }
  factors_.solve_triangle_in_place(image_.head(rank));
  expand(image_, x);
}

void LeastNorm::expand(const Eigen::VectorXd& y, Eigen::VectorXd& x) {
  const Index n = factors_.cols(), rank = factors_.rank(), rest = n - rank;
  reflected_.setZero(n);
  reflected_.head(rank) = y.head(rank);
  for (Index k = 0; k < rank && rest > 0; ++k) {  // Z^T
    const auto tail = factors_.matrix_qtz().row(k).tail(rest);
    const double along = factors_.z_coefficients()[k] * (reflected_[k] + tail.dot(reflected_.tail(rest)));
    reflected_[k] -= along;
    reflected_.tail(rest) -= along * tail.transpose();
  }
  x.resize(n);
  for (Index j = 0; j < n; ++j) {
    const Index k = factors_.permutation().indices()[j];
    x[k] = unit_[k] * reflected_[j];
  }
}

}  // namespace nonsmooth::events
