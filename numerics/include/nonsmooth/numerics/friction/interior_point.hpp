// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// A primal-dual interior point method on the second-order cones L = {x_0 >= |x_T|} of the contacts. With x = G r,
/// x = (mu r_N, r_T) of a Coulomb contact, and û = G^T y, the law is
///
///     W r + q + G^T e s = G^T y,    x∘y = 0,    x, y in L,    s = |y_T|,
///
/// ∘ the product of the cone's Jordan algebra and e its unit; e s is De Saxcé's term. A Rolling contact is the cones
/// (mu r_N, r_T), (mu r_N, r_R), (mu r_N, r_S), each with an s; a row of an orthant is a cone of one row; Free blocks
/// have none. Iterates stay inside the cones and follow x∘y = tau e, tau -> 0, by Mehrotra's predictor and corrector in
/// Nesterov and Todd's scaling: with H x = y and T^-1 = 1 - e t^T, t the gradient of s, each solves
///
///     (W + G^T T^-1 H G + alpha / rho) dr = G^T T^-1 c - (W r + q + G^T e s - G^T y),      dy = c - H G dr.
///
/// DeSaxce::Inside: s = (|y_T|^2 + d^2)^1/2 - d, d = tau / 10, is an unknown like the others and the matrix
/// unsymmetric: one multifrontal LU a step. The path may turn back where friction is strong: then steps become short,
/// and the contacts that cut them get a proximal weight alpha, ten times more each time, that falls again after long
/// steps. DeSaxce::Outside: t = 0 and s is held in cone programs, solved to a tenth of the error of s, each from the
/// answer of the last one moved inside by the change of s; s is a fixed point under Anderson's extrapolation. Cholesky
/// factors where W is symmetric, else LU. Dependable where sliding hardly feeds back, slow where it does.
///
/// Where the error is small, and where the iteration ends without an answer, `polish` Newton steps of GaussSeidelNewton
/// from there tell which contacts slide: where contacts neither press nor slide, the error of an interior point falls
/// like tau^1/2 alone, which round-off stops near 1e-8.
///
/// Coulomb, Rolling, Orthant and Free blocks, any W, singular too. Few steps whatever the size and the masses (10 to 25
/// on walls, towers and bodies; some dozens to hundreds on piles of balls). No proof of convergence with friction; for
/// symmetric positive semidefinite W and mu = 0 it is that of a cone program. Infeasible only with a proof. Cost of a
/// step: one factorization of all rows. Source: Mehrotra 1992 [mehrotra1992]; Nesterov, Todd 1997 [nesterov1997];
/// Acary, Armand, Nguyen, Shpakovych 2024 [acary2024] (the term as an unknown, on the global form).
struct InteriorPoint {
  enum class DeSaxce : unsigned char { Inside, Outside };

  double tolerance = 1e-10;                ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;  ///< what the tolerance bounds
  DeSaxce term = DeSaxce::Inside;          ///< see above
  Index max_iterations = 300;              ///< factorizations of the iteration, >= 1; fifteen are usual
  Index polish = 3;                        ///< Newton steps of a polish, >= 0; 0: none
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  /// r that is returned at once where it solves, else polished; an interior point has no use for it. Empty: 0.
  Eigen::VectorXd start{};

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and InteriorPoint::validate, for another set, and for a start of
/// another size than q.
[[nodiscard]] Result solve(const Problem& problem, const InteriorPoint& options);

}  // namespace nonsmooth::friction
