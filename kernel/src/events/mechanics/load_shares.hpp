// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "least_norm.hpp"

namespace nonsmooth::events {

/// Multipliers of closed rows that depend on one another, as equal springs at these rows would have them:
///
///     W lambda = b,   D lambda in the range of G,   W = H M^-1 E,   G = H M^-1 H^T,   D = diag(G),
///
/// so that lambda = D^-1 H z of a small motion z of the bodies (rigid ones on springs of stiffness 1 / D_kk). Where
/// nothing slides E is H^T, and lambda has the smallest sum of D_kk lambda_k^2 (LeastNorm). Where a normal force brings
/// friction along, E turns the kernel of W away from that of H^T: the least sum along it would share a weight among
/// feet otherwise than while they stuck, each by the direction in which it slides, and forces would jump where a slip
/// begins. By the range of G they do not.
///
/// With V a basis of D^-1 range(G), lambda = V nu and W V nu = b. Where that has a rank below that of G (friction that
/// jams), LeastNorm chooses along the kernel of W. Of a trial state where W is not finite no lambda is.
///
/// Every solver of a mode shares by this class (SmoothMode::share). Cost O(m^2 rank) twice.
class LoadShares {
 public:
  /// Pivots below `threshold` of the first one are zero.
  explicit LoadShares(double threshold) : least_(threshold), reduced_(threshold) {}

  /// G = W. `capacities`, `weights`: of LeastNorm.
  void compute(const Eigen::MatrixXd& W, const Eigen::VectorXd& capacities, const Eigen::VectorXd& weights);
  void compute(const Eigen::MatrixXd& W, const Eigen::MatrixXd& G, const Eigen::VectorXd& capacities,
               const Eigen::VectorXd& weights);
  [[nodiscard]] bool is_finite() const noexcept { return finite_; }
  [[nodiscard]] Index rank() const { return least_.rank(); }
  /// lambda from b, which may not be the same vector.
  void solve(const Eigen::VectorXd& b, Eigen::VectorXd& lambda);
  /// lambda = V nu, nu of rank() entries: all that solve() gives.
  void expand(const Eigen::VectorXd& nu, Eigen::VectorXd& lambda) { least_.expand(nu, lambda); }

 private:
  LeastNorm least_, reduced_;  // of G, or W; of W V
  bool finite_ = true;
  bool in_range_ = false;  // lambda = V nu by reduced_
  Eigen::MatrixXd moved_;  // W V
  Eigen::VectorXd nu_, column_;
};

}  // namespace nonsmooth::events
