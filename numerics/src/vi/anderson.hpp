// SPDX-License-Identifier: Apache-2.0
// Anderson's extrapolation of fixed-point iterations; not installed.
#pragma once

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::vi::detail {

/// With r_k = G(x_k) - x_k and the last differences of consecutive iterates in the columns of R and Y (of r and of
/// G(x)), the least-squares solution gamma of  R gamma = r_k  gives  G(x_k) - Y gamma.
///
/// R = Q U is kept as its factors: a difference more is orthogonalised against the others, the oldest leaves by
/// rotations. A difference of which these leave less than 1e-8, half of the digits, says nothing new: then it stays
/// alone. Cost: some 4 n (memory) a pair.
class Anderson {
 public:
  Anderson(Index size, Index memory);

  void clear() noexcept { pairs_ = columns_ = 0; }
  /// Whether a pair more makes a proposal.
  [[nodiscard]] bool begun() const noexcept { return pairs_ > 0 && memory_ > 0; }
  /// One more pair x, G(x) of the same map. True if `proposal` has been written.
  [[nodiscard]] bool propose(const Eigen::VectorXd& x, const Eigen::VectorXd& image, Eigen::VectorXd& proposal);

 private:
  void append();
  void drop_oldest();

  Index memory_, pairs_ = 0, columns_ = 0;  // pairs met since the last clear(), differences kept of them
  Eigen::MatrixXd Q_, U_, Y_;
  Eigen::VectorXd r_, last_r_, last_image_, products_, coefficients_;
};

}  // namespace nonsmooth::vi::detail
