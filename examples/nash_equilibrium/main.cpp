// SPDX-License-Identifier: Apache-2.0
// Five firms sell one good. Firm i makes x_i of it at the cost C_i, all get the price p, which falls with X = sum x_j:
//   C_i(x_i) = c_i x_i + k_i/(k_i + 1) 5^(-1/k_i) x_i^((k_i + 1)/k_i),    p(X) = (5000/X)^(1/1.1).
// Each wants the most profit x_i p(X) - C_i(x_i), given what the others make. Nobody gains by a change alone where
//   0 <= x_i  ⟂  F_i(x) = C_i'(x_i) - p(X) - x_i p'(X) >= 0,    i = 1..5:
// marginal cost is marginal revenue, or the firm stays out. A nonlinear complementarity problem.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <stdexcept>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/numerics/mcp.hpp>
using namespace nonsmooth;

constexpr Index n = 5;

struct Market {
  Eigen::VectorXd c{{10, 8, 6, 4, 2}}, k{{1.2, 1.1, 1.0, 0.9, 0.8}};

  double price(double X) const { return std::pow(5000.0 / X, 1.0 / 1.1); }
  double cost(Index i, double x) const {
    return c[i] * x + k[i] / (k[i] + 1.0) * std::pow(5.0, -1.0 / k[i]) * std::pow(x, (k[i] + 1.0) / k[i]);
  }
  double marginal_cost(Index i, double x) const { return c[i] + std::pow(x / 5.0, 1.0 / k[i]); }
  double profit(Index i, double x, double others) const { return x * price(x + others) - cost(i, x); }

  /// Marginal cost less marginal revenue, p'(X) = -p(X)/(1.1 X). Differences stand for the Jacobian.
  mcp::Problem competition() const {
    NonlinearMap F{.num_unknowns = n, .num_values = n};
    F.value = [market = *this](ConstVectorRef x, VectorRef f) {
      const double X = x.sum(), p = market.price(X);
      for (Index i = 0; i < n; ++i) f[i] = market.marginal_cost(i, x[i]) - p * (1.0 - x[i] / (1.1 * X));
    };
    return mcp::complementarity(F, Eigen::VectorXd::Constant(n, 10.0));
  }
};

int example(const Arguments& arguments) {
  Bounds bounds;

  // 1. The equilibrium, against what is printed in the literature, to four decimals.
  const Market market;
  const auto equilibrium = mcp::solve(market.competition());
  std::cout << equilibrium.message() << '\n';
  if (!equilibrium) return 1;
  const Eigen::VectorXd x = equilibrium.x, published{{36.9325, 41.8181, 43.7066, 42.6592, 39.1790}};
  for (Index i = 0; i < n; ++i) bounds.near("output of firm " + std::to_string(i + 1), x[i], published[i], 6e-5);
  std::cout << "price " << market.price(x.sum()) << '\n';

  // 2. What the word says: no firm gains by another output while the others keep theirs. At x itself the gain is 0;
  //    elsewhere it is negative but for the rounding of profits, some hundreds, and of x, 1e-8 squared.
  std::vector<double> outputs;
  for (int step = 1; step <= 400; ++step) outputs.push_back(0.25 * step);
  double gain = -1e300;
  for (Index i = 0; i < n; ++i) {
    const double others = x.sum() - x[i], now = market.profit(i, x[i], others);
    for (const double output : outputs) gain = std::max(gain, market.profit(i, output, others) - now);
  }
  bounds.within("most that a firm gains alone", gain, -1.0, 1e-10);

  // 3. The first firm's cost rises: it makes less, and closes where c_1 is the price that the other four make. Each
  //    market starts from the last one's equilibrium.
  mcp::Problem others_only = market.competition();
  others_only.upper[0] = 0.0;
  const auto four = mcp::solve(others_only);
  if (!four) return std::cerr << four.message() << '\n', 1;
  const double exit = market.price(four.x.sum());
  std::cout << "the first firm closes at c_1 = " << exit << '\n';
  std::vector<double> costs;
  std::vector<std::vector<double>> made(n);
  Eigen::VectorXd last = x;
  const auto outputs_at = [&](double cost) {
    Market other = market;
    other.c[0] = cost;
    mcp::Problem problem = other.competition();
    problem.start = last;
    const auto result = mcp::solve(problem);
    if (!result) throw std::runtime_error(result.message());
    return last = result.x;
  };
  for (double cost = 5.0; cost <= 25.0; cost += 0.25) {
    costs.push_back(cost);
    const Eigen::VectorXd at = outputs_at(cost);
    for (std::size_t i = 0; i < made.size(); ++i) made[i].push_back(at[static_cast<Index>(i)]);
  }
  // Below the exit (x_1/5)^(1/1.2) <= exit - c_1, and it is the larger part of that.
  bounds.within("output of the first firm, c_1 1 % below", outputs_at(0.99 * exit)[0],
                5.0 * std::pow(0.005 * exit, 1.2), 5.0 * std::pow(0.01 * exit, 1.2));
  bounds.near("output of the first firm, c_1 1 % above", outputs_at(1.01 * exit)[0], 0.0, 0.0);

  if (arguments.pictures()) {
    Panel profits{.x = {.label = "its own output", .low = 0.0, .high = 80.0},
                  .y = {.label = "profit of the firm", .low = 0.0, .high = 450.0}};
    Panel path{.x = {.label = "cost c_1 of the first firm", .low = 5.0, .high = 25.0}, .y = {.label = "output"}};
    Series marks{.label = "equilibrium", .style = Series::Style::Markers};
    for (Index i = 0; i < n; ++i) {
      const std::string label = "firm " + std::to_string(i + 1);
      Series curve{.x = outputs, .label = label};
      for (const double output : outputs) curve.y.push_back(market.profit(i, output, x.sum() - x[i]));
      profits.series.push_back(curve);
      marks.x.push_back(x[i]), marks.y.push_back(market.profit(i, x[i], x.sum() - x[i]));
      path.series.push_back({.x = costs, .y = made[static_cast<std::size_t>(i)], .label = label});
    }
    profits.series.push_back(marks);
    path.series.push_back(
        {.x = {exit, exit}, .y = {0.0, 60.0}, .label = "price without it", .style = Series::Style::Guide});
    const Figure figure{
        .title = "Nash equilibrium of five firms", .panels = {profits, path}, .width = 720, .height = 680};
    std::cout << draw(figure, *arguments.pictures() / "nash_equilibrium").message() << '\n';
  }
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
