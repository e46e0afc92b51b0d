// SPDX-License-Identifier: Apache-2.0
// Inner loops of dense linear algebra in one version a processor generation (SSE2, AVX2, AVX-512); not installed.
#pragma once

#include <cstddef>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::detail {

/// y -= a x. Every version multiplies and adds in the same order, without fused operations: the same bits.
void subtract_scaled(Index n, double a, const double* x, double* y);

/// P A = L U with partial pivoting in place (n x n, column-major, leading dimension n): row k was exchanged with row
/// swaps[k] >= k. Recursive on the columns (Toledo 1997 [toledo1997]), products by register tiles. A pivot of
/// |U_kk| <= smallest[k] ends it with false. `packed` is scratch that keeps its memory.
[[nodiscard]] bool lu_in_place(Index n, double* a, const double* smallest, Index* swaps, std::vector<double>& packed);

/// The size that `packed` grows to for n rows.
[[nodiscard]] std::size_t lu_scratch(Index n);

/// b := A^-1 b with the factors of lu_in_place.
void lu_solve(Index n, const double* a, const Index* swaps, double* b);

/// The lower triangle of H (n x n, leading dimension ldh >= n) := X^T X, X m x n, both column-major; what is above it
/// is whatever. By the same tiles, so that it has the same bits in every version. `packed` is scratch.
void symmetric_product(Index m, Index n, const double* x, double* h, Index ldh, std::vector<double>& packed);

/// Of A (rows x n, rows >= n, column-major) with the lower triangle of a symmetric matrix on top of B: (L; B L^-T) in
/// place, L L^T that matrix. Recursive on the columns like lu_in_place; above the diagonal is whatever. A pivot that is
/// not positive ends it with false. `packed` is scratch.
[[nodiscard]] bool cholesky_of_top(Index rows, Index n, double* a, std::vector<double>& packed);

/// A = L D L^T in place, A symmetric within a band: column j lies at a + j stride, from its diagonal entry down by
/// heights[j] < stride more, and none ends above the one before. D takes the place of the diagonal. A pivot of no more
/// than smallest[j] ends it with false. Entries that are 0 are passed over.
[[nodiscard]] bool band_ldlt(Index n, Index stride, const int* heights, double* a, const double* smallest);

}  // namespace nonsmooth::detail
