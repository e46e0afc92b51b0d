// SPDX-License-Identifier: Apache-2.0
#include "small_problem.hpp"

#include <algorithm>

#include "mixed/infeasibility.hpp"
#include "mixed/interval_rows.hpp"
#include "mixed/proof_memory.hpp"

namespace nonsmooth::mixed::internal {
namespace {

/// Newton's modes stand after a handful of steps, or they cycle.
constexpr Index max_active_set_steps = 20;

}  // namespace

void sweep(const Problem& problem, double tolerance, Index max_sweeps, const detail::Deadline& deadline,
           GaussSeidelWorkspace& gauss_seidel, Result& result) {
  const Index before = result.iterations;
  gauss_seidel.solve(problem, {.tolerance = tolerance, .max_sweeps = max_sweeps, .time_limit = deadline.remaining()},
                     result);
  result.iterations += before;
}

void check_proof(const Problem& problem, Result& result) {
  ProofMemory memory;
  memory.y = result.proof;
  if (prove(problem, memory, result.proof)) return;
  result.proof.resize(0);
  end(result, Status::Stalled, "no feasible point was found, nor a proof that there is none");
}

const Result& SmallByItself::solve(const Problem& problem, const Automatic& options) {
  result_.r.setZero(problem.W.rows());
  result_.iterations = 0;
  small_.solve(problem, options, detail::Deadline(options.time_limit), false, sweeps_, nullptr, result_);
  vouch(problem, options.tolerance, result_);
  return result_;
}

/// All orthants: an LCP as it stands. True if that ends it.
bool SmallProblem::solve_orthants(const Problem& problem, ConstMatrixRef W, const Limits& limits, bool same_matrix,
                                  Result& result) {
  lcp::Result& solution = solution_;
  solution.z = result.r;
  lcp_.solve(lcp::View{W, problem.q}, limits, same_matrix, solution);
  result.iterations += solution.iterations;
  if (solution.status == Status::Infeasible) {
    result.r = solution.z;
    result.proof = solution.proof;
    result.certificate = certify(problem, result.r, result.u);
    end(result, Status::Infeasible, solution.reason);
    return true;
  }
  if (!solution.ok() || !(solution.certificate.residual <= limits.tolerance)) return false;
  // On orthants the LCP's certificate is this family's, row by row, and its w is u: taken once.
  result.r = solution.z;
  result.u = solution.w;
  result.certificate = solution.certificate;
  if (result.certificate.error == 0.0) result.certificate.worst_row = -1;
  end(result, Status::Solved, "by lcp::Workspace");
  return true;
}

/// What the tiers of one call share.
struct SmallProblem::Task {
  const Problem& problem;
  const Buffer::Matrix& W;
  const Automatic& options;
  const Limits& limits;
  const detail::Deadline& deadline;
  GaussSeidelWorkspace& gauss_seidel;
  Buffer::Vector& warm;  // where the next tier starts
  Result& result;

  void end_at(ConstVectorRef r, Status status, std::string_view reason) const {
    result.r = r;
    result.certificate = certify(problem, result.r, result.u);
    end(result, status, reason);
  }
};

/// Active-set steps from result.r. True if they solve the problem, and that is confirmed.
bool SmallProblem::take_newton_steps(const Problem& problem, const Buffer::Matrix& W, const Automatic& options,
                                     Result& result) {
  const Index steps =
      options.max_iterations > 0 ? std::min(options.max_iterations, max_active_set_steps) : max_active_set_steps;
  if (!active_set_.solve(problem, W, options.tolerance, steps, result)) return false;
  end(result, Status::Solved, "by active-set steps");
  confirm(problem, options.tolerance, result);
  if (!result.ok()) {
    result.status = Status::NotRun;
    return false;
  }
  result.solver = automatic_name;
  return true;
}

/// As many sweeps as cost about what pivoting does, then the modes that they found. True if that solves the problem.
bool SmallProblem::sweep_before_pivoting(Task& task) {
  Result& result = task.result;
  sweep(task.problem, task.options.tolerance, std::min(max_sweeps(task.options), sweeps_before_pivoting), task.deadline,
        task.gauss_seidel, result);
  const Status swept = result.status;
  task.warm = result.r;
  if (take_newton_steps(task.problem, task.W, task.options, task.result)) return true;
  if (swept == Status::Solved) {
    task.end_at(task.warm, Status::Solved, "by Gauss-Seidel sweeps");
    return true;
  }
  result.r = task.warm;
  result.status = Status::NotRun;
  return false;
}

/// The equivalent LCP. True if that ends it, solved or infeasible.
bool SmallProblem::pivot(Task& task) {
  Result& result = task.result;
  equivalent_lcp_.solve(task.problem, task.W, task.limits, lcp_laid_out_, result);
  lcp_laid_out_ = true;
  // Bounds far larger than the answer leave round-off of their size: the modes are right all the same.
  if (result.status != Status::Solved && result.status != Status::Infeasible)
    return take_newton_steps(task.problem, task.W, task.options, task.result);
  result.solver = automatic_name;
  if (result.status == Status::Infeasible) {
    check_proof(task.problem, result);
    if (result.status == Status::Infeasible) return true;
    result.status = Status::NotRun;
    return false;
  }
  // Pivoting leaves the round-off of its path: the modes it found give the answer that depends on them alone.
  auto pivoted = best_.vector(task.problem.W.rows());
  pivoted = result.r;
  if (take_newton_steps(task.problem, task.W, task.options, task.result)) return true;
  task.end_at(pivoted, Status::Solved, "by the equivalent LCP");
  confirm(task.problem, task.options.tolerance, result);
  if (result.ok()) return true;
  result.status = Status::NotRun;
  return false;
}

/// What has the last word, and the modes that it found.
void SmallProblem::finish(Task& task, bool planar, ContactMemory* contacts) {
  Result& result = task.result;
  Status last = result.status;
  std::string_view reason = result.reason;
  if (planar && contacts && friction::internal::are_contacts(task.problem.K)) {
    friction::internal::solve_contacts(task.problem, task.options, task.deadline, true, *contacts, result);
    if (result.status == Status::Infeasible) return;
  } else {
    sweep(task.problem, task.options.tolerance, max_sweeps(task.options), task.deadline, task.gauss_seidel, result);
    if (result.ok()) return;
  }
  // A row whose diagonal sweeps can't divide by says nothing of the problem: what the pivots said does.
  if (planar || result.status != Status::NumericalFailure) {
    last = result.status;
    reason = result.reason;
  }
  task.warm = result.r;
  if (take_newton_steps(task.problem, task.W, task.options, task.result)) return;
  task.end_at(task.warm, last, reason);
}

void SmallProblem::solve(const Problem& problem, const Automatic& options, const detail::Deadline& deadline,
                         bool same_matrix, GaussSeidelWorkspace& gauss_seidel, ContactMemory* contacts,
                         Result& result) {
  const Index n = problem.W.rows();
  auto W = dense_.matrix(n, n);
  const bool same = same_matrix && dense_rows_ == n;
  if (!same) {
    problem.W.to_dense(W);
    dense_rows_ = n;
    lcp_laid_out_ = false;
    active_set_.invalidate();
  }
  begin(problem, automatic_name, result);
  const Limits limits{options.tolerance, options.max_iterations, deadline.remaining()};
  if (problem.K.all(SetKind::Orthant) && solve_orthants(problem, W, limits, same, result)) return;
  result.certificate = certify(problem, result.r, result.u);
  auto warm = start_.vector(n);
  warm = result.r;
  if (take_newton_steps(problem, W, options, result)) return;

  Task task{problem, W, options, limits, deadline, gauss_seidel, warm, result};
  if (deadline.passed()) return task.end_at(warm, Status::TimeLimit, "time_limit reached");
  result.r = warm;
  const bool planar = problem.K.count(SetKind::Coulomb2D) > 0;
  if (planar && sweep_before_pivoting(task)) return;
  if (pivot(task)) return;
  result.r = warm;
  if (!planar && solve_interval_rows(problem, W, limits, result)) return;
  finish(task, planar, contacts);
}

}  // namespace nonsmooth::mixed::internal
