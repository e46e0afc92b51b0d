// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// Infeasible primal-dual interior point method with Mehrotra's predictor and corrector: Newton on
///
///     w - M z - q = 0,    z_i w_i = sigma mu,    z, w > 0,    mu = z^T w / n,
///
/// every step solving with M + diag(w / z) twice and going the same share of the way in z and w, so that w - M z - q
/// falls by the same share.
///
/// Finish: as mu falls, the basis a = {i : s_i z_i > w_i} is solved for directly (z_a = -M_aa^-1 q_a), and where M_aa
/// is singular or nearly so, refined from the iterate by M_aa + delta I (proximal steps, which keep its component in
/// the kernel). So the answer is that of a basis, exact up to round-off, or the best iterate.
///
/// Class: monotone problems (z^T M z >= 0 for all z), feasible: then about 10 to 30 steps whatever n. Infeasible ones
/// make z grow without bound; the direction of growth is tried as a proof (Infeasible), else Stalled. Outside the class
/// M + diag(w / z) may become singular (NumericalFailure) or the step may vanish (Stalled); P-matrices are often solved
/// all the same.
/// Cost of a step: one factorization of an n x n matrix (dense LU; sparse Cholesky where M is symmetric, else LU).
/// Source: Mehrotra 1992 [mehrotra1992]; Wright 1997, chapter 8 [wright1997].
struct InteriorPoint {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0
  Index max_steps = 100;     ///< >= 1; more than 50 are a sign of a problem outside the class
  double boundary = 0.99;    ///< share of the way to the boundary of z, w > 0 at most, in (0, 1); near 1 as mu falls
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and InteriorPoint::validate.
[[nodiscard]] Result solve(const Problem& problem, const InteriorPoint& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const InteriorPoint& options);

}  // namespace nonsmooth::lcp
