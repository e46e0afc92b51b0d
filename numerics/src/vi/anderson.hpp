// SPDX-License-Identifier: Apache-2.0
// Anderson's extrapolation of fixed-point iterations; not installed.
#pragma once

#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::vi::detail {

/// With r_k = G(x_k) - x_k and differences of consecutive iterates in the columns of R and Y (of r and of G(x)), the
/// least-squares solution gamma of least norm of  R gamma = r_k  gives  G(x_k) - Y gamma.
class Anderson {
 public:
  Anderson(Index size, Index memory);

  void clear() noexcept { count_ = 0; }
  /// One more pair x, G(x) of the same map. True if `proposal` has been written.
  [[nodiscard]] bool propose(const Eigen::VectorXd& x, const Eigen::VectorXd& image, Eigen::VectorXd& proposal);

 private:
  Index memory_, count_ = 0;  // pairs met since the last clear()
  Eigen::MatrixXd R_, Y_;     // differences, in a ring
  Eigen::VectorXd last_r_, last_image_;
};

}  // namespace nonsmooth::vi::detail
