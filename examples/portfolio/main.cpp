// SPDX-License-Identifier: Apache-2.0
// Shares x of a fortune in n assets, none sold short, with the least risk for an expected return R (Markowitz 1952):
//   minimise 1/2 x^T Q x    subject to    1^T x = 1,  r^T x = R,  x >= 0.
// Asset i returns r_i + beta_i (market) + (its own), so that Q = market^2 beta beta^T + diag(own_i^2). Along R the
// shares are piecewise linear, with kinks where the set of assets that are held changes. Each program starts from the
// active set of the one before.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>
#include <vector>

#include <Eigen/Cholesky>

#include <nonsmooth/io.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include "picture.hpp"
using namespace nonsmooth;

constexpr Index n = 6;
constexpr double market = 0.16, riskless = 0.02;  // deviation [1/sqrt(year)], return [1/year]
const Eigen::VectorXd beta{{0.3, 0.5, 0.8, 1.0, 1.3, 1.6}};
const Eigen::VectorXd own{{0.10, 0.12, 0.15, 0.18, 0.20, 0.24}};      // [1/sqrt(year)]
const Eigen::VectorXd r{{0.032, 0.050, 0.070, 0.082, 0.100, 0.120}};  // [1/year]
const Eigen::VectorXd one = Eigen::VectorXd::Ones(n), zero = Eigen::VectorXd::Zero(n);
const Eigen::MatrixXd Q = market * market * beta * beta.transpose() + Eigen::MatrixXd(own.cwiseAbs2().asDiagonal());

qp::Problem least_risk(double R) {
  Eigen::MatrixXd A(2, n);
  A << one.transpose(), r.transpose();
  const Eigen::VectorXd b = Eigen::Vector2d{1.0, R};
  return {.Q = Q, .c = zero, .A = A, .row_lower = b, .row_upper = b, .lower = zero};
}

/// 1 for each asset that is held.
Eigen::ArrayXi held(const Eigen::VectorXd& x) { return (x.array() > 1e-12).cast<int>(); }

/// The shares beside lending and borrowing at the riskless rate, in closed form (Elton, Gruber, Padberg 1976): of
/// assets whose (r_i - riskless)/beta_i is above a cut-off, which these determine.
Eigen::VectorXd tangency() {
  const Eigen::VectorXd ratio = (r.array() - riskless) / beta.array();
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return ratio[i] > ratio[j]; });
  double above = 0.0, below = 1.0 / (market * market), cut_off = 0.0;
  for (const Index i : order) {
    if (ratio[i] <= cut_off) break;
    const double weight = std::pow(beta[i] / own[i], 2);
    above += ratio[i] * weight, below += weight, cut_off = above / below;
  }
  const Eigen::VectorXd x = (beta.array() / own.array().square() * (ratio.array() - cut_off)).cwiseMax(0.0);
  return x / x.sum();
}

/// Where the set of held assets changes. Shares are lines in R between two kinks; at a kink, where the asset that comes
/// or goes has none, the lines from both sides meet. All to rounding, as active sets are exact. Two changes within one
/// step of R would be told as one kink, and wrong: there are none.
void find_kinks(Frontier& frontier, Bounds& bounds) {
  double bend = 0.0, gap = 0.0;
  int most_changes = 0;
  for (std::size_t k = 1; k + 2 < frontier.x.size(); ++k) {
    const Eigen::VectorXd &x = frontier.x[k], &next = frontier.x[k + 1];
    const Eigen::VectorXd before = x - frontier.x[k - 1], after = frontier.x[k + 2] - next;
    Index i = 0;
    const Eigen::ArrayXi changed = (held(x) - held(next)).abs();
    most_changes = std::max(most_changes, changed.sum());
    if (changed.maxCoeff(&i) == 0) {
      if ((held(x) == held(frontier.x[k - 1])).all()) bend = std::max(bend, (next - x - before).cwiseAbs().maxCoeff());
      continue;
    }
    const bool comes = held(next)[i] == 1;
    const double way = comes ? 1.0 - next[i] / after[i] : -x[i] / before[i];  // from x on, in steps
    const Eigen::VectorXd kink = x + way * before;
    gap = std::max(gap, (kink - (next - (1.0 - way) * after)).cwiseAbs().maxCoeff());
    frontier.kink_R.push_back(r.dot(kink));
    frontier.kink_risk.push_back(std::sqrt(kink.dot(Q * kink)));
    std::cout << "  asset " << i + 1 << (comes ? " comes" : " goes") << " at R = " << r.dot(kink) << '\n';
  }
  bounds.near("most assets that come or go in a step", most_changes, 1.0, 0.0);
  bounds.near("bend of the shares between kinks", bend, 0.0, 1e-12);
  bounds.near("gap between the lines at kinks", gap, 0.0, 1e-12);
}

int example(const Arguments& arguments) {
  Bounds bounds;

  // 1. The frontier: from the least risk of all to the asset of the largest return alone. From the second program on
  //    Q and A are those of the last one, whose active set is in `result`.
  const auto safest = qp::solve(
      {.Q = Q, .c = zero, .A = one.transpose(), .row_lower = one.head(1), .row_upper = one.head(1), .lower = zero});
  const double low = r.dot(safest.x), high = r.maxCoeff();
  Frontier frontier;
  qp::DualActiveSetWorkspace active_sets;
  qp::Result result;
  Index changes = 0;
  for (int k = 0; k <= 400; ++k) {
    const double R = std::min(low + (high - low) * k / 400.0, high);
    active_sets.solve(least_risk(R), {}, k > 0, result);
    if (!result) return std::cerr << result.message() << '\n', 1;
    frontier.R.push_back(R), frontier.x.push_back(result.x);
    frontier.risk.push_back(std::sqrt(2.0 * result.figures.value));
    if (k > 0) changes += result.iterations;
  }
  std::cout << "400 programs after the first, " << changes << " changes of the active set\n";

  // 2. Its kinks.
  find_kinks(frontier, bounds);

  // 3. With all assets held x >= 0 does not count, and the variance is Merton's parabola,
  //    (a R^2 - 2 b R + c)/(a c - b^2); elsewhere it is larger.
  const Eigen::VectorXd Q_1 = Q.ldlt().solve(one), Q_r = Q.ldlt().solve(r);
  const double a = one.dot(Q_1), b = r.dot(Q_1), c = r.dot(Q_r);
  double error = 0.0, below = 0.0;
  for (std::size_t k = 0; k < frontier.R.size(); ++k) {
    const double R = frontier.R[k], parabola = std::sqrt((a * R * R - 2.0 * b * R + c) / (a * c - b * b));
    frontier.short_risk.push_back(parabola);
    if (held(frontier.x[k]).sum() == n) error = std::max(error, std::abs(frontier.risk[k] / parabola - 1.0));
    below = std::max(below, 1.0 - frontier.risk[k] / parabola);
  }
  bounds.near("all held: error of the risk", error, 0.0, 1e-12);
  bounds.near("below the risk with short sales", below, 0.0, 1e-12);

  // 4. The line from the riskless rate that touches the frontier does so at the shares of the closed form.
  frontier.tangency = tangency();
  frontier.tangency_R = r.dot(frontier.tangency);
  const auto touching = qp::solve(least_risk(frontier.tangency_R));
  bounds.near("error of the shares where the line touches", (touching.x - frontier.tangency).lpNorm<Eigen::Infinity>(),
              0.0, 1e-10);
  bounds.near("assets held there", held(touching.x).sum(), 5.0, 0.0);  // the first is below the cut-off
  double steepest = 0.0;
  for (std::size_t k = 0; k < frontier.R.size(); ++k)
    steepest = std::max(steepest, (frontier.R[k] - riskless) / frontier.risk[k]);
  const double slope = (frontier.tangency_R - riskless) / std::sqrt(frontier.tangency.dot(Q * frontier.tangency));
  bounds.within("steepest line of the points, of the slope", steepest / slope, 0.9999, 1.0 + 1e-12);

  if (arguments.pictures()) {
    frontier.riskless = riskless, frontier.slope = slope, frontier.asset_R = r;
    frontier.asset_risk = Q.diagonal().cwiseSqrt();
    std::cout << picture(frontier, *arguments.pictures() / "portfolio").message() << '\n';
  }
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
