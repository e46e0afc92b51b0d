// SPDX-License-Identifier: Apache-2.0
// Where contacts in space may slide to; not installed.
#pragma once

#include <vector>

#include <Eigen/Core>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::detail {

/// k contacts in space that all slide: v = V r + c with blocks (N, T1, T2), v_N = 0, r_T = -mu r_N t(theta), t = (cos,
/// sin) of one angle a contact, r_N >= 0 and v_T = sigma t with sigma >= 0.
struct SlidingContacts {
  Eigen::MatrixXd V;   ///< 3 k x 3 k
  Eigen::VectorXd c;   ///< 3 k
  Eigen::VectorXd mu;  ///< k, positive
};

struct SlidingDirections {
  std::vector<Eigen::VectorXd> angles;  ///< k each, in [-pi, pi)
  bool complete = true;                 ///< no other directions; false: two that are one to rounding, or too many boxes
};

/// All directions by bisection of the torus, see friction/switched.hpp. Some have signs that do not hold: the caller
/// looks.
[[nodiscard]] SlidingDirections sliding_directions(const SlidingContacts& contacts);

}  // namespace nonsmooth::detail
