// SPDX-License-Identifier: Apache-2.0
// Copositivity by the faces of the simplex on which a quadratic form is convex; not installed.
#pragma once

#include <Eigen/Core>

#include "ball.hpp"

namespace nonsmooth::analysis::detail {

/// What the quadratic form x^T S x does on x >= 0. A vector is empty where none was found.
struct OrthantSigns {
  Eigen::VectorXd negative;       ///< x >= 0 with x^T S x < 0
  Eigen::VectorXd nonpositive;    ///< x >= 0, x != 0 with x^T S x <= 0, to round-off if `vanishes`
  bool vanishes = false;          ///< the form is known to be zero in a vector near `nonpositive`
  bool undecided = false;         ///< it may be negative somewhere
  bool undecided_strict = false;  ///< it may be zero or negative somewhere
};

/// The signs for a symmetric S (n x n, n up to some 20).
///
/// A least support a of a negative (nonpositive) value on the simplex carries a minimiser x_a > 0, S_aa x_a = v 1, and
/// S_aa is positive definite on {sum of d = 0}: else the value would be as small on the boundary. Convexity passes to
/// subsets, so the sets are searched as a tree that is cut where S_aa is not convex; and v <= 0 needs a negative entry
/// S_ij, j in a, in each row i of a. In a vertex k of a, B_ij = S_ij - S_ik - S_kj + S_kk is positive definite, and
/// v = det S_aa / (1^T adj(S_aa) 1) has the sign of det S_aa, as 1^T adj(S_aa) 1 = det B > 0.
[[nodiscard]] OrthantSigns orthant_signs(const BallMatrix& S);

}  // namespace nonsmooth::analysis::detail
