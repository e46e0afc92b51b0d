// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/qp/problem.hpp>

namespace nonsmooth::qp {

/// The primal-dual interior point method with Mehrotra's predictor and corrector, on rows t = A x and bounds that stay
/// strictly inside, z (v - l) = mu -> 0, each Newton step by the quasidefinite system
///
///     ( Q + Theta_x + rho I      A^T               ) (  dx )
///     (        A           -(Theta_t^-1 + delta I) ) ( -dy ),    Theta = z_l / (v - l) + z_u / (u - v),
///
/// whose rho and delta are those of proximal points around the iterate (1e-8 after scaling; where it stalls, once more
/// from the start with 1e-13): dependent rows and a singular Q need no other care, and the limit is that without them.
/// Sparse programs by L D L^T of this system, dense ones by Cholesky's factors of what elimination of dy leaves. Where
/// it stalls, Newton steps on the active set of the last iterate follow.
///
/// Sparse programs with Q != 0 begin with up to 12 exchanges of active sets, on factors of the same system: all rows
/// and bounds of the wrong sign change sides at once (the primal-dual active set method), as long as fewer and fewer
/// do. Where three steps in a row are shorter than 0.3 and the multipliers grow in each, up to 25 steps from z = 1e10
/// come first: multipliers of 1e4 to 1e9 fall to their size by decades a step, and rise to it by some 15 %. Both count
/// as iterations.
///
/// 10 to 40 steps, whatever the combinatorics: large and sparse programs, linear ones. Multipliers, or x, that grow
/// without end become a proof. Source: Mehrotra 1992 [mehrotra1992]; Friedlander, Orban 2012 [friedlander2012];
/// exchanges: Hintermueller, Ito, Kunisch 2002 [hintermuller2002].
struct InteriorPoint {
  double tolerance = 1e-10;                                     ///< Certificate::residual <= tolerance; > 0
  Index max_steps = 200;                                        ///< >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and InteriorPoint::validate.
[[nodiscard]] Result solve(const Problem& problem, const InteriorPoint& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const InteriorPoint& options);

}  // namespace nonsmooth::qp
