// SPDX-License-Identifier: Apache-2.0
// The American put: the right to sell a share for K at any time up to T. With x = ln S (S the share's price), tau the
// time left, V the value, L V = s^2/2 V_xx + (r - s^2/2) V_x - r V:
//   0 <= V - (K - S)^+  ⟂  V_tau - L V >= 0,   V = (K - S)^+ at tau = 0.
// Where V = K - S it is exercised. Each step in tau is one sparse LCP for z = V - (K - S)^+, M = 1 - theta h_t L.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/numerics.hpp>
using namespace nonsmooth;

constexpr double K = 100.0, r = 0.05, s = 0.2, T = 1.0;  // [currency], [1/year], [1/sqrt(year)], [year]

/// A binomial tree (Cox, Ross, Rubinstein 1979), to check by: exercise or hold, node by node, back from T.
double tree(double spot, int steps) {
  const double up = std::exp(s * std::sqrt(T / steps)), discount = std::exp(-r * T / steps);
  const double p = (1.0 / discount - 1.0 / up) / (up - 1.0 / up);
  std::vector<double> price(static_cast<std::size_t>(2 * steps + 1)), value(static_cast<std::size_t>(steps + 1));
  for (std::size_t i = 0; i < price.size(); ++i) price[i] = spot * std::pow(up, static_cast<double>(i) - steps);
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = std::max(0.0, K - price[2 * i]);
  for (std::size_t left = value.size() - 1; left > 0; --left) {
    for (std::size_t i = 0; i < left; ++i) {
      const double hold = discount * (p * value[i + 1] + (1.0 - p) * value[i]);
      value[i] = std::max(hold, K - price[2 * i + value.size() - left]);
    }
  }
  return value[0];
}

int example(const Arguments& arguments) {
  // 1. A grid in ln S, six standard deviations to either side of K, K a node.
  const Index half = 300, n = 2 * half - 1, steps = 200;
  const double h = 6.0 * s * std::sqrt(T) / half, h_t = T / steps;
  const double diffusion = 0.5 * s * s / (h * h), drift = (r - 0.5 * s * s) / (2.0 * h);
  const auto spot = [&](Index i) { return K * std::exp(static_cast<double>(i - half + 1) * h); };
  const auto payoff = [&](Index i) { return std::max(0.0, K - spot(i)); };
  Eigen::SparseMatrix<double> L(n, n), one(n, n);
  Eigen::VectorXd L_payoff(n);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, -2.0 * diffusion - r);
    if (i > 0) entries.emplace_back(i, i - 1, diffusion - drift);
    if (i + 1 < n) entries.emplace_back(i, i + 1, diffusion + drift);
    L_payoff[i] =
        (diffusion - drift) * payoff(i - 1) - (2.0 * diffusion + r) * payoff(i) + (diffusion + drift) * payoff(i + 1);
  }
  L.setFromTriplets(entries.begin(), entries.end());
  one.setIdentity();

  // 2. Backwards from expiry: two implicit steps for the kink, then Crank and Nicolson; z starts each next step.
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
  std::vector<double> left{0.0}, boundary{K};
  Index solves = 0;
  for (Index step = 0; step < steps; ++step) {
    const double theta = step < 2 ? 1.0 : 0.5;
    const lcp::SparseProblem problem{.M = one - theta * h_t * L,
                                     .q = -h_t * L_payoff - z - (1.0 - theta) * h_t * (L * z)};
    const auto result = lcp::solve(problem, lcp::PrimalDualActiveSet{.start = z});
    if (!result) return std::cerr << result.message() << '\n', 1;
    z = result.z;
    solves += result.iterations;
    Index exercised = half - 1;
    while (exercised > 0 && z[exercised] > 0.0) --exercised;
    left.push_back(static_cast<double>(step + 1) * h_t), boundary.push_back(spot(exercised));
  }
  std::cout << steps << " steps of " << n << " unknowns, " << solves << " linear systems\n";

  // 3. Bounds. Errors are h^2 and h_t^2 times derivatives of V, below 2e-3 at the money, S V_SS = 1.9; the tree's go
  //    like T/steps. The price at which it is exercised falls, and stays above that of a put without expiry.
  Bounds bounds;
  const auto value = [&](Index i) { return payoff(i) + z[i]; };
  for (const Index i : {half - 51, half - 1, half + 49}) {
    bounds.near("value at S = " + std::to_string(spot(i)), value(i), tree(spot(i), 2000), 2e-3);
  }
  bounds.near("value at S = K, as printed in the literature", value(half - 1), 6.090, 2e-3);
  const double g = 2.0 * r / (s * s), for_ever = K * g / (1.0 + g);
  bounds.within("exercised a year before expiry at S =", boundary.back(), for_ever, K);
  double rise = 0.0;
  for (std::size_t i = 1; i < boundary.size(); ++i) rise = std::max(rise, boundary[i] - boundary[i - 1]);
  bounds.near("rise of that price with the time left", rise, 0.0, 0.0);
  // The tree holds at a price two nodes above, and exercises at one two nodes below.
  const double above = boundary.back() * std::exp(2.0 * h), below = boundary.back() * std::exp(-2.0 * h);
  bounds.within("tree, just above: value of waiting", tree(above, 2000) - (K - above), 1e-9, 0.1);
  bounds.near("tree, just below: value of waiting", tree(below, 2000) - (K - below), 0.0, 1e-9);

  if (arguments.pictures()) {
    std::vector<double> S, V, exercise, tree_S, tree_V;
    for (Index i = 0; i < n; ++i) {
      if (spot(i) < 60.0 || spot(i) > 140.0) continue;
      S.push_back(spot(i)), V.push_back(value(i)), exercise.push_back(payoff(i));
    }
    for (double at = 70.0; at <= 130.0; at += 10.0) tree_S.push_back(at), tree_V.push_back(tree(at, 1000));
    const Figure figure{
        .title = "American put, K = 100, r = 5 %, s = 20 %, one year",
        .panels = {{.x = {.label = "price of the share S"},
                    .y = {.label = "value"},
                    .series = {{.x = S, .y = V, .label = "V"},
                               {.x = S, .y = exercise, .label = "(K - S)^+", .style = Series::Style::Dashed},
                               {.x = tree_S, .y = tree_V, .label = "tree", .style = Series::Style::Markers}}},
                   {.x = {.label = "time left [year]"},
                    .y = {.label = "exercised below S ="},
                    .series = {{.x = left, .y = boundary, .label = "grid", .style = Series::Style::Steps},
                               {.x = {0.0, T},
                                .y = {for_ever, for_ever},
                                .label = "without expiry",
                                .style = Series::Style::Dashed}}}},
        .width = 720,
        .height = 640};
    std::cout << draw(figure, *arguments.pictures() / "american_option").message() << '\n';
  }
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
