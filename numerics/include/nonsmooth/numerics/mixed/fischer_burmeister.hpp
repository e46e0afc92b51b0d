// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mixed/problem.hpp>

namespace nonsmooth::mixed {

/// Newton on the Fischer-Burmeister function of symmetric cones,
///
///     phi(x, y) = (x^2 + y^2)^{1/2} - x - y,     x y = (x·y, x_0 y_T + y_0 x_T) the Jordan product of L^n,
///
/// whose zeros are x in L^n, y in L^n, x·y = 0; the root by the spectral decomposition x = l_1 c_1 + l_2 c_2, its
/// derivative by the inverse of the Lyapunov operator L_z: v -> z v. The cone {|r_T| <= mu r_0} becomes L^n by
/// x = (mu r_0, r_T) / rho, y = (u_0 / mu, u_T), rho_i as in Certificate; a cone with mu = 0 is a nonnegative row and
/// r_T = 0. Orthant rows are the case n = 1, Free rows u = 0. Backtracking on 1/2 |phi|^2 against the largest of the
/// last five values, with the scaled gradient where Newton's direction is refused.
///
/// Sets: products of Free, Orthant and SecondOrderCone of any size (û = u); others are refused. For positive
/// semidefinite W each stationary point of the merit is a solution; locally quadratic at nondegenerate ones. Where W is
/// singular Newton's matrix may be: a shift delta / rho is added then. Cost: one LU of an n x n matrix a step. Source:
/// Fukushima, Luo, Tseng 2002 [fukushima2002]; Chen, Tseng 2005 [chentseng2005]; Sun, Sun 2005 [sunsun2005] for the
/// derivative.
struct FischerBurmeister {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0
  Index max_steps = 200;     ///< Newton or gradient steps, >= 1; a good start needs about 10
  double decrease = 1e-4;    ///< Armijo: merit drops by this share of its slope at least; in (0, 0.5]
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and FischerBurmeister::validate, for a start of another size than q and
/// for a set that is none of Free, Orthant, SecondOrderCone.
[[nodiscard]] Result solve(const Problem& problem, const FischerBurmeister& options);

}  // namespace nonsmooth::mixed
