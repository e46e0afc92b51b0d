// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/primal_dual_active_set.hpp>

#include <set>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "principal.hpp"

namespace nonsmooth::lcp {
namespace {

void product(const View& problem, const Eigen::VectorXd& z, Eigen::VectorXd& w) {
  w = problem.q;
  w.noalias() += problem.M * z;
}

void product(const SparseProblem& problem, const Eigen::VectorXd& z, Eigen::VectorXd& w) {
  w = problem.q;
  w.noalias() += problem.M * z;
}

template <class P>
void run(const P& problem, const PrimalDualActiveSet& options, Result& result) {
  const Index n = problem.q.size();
  result.solver = "primal-dual active set";
  auto principal = detail::principal_of(problem);
  Eigen::VectorXd s(n);
  detail::row_scales(problem, s);
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
  if (options.start.size() == n) z = options.start;
  Eigen::VectorXd w(n);
  Eigen::VectorXd scratch(n);
  product(problem, z, w);
  std::vector<bool> active(static_cast<std::size_t>(n), false);
  std::vector<Index> rows;
  std::set<std::vector<bool>> seen;
  Status end = Status::IterationLimit;
  std::string_view reason = "max_steps reached";
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  for (result.iterations = 0;; ++result.iterations) {
    detail::keep_better(problem, z.cwiseMax(0.0), scratch, result);
    const double zero = detail::sign_floor(problem.q, w);
    bool changed = result.iterations == 0;
    rows.clear();
    for (Index i = 0; i < n; ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      const double difference = s[i] * z[i] - w[i];
      // Where both are zero up to round-off the row stays where it is.
      const bool now = std::abs(difference) <= zero ? bool(active[k]) : difference > 0.0;
      changed = changed || now != active[k];
      active[k] = now;
      if (now) rows.push_back(i);
    }
    if (!changed) {
      end = Status::Stalled;
      reason = "the final active set is too ill-conditioned for the tolerance";
      break;
    }
    if (result.iterations >= options.max_steps) break;
    if (deadline.passed()) {
      end = Status::TimeLimit;
      reason = "time_limit reached";
      break;
    }
    if (!seen.insert(active).second) {
      end = Status::Stalled;
      reason = "the active sets cycle";
      break;
    }
    if (!principal.solve(rows, z, w)) {
      end = Status::NumericalFailure;
      reason = "a principal submatrix is singular: M is no P-matrix, or badly scaled";
      break;
    }
  }
  detail::conclude(problem, options.tolerance, result, end, reason);
}

}  // namespace

void PrimalDualActiveSet::validate() const {
  check::positive("lcp::PrimalDualActiveSet::tolerance", tolerance);
  check::at_least("lcp::PrimalDualActiveSet::max_steps", max_steps, 1);
  nonsmooth::detail::check_time_limit("lcp::PrimalDualActiveSet::time_limit", time_limit);
  check::finite("lcp::PrimalDualActiveSet::start", ConstVectorRef(start));
}

Result solve(const Problem& problem, const PrimalDualActiveSet& options) {
  problem.validate();
  options.validate();
  if (options.start.size() != 0) {
    check::size("lcp::PrimalDualActiveSet::start", options.start.size(), problem.q.size(), "one a row of M");
  }
  Result result;
  run(detail::view(problem), options, result);
  return result;
}

Result solve(const SparseProblem& problem, const PrimalDualActiveSet& options) {
  problem.validate();
  options.validate();
  if (options.start.size() != 0) {
    check::size("lcp::PrimalDualActiveSet::start", options.start.size(), problem.q.size(), "one a row of M");
  }
  Result result;
  run(problem, options, result);
  return result;
}

}  // namespace nonsmooth::lcp
