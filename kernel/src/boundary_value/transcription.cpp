// SPDX-License-Identifier: Apache-2.0
// Optimal control by direct transcription.
#include <algorithm>
#include <limits>
#include <vector>

#include <internal/at.hpp>
#include <nonsmooth/numerics/qp.hpp>

#include "control_data.hpp"
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
  Index n, k, N, p, me;
  std::vector<std::vector<Index>> atoms;  ///< of each instant: rows of C that are constrained there
  std::vector<Index> first_atom;          ///< of each instant: its first among all of these; their number

  [[nodiscard]] Index x(Index i) const { return n * i; }
  [[nodiscard]] Index u(Index i) const { return n * (N + 1) + k * (i - 1); }
  [[nodiscard]] Index unknowns() const { return n * (N + 1) + k * N; }
  [[nodiscard]] Index boundary() const { return n * N; }
  [[nodiscard]] Index state(Index i) const { return n * N + p + first_atom[at(i)]; }
  [[nodiscard]] Index control(Index i) const { return n * N + p + first_atom.back() + me * (i - 1); }
  [[nodiscard]] Index rows() const { return control(N + 1); }
};

ProgramLayout layout_of(const Problem& problem, Index N) {
  const detail::Ends ends = detail::ends_of(problem);
  ProgramLayout layout{.n = problem.A.rows(),
                       .k = problem.B.cols(),
                       .N = N,
                       .p = problem.b.size(),
                       .me = problem.E.rows(),
                       .atoms = std::vector<std::vector<Index>>(at(N + 1)),
                       .first_atom = {0}};
  for (Index i = 0; i <= N; ++i) {
    const std::vector<Index> none, &without = i == 0 ? ends.no_atom_at_start : (i == N ? ends.no_atom_at_end : none);
    for (Index row = 0; row < problem.C.rows(); ++row) {
      if (std::find(without.begin(), without.end(), row) == without.end()) layout.atoms[at(i)].push_back(row);
    }
    layout.first_atom.push_back(layout.first_atom.back() + static_cast<Index>(layout.atoms[at(i)].size()));
  }
  return layout;
}

/// The cost of one interval by Simpson's rule, 1/2 z^T S z + g^T z + constant of z = (x_{k-1}, u_k, x_k), and its
/// dynamics x_k = Phi x_{k-1} + Phi_0 B u_k + drift.
struct ProgramInterval {
  Eigen::MatrixXd S, middle;  ///< x in the middle is middle z + middle_drift
  Eigen::VectorXd g, drift, middle_drift;
  double constant = 0.0;

  void set_matrices(const Problem& problem, const boundary_value::detail::Flow& to_middle, double h) {
    const Index n = problem.A.rows(), k = problem.B.cols(), all = 2 * n + k;
    S.setZero(all, all);
    middle.setZero(n, all);
    g.setZero(all);
    drift.setZero(n);
    S.block(n, n, k, k) = h * problem.R;
    if (problem.Q.size() == 0) return;
    middle.leftCols(n) = to_middle.Phi;
    middle.middleCols(n, k) = to_middle.Phi_0 * problem.B;
    S.topLeftCorner(n, n) += h / 6.0 * problem.Q;
    S.bottomRightCorner(n, n) += h / 6.0 * problem.Q;
    S += 4.0 * h / 6.0 * middle.transpose() * problem.Q * middle;
    S = (0.5 * (S + S.transpose())).eval();
  }
  void set_drift(const Problem& problem, const boundary_value::detail::Flow& flow,
                 const boundary_value::detail::Flow& to_middle, double begin, double h) {
    if (!problem.a) return;
    const boundary_value::detail::Drift line(problem.a, begin, h, problem.A.rows());
    drift = flow.Phi_0 * line.a_0 + flow.Phi_1 * line.a_1;
    if (problem.Q.size() == 0) return;
    middle_drift = to_middle.Phi_0 * line.a_0 + to_middle.Phi_1 * line.a_1;
    g = 4.0 * h / 6.0 * middle.transpose() * (problem.Q * middle_drift);
    constant = 2.0 * h / 6.0 * middle_drift.dot(problem.Q * middle_drift);
  }
};

/// The program, and what its value is short of the cost by.
struct Transcription {
  qp::SparseProblem program;
  double constant = 0.0;
};

void add_interval(const Problem& problem, const ProgramLayout& at, Index i, const boundary_value::detail::Flow& flow,
                  const ProgramInterval& interval, ProgramEntries& cost, ProgramEntries& rows) {
  const Index n = at.n, k = at.k, first[3] = {at.x(i - 1), at.u(i), at.x(i)}, from[3] = {0, n, n + k},
              size[3] = {n, k, n};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) add_to(cost, first[a], first[b], interval.S.block(from[a], from[b], size[a], size[b]));
  }
  add_to(rows, n * (i - 1), at.x(i), Eigen::MatrixXd::Identity(n, n));
  add_to(rows, n * (i - 1), at.x(i - 1), -flow.Phi);
  add_to(rows, n * (i - 1), at.u(i), -flow.Phi_0 * problem.B);
  if (at.me > 0) add_to(rows, at.control(i), at.u(i), problem.E);
}

/// Bounds of state and control constraints.
void write_sides(const Problem& problem, const Eigen::VectorXd& t, const ProgramLayout& layout,
                 Eigen::VectorXd& lower) {
  for (Index i = 0; i <= layout.N; ++i) {
    const std::vector<Index>& list = layout.atoms[at(i)];
    if (list.empty()) continue;
    const Eigen::VectorXd d = detail::d_at(problem, t[i]);
    for (std::size_t j = 0; j < list.size(); ++j) lower[layout.state(i) + static_cast<Index>(j)] = -d[list[j]];
  }
  for (Index i = 1; layout.me > 0 && i <= layout.N; ++i)
    lower.segment(layout.control(i), layout.me) = -detail::e_at(problem, 0.5 * (t[i - 1] + t[i]));
}

Transcription transcribe(const Problem& problem, const Eigen::VectorXd& t, const ProgramLayout& layout) {
  const Index n = layout.n, k = layout.k;
  Transcription made{.program = {.Q = Eigen::SparseMatrix<double>(layout.unknowns(), layout.unknowns()),
                                 .c = Eigen::VectorXd::Zero(layout.unknowns()),
                                 .A = Eigen::SparseMatrix<double>(layout.rows(), layout.unknowns())}};
  qp::SparseProblem& program = made.program;
  program.row_lower.setZero(layout.rows());
  ProgramEntries cost, rows;
  boundary_value::detail::FlowCache cache(problem.A, problem.T), to_middle(problem.A, problem.T);
  ProgramInterval interval;
  for (Index i = 1; i <= layout.N; ++i) {
    const double h = t[i] - t[i - 1];
    if (cache.set(h)) {
      to_middle.set(0.5 * h);
      interval.set_matrices(problem, to_middle.flow(), h);
    }
    interval.set_drift(problem, cache.flow(), to_middle.flow(), t[i - 1], h);
    add_interval(problem, layout, i, cache.flow(), interval, cost, rows);
    program.row_lower.segment(n * (i - 1), n) = interval.drift;
    program.c.segment(layout.x(i - 1), n) += interval.g.head(n);
    program.c.segment(layout.u(i), k) += interval.g.segment(n, k);
    made.constant += interval.constant;
  }
  if (problem.F.size() > 0) add_to(cost, layout.x(layout.N), layout.x(layout.N), problem.F);
  add_to(rows, layout.boundary(), layout.x(0), problem.M);
  add_to(rows, layout.boundary(), layout.x(layout.N), problem.N);
  for (Index i = 0; i <= layout.N; ++i) {
    const std::vector<Index>& list = layout.atoms[at(i)];
    for (std::size_t j = 0; j < list.size(); ++j)
      add_to(rows, layout.state(i) + static_cast<Index>(j), layout.x(i), problem.C.row(list[j]));
  }
  program.Q.setFromTriplets(cost.begin(), cost.end());
  program.A.setFromTriplets(rows.begin(), rows.end());
  program.row_lower.segment(layout.boundary(), layout.p) = problem.b;
  program.row_upper = program.row_lower;
  program.row_upper.tail(layout.rows() - layout.boundary() - layout.p)
      .setConstant(std::numeric_limits<double>::infinity());
  write_sides(problem, t, layout, program.row_lower);
  return made;
}

}  // namespace

Solution solve_by_program(const Problem& problem, const boundary_value::Options& options) {
  const boundary_value::Problem conditions = necessary_conditions(problem);
  options.validate();
  const Eigen::VectorXd t = boundary_value::detail::mesh_of(conditions, options);
  Solution solution;
  if (!detail::all_finite(problem, t, solution)) return solution;
  solution.t = t;
  boundary_value::Solution of_ends;
  if (boundary_value::detail::prove_ends_contradict(conditions, options.limits.tolerance, of_ends)) {
    static_cast<Outcome&>(solution) = of_ends;
    return solution;
  }
  const ProgramLayout layout = layout_of(problem, t.size() - 1);
  const Transcription transcription = transcribe(problem, t, layout);
  const qp::Result result =
      qp::solve(transcription.program, qp::Automatic{.tolerance = options.limits.tolerance,
                                                     .max_iterations = options.limits.max_iterations,
                                                     .time_limit = options.limits.time_limit});
  static_cast<Outcome&>(solution) = result;
  if (result.x.size() != layout.unknowns()) return solution;
  const Index N = layout.N;
  solution.x = Eigen::Map<const Eigen::MatrixXd>(result.x.data(), layout.n, N + 1);
  solution.u.resize(layout.k, N + 1);
  solution.u.rightCols(N) = Eigen::Map<const Eigen::MatrixXd>(result.x.data() + layout.u(1), layout.k, N);
  solution.u.col(0) = solution.u.col(1);
  solution.eta.resize(layout.n, 0);
  solution.lambda.setZero(problem.C.rows(), N + 1);
  solution.nu.setZero(layout.me, N + 1);
  for (Index i = 0; i <= N; ++i) {
    const std::vector<Index>& list = layout.atoms[at(i)];
    for (std::size_t j = 0; j < list.size(); ++j)
      solution.lambda(list[j], i) = result.y[layout.state(i) + static_cast<Index>(j)];
    if (layout.me > 0 && i > 0) solution.nu.col(i) = result.y.segment(layout.control(i), layout.me) / (t[i] - t[i - 1]);
  }
  if (result.status != Status::Infeasible) solution.cost = result.figures.value + transcription.constant;
  return solution;
}

}  // namespace nonsmooth::optimal_control
