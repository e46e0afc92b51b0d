// SPDX-License-Identifier: Apache-2.0
// The signs of all principal minors; not installed.
#pragma once

#include <vector>

#include "ball.hpp"

namespace nonsmooth::analysis::detail {

/// What the principal minors of a matrix say. An index set is empty where no such minor was met.
struct MinorSigns {
  std::vector<Index> nonpositive, negative, zero;  ///< the index set of one such minor
  bool undecided = false;                          ///< some minor may be positive or not
  bool undecided_sign = false;                     ///< some minor may be negative or not
  bool undecided_zero = false;                     ///< some minor may be zero or not
};

/// All principal minors of M (n x n), in some 6 2^n elimination steps where no pivot vanishes.
///
/// A node holds det M_aa for a set a and the matrix T_ij = det M_{a+i, a+j} of the rows left. Row p is either kept out
/// for good, or enters a: T'_ij = (T_pp T_ij - T_ip T_pj) / det M_aa, which is Bareiss' elimination. Every set is met
/// once. M_aa's Schur complement is T / det M_aa, so this is the recursion of Tsatsomeros & Li 2000.
[[nodiscard]] MinorSigns principal_minor_signs(const BallMatrix& M);

/// det M by elimination with rows exchanged; M is taken apart.
[[nodiscard]] Ball determinant(BallMatrix M);

}  // namespace nonsmooth::analysis::detail
