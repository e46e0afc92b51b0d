// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/pivoting.hpp>
#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// Planar contacts as one linear complementarity problem, exactly: the cone of Coulomb2D is polyhedral.
///
///     Klarbring        r_T = a - mu r_N,   0 <= r_N ⟂ u_N >= 0,   0 <= a ⟂ u_T + s >= 0,   0 <= s ⟂ 2 mu r_N - a >= 0:
///                      three variables a contact, s = (u_T)^- its slip to the left;
///     StewartTrinkle   r_T = b_1 - b_2,   0 <= r_N ⟂ u_N >= 0,   0 <= b ⟂ (u_T, -u_T) + g >= 0,
///                      0 <= g ⟂ mu r_N - b_1 - b_2 >= 0:  four, g = |u_T|; copositive for positive semidefinite W.
///
/// Orthant rows are rows of it as they are; Free rows make it a mixed one. r = 0 is answered without it where q_N >= 0.
/// Any W, unsymmetric and singular too. Infeasible comes with Result::proof, which is checked: no reaction keeps the
/// contacts from closing. Where friction makes W behave as if it were not positive (mu |W_NT| > W_NN, Painlevé)
/// pivoting may end on a ray that proves nothing: Stalled. Cost: as the LCP's, dense up to 300 variables or with Free
/// rows, else sparse; meant for some hundred contacts. Source: Klarbring 1986 [klarbring1986]; Stewart, Trinkle 1996
/// [stewart1996]; Cottle, Pang, Stone 1992 [cottle1992].
struct PlanarLcp {
  enum class Form : unsigned char { Klarbring, StewartTrinkle };

  double tolerance = 1e-10;  ///< of the measure: measure <= tolerance; > 0. Pivoting is exact to round-off
  Measure measure = Measure::Certificate;                       ///< what the tolerance bounds
  Form form = Form::Klarbring;                                  ///< see above
  Pivoting pivoting = Pivoting::Automatic;                      ///< what solves it
  Index max_iterations = 0;                                     ///< pivots or steps, >= 0; 0: the solver's default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and PlanarLcp::validate; for blocks other than Coulomb2D, Orthant,
/// Free.
[[nodiscard]] Result solve(const Problem& problem, const PlanarLcp& options);

}  // namespace nonsmooth::friction
