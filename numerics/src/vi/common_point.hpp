// SPDX-License-Identifier: Apache-2.0
// The projection on an intersection as one equation; not installed.
#pragma once

#include <vector>

#include <nonsmooth/numerics/vi/convex_set.hpp>

namespace nonsmooth::vi::detail {

/// x = P(y) on the intersection of k sets K_i, by increments p_i in N_{K_i}(x) as Dykstra's algorithm has them:
///
///     x = y - sum_i p_i,     r_i(p) = P_i(x + p_i) - x = 0,     D_i dp_i + (I - D_i) sum_j dp_j = -r_i,
///
/// D_i from the Jacobian of P_i. A root is the projection whatever it was found from; so Newton's method may be tried
/// at any time of Dykstra's cycles, and its steps end in a few where the sets meet at a small angle and cycles creep.
class CommonPoint {
 public:
  /// All parts have a Jacobian, and k n is at most 400; `parts` outlive this.
  explicit CommonPoint(const std::vector<ConvexSet>& parts) : parts_(parts), n_(parts.front().size()) {}
  [[nodiscard]] static bool takes(const std::vector<ConvexSet>& parts);

  /// From p (n x k), at most 12 steps: true where every |r_i| is rounding, and then x, p and `error`, how far one more
  /// step would move x. False leaves them as they were.
  [[nodiscard]] bool solve(ConstVectorRef y, Eigen::MatrixXd& p, Eigen::VectorXd& x, double& error) const;
  /// dx/dy at a root p: (I - D_i) dy on the right side; of a p that is not alone any, as dx is.
  void jacobian(ConstVectorRef y, const Eigen::MatrixXd& p, MatrixRef D) const;

 private:
  /// The matrix of the linear equations, and r behind each other; false where a part's projection fails.
  [[nodiscard]] bool linearise(ConstVectorRef y, const Eigen::MatrixXd& p, Eigen::MatrixXd& matrix,
                               Eigen::MatrixXd& slopes, Eigen::VectorXd& r, Eigen::VectorXd& x) const;

  const std::vector<ConvexSet>& parts_;
  Index n_;
};

}  // namespace nonsmooth::vi::detail
