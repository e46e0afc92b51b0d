// SPDX-License-Identifier: Apache-2.0
// What answers and proofs are worth in exact arithmetic: every double is a rational number.
#pragma once

#include <vector>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::problems {

/// max_i |min(s_i z_i, (M z + q)_i)| of the problem as it is stored, rounded once: the error of lcp::certify without
/// its rounding. s as there.
double exact_error(const lcp::Problem& problem, const Eigen::VectorXd& z);

/// Whether y >= 0, (M^T y)_j <= allowance sum_i |M_ij| y_i in each column j, and q·y < -allowance sum_i |q_i| y_i. With
/// allowance 0: y proves that no z >= 0 has M z + q >= 0.
bool exact_proof(const lcp::Problem& problem, const Eigen::VectorXd& y, double allowance);

/// The sign of the principal minor of these rows.
int exact_minor_sign(const Eigen::MatrixXd& M, const std::vector<Index>& rows);

/// How many of the 2^n - 1 principal minors are of each sign.
struct MinorSigns {
  Index positive = 0, zero = 0, negative = 0;
};
MinorSigns exact_minor_signs(const Eigen::MatrixXd& M);

}  // namespace nonsmooth::problems
