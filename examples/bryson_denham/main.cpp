// SPDX-License-Identifier: Apache-2.0
// The least effort that turns a mass round before a wall (Bryson, Denham, Dreyfus 1963):
//
//   minimise 1/2 int u^2 dt,   x' = v,  v' = u,   x(0) = x(1) = 0,  v(0) = 1,  v(1) = -1,   x <= l.
//
// Solved twice: as a quadratic program, u constant over each of N intervals; and by the necessary conditions, with
// adjoints p, s and a measure mu on the instants at which x = l,
//
//   u = -s,   s' = -p,   dp = -mu,   0 <= l - x  ⟂  mu >= 0,                        (l - x)'''' = mu,
//
// a complementarity system of relative degree 4 with conditions at both ends: one mixed complementarity problem.
// Closed form: for l <= 1/6 x = l (1 - (1 - t/3l)^3) until 3l, then x = l, then the same backwards; cost 4/(9 l), mu
// two atoms 2/(9 l^2); for l in [1/6, 1/4] one atom 48 (1 - 4 l) at 1/2, cost 2 + 6 (1 - 4 l)^2.
#include <cmath>
#include <iostream>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/numerics/mlcp.hpp>
#include <nonsmooth/numerics/qp.hpp>
using namespace nonsmooth;

constexpr Index N = 300;
constexpr double h = 1.0 / N;

using Entries = std::vector<Eigen::Triplet<double>>;
Eigen::SparseMatrix<double> matrix(Index rows, Index columns, const Entries& entries) {
  Eigen::SparseMatrix<double> A(rows, columns);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

struct Motion {
  std::vector<double> t{}, x{}, u{}, mu{};  // at t_0 ... t_N; u_k of the program: over the interval before t_k
  double cost = 0.0;
  bool solved = false;
};

/// Unknowns x_0 ... x_N, v_0 ... v_N, u_1 ... u_N.
Motion by_program(double l) {
  const Index v = N + 1, u = 2 * (N + 1) - 1, n = 3 * N + 2;  // the first of each; u_k is at u + k
  Entries effort, dynamics;
  for (Index k = 1; k <= N; ++k) {
    effort.emplace_back(u + k, u + k, h);
    // x_k = x_{k-1} + h v_{k-1} + h^2/2 u_k, v_k = v_{k-1} + h u_k
    for (const auto& [column, value] : {std::pair{k, 1.0}, {k - 1, -1.0}, {v + k - 1, -h}, {u + k, -h * h / 2.0}}) {
      dynamics.emplace_back(k - 1, column, value);
    }
    for (const auto& [column, value] : {std::pair{v + k, 1.0}, {v + k - 1, -1.0}, {u + k, -h}}) {
      dynamics.emplace_back(N + k - 1, column, value);
    }
  }
  qp::SparseProblem program{.Q = matrix(n, n, effort), .c = Eigen::VectorXd::Zero(n), .A = matrix(2 * N, n, dynamics)};
  program.row_lower = program.row_upper = Eigen::VectorXd::Zero(2 * N);
  program.lower.setConstant(n, -std::numeric_limits<double>::infinity());
  program.upper = -program.lower;
  program.upper.head(N + 1).setConstant(l);
  for (const auto& [end, value] : {std::pair{Index{0}, 0.0}, {N, 0.0}, {v, 1.0}, {v + N, -1.0}}) {
    program.lower[end] = program.upper[end] = value;
  }
  const qp::Result result = qp::solve(program);
  if (!result) std::cerr << result.message() << '\n';
  Motion motion{.cost = result.figures.value, .solved = static_cast<bool>(result)};
  for (Index k = 0; k <= N; ++k) {
    motion.t.push_back(h * static_cast<double>(k));
    motion.x.push_back(result.x[k]);
    motion.u.push_back(result.x[u + std::max(k, Index{1})]);
    motion.mu.push_back(k == 0 || k == N ? 0.0 : -result.s[k]);  // at the ends it is what holds x there
  }
  return motion;
}

/// mu_k at t_1 ... t_{N-1}; p_k over the interval before t_k, and between two instants s is a line and x a cubic, so
/// that nothing but where x <= l is asked is approximated. Unknowns x_0 ... x_N, v_0 ... v_N, s_0 ... s_N, p_1 ... p_N.
Motion by_conditions(double l) {
  const Index v = N + 1, s = 2 * (N + 1), p = 3 * (N + 1) - 1, n = 4 * N + 3;
  Entries equations, atoms, gaps;
  Index row = 0;
  for (Index k = 1; k <= N; ++k, row += 3) {
    for (const auto& [column, value] :
         {std::pair{k, 1.0}, {k - 1, -1.0}, {v + k - 1, -h}, {s + k - 1, h * h / 3.0}, {s + k, h * h / 6.0}}) {
      equations.emplace_back(row, column, value);
    }
    for (const auto& [column, value] :
         {std::pair{v + k, 1.0}, {v + k - 1, -1.0}, {s + k - 1, h / 2.0}, {s + k, h / 2.0}}) {
      equations.emplace_back(row + 1, column, value);
    }
    for (const auto& [column, value] : {std::pair{s + k, 1.0}, {s + k - 1, -1.0}, {p + k, h}}) {
      equations.emplace_back(row + 2, column, value);
    }
  }
  for (Index k = 1; k < N; ++k, ++row) {
    equations.emplace_back(row, p + k + 1, 1.0);
    equations.emplace_back(row, p + k, -1.0);
    atoms.emplace_back(row, k - 1, 1.0);
    gaps.emplace_back(k - 1, k, -1.0);
  }
  Eigen::VectorXd a = Eigen::VectorXd::Zero(n);
  for (const auto& [end, value] : {std::pair{Index{0}, 0.0}, {N, 0.0}, {v, 1.0}, {v + N, -1.0}}) {
    equations.emplace_back(row, end, 1.0);
    a[row++] = -value;
  }
  const mlcp::Result result = mlcp::solve(mlcp::SparseProblem{.A = matrix(n, n, equations),
                                                              .B = matrix(N - 1, N - 1, {}),
                                                              .C = matrix(n, N - 1, atoms),
                                                              .D = matrix(N - 1, n, gaps),
                                                              .a = a,
                                                              .b = Eigen::VectorXd::Constant(N - 1, l)});
  if (!result) std::cerr << result.message() << '\n';
  Motion motion{.solved = static_cast<bool>(result)};
  for (Index k = 0; k <= N; ++k) {
    motion.t.push_back(h * static_cast<double>(k));
    motion.x.push_back(result.u[k]);
    motion.u.push_back(-result.u[s + k]);
    motion.mu.push_back(k == 0 || k == N ? 0.0 : result.v[k - 1]);
    if (k == 0) continue;
    const double before = result.u[s + k - 1], after = result.u[s + k];
    motion.cost += h / 6.0 * (before * before + before * after + after * after);  // 1/2 int s^2 of a line
  }
  return motion;
}

/// The sum of the atoms within a hundredth of t.
double atom_near(const Motion& motion, double t) {
  double sum = 0.0;
  for (std::size_t k = 0; k < motion.t.size(); ++k) {
    if (std::abs(motion.t[k] - t) < 0.01) sum += motion.mu[k];
  }
  return sum;
}

int example(const Arguments& arguments) {
  Bounds bounds;
  Figure figure{
      .title = "Least effort before a wall at l: position, effort, what the wall demands", .width = 720, .height = 760};
  figure.panels = {
      {.x = {.label = "time"}, .y = {.label = "x"}, .series = {}},
      {.x = {.label = "time"}, .y = {.label = "u"}, .series = {}},
      {.x = {.label = "time", .low = 0.0, .high = 1.0}, .y = {.label = "atoms of mu", .low = 0.0}, .series = {}}};
  for (const double l : {1.0 / 9.0, 0.2, 0.3}) {
    const Motion program = by_program(l), conditions = by_conditions(l);
    if (!program.solved || !conditions.solved) return 1;

    // The contact ends of the closed form are at t_k, so that the conditions have it among their motions: what is left
    // is rounding, of a system whose solution is of size 1 and whose condition is some N^4 = 1e10. The program's u is
    // constant where the exact one has the slope p: 1/24 h^2 int p^2 dt more, 1e-4 for l = 1/9 (216 h^2/24), 1e-5
    // for l = 1/5, and as much less in x.
    const double exact = l <= 1.0 / 6.0 ? 4.0 / (9.0 * l) : 2.0 + (l < 0.25 ? 6.0 * std::pow(1.0 - 4.0 * l, 2) : 0.0);
    const double atom = l <= 1.0 / 6.0 ? 2.0 / (9.0 * l * l) : std::fmax(0.0, 48.0 * (1.0 - 4.0 * l));
    const double where = l <= 1.0 / 6.0 ? 3.0 * l : 0.5;
    std::cout << "l = " << l << '\n';
    bounds.near("  cost by the program", program.cost, exact, 2e-4);
    bounds.near("  cost by the conditions", conditions.cost, exact, 1e-6);
    bounds.near("  atom by the program", atom_near(program, where), atom, 1e-2 * (1.0 + atom));
    bounds.near("  atom by the conditions", atom_near(conditions, where), atom, 1e-4 * (1.0 + atom));

    const std::string label = "l = " + std::to_string(l).substr(0, 5);
    figure.panels[0].series.push_back({conditions.t, conditions.x, label});
    figure.panels[1].series.push_back({conditions.t, conditions.u, label});
    Series atoms{.label = label, .style = Series::Style::Markers};
    for (std::size_t k = 0; k < conditions.t.size(); ++k) {
      if (conditions.mu[k] > 1e-3) atoms.x.push_back(conditions.t[k]), atoms.y.push_back(conditions.mu[k]);
    }
    if (!atoms.x.empty()) figure.panels[2].series.push_back(atoms);
  }
  if (arguments.pictures()) std::cout << draw(figure, *arguments.pictures() / "bryson_denham").message() << '\n';
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
