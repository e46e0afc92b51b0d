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
/// Status, certificate and proof are those of the normal problem alone, on the rows named; u and figures are those of
/// the whole one. Solved as a linear complementarity problem, mixed with Free rows. Any W; every set of the family.
/// Cost: as the LCP's up to 300 normal rows, dense; beyond, Pivoting::Automatic tries semismooth Newton steps first,
/// one sparse LU each, and the sparse LCP (dense with Free rows) where they fail.
struct Frictionless {
  double tolerance = 1e-10;                 ///< Certificate::residual <= tolerance; > 0
  Pivoting pivoting = Pivoting::Automatic;  ///< what solves the LCP
  Eigen::VectorXd tangential{};             ///< r whose tangential rows are held, others ignored; empty: 0
  Index max_iterations = 0;                 ///< pivots or steps, >= 0; 0: the solver's default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Frictionless::validate, for another set, and for `tangential` of
/// another size than q or with entries that are not finite.
[[nodiscard]] Result solve(const Problem& problem, const Frictionless& options);

}  // namespace nonsmooth::friction
