// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>

#include <nonsmooth/numerics/vi/problem.hpp>

namespace nonsmooth::vi {

/// The hyperplane projection method. With y = P_K(x - t F(x)) and r = x - y, the longest s in 1, reduction,
/// reduction^2, ... for which z = x - s r has
///
///     (F(x) - F(z))·r <= ((1 - sigma) / t) |r|^2,    so that  F(z)·r >= (sigma / t) |r|^2  for F(x)·r >= |r|^2 / t,
///
/// gives a hyperplane {v : F(z)·(v - z) = 0} between x and all solutions, and x goes towards it along K,
///
///     x := P_K(x - lambda F(z))   with the largest lambda found for which F(z)·(x - z) >= 0 still holds there:
///
/// at its supremum that is the projection of x on what K has on the solutions' side. (With lambda =
/// F(z)·(x - z) / |F(z)|^2, which is no larger, steps are of the order of |r|^2 where F is not 0 at the solution.)
///
/// t is lengthened by 1 / reduction where s = 1 was enough and shortened by reduction where it was not, within 1e6 of
/// its first value.
///
/// Converges for every continuous F that is pseudo-monotone on K and for which a solution exists: no Lipschitz
/// constant, where Extragradient may take ever shorter steps. Cost: two or more values of F and some ten projections an
/// iteration. Source: Solodov, Svaiter 1999 [solodov1999]; Facchinei, Pang 2003, algorithm 12.1.12 [facchinei2003].
struct HyperplaneProjection {
  double tolerance = 1e-10;        ///< Certificate::residual <= tolerance; > 0
  double step = 0.0;               ///< first t, >= 0; 0: rho of the certificate [unit of x / unit of F]
  double sigma = 0.3;              ///< in (0, 1)
  double reduction = 2.0 / 3.0;    ///< in (0, 1)
  Index max_iterations = 100'000;  ///< >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit
  Eigen::VectorXd start{};                                      ///< projected on K; empty: 0
  /// Called with each iterate, the start first: to look on, or to draw.
  std::function<void(ConstVectorRef x)> on_iterate{};

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and HyperplaneProjection::validate, for a start of another size, where
/// F is not finite at the start or at the point of K nearest to 0, and for a user's projection that does not project.
[[nodiscard]] Result solve(const Problem& problem, const HyperplaneProjection& options);

}  // namespace nonsmooth::vi
