// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// The spectral projected gradient method: with rho_i of each block as in Certificate,
///
///     d = P_K(r - t rho û(r)) - r,    r := r + lambda d,
///
/// t the Barzilai-Borwein step, by turns  s·s / s·y  and  s·y / y·y  of the last changes s of r and y of û (in the
/// metrics 1 / rho and rho), lambda 1 where the quadratic  1/2 r·W r + q·r + s·r,  s = mu |u_T| held at its present
/// value (De Saxcé lagged), does not exceed the largest of its last `memory` values by more than Armijo's descent asks;
/// else the minimiser along d. The values of earlier iterates are taken with the present s.
///
/// For symmetric W and no friction it converges; with friction, and for unsymmetric W, in practice. Often the fastest
/// first-order method where W has many different eigenvalues, its error far from monotone. Coulomb, Rolling, Orthant
/// and Free blocks. Cost: one product with W and one projection an iteration, `memory` dot products.
/// Source: Barzilai, Borwein 1988 [barzilai1988]; Birgin, Martínez, Raydan 2000 [birgin2000].
struct BarzilaiBorwein {
  double tolerance = 1e-10;                ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;  ///< what the tolerance bounds
  Index memory = 10;                       ///< values that a step is compared with, 1 (monotone) to 10,000
  double descent = 1e-4;                   ///< Armijo's share of the slope, in (0, 0.5)
  Index max_iterations = 100'000;          ///< >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and BarzilaiBorwein::validate, for another set, and for a start of
/// another size than q.
[[nodiscard]] Result solve(const Problem& problem, const BarzilaiBorwein& options);

}  // namespace nonsmooth::friction
