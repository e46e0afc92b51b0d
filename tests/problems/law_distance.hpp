// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an answer is worth by the laws themselves, in quadruple precision, and nothing taken from the library's
// certificate: no natural map, no projection of r - rho û, no round-off that it tells of itself.

#include <nonsmooth/numerics/friction/global_problem.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>

namespace nonsmooth::problems {

/// The distance of a block's (u, r) to a law is the least E for which some pair (u', r') obeys it exactly, with
/// |u - u'|_inf <= E and |r - r'|_inf <= rho E + 32 eps |r|_inf, the last digits of r. The law is looked at mode by
/// mode (open or at the apex, sticking or inside, sliding or on the boundary, group by group of tangential rows), so
/// that E is what a reader would call the error: a gap that opens under a force counts in full whatever the friction
/// coefficient is. It bounds the natural map by (2 + mu) E, and is bounded by it in turn where mu is at most 1, but for
/// the share that large mu hides.
///
/// u = W r + q in 113 bits; rho_i = n_i / tr(W_ii) (1 / max |W_ij| where that is not positive), each row of Free,
/// Orthant and Box blocks by itself; canonical units (see BlockSet); data = max(|q|, |W P_K(0) + q|).
struct Worth {
  double residual = 0.0;  ///< max E / data; infinite where r is not finite, or where data is 0 and E is not
  double rows = 0.0;      ///< max E / (|W||r| + |q|), of the same row, or the largest of the block's rows
  /// eps max (|W||r| + |q|) / data, where q cancels beside cohesion that of its terms; 0 where K is bounded.
  double growth = 0.0;
};

[[nodiscard]] Worth worth(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, const ProductSet& K,
                          const Eigen::VectorXd& r);

/// Of the global form: u = H v + w, rho of the diagonal blocks of H diag(A)^-1 H^T, data = |H A^-1 f + w|, and the
/// balance |A v - H^T r - f| over max(|f|, |H^T rho w|), the larger of both errors. Rows and growth are those of u and
/// of the balance, the larger of both.
[[nodiscard]] Worth worth(const friction::GlobalProblem& problem, const Eigen::VectorXd& v, const Eigen::VectorXd& r);

/// What Solved promises (see certificate.hpp): within the tolerance; or each row within the round-off of its own terms,
/// of an r that is no direction to infinity. Twice each for the rounding of u, and for E against the natural map.
[[nodiscard]] bool keeps_promise(const Worth& worth, double tolerance);

}  // namespace nonsmooth::problems
