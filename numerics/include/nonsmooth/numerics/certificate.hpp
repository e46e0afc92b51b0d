// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// What an answer is worth, recomputed from the problem's data and never taken from the solver's own test.
///
/// With the block error e_i = (r - P_K(r - rho û)) / rho of each block (for an orthant row this is
/// min(s_i r_i, u_i), s_i = 1/rho_i; for an equality row the row itself), in the unit of q:
///
///     residual = max_i |e_i|_inf / scale,      scale = max(|q|_inf, |W P_K(0) + q|_inf, floor),
///
/// the second only where boxes exclude 0, so that a shift of r and its bounds changes no residual.
/// rho_i = n_i / tr(W_ii) where that trace is positive, else 1 / max_j |W_ij| over the block's rows, else 1. Errors
/// carry the unit of q (a velocity, a current, ...), so that neither the unit of mass nor of time changes them.
/// floor is the caller's; by default 64 eps max_i (|W||r| + |q|)_i, what round-off alone can leave in u.
struct Certificate {
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< dimensionless; zero only at a solution
  double error = std::numeric_limits<double>::quiet_NaN();     ///< max_i |e_i|_inf [unit of q]
  double scale = std::numeric_limits<double>::quiet_NaN();     ///< as above [unit of q]
  double round_off = 0.0;                                      ///< the default floor [unit of q]
  Index worst_row = -1;                                        ///< the row of the worst error; -1 for an empty problem
};

}  // namespace nonsmooth
