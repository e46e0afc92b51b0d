// SPDX-License-Identifier: Apache-2.0
#pragma once

// The quadratic program of frictionless contact, by conjugate gradients on the faces of its feasible set.

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>

namespace nonsmooth::friction::internal {

/// min 1/2 r·W r + q·r over r >= 0 on Orthant rows, any r on Free ones, for symmetric W: conjugate gradients on the
/// free rows while the gradient there outweighs that of the bounds, a step to the border and a projected one where they
/// would leave the set, a step along the bounds' gradient where that outweighs (modified proportioning with reduced
/// gradient projections). Rows are scaled by W_ii^-1/2. Needs products with W alone; finite for positive definite W,
/// convergent where W is semidefinite and a minimum exists.
/// Source: Dostál, Schöberl 2005 [dostal2005].
class ProportionedGradients {
 public:
  /// `problem` of Orthant and Free blocks; it must stay alive.
  explicit ProportionedGradients(const mixed::Problem& problem);

  /// From result.r, projected, until the certificate's residual is at most `tolerance`. Adds to result.iterations; the
  /// status is Solved, IterationLimit, TimeLimit, NumericalFailure, or Stalled where the function falls without end.
  void solve(double tolerance, Index max_iterations, const detail::Deadline& deadline, mixed::Result& result);

 private:
  /// y := S W S x, S the scaling.
  void multiply(const Eigen::VectorXd& x, Eigen::VectorXd& y);
  void refresh_gradient();
  [[nodiscard]] double largest_eigenvalue();
  /// The parts of the gradient on rows inside and at their bound.
  void split();

  const mixed::Problem& problem_;
  Eigen::VectorXd scale_, zero_;
  Eigen::Array<bool, Eigen::Dynamic, 1> bounded_;
  Eigen::VectorXd x_, g_, p_, Ap_, inside_, outward_, scaled_;  // r = scale_ x_
};

}  // namespace nonsmooth::friction::internal
