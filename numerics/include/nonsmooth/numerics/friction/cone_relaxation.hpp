// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/inner_solver.hpp>
#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// Acary, Cadoux, Lemaréchal, Malick: with s >= 0 held, one number a contact, the problem on second-order cones
///
///     K* ∋ W r + q + s e_N ⟂ r ∈ K
///
/// is a convex program for symmetric W; the friction problem is  s = G(s),  G(s) = mu |u_T(s)|. Outer methods:
///
///     Newton      (I - G'(s)) ds = G(s) - s, by one linear system: the natural map of the inner problem linearised at
///                 its solution gives dr = -(A + C W)^-1 C E ds, and with t = mu u_T / |u_T| eliminating ds leaves the
///                 matrix A + C (I + e_N t^T) W of the size of W. Quadratic near a regular solution, as far as inner
///                 problems are solved: to a tenth of the present error.
///     Anderson    extrapolation over the last `memory` iterates.
///     FixedPoint  s := G(s), the published method.
///
/// Where |G(s) - s| has more than doubled after a step of the first two, or no such step exists, the plain step is
/// taken from the best iterate. s = 0 is the convex relaxation (see Nesterov), the first inner problem.
///
/// Inner problems are solved by a method that is fast for cones. Singular W is what it is for: u(s) is unique for
/// symmetric positive semidefinite W even where r is not. Coulomb, Orthant and Free blocks. Result::iterations counts
/// the inner solver's and one for each Newton step outside. Source: Acary, Cadoux, Lemaréchal, Malick 2011
/// [acary2011]; Walker, Ni 2011 [walker2011].
struct ConeRelaxation {
  enum class Outer : unsigned char { Newton, Anderson, FixedPoint };

  double tolerance = 1e-10;                                     ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;                       ///< what the tolerance bounds
  Outer outer = Outer::Newton;                                  ///< see above
  InnerSolver inner = InnerSolver::Hybrid;                      ///< solves the problem on second-order cones
  Index memory = 10;                                            ///< of Anderson's extrapolation, 1 to 10,000
  Index max_iterations = 500;                                   ///< outer ones, >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and ConeRelaxation::validate, for another set, and for a start of
/// another size than q.
[[nodiscard]] Result solve(const Problem& problem, const ConeRelaxation& options);

}  // namespace nonsmooth::friction
