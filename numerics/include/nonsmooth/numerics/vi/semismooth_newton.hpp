// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>

#include <nonsmooth/numerics/vi/problem.hpp>

namespace nonsmooth::vi {

/// Semismooth Newton on one of the two equations that VI(K, F) is, with D in the generalised Jacobian of P_K and J =
/// F':
///
///     Natural   e(x) = (x - P_K(x - rho F(x))) / rho,        V = (I - D) / rho + D J,     D at x - rho F(x),
///     Normal    e(z) = F(P_K(z)) + (z - P_K(z)) / rho,       V = (I - D) / rho + J D,     D at z, x = P_K(z),
///
/// rho that of the certificate; steps of the natural map are projected on K. A step d is shortened to t d until |e| is
/// at most 1 - decrease t of the largest of the last `memory` norms; where V is singular or no t does, some iterations
/// of Extragradient come first, which converge where F is monotone.
///
/// Converges quadratically near solutions at which all V are nonsingular. Needs a K with a Jacobian (boxes, balls,
/// half-spaces, polyhedra, canonical blocks, products of these). A step is one LU: sparse of n rows where F's Jacobian
/// is and K is a product of small sets (boxes, blocks), n up to 1e5 and more; else dense, of the rows of factors of K
/// with D != 0, n up to some thousand. J D of balls and half-spaces, D = alpha (I - s s^T), is formed by n^2.
/// Without a Jacobian of F n more values a step. Source: Qi, Sun 1993 [qi1993]; Facchinei, Pang 2003, chapters 7 to 10
/// [facchinei2003].
struct SemismoothNewton {
  enum class Equation : unsigned char { Natural, Normal };

  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0
  Equation equation = Equation::Natural;
  Index max_steps = 200;            ///< Newton steps and falls back on Extragradient, >= 1
  double decrease = 1e-4;           ///< in (0, 1/2]
  Index memory = 4;                 ///< norms the line search looks back on, >= 1; 1: monotone
  Index fallback_iterations = 200;  ///< of Extragradient, >= 0; 0: ends Stalled where no step helps
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit
  Eigen::VectorXd start{};                                      ///< projected on K; empty: 0
  bool check_jacobian = false;  ///< compare_jacobian at the start; what differs is an InvalidArgument
  /// Called with each iterate, those within a fallback left out: to look on, or to draw.
  std::function<void(ConstVectorRef x)> on_iterate{};

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and SemismoothNewton::validate, for a K without a Jacobian, a start of
/// another size, and where F is not finite at the start or at the point of K nearest to 0;
/// with check_jacobian a Jacobian that differences deny.
[[nodiscard]] Result solve(const Problem& problem, const SemismoothNewton& options);

}  // namespace nonsmooth::vi
