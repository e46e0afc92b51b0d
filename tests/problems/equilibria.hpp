// SPDX-License-Identifier: Apache-2.0
// Equilibria of markets and of traffic.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "lcp.hpp"

namespace nonsmooth::problems {

/// Firms that sell one good at the price a - b (x_1 + ... + x_n), firm i at the cost c_i x_i (Cournot 1838):
/// 0 <= x_i ⟂ c_i - a + b sum x + b x_i >= 0. M = b (1 1^T + I), positive definite. Closed form: of the firms in order
/// of cost the first k produce, x_i = (a - (k + 1) c_i + sum of their costs)/(b (k + 1)), k the most with all x_i > 0.
inline Lcp cournot(double a, double b, const Eigen::VectorXd& c) {
  const Index n = c.size();
  Lcp lcp{"cournot",
          {b * (Eigen::MatrixXd::Ones(n, n) + Eigen::MatrixXd::Identity(n, n)), (c.array() - a).matrix()},
          Verdict::Solvable,
          Eigen::VectorXd::Zero(n),
          true};
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return c[i] < c[j]; });
  double sum = 0.0;
  Index k = 0;
  for (const Index i : order) {  // firm i joins while it earns at the price (a + sum)/(k + 1) without it
    if (!(c[i] < (a + sum) / double(k + 1))) break;
    sum += c[i];
    ++k;
  }
  const double price = (a + sum) / double(k + 1);
  for (Index i = 0; i < n; ++i) lcp.z[i] = std::max(0.0, (price - c[i]) / b);
  return lcp;
}

/// Five firms, price p(Q) = (5000/Q)^(1/1.1), cost c_i x + k_i/(k_i + 1) 5^(-1/k_i) x^((k_i + 1)/k_i). Murphy, Sherali,
/// Soyster 1982 [murphy1982]. F_i = marginal cost - p - x_i p', nonlinear; its linearisation at x is an LCP.
struct FiveFirms {
  Eigen::VectorXd c{{10, 8, 6, 4, 2}}, k{{1.2, 1.1, 1.0, 0.9, 0.8}};
  /// Printed in the literature to two or three digits, e.g. Harker 1984 [harker1984].
  Eigen::VectorXd published{{36.93, 41.82, 43.71, 42.66, 39.18}};

  [[nodiscard]] Eigen::VectorXd F(const Eigen::VectorXd& x) const {
    const double Q = x.sum(), g = 1.0 / 1.1, p = std::pow(5000.0 / Q, g), slope = -g * p / Q;
    const Eigen::ArrayXd marginal = c.array() + (x.array() / 5.0).pow(1.0 / k.array());
    return marginal - p - slope * x.array();
  }
  [[nodiscard]] Eigen::MatrixXd jacobian(const Eigen::VectorXd& x) const {
    const double Q = x.sum(), g = 1.0 / 1.1, p = std::pow(5000.0 / Q, g), slope = -g * p / Q;
    const double curvature = g * (g + 1.0) * p / (Q * Q);
    Eigen::MatrixXd J(5, 5);
    for (Index i = 0; i < 5; ++i) {
      for (Index j = 0; j < 5; ++j) J(i, j) = -slope - curvature * x[i] - (i == j ? slope : 0.0);
      J(i, i) += std::pow(x[i] / 5.0, 1.0 / k[i] - 1.0) / (5.0 * k[i]);
    }
    return J;
  }
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

  [[nodiscard]] lcp::Problem problem() const {
    const Index paths = links_of_path.cols(), pairs = demand.size();
    lcp::Problem p{Eigen::MatrixXd::Zero(paths + pairs, paths + pairs), Eigen::VectorXd(paths + pairs)};
    p.M.topLeftCorner(paths, paths) = links_of_path.transpose() * slope * links_of_path;
    p.M.topRightCorner(paths, pairs) = -pair_of_path.transpose();
    p.M.bottomLeftCorner(pairs, paths) = pair_of_path;
    p.q << links_of_path.transpose() * free, -demand;
    return p;
  }
};

/// Braess's network, 6 vehicles: 10 x on the first and last link of either route, 50 + x on the others; a bridge 10 + x
/// joins the routes. Without it both carry 3 at the cost 83, with it each of the three paths 2 at 92: the new road
/// makes everyone later. Braess 1968 [braess1968].
inline Traffic braess(bool bridge) {
  Traffic t{Eigen::MatrixXd{{1, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 1, 1}, {0, 0, 1}},
            Eigen::MatrixXd::Ones(1, 3),
            Eigen::VectorXd{{10, 1, 1, 10, 1}}.asDiagonal(),
            Eigen::VectorXd{{0, 50, 50, 0, 10}},
            Eigen::VectorXd{{6}},
            Eigen::VectorXd{{4, 2, 2, 4, 2}},
            Eigen::VectorXd{{92}}};
  if (!bridge) {
    t.links_of_path = t.links_of_path.topLeftCorner(4, 2).eval();
    t.pair_of_path = t.pair_of_path.leftCols(2).eval();
    t.slope = t.slope.topLeftCorner(4, 4).eval();
    t.free = t.free.head(4).eval();
    t.flows = Eigen::VectorXd{{3, 3, 3, 3}};
    t.costs = Eigen::VectorXd{{83}};
  }
  return t;
}

/// Parallel routes with the costs free_i + slope_i x_i: those with free_i < s carry (s - free_i)/slope_i, and s makes
/// the sum the demand. slope > 0.
inline Traffic parallel_routes(const Eigen::VectorXd& slope, const Eigen::VectorXd& free, double demand) {
  const Index n = slope.size();
  Traffic t{Eigen::MatrixXd::Identity(n, n),
            Eigen::MatrixXd::Ones(1, n),
            slope.asDiagonal(),
            free,
            Eigen::VectorXd{{demand}},
            Eigen::VectorXd::Zero(n),
            {}};
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return free[i] < free[j]; });
  double conductance = 0.0, offset = 0.0, s = 0.0;
  for (const Index i : order) {
    if (conductance > 0.0 && free[i] >= s) break;
    conductance += 1.0 / slope[i], offset += free[i] / slope[i];
    s = (demand + offset) / conductance;
  }
  for (Index i = 0; i < n; ++i) t.flows[i] = free[i] < s ? (s - free[i]) / slope[i] : 0.0;
  t.costs = Eigen::VectorXd{{s}};
  return t;
}

}  // namespace nonsmooth::problems
