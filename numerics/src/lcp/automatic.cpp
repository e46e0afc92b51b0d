// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/automatic.hpp>

#include <cmath>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp.hpp>

#include "deadline.hpp"
#include "internal.hpp"

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

/// Tries algorithms one after the other and keeps the best answer.
class Portfolio {
 public:
  Portfolio(const SparseProblem& problem, const Automatic& options)
      : problem_(problem), options_(options), deadline_(options.time_limit) {}

  /// True if it is Solved or Infeasible, or if time is over.
  template <class Algorithm>
  bool ends(Algorithm algorithm, Index Algorithm::*limit, Index usual) {
    if (deadline_.passed()) return true;
    algorithm.tolerance = options_.tolerance;
    algorithm.time_limit = deadline_.remaining();
    algorithm.*limit = options_.max_iterations > 0 ? options_.max_iterations : usual;
    Result result = solve(problem_, algorithm);
    const bool done = result.status == Status::Solved || result.status == Status::Infeasible;
    if (done || best_.status == Status::NotRun || result.certificate.residual < best_.certificate.residual) {
      best_ = std::move(result);
    }
    return done;
  }

  [[nodiscard]] const Result& best() const noexcept { return best_; }

  Result take() {
    if (best_.status == Status::NotRun) {  // time was over before the first algorithm
      best_.z.setZero(problem_.q.size());
      detail::conclude(problem_, options_.tolerance, best_, Status::TimeLimit, "time_limit reached");
    }
    if (best_.status == Status::Solved || best_.status == Status::Infeasible) return std::move(best_);
    detail::refine(problem_, options_.tolerance, options_.max_iterations, deadline_, best_);
    detail::tell_round_off(best_);
    if (best_.status == Status::Solved) return std::move(best_);
    if (options_.max_iterations == 0 && !deadline_.passed())
      detail::prove_by_phase_one(problem_, deadline_.remaining(), best_);
    if (best_.status != Status::Infeasible && deadline_.passed()) {
      best_.status = Status::TimeLimit;
      best_.reason = "time_limit reached";
    }
    return std::move(best_);
  }

 private:
  const SparseProblem& problem_;
  const Automatic& options_;
  nonsmooth::detail::Deadline deadline_;
  Result best_;
};

void run(const SparseProblem& problem, const Automatic& options, Portfolio& portfolio) {
  constexpr Index multigrid_from = 300;  // rows; below, one factorization costs less than building levels
  constexpr Index few = 60;              // steps, each a factorization; where it takes more, another is the better bet
  const Index n = problem.q.size();
  if (problem.M.diagonal().minCoeff() > 0.0) {
    PrimalDualActiveSet active_set;
    if (n >= multigrid_from && suits_multigrid(problem.M)) {
      if (portfolio.ends(Multigrid{}, &Multigrid::max_steps, 200)) return;
      active_set.start = portfolio.best().z;
    }
    if (portfolio.ends(active_set, &PrimalDualActiveSet::max_steps, few)) return;
    if (portfolio.ends(BlockPrincipalPivoting{}, &BlockPrincipalPivoting::max_steps, few)) return;
  }
  if (n <= options.sparse_lemke_limit && portfolio.ends(Lemke{}, &Lemke::max_pivots, 0)) return;
  if (portfolio.ends(InteriorPoint{}, &InteriorPoint::max_steps, 100)) return;
  if (portfolio.ends(MinNewton{}, &MinNewton::max_steps, 200)) return;
  portfolio.ends(FischerBurmeister{}, &FischerBurmeister::max_steps, 200);
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
  Portfolio portfolio(problem, options);
  run(problem, options, portfolio);
  return portfolio.take();
}

Result solve(const Problem& problem) { return solve(problem, Automatic{}); }
Result solve(const SparseProblem& problem) { return solve(problem, Automatic{}); }

}  // namespace nonsmooth::lcp
