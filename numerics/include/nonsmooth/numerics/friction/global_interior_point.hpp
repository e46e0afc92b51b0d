// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/global_problem.hpp>
#include <nonsmooth/numerics/friction/interior_point.hpp>

namespace nonsmooth::friction {

/// InteriorPoint on (A, H), without W. With the letters given there, every step solves
///
///     [ A   -H^T                          ] [dv]   [ f + H^T r - A v                                  ]
///     [ H    G^T T^-1 H_NT G + alpha / rho ] [dr] = [ G^T T^-1 c - (H v + w + G^T e s - G^T y)         ],
///
/// H_NT the scaling of Nesterov and Todd (H x = y there), by one multifrontal LU whose ordering is computed once: over
/// the bodies that A falls into where they are small, over single dofs where they are large, and over contacts. Where A
/// and the blocks below it are positive definite, no row exchanges are needed in any order of elimination.
///
/// Every set, A of any symmetry whose principal blocks are nonsingular, dependent rows in H. No proof that a problem
/// has no solution: those end Stalled or IterationLimit. Cost of a step: one LU of n + m rows with the fill of A's: the
/// choice where A is large, or bodies have so many contacts that W is nearly full. Source: Acary, Armand, Nguyen,
/// Shpakovych 2024 [acary2024]; Mehrotra 1992 [mehrotra1992]; Nesterov, Todd 1997 [nesterov1997].
struct GlobalInteriorPoint {
  using DeSaxce = InteriorPoint::DeSaxce;

  double tolerance = 1e-10;                ///< the measure <= tolerance; > 0
  Measure measure = Measure::Certificate;  ///< NaturalMap stops on max(natural_map, balance)
  DeSaxce term = DeSaxce::Inside;          ///< see InteriorPoint
  Index max_iterations = 300;              ///< factorizations of the iteration, >= 1
  Index polish = 3;                        ///< steps of GlobalProximalNewton where the error is small, >= 0; 0: none
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  /// r that is polished at first where it is not 0; an interior point has no use for it. Empty: 0.
  Eigen::VectorXd start{};

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as GlobalProblem::validate and GlobalInteriorPoint::validate, for a start of another size
/// than w, and for a singular body of at most 64 dofs. A larger singular body ends Stalled or NumericalFailure.
[[nodiscard]] GlobalResult solve(const GlobalProblem& problem, const GlobalInteriorPoint& options);

}  // namespace nonsmooth::friction
