// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>

namespace nonsmooth::friction::internal {

/// What the digits of a file leave of the symmetry of a matrix.
inline constexpr double file_digits = 1e-8;

/// |W_ij - W_ji| is at most `tolerance` times the largest of |W_ij|, |W_ji| and sqrt(W_ii W_jj).
[[nodiscard]] bool is_symmetric(const BlockSparseMatrix& W, double tolerance = file_digits);

}  // namespace nonsmooth::friction::internal
