// SPDX-License-Identifier: Apache-2.0
// Variational inequalities with known answers. Every random one takes an explicit seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nonsmooth/numerics/vi/quasi.hpp>

namespace nonsmooth::problems {

struct Vi {
  std::string name;
  vi::Problem problem;
  Eigen::VectorXd x;    ///< a solution
  bool unique = false;  ///< it is the only one
};

/// F(x) = M x + q as a map with its Jacobian.
NonlinearMap affine_map(const Eigen::MatrixXd& M, const Eigen::VectorXd& q);

/// The field (x_2, -x_1), which turns and neither draws in nor pushes out, on the ball of radius 1 about (2, 0). At the
/// solution -F is a multiple of x - (2, 0), which F(x)·x = 0 makes normal to x: x = (3/2, sqrt(3)/2), the only one, for
/// F = -sqrt(3) (x - (2, 0)) there.
Vi rotation_on_a_ball();

/// The sets that planted problems are on.
enum class SetOf : unsigned char {
  Box,
  Ball,
  HalfSpace,
  Polyhedron,            ///< rows of both kinds, some active
  Cones,                 ///< second-order cones of 3 rows, n rounded up to a multiple of 3
  Product,               ///< a ball x a box x a polyhedron, 3 n rows
  Intersection,          ///< a box and a half-space: a polyhedron
  DykstrasIntersection,  ///< a ball and a half-space
  Callers,               ///< a ball by a callable
};

/// Every one of them, with a name.
const std::vector<std::pair<SetOf, std::string>>& kinds_of_sets();

/// x* in K and n in N_K(x*) are drawn first, K around them; then
///
///     F(x) = M (x - x*) - n + atan(x - x*)   entry by entry,
///
/// M with symmetric part B B^T / n + I / 2, plus a skew part where it is not symmetric: strongly monotone with constant
/// 1/2, x* the only solution. Without the last term where it is to be affine.
Vi planted_vi(SetOf kind, Index n, std::uint64_t seed, bool symmetric, bool affine = false);

/// -1 <= x_i <= 1, n + 2 half-spaces that have 0 inside or, a share of `touching` of them, on their border, and p
/// equations through 0: bounded, and of many rows at 0 where they touch.
vi::Polyhedron random_polytope(Index n, Index p, double touching, std::uint64_t seed);

/// K(x) = K + sin(x) / 10 - sin(x*) / 10 with x* in K and a normal planted as above, the caller's by a moving
/// projection; F(x) = M (x - x*) - n, M = 2 I and entries up to 0.2 / sqrt(n): a contraction for the projection with
/// t = 1/2, of 0.1 + 0.1 + 0.1 at most, so that x* is the only solution.
vi::QuasiProblem planted_quasi(SetOf kind, Index n, std::uint64_t seed, Eigen::VectorXd& x);

/// The affine VI of M (x - x*) - n on {A x <= b}, n + 2 rows of which half as many as unknowns are active, M as that of
/// planted_vi without symmetry; dense.
Vi planted_affine_vi(Index n, std::uint64_t seed);

/// {x : a·x <= -1, -a·x <= -1} and two rows more, with F(x) = x: nothing is in it.
Vi empty_vi(Index n, std::uint64_t seed);

/// The certificate's residual by other code: P_K of polyhedra by their optimality conditions, as an MLCP.
double independent_residual(const vi::Problem& problem, const Eigen::VectorXd& x);
double independent_residual(const vi::QuasiProblem& problem, const Eigen::VectorXd& x);

/// The nearest point of a polyhedron by those conditions.
Eigen::VectorXd nearest_point(const vi::Polyhedron& K, const Eigen::VectorXd& y);

}  // namespace nonsmooth::problems
