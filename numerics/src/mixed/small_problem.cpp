// SPDX-License-Identifier: Apache-2.0
#include "small_problem.hpp"

#include <algorithm>

#include "infeasibility.hpp"
#include "interval_rows.hpp"

namespace nonsmooth::mixed::internal {
namespace {

/// Newton's modes settle in a handful of steps or cycle.
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
  if (prove(problem, result.proof)) return;
  result.proof.resize(0);
  end(result, Status::Stalled, "no feasible point was found, nor a proof that there is none");
}

Result solve_small(const Problem& problem, const Automatic& options) {
  Result result;
  GaussSeidelWorkspace gauss_seidel;
  SmallProblem().solve(problem, options, detail::Deadline(options.time_limit), false, gauss_seidel, nullptr, result);
  vouch(problem, options.tolerance, result);
  return result;
}

/// All orthants: an LCP as it stands. True if that settles it.
bool SmallProblem::solve_orthants(const Problem& problem, ConstMatrixRef W, const Limits& limits, bool same_matrix,
                                  Result& result) {
  const Index n = problem.W.rows();
  if (static_cast<Index>(solutions_.size()) <= n) solutions_.resize(static_cast<std::size_t>(n + 1));
  lcp::Result& solution = solutions_[static_cast<std::size_t>(n)];
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

void SmallProblem::solve(const Problem& problem, const Automatic& options, const detail::Deadline& deadline,
                         bool same_matrix, GaussSeidelWorkspace& gauss_seidel, FrictionTiers* friction_tiers,
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
  const double tolerance = options.tolerance;
  const Limits limits{options.tolerance, options.max_iterations, deadline.remaining()};
  if (problem.K.all(SetKind::Orthant) && solve_orthants(problem, W, limits, same, result)) return;
  result.certificate = certify(problem, result.r, result.u);
  auto warm = start_.vector(n);
  warm = result.r;

  const auto newton = [&] {
    const Index steps =
        options.max_iterations > 0 ? std::min(options.max_iterations, max_active_set_steps) : max_active_set_steps;
    if (!active_set_.solve(problem, W, tolerance, steps, result)) return false;
    end(result, Status::Solved, "by active-set steps");
    confirm(problem, tolerance, result);
    if (!result.ok()) {
      result.status = Status::NotRun;
      return false;
    }
    result.solver = automatic_name;
    return true;
  };
  const auto pivot = [&] {
    equivalent_lcp_.solve(problem, W, limits, lcp_laid_out_, result);
    lcp_laid_out_ = true;
    // Bounds far larger than the answer leave round-off of their size: the modes are right all the same.
    if (result.status != Status::Solved && result.status != Status::Infeasible) return newton();
    result.solver = automatic_name;
    if (result.status == Status::Infeasible) {
      check_proof(problem, result);
      if (result.status == Status::Infeasible) return true;
      result.status = Status::NotRun;
      return false;
    }
    // Pivoting leaves the round-off of its path: the modes it found give the answer that depends on them alone.
    auto pivoted = best_.vector(n);
    pivoted = result.r;
    if (!newton()) {
      result.r = pivoted;
      result.certificate = certify(problem, result.r, result.u);
      end(result, Status::Solved, "by the equivalent LCP");
      confirm(problem, tolerance, result);
      if (!result.ok()) {
        result.status = Status::NotRun;
        return false;
      }
    }
    return true;
  };

  if (newton()) return;
  const bool friction = problem.K.count(SetKind::Coulomb2D) > 0;
  result.r = warm;
  if (deadline.passed()) {
    result.certificate = certify(problem, result.r, result.u);
    return end(result, Status::TimeLimit, "time_limit reached");
  }
  if (friction) {
    sweep(problem, tolerance, std::min(max_sweeps(options), sweeps_before_pivoting), deadline, gauss_seidel, result);
    const Status swept = result.status;
    warm = result.r;
    if (newton()) return;
    if (swept == Status::Solved) {
      result.r = warm;
      result.certificate = certify(problem, result.r, result.u);
      return end(result, Status::Solved, "by Gauss-Seidel sweeps");
    }
    result.r = warm;
    result.status = Status::NotRun;
  }
  if (pivot()) return;
  result.r = warm;
  if (!friction && solve_interval_rows(problem, W, limits, result)) return;
  Status last = result.status;
  std::string_view reason = result.reason;
  if (friction && friction_tiers && FrictionTiers::takes(problem.K)) {
    friction_tiers->solve(problem, options, deadline, true, result);
    if (result.status == Status::Infeasible) return;
  } else {
    sweep(problem, tolerance, max_sweeps(options), deadline, gauss_seidel, result);
    if (result.ok()) return;
  }
  // A row whose diagonal sweeps can't divide by says nothing of the problem: what the pivots said does.
  if (friction || result.status != Status::NumericalFailure) {
    last = result.status;
    reason = result.reason;
  }
  warm = result.r;
  if (newton()) return;
  result.r = warm;
  result.certificate = certify(problem, result.r, result.u);
  end(result, last, reason);
}

}  // namespace nonsmooth::mixed::internal
