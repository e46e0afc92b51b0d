// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>

#include <nonsmooth/numerics/vi/problem.hpp>

namespace nonsmooth::vi {

/// The extragradient method with Khobotov's step,
///
///     y = P_K(x - t F(x)),    x := P_K(x - t F(y)),
///
/// t shortened until  t |F(x) - F(y)| <= acceptance |x - y|, and lengthened where `growth` would do.
///
/// Converges for every F that is pseudo-monotone and locally Lipschitz on K and for which a solution exists; the
/// default of first-order methods. Cost: two values of F and two projections an iteration, and one of each a refused
/// step. Linear rate on strongly monotone and on affine problems. Source: Korpelevich 1976 [korpelevich1976]; Khobotov
/// 1987 [khobotov1987].
///
/// Anderson's acceleration (memory > 0) proposes the point that the last images of the iteration extrapolate to. A
/// proposal is kept where its natural residual is at most `decrease` of the least one so far, else the plain image is
/// taken: either proposals make the residual fall geometrically, or from some iteration on there are none, and the
/// method converges as without them. Source: Walker, Ni 2011 [walker2011].
struct Extragradient {
  double tolerance = 1e-10;        ///< Certificate::residual <= tolerance; > 0
  double step = 0.0;               ///< first t, >= 0; 0: rho of the certificate [unit of x / unit of F]
  double acceptance = 0.9;         ///< in (0, 1)
  double growth = 0.3;             ///< in (0, acceptance)
  double reduction = 2.0 / 3.0;    ///< in (0, 1)
  Index memory = 5;                ///< iterates that the acceleration looks back on, in [0, 1000]; 0: none
  double decrease = 0.9;           ///< in (0, 1)
  Index max_iterations = 100'000;  ///< >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit
  Eigen::VectorXd start{};                                      ///< projected on K; empty: 0
  /// Called with each iterate, the start first, proposals of the acceleration among them: to look on, or to draw.
  std::function<void(ConstVectorRef x)> on_iterate{};

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Extragradient::validate, for a start of another size, where F is
/// not finite at the start or at the point of K nearest to 0, and for a user's projection that does not project.
[[nodiscard]] Result solve(const Problem& problem, const Extragradient& options);

}  // namespace nonsmooth::vi
