// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// Accelerated projected gradient descent (APGD) with adaptive restart:
///
///     r_{k+1} = P_K(y - rho û(y) / L),    y = r_{k+1} + beta_k (r_{k+1} - r_k),    rho_i of each block as in
///     Certificate,
///
/// û(y) = u(y) + mu |u_T(y)| e_N, the De Saxcé term lagged: the gradient of the quadratic at y with that term held.
/// L grows until d·W d <= L |d|^2 along the step d, in the metric 1 / rho, and shrinks a little each iteration, not
/// below 0.3 of its largest value since momentum last started anew: where the step turns against the gradient, or the
/// error is above 1.3 times its least value so far: with friction the lagged term makes momentum run away.
///
/// With cone_complementarity the term is dropped: the convex relaxation (cone complementarity problem), a convex
/// program for symmetric W, O(1/k^2) at least. Its answer dilates while it slides, u_N = mu |u_T|: it solves the
/// friction problem where nothing slides, and is called Solved only there, by the certificate of the friction problem;
/// else the status is Stalled with the relaxation's answer.
///
/// Any W (an unsymmetric one has no quadratic: it works in practice where W is nearly symmetric); Coulomb, Rolling (not
/// relaxed), Orthant and Free blocks. Cost: one product with W and one projection an iteration, one more for each
/// growth of L. Good to 1e-3 or 1e-4 on large piles. Source: Mazhar, Heyn, Negrut, Tasora 2015 [mazhar2015]; Nesterov
/// 1983 [nesterov1983]; O'Donoghue, Candès 2015 [odonoghue2015].
struct Nesterov {
  double tolerance = 1e-10;                                     ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;                       ///< what the tolerance bounds
  bool cone_complementarity = false;                            ///< true: the convex relaxation (see above)
  double curvature = 1.0;                                       ///< first L [-], > 0: 1 is W's mean local eigenvalue
  double decay = 0.9;                                           ///< L's factor each iteration, in (0, 1]
  bool restart = true;                                          ///< false: momentum is never dropped
  Index max_iterations = 100'000;                               ///< >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Nesterov::validate, for another set, and for a start of another
/// size than q.
[[nodiscard]] Result solve(const Problem& problem, const Nesterov& options);

}  // namespace nonsmooth::friction
