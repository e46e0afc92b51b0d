// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/mlcp/problem.hpp>
#include <nonsmooth/numerics/relay/gauss_seidel.hpp>

namespace nonsmooth::mlcp {

/// relay::GaussSeidel on z = (u, v): a sweep solves the equality rows for u (LU of A, factored once), then
/// v_i := P_[l,h](v_i - relaxation w_i / B_ii) for one row after another.
///
/// Converges where M = (A C; D B) is symmetric positive definite, or strictly diagonally dominant; needs p = n,
/// nonsingular A and B_ii > 0, else NumericalFailure. Cost: one product with M a sweep.
/// Source: Mangasarian 1977 [mangasarian1977].
using GaussSeidel = relay::GaussSeidel;

/// @throws InvalidArgument as Problem::validate and GaussSeidel::validate.
[[nodiscard]] Result solve(const Problem& problem, const GaussSeidel& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const GaussSeidel& options);

}  // namespace nonsmooth::mlcp
