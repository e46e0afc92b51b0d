// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/pivoting.hpp>
#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// The normal problem: tangential (and rolling) rows of r are held, mu plays no part,
///
///     0 <= u_N = W_NN r_N + (W_NT r_T + q_N) ⟂ r_N >= 0,
///
/// with Orthant rows among the normal ones and u = 0 on Free rows. For symmetric positive semidefinite W it is the
/// quadratic program  min 1/2 r·W r + q·r,  r_N >= 0. With r_T = 0 it is the problem itself where every mu is 0.
///
/// Complementarity solves it as a linear complementarity problem, mixed with Free rows, by pivoting; any W. Cost: as
/// the LCP's up to 300 normal rows, dense; beyond, Pivoting::Automatic tries semismooth Newton steps first, one sparse
/// LU each, and the sparse LCP (dense with Free rows) where they fail.
///
/// QuadraticProgram minimises by conjugate gradients on the faces of r_N >= 0, in proportion to the gradients of free
/// and of held rows, for W symmetric to 1e-8, else Stalled. No factorization: a product with W an iteration, a hundred
/// on piles of balls, some hundreds on walls. A function that falls without end is Stalled, or Infeasible with a proof.
///
/// Status, certificate and proof are those of the normal problem alone, on the rows named; u and figures are those of
/// the whole one. Every set of the family. Source: Cottle, Pang, Stone 1992 [cottle1992]; Dostál, Schöberl 2005
/// [dostal2005].
struct Frictionless {
  enum class Method : unsigned char { Complementarity, QuadraticProgram };

  double tolerance = 1e-10;                 ///< Certificate::residual <= tolerance; > 0
  Method method = Method::Complementarity;  ///< see above
  Pivoting pivoting = Pivoting::Automatic;  ///< what solves the LCP
  Eigen::VectorXd tangential{};             ///< r whose tangential rows are held, others ignored; empty: 0
  Index max_iterations = 0;                 ///< pivots, steps or products with W, >= 0; 0: the solver's default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Frictionless::validate, for another set, and for `tangential` of
/// another size than q or with entries that are not finite.
[[nodiscard]] Result solve(const Problem& problem, const Frictionless& options);

}  // namespace nonsmooth::friction
