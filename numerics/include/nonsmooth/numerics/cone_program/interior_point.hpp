// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/cone_program/problem.hpp>

namespace nonsmooth::cone_program {

/// The primal-dual interior point method on the homogeneous self-dual embedding
///
///     (0; s; kappa) in (A^T y + G^T z + c tau;  b tau - A x;  h tau - G x;  -c^T x - b^T y - h^T z),
///
/// s, z in K, tau, kappa >= 0, whose solutions are those of the program where tau > 0, and proofs that there is none
/// where kappa > 0. Nesterov-Todd scaling W z = W^-1 s makes each Newton step symmetric,
///
///     ( delta I   A^T     G^T   )
///     (    A    -delta I        )    by L D L^T with refinement, Mehrotra's predictor and corrector.
///     (    G           -W^2     )
///
/// Works in units of its own: rows, one factor a cone, and columns equilibrated (Ruiz 2001), the largest c_j, and b_i
/// or h_i, near 1; by powers of two. The certificate is that of the given program.
///
/// Stops on the residual alone: unknowns whose terms of c^T x are below the tolerance of the largest are not looked
/// for; Figures::complementarity and Certificate::row_residual tell of them.
///
/// Where no cone has more than two rows, so that the program is a linear one, and it ends Stalled or in a
/// NumericalFailure, as at sets without an inside, qp::Automatic is next on the cones' rows: its answer or proof
/// counts, and Result::solver names it.
///
/// Some 10 to 30 steps. Cost: a sparse factorization a step; cones fill their q x q blocks.
/// Source: Nesterov, Todd 1997 [nesterov1997]; Domahidi, Chu, Boyd 2013 [domahidi2013].
struct InteriorPoint {
  double tolerance = 1e-8;                                      ///< Certificate::residual <= tolerance; > 0
  Index max_steps = 100;                                        ///< >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and InteriorPoint::validate.
[[nodiscard]] Result solve(const Problem& problem, const InteriorPoint& options);

}  // namespace nonsmooth::cone_program
