// SPDX-License-Identifier: Apache-2.0
#include "common_point.hpp"

#include <algorithm>

#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>

namespace nonsmooth::vi::detail {
namespace {

constexpr Index kMostCommonRows = 400;
constexpr int kMostCommonSteps = 12;

}  // namespace

bool CommonPoint::takes(const std::vector<ConvexSet>& parts) {
  return static_cast<Index>(parts.size()) * parts.front().size() <= kMostCommonRows &&
         std::all_of(parts.begin(), parts.end(),
                     [](const ConvexSet& part) { return part.has_jacobian() && !(part.user_accuracy() > 0.0); });
}

bool CommonPoint::linearise(ConstVectorRef y, const Eigen::MatrixXd& p, Eigen::MatrixXd& matrix,
                            Eigen::MatrixXd& slopes, Eigen::VectorXd& r, Eigen::VectorXd& x) const {
  const Index k = p.cols();
  x = y - p.rowwise().sum();
  r.resize(n_ * k);
  matrix.resize(n_ * k, n_ * k);
  slopes.resize(n_ * k, n_);
  Eigen::MatrixXd D(n_, n_);
  Eigen::VectorXd at(n_), projected(n_);
  for (Index i = 0; i < k; ++i) {
    const ConvexSet& part = parts_[static_cast<std::size_t>(i)];
    at = x + p.col(i);
    if (!part.project(at, projected).ok()) return false;
    r.segment(n_ * i, n_) = projected - x;
    part.jacobian(at, D);
    auto rows = matrix.middleRows(n_ * i, n_);
    slopes.middleRows(n_ * i, n_) = Eigen::MatrixXd::Identity(n_, n_) - D;
    for (Index j = 0; j < k; ++j) rows.middleCols(n_ * j, n_) = slopes.middleRows(n_ * i, n_);
    rows.middleCols(n_ * i, n_) += D;
  }
  return true;
}

bool CommonPoint::solve(ConstVectorRef y, Eigen::MatrixXd& p, Eigen::VectorXd& x, double& error) const {
  Eigen::MatrixXd increments = p, matrix, slopes;
  Eigen::VectorXd r, point;
  for (int step = 0; step < kMostCommonSteps; ++step) {
    if (!linearise(y, increments, matrix, slopes, r, point)) return false;
    FullPivotLu factors;
    factors.set_threshold(1e-12);
    factors.compute(matrix);
    const Eigen::VectorXd change = factors.solve(r);
    if (!change.allFinite()) return false;
    const Eigen::Map<const Eigen::MatrixXd> by_set(change.data(), n_, increments.cols());
    const double rounding = 16.0 * eps * std::max(y.norm(), increments.colwise().norm().maxCoeff());
    if (r.lpNorm<Eigen::Infinity>() <= rounding) {
      p = increments;
      x = point;
      error = std::max(by_set.rowwise().sum().norm(), rounding);
      return true;
    }
    increments -= by_set;
  }
  return false;
}

void CommonPoint::jacobian(ConstVectorRef y, const Eigen::MatrixXd& p, MatrixRef D) const {
  Eigen::MatrixXd matrix, slopes;
  Eigen::VectorXd r, x;
  D.setIdentity();
  if (!linearise(y, p, matrix, slopes, r, x)) return;
  FullPivotLu factors;
  factors.set_threshold(1e-12);
  factors.compute(matrix);
  const Eigen::MatrixXd change = factors.solve(slopes);
  for (Index i = 0; i < p.cols(); ++i) D -= change.middleRows(n_ * i, n_);
}

}  // namespace nonsmooth::vi::detail
