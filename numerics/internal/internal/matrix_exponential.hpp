// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// e^A of a square dense matrix, n x n, to a few eps |A|_1 max |e^{A s}| (0 <= s <= 1): Padé approximants with scaling
/// and squaring. Cost: some 20 n^3 flops and one n^3 product for each doubling of |A|_1 beyond 5.
/// Source: Higham 2005, The scaling and squaring method for the matrix exponential revisited [higham2005].
/// @throws InvalidArgument: A not square, empty, or with an entry that is not finite.
[[nodiscard]] Eigen::MatrixXd matrix_exponential(ConstMatrixRef A);

}  // namespace nonsmooth
