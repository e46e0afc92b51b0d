// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>

#include <nonsmooth/numerics/vi/problem.hpp>

namespace nonsmooth::vi {

/// Newton's method of Josephy on polyhedral K = {A x <= b, C x = d}: each step solves the affine variational inequality
/// of the linearised F,
///
///     find v in K:  (F(x) + J (v - x))·(y - v) >= 0  for all y in K,
///
/// by its optimality conditions, a mixed linear complementarity problem with x and the multipliers of C free:
///
///     0 = J v + C^T mu + A^T lambda + F(x) - J x,    0 = d - C v,    0 <= lambda ⟂ b - A v >= 0,
///
/// by mlcp::Automatic, and where that finds none, as may be if J is not monotone, by the path of CaoFerris. x then goes
/// to x + t (v - x), t shortened as in SemismoothNewton, whose fallback it has too.
///
/// Affine F take one step: this is the method for AVIs. Quadratic near regular solutions. K: boxes, half-spaces,
/// polyhedra, products and intersections of these. Dense: pivoting on n rows and all bounds, some hundred.
/// Source: Josephy 1979 [josephy1979]; Cao, Ferris 1996 [cao1996].
struct JosephyNewton {
  double tolerance = 1e-10;         ///< Certificate::residual <= tolerance; > 0
  Index max_steps = 100;            ///< Newton steps and falls back on Extragradient, >= 1
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

/// @throws InvalidArgument as Problem::validate and JosephyNewton::validate, for a K that is no polyhedron, a start of
/// another size, and where F is not finite at the start or at the point of K nearest to 0;
/// with check_jacobian a Jacobian that differences deny.
[[nodiscard]] Result solve(const Problem& problem, const JosephyNewton& options);

}  // namespace nonsmooth::vi
