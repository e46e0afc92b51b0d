// SPDX-License-Identifier: Apache-2.0
// A cable between two posts that sags onto the ground, tension 1, weight g, over the ground at height c(s):
//
//   q'' = g - lambda,   0 <= q - c  ⟂  lambda >= 0,   q(0) = q(L) = 1,        0 <= s <= L,
//
// a boundary value problem of relative degree 2 in (q, q'), lambda the pressure on the ground. Over flat ground q is a
// parabola g (a - s)^2 / 2 down to a = sqrt(2 / g), then 0 with lambda = g, then the same backwards. All intervals are
// one mixed complementarity problem, block bidiagonal with a border; its cost is linear in their number.
#include <cmath>
#include <ctime>
#include <iomanip>
#include <iostream>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel/boundary_value.hpp>
using namespace nonsmooth;
using boundary_value::Options;
using boundary_value::Solution;

constexpr double g = 2.0;

boundary_value::Problem cable(double length, std::function<double(double)> ground) {
  return {.A = Eigen::MatrixXd{{0.0, 1.0}, {0.0, 0.0}},
          .a = [](double, VectorRef value) { value[1] = g; },
          .B = Eigen::MatrixXd{{0.0}, {-1.0}},
          .C = Eigen::MatrixXd{{1.0, 0.0}},
          .c = [ground](double s, VectorRef value) { value[0] = -ground(s); },
          .M = Eigen::MatrixXd{{1.0, 0.0}, {0.0, 0.0}},
          .N = Eigen::MatrixXd{{0.0, 0.0}, {1.0, 0.0}},
          .b = Eigen::VectorXd{{1.0, 1.0}},
          .T = length,
          .atoms_at_end = false};
}

double flat(double) { return 0.0; }
double hills(double s) { return 0.25 * std::sin(3.0 * s); }

/// Over flat ground with that many intervals: a line of processor time, the largest error to the bounds.
void measure(Index steps, Bounds& bounds) {
  const std::clock_t begin = std::clock();
  const Solution solution = boundary_value::solve(cable(4.0, flat), {.steps = steps});
  const double taken = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  double error = solution ? 0.0 : std::nan("");
  for (Index k = 0; k < solution.t.size(); ++k) {
    const double from_end = std::min(solution.t[k], 4.0 - solution.t[k]);
    error = std::max(error, std::abs(solution.x(0, k) - (from_end < 1.0 ? std::pow(1.0 - from_end, 2) : 0.0)));
  }
  // a = 1 is an instant, so that heights of the closed form solve the discrete problem: rounding of sums of sums.
  bounds.within("largest error, " + std::to_string(steps) + " intervals", error, 0.0, 1e-9);
  std::cout << std::setw(10) << steps << std::setw(11) << 3 * steps + 1 << std::setw(8) << solution.meshes
            << std::setw(15) << solution.iterations << std::fixed << std::setprecision(2) << std::setw(10) << taken
            << std::setw(16) << 1e6 * taken / static_cast<double>(steps) << std::defaultfloat << '\n';
}

int example(const Arguments& arguments) {
  Bounds bounds;
  const Index largest = arguments.integer("intervals", arguments.check() ? 4'000 : 320'000, 1'000);
  std::cout << " intervals   unknowns  meshes factorizations   seconds microseconds/interval\n";
  for (Index steps = 1'000; steps <= largest; steps *= 2) measure(steps, bounds);

  // Over hills the cable spans valleys. Longer and longer cables, each from the one before.
  Figure figure{.title = "A cable on hilly ground, posts farther and farther apart", .width = 720, .height = 620};
  figure.panels = {{.x = {.label = "s"}, .y = {.label = "height"}, .series = {}},
                   {.x = {.label = "s"}, .y = {.label = "pressure on the ground"}, .series = {}}};
  Series ground{.label = {}, .style = Series::Style::Ground};
  for (double s = 0.0; s <= 6.0; s += 0.01) ground.x.push_back(s), ground.y.push_back(hills(s));
  figure.panels[0].series.push_back(ground);
  Solution before;
  for (const double length : {2.0, 4.0, 6.0}) {
    const boundary_value::Problem problem = cable(length, hills);
    Options options{.steps = 600};
    if (before) options.continue_from = &before;
    Solution solution = boundary_value::solve(problem, options);
    if (!solution) return std::cerr << solution.message() << '\n', 1;
    options.continue_from = nullptr;
    const Solution cold = boundary_value::solve(problem, options);
    const std::string label = "L = " + std::to_string(length).substr(0, 1);
    bounds.near(label + ": from the shorter cable and from nothing", (solution.x - cold.x).cwiseAbs().maxCoeff(), 0.0,
                1e-9);
    // Where it lies on the ground lambda = g - c'', elsewhere 0: no pull, and no less than what the ground bends.
    bounds.within(label + ": least gap", solution.w.row(0).segment(1, 599).minCoeff(), -1e-9, 1e-9);
    const double h = length / 600.0;
    bounds.within(label + ": largest pressure", solution.u.maxCoeff() / h, 0.0, 1.01 * (g + 2.25));
    Series shape{.label = label}, pressure{.label = label};
    for (Index k = 0; k <= 600; ++k) {
      shape.x.push_back(solution.t[k]), shape.y.push_back(solution.x(0, k));
      pressure.x.push_back(solution.t[k]), pressure.y.push_back(solution.u(0, k) / h);
    }
    figure.panels[0].series.push_back(shape);
    figure.panels[1].series.push_back(pressure);
    before = std::move(solution);
  }
  if (arguments.pictures()) std::cout << draw(figure, *arguments.pictures() / "cable_on_ground").message() << '\n';
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {"intervals"}, example); }
