// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/automatic.hpp>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp.hpp>

#include "internal.hpp"

namespace nonsmooth::lcp {

void Automatic::validate() const {
  check::positive("lcp::Automatic::tolerance", tolerance);
  check::at_least("lcp::Automatic::sparse_lemke_limit", sparse_lemke_limit, 0);
}

Result solve(const Problem& problem, const Automatic& options) {
  problem.validate();
  options.validate();
  Workspace workspace;
  Result result;
  workspace.solve(detail::view(problem), options.tolerance, false, result);
  return result;
}

Result solve(const SparseProblem& problem, const Automatic& options) {
  problem.validate();
  options.validate();
  Result best;
  if (problem.q.minCoeff() >= 0.0) {
    best.z.setZero(problem.q.size());
    best.solver = "zero";
    detail::conclude(problem, options.tolerance, best, Status::Stalled, "");
    return best;
  }
  const auto done = [&best](Result&& result) {
    const bool ends = result.status == Status::Solved || result.status == Status::Infeasible;
    if (ends || best.status == Status::NotRun || result.certificate.residual < best.certificate.residual) {
      best = std::move(result);
    }
    return ends;
  };
  if (problem.M.diagonal().minCoeff() > 0.0) {
    PrimalDualActiveSet active_set;
    active_set.tolerance = options.tolerance;
    if (done(solve(problem, active_set))) return best;
    BlockPrincipalPivoting pivoting;
    pivoting.tolerance = options.tolerance;
    pivoting.max_steps = 200;  // each a factorization; where it takes more, another algorithm is the better bet
    if (done(solve(problem, pivoting))) return best;
  }
  if (problem.q.size() <= options.sparse_lemke_limit) {
    Lemke lemke;
    lemke.tolerance = options.tolerance;
    if (done(solve(problem, lemke))) return best;
  }
  FischerBurmeister newton;
  newton.tolerance = options.tolerance;
  done(solve(problem, newton));
  return best;
}

Result solve(const Problem& problem) { return solve(problem, Automatic{}); }
Result solve(const SparseProblem& problem) { return solve(problem, Automatic{}); }

}  // namespace nonsmooth::lcp
