// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>

#include <nonsmooth/numerics/vi/problem.hpp>

namespace nonsmooth::vi {

/// The projection method with a self-adaptive step,
///
///     x := P_K(x - t F(x)),
///
/// t shortened until  t |F(x) - F(y)| <= acceptance |x - y|  at the new point y, and lengthened where `growth` would
/// do.
///
/// Converges where F is strongly monotone or cocoercive (a gradient of a convex function among them); circles or
/// diverges on skew fields, whatever the step, where Extragradient does not. Cost: one value of F and one projection an
/// iteration, and one of each a refused step. Linear rate. Source: Facchinei, Pang 2003, section 12.1
/// [facchinei2003]; He, Liao 2002 [heliao2002] for the step.
///
/// Anderson's acceleration (memory > 0) proposes the z that the last images z := P_K(z) - t F(P_K(z)) of the iteration
/// extrapolate to, and asks F at x = P_K(z) alone, once an iteration. A proposal is kept where its natural residual is
/// at most `decrease` of the least one so far, else the plain image is taken: either proposals make the residual fall
/// geometrically, or from some iteration on there are none, and the method converges as without them. Source: Walker,
/// Ni 2011 [walker2011].
struct Projection {
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

/// @throws InvalidArgument as Problem::validate and Projection::validate, for a start of another size, where F is not
/// finite at the start or at the point of K nearest to 0, and for a user's projection that does not project.
[[nodiscard]] Result solve(const Problem& problem, const Projection& options);

}  // namespace nonsmooth::vi
