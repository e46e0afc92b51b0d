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
///
/// Where a contact sticks, r - rho û inside K by more than rounding, the law is u = 0 and e = û: of mu > 1 its û_0
/// counts u_0 + |u_T|, not u_0 + mu |u_T|, so that a friction coefficient without bound is a contact that does not
/// slip.
///
/// What rounding or a large friction coefficient can hide in e is measured beside it on cones and cylinders, and the
/// largest is the error:
/// - û = u + g |u_T| e_0 is in K* where u is in U = {u_0 >= (mu - g)|u_T|}, and on the border of U wherever r is not 0:
///   the distance of u to U, which is the penetration -u_N of contacts; inside U the smaller of the distance to the
///   border and |r|_inf / rho_i, which is a gap that opens under a force. Of contacts |e| shows only a share of
///   1 / sqrt(1 + mu^2) of the first, 1 / (1 + mu^2) of the second;
/// - e once more with rho_i = |r_i| / |û_i|, terms of equal size, where that is above the rho_i of the first line and
///   8 eps |r_i| / rho_i is above the block's error: r - rho û loses û there. |e|_2 falls as rho grows, so in exact
///   numbers this is no larger in that norm, nor more than sqrt(n_i) times larger in this one;
/// - of planar contacts of the reduced form, in the same case, how far r is outside K, over rho_i: mu r_N is rounded in
///   e;
/// - in the same case, how far friction is from opposing sliding, r_G = -s u_G with s >= 0, in each group G of
///   tangential rows: sin(angle(r_G, -u_G)) |r_G| |u_G| / (|r_G| + rho_i |u_G|), and 1 for the sine where r_G drives
///   it. e shows it in exact numbers; beside |r_G| = mu r_N with a large mu no rho does in doubles.
struct Certificate {
  double residual = std::numeric_limits<double>::quiet_NaN();  ///< dimensionless; zero only at a solution
  double error = std::numeric_limits<double>::quiet_NaN();     ///< max_i |e_i|_inf, with what is said above [unit of q]
  double scale = std::numeric_limits<double>::quiet_NaN();     ///< as above [unit of q]
  double round_off = 0.0;                                      ///< the default floor [unit of q]
  Index worst_row = -1;                                        ///< the row of the worst error; -1 for an empty problem
  /// max_i |e_i| / (|W||r| + |q|)_i over rows i (on cones and cylinders the largest terms of the block): each row
  /// relative to its own terms; of friction::GlobalProblem those of the balance of momentum too. Far above `residual`
  /// where rows differ by decades and a small one is wrong. An answer that does not reach the tolerance is "at
  /// round-off" (Result::at_round_off) if row_residual <= 64 eps and, on sets without bound,
  /// eps max_i (|W||r| + |q|)_i is at most 1e-6 of the data: beyond, r is a direction to infinity. It is then exact for
  /// a W that differs by rounding.
  double row_residual = std::numeric_limits<double>::quiet_NaN();
  Index worst_relative_row = -1;  ///< its row; -1 where all rows are exact
};

}  // namespace nonsmooth
