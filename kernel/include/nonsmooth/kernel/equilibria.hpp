// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/kernel/relations/first_order.hpp>
#include <nonsmooth/kernel/systems/first_order.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth {

/// A is singular: the equilibria cannot be written as functions of lambda alone.
class SingularMatrix : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

/// One equilibrium of a linear complementarity system.
struct Equilibrium {
  Eigen::VectorXd x;       ///< n
  Eigen::VectorXd lambda;  ///< m, >= 0
  Eigen::VectorXd y;       ///< m, >= 0, y ⟂ lambda
  bool isolated = true;    ///< false: a corner of a continuum of equilibria
};

/// x = start.x + s x_direction, lambda = start.lambda + s lambda_direction is an equilibrium for every s >= 0.
struct EquilibriumHalfLine {
  Equilibrium start;
  Eigen::VectorXd x_direction;       ///< n
  Eigen::VectorXd lambda_direction;  ///< m, >= 0, largest entry 1
};

/// The whole set: each of its faces is the convex hull of corners plus the cone of half lines, so that these two lists
/// determine it. Corners that are not isolated have another corner of the same face or a half line beside them.
struct Equilibria {
  std::vector<Equilibrium> corners;
  std::vector<EquilibriumHalfLine> half_lines;
};

/// The equilibria of a linear complementarity system M xdot = A x + b + B lambda, 0 <= y = C x + D lambda + e ⟂ lambda
/// >= 0, as an LCP in z = lambda:
///
///     0 = A x + B lambda + b   =>   x = -A^-1 (B lambda + b),
///     w = y = (D - C A^-1 B) lambda + e - C A^-1 b.
///
/// Entries of the LCP that cancel to round-off (32 n eps of the sum of the absolute terms) are set to zero: whether
/// D = C A^-1 B decides between one equilibrium and a half line of them.
/// Source: Acary, Bonnefon, Brogliato, Nonsmooth Modeling and Simulation for Switched Circuits, 2011, section 1.1.7.
/// @throws SingularMatrix if A is, to round-off after scaling rows and columns.
/// @throws InvalidArgument: shapes that do not fit, entries that are not finite, data that depend on time.
[[nodiscard]] lcp::Problem equilibrium_problem(const FirstOrderLinearSystem& system,
                                               const FirstOrderLinearRelation& relation);

/// x(lambda) = -A^-1 (B lambda + b), n entries. @throws as equilibrium_problem.
[[nodiscard]] Eigen::VectorXd equilibrium_state(const FirstOrderLinearSystem& system,
                                                const FirstOrderLinearRelation& relation, ConstVectorRef lambda);

/// All equilibria. Corners and directions are found by trying each set of zero rows of z and w: 3^m factorizations of
/// at most m rows, so m <= 12 (a second). Decisions of rank and sign are made at 1e-10 after rows were scaled.
/// @throws as equilibrium_problem, and InvalidArgument for m > 12.
[[nodiscard]] Equilibria find_equilibria(const FirstOrderLinearSystem& system,
                                         const FirstOrderLinearRelation& relation);

}  // namespace nonsmooth
