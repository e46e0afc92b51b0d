// SPDX-License-Identifier: Apache-2.0
#include <problems/equilibria.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace nonsmooth::problems {

Lcp cournot(double a, double b, const Eigen::VectorXd& c) {
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

Eigen::VectorXd FiveFirms::F(const Eigen::VectorXd& x) const {
  const double Q = x.sum(), g = 1.0 / 1.1, p = std::pow(5000.0 / Q, g), slope = -g * p / Q;
  const Eigen::ArrayXd marginal = c.array() + (x.array() / 5.0).pow(1.0 / k.array());
  return marginal - p - slope * x.array();
}

Eigen::MatrixXd FiveFirms::jacobian(const Eigen::VectorXd& x) const {
  const double Q = x.sum(), g = 1.0 / 1.1, p = std::pow(5000.0 / Q, g), slope = -g * p / Q;
  const double curvature = g * (g + 1.0) * p / (Q * Q);
  Eigen::MatrixXd J(5, 5);
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 5; ++j) J(i, j) = -slope - curvature * x[i] - (i == j ? slope : 0.0);
    J(i, i) += std::pow(x[i] / 5.0, 1.0 / k[i] - 1.0) / (5.0 * k[i]);
  }
  return J;
}

lcp::Problem Traffic::problem() const {
  const Index paths = links_of_path.cols(), pairs = demand.size();
  lcp::Problem p{Eigen::MatrixXd::Zero(paths + pairs, paths + pairs), Eigen::VectorXd(paths + pairs)};
  p.M.topLeftCorner(paths, paths) = links_of_path.transpose() * slope * links_of_path;
  p.M.topRightCorner(paths, pairs) = -pair_of_path.transpose();
  p.M.bottomLeftCorner(pairs, paths) = pair_of_path;
  p.q << links_of_path.transpose() * free, -demand;
  return p;
}

Traffic braess(bool bridge) {
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

Traffic parallel_routes(const Eigen::VectorXd& slope, const Eigen::VectorXd& free, double demand) {
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
