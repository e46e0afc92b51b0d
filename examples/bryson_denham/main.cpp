// SPDX-License-Identifier: Apache-2.0
// The least effort that turns a mass round before a wall (Bryson, Denham, Dreyfus 1963):
//
//   minimise 1/2 int u^2 dt,   x' = v,  v' = u,   x(0) = x(1) = 0,  v(0) = 1,  v(1) = -1,   x <= l.
//
// Solved twice: as a quadratic program, u constant over each of N intervals; and by the necessary conditions, with
// adjoints and a measure lambda on the instants at which x = l,
//
//   u = eta_2,   eta_2' = -eta_1,   d eta_1 = lambda,   0 <= l - x  ⟂  lambda >= 0,      (l - x)'''' = lambda,
//
// a complementarity system of relative degree 4 with conditions at both ends: one mixed complementarity problem.
// Closed form: for l <= 1/6 x = l (1 - (1 - t/3l)^3) until 3l, then x = l, then the same backwards; cost 4/(9 l),
// lambda two atoms 2/(9 l^2); for l in [1/6, 1/4] one atom 48 (1 - 4 l) at 1/2, cost 2 + 6 (1 - 4 l)^2.
#include <cmath>
#include <iomanip>
#include <iostream>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel/optimal_control.hpp>
using namespace nonsmooth;
using optimal_control::Solution;

optimal_control::Problem before_a_wall(double l) {
  return {.A = Eigen::MatrixXd{{0.0, 1.0}, {0.0, 0.0}},
          .B = Eigen::MatrixXd{{0.0}, {1.0}},
          .R = Eigen::MatrixXd{{1.0}},
          .C = Eigen::MatrixXd{{-1.0, 0.0}},
          .d = Eigen::VectorXd{{l}},
          .M = Eigen::MatrixXd{{1.0, 0.0}, {0.0, 1.0}, {0.0, 0.0}, {0.0, 0.0}},
          .N = Eigen::MatrixXd{{0.0, 0.0}, {0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}},
          .b = Eigen::VectorXd{{0.0, 1.0, 0.0, -1.0}}};
}

double exact_cost(double l) {
  return l <= 1.0 / 6.0 ? 4.0 / (9.0 * l) : 2.0 + (l < 0.25 ? 6.0 * std::pow(1.0 - 4.0 * l, 2) : 0.0);
}

/// What lambda has within a hundredth of t.
double atom_near(const Solution& solution, double t) {
  double sum = 0.0;
  for (Index k = 0; k < solution.t.size(); ++k) sum += std::abs(solution.t[k] - t) < 0.01 ? solution.lambda(0, k) : 0.0;
  return sum;
}

std::vector<double> row(const Eigen::MatrixXd& matrix, Index i) {
  const Eigen::VectorXd values = matrix.row(i);
  return {values.begin(), values.end()};
}

/// Cost errors of both ways, contact ends between instants: N is no multiple of 3.
void measure_orders(Bounds& bounds) {
  OrderFit fits[2];
  std::vector<double> h, errors[2];
  std::cout << "l = 1/9, errors of the cost\n"
            << "     N   program  conditions\n";
  for (const Index steps : {25, 50, 100, 200}) {
    const boundary_value::Options options{.steps = steps};
    const optimal_control::Problem problem = before_a_wall(1.0 / 9.0);
    h.push_back(1.0 / static_cast<double>(steps));
    errors[0].push_back(std::abs(optimal_control::solve_by_program(problem, options).cost - 4.0));
    errors[1].push_back(std::abs(optimal_control::solve_by_conditions(problem, options).cost - 4.0));
    std::cout << std::setw(6) << steps << std::scientific << std::setprecision(2) << std::setw(10) << errors[0].back()
              << std::setw(12) << errors[1].back() << std::defaultfloat << '\n';
  }
  for (int way : {0, 1}) fits[way] = fit_order(h, errors[way]);
  bounds.within("order of the cost by the program", fits[0].order, 1.8, 2.2);
  bounds.within("order of the cost by the conditions", fits[1].order, 1.8, 5.0);
}

int example(const Arguments& arguments) {
  Bounds bounds;
  Figure figure{
      .title = "Least effort before a wall at l: position, effort, what the wall demands", .width = 720, .height = 760};
  figure.panels = {
      {.x = {.label = "time"}, .y = {.label = "x"}, .series = {}},
      {.x = {.label = "time"}, .y = {.label = "u"}, .series = {}},
      {.x = {.label = "time", .low = 0.0, .high = 1.0}, .y = {.label = "atoms of lambda", .low = 0.0}, .series = {}}};
  for (const double l : {1.0 / 9.0, 0.2, 0.3}) {
    const optimal_control::Problem problem = before_a_wall(l);
    const Solution program = optimal_control::solve_by_program(problem, {.steps = 300});
    const Solution conditions = optimal_control::solve_by_conditions(problem, {.steps = 300});
    if (!program || !conditions) return std::cerr << program.reason << "; " << conditions.reason << '\n', 1;

    // The contact ends of the closed form are instants, so that the conditions have it among their motions: what is
    // left is rounding, of a system whose solution is of size 1 and whose condition is some N^4 = 1e10. The program's u
    // is constant where the exact one has a slope: 1/24 h^2 int (u')^2 dt more, 1e-4 for l = 1/9 (216 h^2/24), 1e-5
    // for l = 1/5, and as much less in x.
    const double atom = l <= 1.0 / 6.0 ? 2.0 / (9.0 * l * l) : std::fmax(0.0, 48.0 * (1.0 - 4.0 * l));
    const double where = l <= 1.0 / 6.0 ? 3.0 * l : 0.5;
    std::cout << "l = " << l << ": " << optimal_control::arcs(problem, conditions, 1e-9).size() << " arc, "
              << optimal_control::atoms(conditions, 1e-3).size() << " atoms\n";
    bounds.near("  cost by the program", program.cost, exact_cost(l), 2e-4);
    bounds.near("  cost by the conditions", conditions.cost, exact_cost(l), 1e-6);
    bounds.near("  atom by the program", atom_near(program, where), atom, 1e-2 * (1.0 + atom));
    bounds.near("  atom by the conditions", atom_near(conditions, where), atom, 1e-4 * (1.0 + atom));

    const std::string label = "l = " + std::to_string(l).substr(0, 5);
    const std::vector<double> t(conditions.t.begin(), conditions.t.end());
    figure.panels[0].series.push_back({t, row(conditions.x, 0), label});
    figure.panels[1].series.push_back({t, row(conditions.u, 0), label});
    Series marks{.label = label, .style = Series::Style::Markers};
    for (const optimal_control::Atom& point : optimal_control::atoms(conditions, 1e-3))
      marks.x.push_back(point.t), marks.y.push_back(point.mass);
    if (!marks.x.empty()) figure.panels[2].series.push_back(marks);
  }
  measure_orders(bounds);
  if (arguments.pictures()) std::cout << draw(figure, *arguments.pictures() / "bryson_denham").message() << '\n';
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
