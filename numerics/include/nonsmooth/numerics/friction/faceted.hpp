// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/pivoting.hpp>
#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// Friction cones with a regular polygon of `facets` corners for their disk, as a linear complementarity problem, one
/// with bilateral rows where there are Free blocks (mixed/polyhedral.hpp states it).
///
/// What faceting does to the answer: a sliding contact brakes along a corner of the polygon, and along one and the same
/// corner for all velocities within pi / facets of it, so that the direction of r_T is wrong by up to pi / facets (zero
/// along the corners: friction is anisotropic, and a straight path bends). In the direction of the velocity it brakes
/// by between cos(pi / facets) and 1 of mu r_N inside the cone, 1 / cos(pi / facets) times that outside: an error of
/// O(1 / facets^2). Few facets are fast; many cost facets^2 entries a block and pivots in proportion.
///
/// The answer is certified against the round cone: Solved is for problems where nothing slides, or along a corner; else
/// the status is Stalled, with the residual that faceting leaves. Infeasible where Outer cones have no admissible
/// reaction, with a proof that is checked. For comparison, and as a start for NaturalNewton: not a way to solve.
/// Coulomb, Rolling, Orthant and Free blocks; planar contacts exactly. Any W. Cost: as PlanarLcp with facets + 2
/// variables a contact. Source: Stewart, Trinkle 1996 [stewart1996]; Acary, Brémond, Huber 2018 [acary2018].
struct Faceted {
  enum class Cone : unsigned char {
    Inner,  ///< corners on the circle: reactions are admissible
    Outer,  ///< edges on the circle: |r_T| exceeds mu r_N by up to 1 / cos(pi / facets) - 1
  };

  double tolerance = 1e-10;                 ///< of the measure, for the round cone: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;   ///< what the tolerance bounds
  Index facets = 8;                         ///< 3 to 2^20; multiples of 4 are symmetric about both axes
  Cone cone = Cone::Inner;                  ///< see above
  Pivoting pivoting = Pivoting::Automatic;  ///< what solves the LCP
  Index max_iterations = 0;                 ///< pivots or steps, >= 0; 0: the solver's default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Faceted::validate, and for another set.
[[nodiscard]] Result solve(const Problem& problem, const Faceted& options);

}  // namespace nonsmooth::friction
