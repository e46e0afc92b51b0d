// SPDX-License-Identifier: Apache-2.0
#include "common_point.hpp"

#include <algorithm>

#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>

namespace nonsmooth::vi::detail {
namespace {

constexpr Index kMostCommonRows = 400;
constexpr int kMostCommonSteps = 40;
constexpr Index kMostCommonSubsets = 4;                 // parts: of more, subsets are too many
constexpr double kCommonLengths[] = {1.0, 1e-2, 1e-4};  // gamma, in the order in which they are tried
constexpr double kLeastCommonLength = 1e-4;             // of a step; below, the direction is of no use
constexpr double kMostCommonRounding = 1e-9;            // of |y| and |x|: sets that only touch have no p, and |p| grows

}  // namespace

bool CommonPoint::takes(const std::vector<ConvexSet>& parts) {
  return static_cast<Index>(parts.size()) * parts.front().size() <= kMostCommonRows &&
         std::all_of(parts.begin(), parts.end(),
                     [](const ConvexSet& part) { return part.has_jacobian() && !(part.user_accuracy() > 0.0); });
}

bool CommonPoint::residual(ConstVectorRef y, const Eigen::MatrixXd& p, double gamma, Eigen::VectorXd& r,
                           Eigen::VectorXd& x) const {
  x = y - p.rowwise().sum();
  r.resize(n_ * p.cols());
  Eigen::VectorXd at(n_), projected(n_);
  for (Index i = 0; i < p.cols(); ++i) {
    at = x + gamma * p.col(i);
    if (!parts_[static_cast<std::size_t>(i)].project(at, projected).ok()) return false;
    r.segment(n_ * i, n_) = projected - x;
  }
  return r.allFinite();
}

void CommonPoint::linearise(const Eigen::VectorXd& x, const Eigen::MatrixXd& p, double gamma, Eigen::MatrixXd& matrix,
                            Eigen::MatrixXd& slopes) const {
  const Index k = p.cols();
  matrix.resize(n_ * k, n_ * k);
  slopes.resize(n_ * k, n_);
  Eigen::MatrixXd D(n_, n_);
  for (Index i = 0; i < k; ++i) {
    const Eigen::VectorXd at = x + gamma * p.col(i);
    parts_[static_cast<std::size_t>(i)].jacobian(at, D);
    auto rows = matrix.middleRows(n_ * i, n_);
    slopes.middleRows(n_ * i, n_) = Eigen::MatrixXd::Identity(n_, n_) - D;
    for (Index j = 0; j < k; ++j) rows.middleCols(n_ * j, n_) = slopes.middleRows(n_ * i, n_);
    rows.middleCols(n_ * i, n_) += gamma * D;
  }
}

bool CommonPoint::solve(ConstVectorRef y, Eigen::MatrixXd& p, Eigen::VectorXd& x, double& error) const {
  return solve_with_all(y, p, x, error) || solve_without_one(y, p, x, error);
}

bool CommonPoint::solve_without_one(ConstVectorRef y, Eigen::MatrixXd& p, Eigen::VectorXd& x, double& error) const {
  const Index k = p.cols();
  if (k < 3 || k > kMostCommonSubsets) return false;
  for (Index left_out = 0; left_out < k; ++left_out) {
    std::vector<ConvexSet> others;
    Eigen::MatrixXd increments(n_, k - 1);
    for (Index i = 0; i < k; ++i) {
      if (i == left_out) continue;
      increments.col(static_cast<Index>(others.size())) = p.col(i);
      others.push_back(parts_[static_cast<std::size_t>(i)]);
    }
    Eigen::VectorXd point, inside(n_);
    double change = 0.0;
    if (!CommonPoint(others).solve(y, increments, point, change)) continue;
    if (!parts_[static_cast<std::size_t>(left_out)].project(point, inside).ok()) continue;
    if (!((inside - point).norm() <= change)) continue;
    for (Index i = 0, j = 0; i < k; ++i) {
      if (i == left_out) {
        p.col(i).setZero();
      } else {
        p.col(i) = increments.col(j++);
      }
    }
    x = point;
    error = change;
    return true;
  }
  return false;
}

bool CommonPoint::solve_with_all(ConstVectorRef y, Eigen::MatrixXd& p, Eigen::VectorXd& x, double& error) const {
  for (const double gamma : kCommonLengths) {
    Eigen::MatrixXd increments = p;
    Eigen::VectorXd point;
    double change = 0.0;
    if (!newton(y, gamma, increments, point, change)) continue;
    if (gamma < 1.0) {
      // What gamma p_i says of p_i along a set is 1 / gamma times as rough; gamma = 1 takes that away where it can.
      Eigen::MatrixXd finer = increments;
      Eigen::VectorXd finer_point;
      double finer_change = 0.0;
      if (newton(y, 1.0, finer, finer_point, finer_change)) {
        increments.swap(finer);
        point.swap(finer_point);
        change = finer_change;
      } else {
        change /= gamma;
        if (!(change <= kMostCommonRounding * std::max(y.norm(), point.norm()))) continue;
      }
    }
    p = increments;
    x = point;
    error = change;
    return true;
  }
  return false;
}

bool CommonPoint::newton(ConstVectorRef y, double gamma, Eigen::MatrixXd& p, Eigen::VectorXd& x, double& error) const {
  Eigen::MatrixXd trial, matrix, slopes;
  Eigen::VectorXd r, trial_r, trial_x;
  FullPivotLu factors;
  factors.set_threshold(1e-12);
  if (!residual(y, p, gamma, r, x)) return false;
  for (int step = 0; step < kMostCommonSteps; ++step) {
    linearise(x, p, gamma, matrix, slopes);
    factors.compute(matrix);
    const Eigen::VectorXd change = factors.solve(r);
    if (!change.allFinite()) return false;
    const Eigen::Map<const Eigen::MatrixXd> by_set(change.data(), n_, p.cols());
    const double rounding = std::min(16.0 * eps * std::max(y.norm(), p.colwise().norm().maxCoeff()),
                                     kMostCommonRounding * std::max(y.norm(), x.norm()));
    if (r.lpNorm<Eigen::Infinity>() <= rounding) {
      error = std::max(by_set.rowwise().sum().norm(), rounding);
      return true;
    }
    // Far from a root whole steps circle where sets meet at a small angle.
    bool shorter = false;
    for (double length = 1.0; length >= kLeastCommonLength && !shorter; length *= 0.5) {
      trial = p - length * by_set;
      shorter = residual(y, trial, gamma, trial_r, trial_x) &&
                (trial_r.norm() <= (1.0 - 1e-4 * length) * r.norm() || trial_r.lpNorm<Eigen::Infinity>() <= rounding);
    }
    if (!shorter) return false;
    p.swap(trial);
    r.swap(trial_r);
    x.swap(trial_x);
  }
  return false;
}

void CommonPoint::jacobian(ConstVectorRef y, const Eigen::MatrixXd& p, MatrixRef D) const {
  Eigen::MatrixXd matrix, slopes;
  Eigen::VectorXd r, x;
  D.setIdentity();
  if (!residual(y, p, 1.0, r, x)) return;
  linearise(x, p, 1.0, matrix, slopes);
  FullPivotLu factors;
  factors.set_threshold(1e-12);
  factors.compute(matrix);
  const Eigen::MatrixXd change = factors.solve(slopes);
  for (Index i = 0; i < p.cols(); ++i) D -= change.middleRows(n_ * i, n_);
}

}  // namespace nonsmooth::vi::detail
