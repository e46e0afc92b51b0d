// SPDX-License-Identifier: Apache-2.0
// Equilibria of markets and of traffic.
#pragma once

#include <nonsmooth/numerics/lcp/problem.hpp>

#include <problems/lcp.hpp>

namespace nonsmooth::problems {

/// Firms that sell one good at the price a - b (x_1 + ... + x_n), firm i at the cost c_i x_i (Cournot 1838):
/// 0 <= x_i ⟂ c_i - a + b sum x + b x_i >= 0. M = b (1 1^T + I), positive definite. Closed form: of the firms in order
/// of cost the first k produce, x_i = (a - (k + 1) c_i + sum of their costs)/(b (k + 1)), k the most with all x_i > 0.
Lcp cournot(double a, double b, const Eigen::VectorXd& c);

/// Five firms, price p(Q) = (5000/Q)^(1/1.1), cost c_i x + k_i/(k_i + 1) 5^(-1/k_i) x^((k_i + 1)/k_i). Murphy, Sherali,
/// Soyster 1982 [murphy1982]. F_i = marginal cost - p - x_i p', nonlinear; its linearisation at x is an LCP.
struct FiveFirms {
  Eigen::VectorXd c{{10, 8, 6, 4, 2}}, k{{1.2, 1.1, 1.0, 0.9, 0.8}};
  /// Printed in the literature to two or three digits, e.g. Harker 1984 [harker1984].
  Eigen::VectorXd published{{36.93, 41.82, 43.71, 42.66, 39.18}};

  [[nodiscard]] Eigen::VectorXd F(const Eigen::VectorXd& x) const;
  [[nodiscard]] Eigen::MatrixXd jacobian(const Eigen::VectorXd& x) const;
};

/// Wardrop's equilibrium on given paths: every path in use costs least [wardrop1952]. Flows f >= 0 on the paths, least
/// costs s >= 0 of the pairs of places,
///
///     0 <= f ⟂ P^T (slope P f + free) - R^T s >= 0,   0 <= s ⟂ R f - demand >= 0.
///
/// M = [P^T slope P, -R^T; R, 0] is positive semidefinite where slope is; z = (f, s), link flows P f are unique.
struct Traffic {
  Eigen::MatrixXd links_of_path;     ///< P, links x paths, 0 or 1
  Eigen::MatrixXd pair_of_path;      ///< R, pairs x paths, 0 or 1
  Eigen::MatrixXd slope;             ///< links x links: cost of a link = slope (flows) + free
  Eigen::VectorXd free, demand;      ///< one a link, one a pair
  Eigen::VectorXd flows{}, costs{};  ///< known link flows and least costs

  [[nodiscard]] lcp::Problem problem() const;
};

/// Braess's network, 6 vehicles: 10 x on the first and last link of either route, 50 + x on the others; a bridge 10 + x
/// joins the routes. Without it both carry 3 at the cost 83, with it each of the three paths 2 at 92: the new road
/// makes everyone later. Braess 1968 [braess1968].
Traffic braess(bool bridge);

/// Parallel routes with the costs free_i + slope_i x_i: those with free_i < s carry (s - free_i)/slope_i, and s makes
/// the sum the demand. slope > 0.
Traffic parallel_routes(const Eigen::VectorXd& slope, const Eigen::VectorXd& free, double demand);

}  // namespace nonsmooth::problems
