// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/automatic.hpp>

#include <cmath>
#include <utility>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp.hpp>

#include "internal.hpp"
#include "portfolio.hpp"

namespace nonsmooth::lcp {

void Automatic::validate() const {
  check::positive("lcp::Automatic::tolerance", tolerance);
  check::at_least("lcp::Automatic::sparse_lemke_limit", sparse_lemke_limit, 0);
  check::at_least("lcp::Automatic::max_iterations", max_iterations, 0);
  nonsmooth::detail::check_time_limit("lcp::Automatic::time_limit", time_limit);
}

Result solve(const Problem& problem, const Automatic& options) {
  problem.validate();
  options.validate();
  Workspace workspace;
  Result result;
  workspace.solve(detail::view(problem), Limits{options.tolerance, options.max_iterations, options.time_limit}, false,
                  result);
  return result;
}

namespace {

/// For a positive diagonal: nothing positive beside it, as an M-matrix has, or rows that it dominates.
bool suits_multigrid(const Eigen::SparseMatrix<double>& M) {
  bool negative = true;
  Eigen::VectorXd excess = Eigen::VectorXd::Zero(M.rows());
  for (Index j = 0; j < M.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(M, j); it; ++it) {
      if (it.row() != j && it.value() > 0.0) negative = false;
      excess[it.row()] += it.row() == j ? it.value() : -std::abs(it.value());
    }
  }
  return negative || excess.minCoeff() >= 0.0;
}

constexpr Index multigrid_from = 300;  // rows; below, one factorization costs less than building levels
constexpr Index few = 60;              // steps, each a factorization; where it takes more, another is the better bet
constexpr Index multigrid_steps = 200, interior_steps = 100, newton_steps = 200;

/// Ends with the best answer; NotRun where time was over before the first algorithm.
void run(const SparseProblem& problem, const Automatic& options, const nonsmooth::detail::Deadline& deadline,
         Result& best) {
  nonsmooth::detail::Portfolio<Result> portfolio(options, deadline, best);
  const auto ends = [&]<class Algorithm>(const Algorithm& algorithm, Index Algorithm::*count, Index usual) {
    return portfolio.late() || portfolio.ends(solve(problem, portfolio.within(algorithm, count, usual)));
  };
  const auto ends_briefly = [&]<class Algorithm>(const Algorithm& algorithm, Index Algorithm::*count, Index most) {
    return portfolio.late() || portfolio.ends(solve(problem, portfolio.briefly(algorithm, count, most)));
  };
  const Index n = problem.q.size();
  if (problem.M.diagonal().minCoeff() > 0.0) {
    PrimalDualActiveSet active_set;
    if (n >= multigrid_from && suits_multigrid(problem.M)) {
      if (ends(Multigrid{}, &Multigrid::max_steps, multigrid_steps)) return;
      active_set.start = best.z;
    }
    if (ends_briefly(active_set, &PrimalDualActiveSet::max_steps, few)) return;
    if (ends_briefly(BlockPrincipalPivoting{}, &BlockPrincipalPivoting::max_steps, few)) return;
  }
  if (n <= options.sparse_lemke_limit && ends(Lemke{}, &Lemke::max_pivots, 0)) return;
  if (ends(InteriorPoint{}, &InteriorPoint::max_steps, interior_steps)) return;
  if (ends(MinNewton{}, &MinNewton::max_steps, newton_steps)) return;
  ends(FischerBurmeister{}, &FischerBurmeister::max_steps, newton_steps);
}

}  // namespace

Result solve(const SparseProblem& problem, const Automatic& options) {
  problem.validate();
  options.validate();
  if (problem.q.minCoeff() >= 0.0) {
    Result zero;
    zero.z.setZero(problem.q.size());
    zero.solver = "zero";
    detail::conclude(problem, options.tolerance, zero, Status::Stalled, "");
    return zero;
  }
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  Result best;
  run(problem, options, deadline, best);
  if (best.status == Status::NotRun) {
    best.z.setZero(problem.q.size());
    detail::conclude(problem, options.tolerance, best, Status::TimeLimit, "time_limit reached");
  }
  if (best.status != Status::Solved && best.status != Status::Infeasible)
    detail::end_open(problem, Limits{options.tolerance, options.max_iterations}, deadline, best);
  return best;
}

Result solve(const Problem& problem) { return solve(problem, Automatic{}); }
Result solve(const SparseProblem& problem) { return solve(problem, Automatic{}); }

}  // namespace nonsmooth::lcp
