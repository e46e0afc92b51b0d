// SPDX-License-Identifier: Apache-2.0
// The projection on an intersection as one equation; not installed.
#pragma once

#include <vector>

#include <nonsmooth/numerics/vi/convex_set.hpp>

namespace nonsmooth::vi::detail {

/// x = P(y) on the intersection of k sets K_i, by increments p_i in N_{K_i}(x) as Dykstra's algorithm has them:
///
///     x = y - sum_i p_i,   r_i(p) = P_i(x + gamma p_i) - x = 0,   gamma D_i dp_i + (I - D_i) sum_j dp_j = -r_i,
///
/// gamma > 0, D_i from the Jacobian of P_i. A root is the projection whatever it was found from; so Newton's method may
/// be tried at any time of Dykstra's cycles. Its steps are halved until |r| falls: two unit balls that overlap by 2 s,
/// where cycles creep, then take 10 steps at s = 1e-3 and 25 at 1e-8. Where thin sets make p much larger than x, gamma
/// = 1 looks at the sets from so far that three of them stall, and 1e-2 or 1e-4 does not; the root is that of gamma
/// = 1.
class CommonPoint {
 public:
  /// All parts have a Jacobian, and k n is at most 400; `parts` outlive this.
  explicit CommonPoint(const std::vector<ConvexSet>& parts) : parts_(parts), n_(parts.front().size()) {}
  [[nodiscard]] static bool takes(const std::vector<ConvexSet>& parts);

  /// From p (n x k), at most 40 steps for each of three gamma: true where every |r_i| is rounding, and then x, p and
  /// `error`, how far one more step would move x. False leaves them as they were.
  [[nodiscard]] bool solve(ConstVectorRef y, Eigen::MatrixXd& p, Eigen::VectorXd& x, double& error) const;
  /// dx/dy at a root p: (I - D_i) dy on the right side; of a p that is not alone any, as dx is.
  void jacobian(ConstVectorRef y, const Eigen::MatrixXd& p, MatrixRef D) const;

 private:
  /// r behind each other, and x; false where a part's projection fails.
  [[nodiscard]] bool residual(ConstVectorRef y, const Eigen::MatrixXd& p, double gamma, Eigen::VectorXd& r,
                              Eigen::VectorXd& x) const;
  /// The matrix of the linear equations, and the I - D_i below each other.
  void linearise(const Eigen::VectorXd& x, const Eigen::MatrixXd& p, double gamma, Eigen::MatrixXd& matrix,
                 Eigen::MatrixXd& slopes) const;
  [[nodiscard]] bool solve_with_all(ConstVectorRef y, Eigen::MatrixXd& p, Eigen::VectorXd& x, double& error) const;
  /// Of three or four parts, where normals of all are nearly parallel and Newton's steps stall at a kink: the
  /// projection on what all but one have in common, where it lies in that one too, is the projection.
  [[nodiscard]] bool solve_without_one(ConstVectorRef y, Eigen::MatrixXd& p, Eigen::VectorXd& x, double& error) const;
  /// Newton's steps from p with one gamma.
  [[nodiscard]] bool newton(ConstVectorRef y, double gamma, Eigen::MatrixXd& p, Eigen::VectorXd& x,
                            double& error) const;

  const std::vector<ConvexSet>& parts_;
  Index n_;
};

}  // namespace nonsmooth::vi::detail
