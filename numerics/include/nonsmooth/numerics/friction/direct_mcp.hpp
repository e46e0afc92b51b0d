// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// Coulomb's law as a nonlinear mixed complementarity problem without projections: with the slip l = |u_T|,
///
///     0 <= r_N ⟂ u_N >= 0,     mu r_N u_T + l r_T = 0,     0 <= l ⟂ (mu r_N)^2 - |r_T|^2 >= 0.
///
/// Each pair is one equation of Fischer and Burmeister, a + b - sqrt(a^2 + b^2) = 0, and all together are solved by a
/// semismooth Newton method on (r, l), regularised in proportion to its residual and searched along the line against
/// the largest of the last merits; the gradient of |F|^2 where Newton's direction does not descend.
///
/// The cone enters by its square, which has no slope at the apex: where many contacts are open the matrix is nearly
/// singular and the steps shorten. Exact equations, fast near solutions that stick and slide strictly; less robust than
/// ProximalNewton. Gauss-Seidel sweeps give the start. Coulomb, Orthant and Free blocks, any W; not for hyperstatic
/// problems of many contacts. Cost: one LU of n + nc rows a step, dense up to 64 rows, else sparse.
/// Source: Pang, Trinkle 1996 [pang1996]; De Luca, Facchinei, Kanzow 1996 [deluca1996].
struct DirectMcp {
  double tolerance = 1e-10;                ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;  ///< what the tolerance bounds
  Index max_iterations = 300;              ///< Newton steps, >= 1
  Index sweeps = 30;                       ///< Gauss-Seidel sweeps that give the start, >= 0; none with a start given
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: the sweeps'

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and DirectMcp::validate, for another set, and for a start of another
/// size than q.
[[nodiscard]] Result solve(const Problem& problem, const DirectMcp& options);

}  // namespace nonsmooth::friction
