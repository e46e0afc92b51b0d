// SPDX-License-Identifier: Apache-2.0
// Whether a matrix is symmetric, and the entries that say no; not installed.
#pragma once

#include <string_view>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::lcp::detail {

/// The first pair (i, j), i < j, with |A_ij - A_ji| > 1e-12 max(|A_ij|, |A_ji|, sqrt|A_ii A_jj|): more than the
/// rounding of an assembled matrix, whatever the units of its rows. False if there is none.
bool find_asymmetry(ConstMatrixRef A, Index& row, Index& col);
bool find_asymmetry(const Eigen::SparseMatrix<double>& A, Index& row, Index& col);

/// @throws InvalidArgument naming that pair; `why` completes "expected a symmetric matrix, ...".
void require_symmetric(std::string_view argument, ConstMatrixRef A, std::string_view why);
void require_symmetric(std::string_view argument, const Eigen::SparseMatrix<double>& A, std::string_view why);

}  // namespace nonsmooth::lcp::detail
