// SPDX-License-Identifier: Apache-2.0
// Optimal control by direct transcription.
#include <cmath>

#include <internal/at.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include "control_ends.hpp"
#include "discrete_problem.hpp"

namespace nonsmooth::optimal_control {
namespace {

using ProgramEntries = std::vector<Eigen::Triplet<double>>;

void add_to(ProgramEntries& entries, Index row, Index column, const Eigen::MatrixXd& block) {
  for (Index j = 0; j < block.cols(); ++j) {
    for (Index i = 0; i < block.rows(); ++i) {
      if (block(i, j) != 0.0)
        entries.emplace_back(static_cast<int>(row + i), static_cast<int>(column + j), block(i, j));
    }
  }
}

/// Where unknowns and rows are: x_0 ... x_N, u_1 ... u_N; dynamics, boundary, state and control constraints.
struct ProgramLayout {
  Index n, k, N, p, mc, me, first_atom, num_atoms;

  [[nodiscard]] Index x(Index i) const { return n * i; }
  [[nodiscard]] Index u(Index i) const { return n * (N + 1) + k * (i - 1); }
  [[nodiscard]] Index unknowns() const { return n * (N + 1) + k * N; }
  [[nodiscard]] Index boundary() const { return n * N; }
  [[nodiscard]] Index state(Index i) const { return n * N + p + mc * (i - first_atom); }
  [[nodiscard]] Index control(Index i) const { return n * N + p + mc * num_atoms + me * (i - 1); }
  [[nodiscard]] Index rows() const { return n * N + p + mc * num_atoms + me * N; }
};

/// 1/2 z^T S z of z = (x_{k-1}, u_k, x_k): the cost of one interval by Simpson's rule.
Eigen::MatrixXd cost_of_interval(const Problem& problem, const boundary_value::detail::Flow& to_middle, double h) {
  const Index n = problem.A.rows(), k = problem.B.cols(), all = 2 * n + k;
  Eigen::MatrixXd S = Eigen::MatrixXd::Zero(all, all), middle = Eigen::MatrixXd::Zero(n, all);
  S.block(n, n, k, k) = h * problem.R;
  if (problem.Q.size() == 0) return S;
  middle.leftCols(n) = to_middle.Phi;
  middle.middleCols(n, k) = to_middle.Phi_0 * problem.B;
  S.topLeftCorner(n, n) += h / 6.0 * problem.Q;
  S.bottomRightCorner(n, n) += h / 6.0 * problem.Q;
  S += 4.0 * h / 6.0 * middle.transpose() * problem.Q * middle;
  return 0.5 * (S + S.transpose());
}

void add_interval(const Problem& problem, const ProgramLayout& at, Index i, const boundary_value::detail::Flow& flow,
                  const Eigen::MatrixXd& S, ProgramEntries& cost, ProgramEntries& rows) {
  const Index n = at.n, k = at.k, first[3] = {at.x(i - 1), at.u(i), at.x(i)}, from[3] = {0, n, n + k},
              size[3] = {n, k, n};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) add_to(cost, first[a], first[b], S.block(from[a], from[b], size[a], size[b]));
  }
  add_to(rows, n * (i - 1), at.x(i), Eigen::MatrixXd::Identity(n, n));
  add_to(rows, n * (i - 1), at.x(i - 1), -flow.Phi);
  add_to(rows, n * (i - 1), at.u(i), -flow.Phi_0 * problem.B);
  if (at.me > 0) add_to(rows, at.control(i), at.u(i), problem.E);
}

qp::SparseProblem program_of(const Problem& problem, const Eigen::VectorXd& t, const ProgramLayout& at) {
  ProgramEntries cost, rows;
  boundary_value::detail::FlowCache cache(problem.A, problem.T);
  Eigen::MatrixXd S;
  for (Index i = 1; i <= at.N; ++i) {
    const double h = t[i] - t[i - 1];
    if (cache.set(h)) S = cost_of_interval(problem, boundary_value::detail::Flow(problem.A, 0.5 * h), h);
    add_interval(problem, at, i, cache.flow(), S, cost, rows);
  }
  if (problem.F.size() > 0) add_to(cost, at.x(at.N), at.x(at.N), problem.F);
  add_to(rows, at.boundary(), at.x(0), problem.M);
  add_to(rows, at.boundary(), at.x(at.N), problem.N);
  for (Index i = at.first_atom; i < at.first_atom + at.num_atoms; ++i) add_to(rows, at.state(i), at.x(i), problem.C);
  qp::SparseProblem program{.Q = Eigen::SparseMatrix<double>(at.unknowns(), at.unknowns()),
                            .c = Eigen::VectorXd::Zero(at.unknowns()),
                            .A = Eigen::SparseMatrix<double>(at.rows(), at.unknowns())};
  program.Q.setFromTriplets(cost.begin(), cost.end());
  program.A.setFromTriplets(rows.begin(), rows.end());
  program.row_lower.setZero(at.rows());
  program.row_lower.segment(at.boundary(), at.p) = problem.b;
  program.row_upper = program.row_lower;
  const Index inequalities = at.rows() - at.boundary() - at.p;
  program.row_upper.tail(inequalities).setConstant(std::numeric_limits<double>::infinity());
  for (Index i = 0; i < at.num_atoms; ++i) program.row_lower.segment(at.state(at.first_atom + i), at.mc) = -problem.d;
  for (Index i = 1; at.me > 0 && i <= at.N; ++i) program.row_lower.segment(at.control(i), at.me) = -problem.e;
  return program;
}

}  // namespace

Solution solve_by_program(const Problem& problem, const boundary_value::Options& options) {
  problem.validate();
  options.validate();
  boundary_value::Problem horizon;
  horizon.T = problem.T;
  const Eigen::VectorXd t = boundary_value::detail::mesh_of(horizon, options);
  const detail::Ends ends = detail::ends_of(problem);
  ProgramLayout at{.n = problem.A.rows(),
                   .k = problem.B.cols(),
                   .N = t.size() - 1,
                   .p = problem.b.size(),
                   .mc = problem.C.rows(),
                   .me = problem.E.rows(),
                   .first_atom = ends.atoms_at_start ? 0 : 1,
                   .num_atoms = 0};
  at.num_atoms = at.mc > 0 ? (ends.atoms_at_end ? at.N : at.N - 1) - at.first_atom + 1 : 0;
  const qp::Result result =
      qp::solve(program_of(problem, t, at), qp::Automatic{.tolerance = options.limits.tolerance,
                                                          .max_iterations = options.limits.max_iterations,
                                                          .time_limit = options.limits.time_limit});
  Solution solution;
  static_cast<Outcome&>(solution) = result;
  solution.t = t;
  if (result.x.size() != at.unknowns()) return solution;
  solution.x = Eigen::Map<const Eigen::MatrixXd>(result.x.data(), at.n, at.N + 1);
  solution.u.resize(at.k, at.N + 1);
  solution.u.rightCols(at.N) = Eigen::Map<const Eigen::MatrixXd>(result.x.data() + at.u(1), at.k, at.N);
  solution.u.col(0) = solution.u.col(1);
  solution.eta.resize(at.n, 0);
  solution.lambda.setZero(at.mc, at.N + 1);
  solution.nu.setZero(at.me, at.N + 1);
  for (Index i = 0; i <= at.N; ++i) {
    if (at.mc > 0 && i >= at.first_atom && i < at.first_atom + at.num_atoms)
      solution.lambda.col(i) = result.y.segment(at.state(i), at.mc);
    if (at.me > 0 && i > 0) solution.nu.col(i) = result.y.segment(at.control(i), at.me) / (t[i] - t[i - 1]);
  }
  solution.cost = result.figures.value;
  return solution;
}

}  // namespace nonsmooth::optimal_control
