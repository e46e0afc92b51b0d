// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/murty.hpp>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "principal.hpp"
#include "principal_transform.hpp"
#include "scaled.hpp"

namespace nonsmooth::lcp {
namespace {

template <class P>
Result run(const P& problem, const Murty& options) {
  problem.validate();
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  const Index n = problem.q.size();
  const Index max_pivots = options.max_pivots > 0 ? options.max_pivots : 50 * n + 1000;
  constexpr bool tableau = std::is_same_v<P, Problem>;
  Result result;
  result.solver = "murty";
  const auto& data = detail::view(problem);
  Eigen::VectorXd z(n), w(n), scratch(n);
  z.setZero();
  detail::keep_better(data, z, scratch, result);
  const detail::Scaled<P> scaled(problem);
  auto transform = detail::transform_of(scaled.own);
  auto principal = detail::principal_of(data);
  Status end = Status::IterationLimit;
  std::string_view reason = "max_pivots reached";
  const auto fail = [&] {
    end = Status::NumericalFailure;
    reason = "a principal submatrix is singular: M is no P-matrix, or badly scaled";
  };
  if (!scaled.finite) fail();
  while (end == Status::IterationLimit) {
    const Eigen::VectorXd& t = transform.constant();
    // Signs below round-off of the largest value count as zero, as in block principal pivoting.
    const double zero = -64.0 * eps * std::max(1.0, t.cwiseAbs().maxCoeff());
    Index wrong = 0;
    while (wrong < n && !(t[wrong] < zero)) ++wrong;
    if (wrong == n) {
      if (tableau && transform.pivots_since_refresh() > 0) {  // the last word is that of a tableau without drift
        if (!transform.refresh()) fail();
        continue;
      }
      std::vector<Index> rows;
      for (Index i = 0; i < n; ++i) {
        if (transform.exchanged(i)) rows.push_back(i);
      }
      if (principal.solve(rows, z, w)) detail::keep_better(data, z.cwiseMax(0.0), scratch, result);
      end = Status::Stalled;
      reason = "the final basis is too ill-conditioned for the tolerance";
      break;
    }
    if (result.iterations >= max_pivots) break;
    if (deadline.passed()) {
      end = Status::TimeLimit;
      reason = "time_limit reached";
      break;
    }
    if constexpr (tableau) {  // the sparse factors find a singular matrix themselves
      transform.column(wrong, scratch);
      if (!(std::abs(scratch[wrong]) > static_cast<double>(n) * eps * scratch.cwiseAbs().maxCoeff())) {
        if (transform.pivots_since_refresh() == 0 || !transform.refresh()) fail();
        continue;
      }
    }
    transform.exchange(wrong);
    ++result.iterations;
    if (!tableau || transform.pivots_since_refresh() >= options.refactor_every) {
      if (!transform.refresh()) fail();
    }
    if (!transform.constant().allFinite()) fail();
  }
  if (end != Status::Stalled && scaled.finite && transform.constant().allFinite()) {
    scratch.setZero();
    for (Index i = 0; i < n; ++i) {
      if (transform.exchanged(i)) scratch[i] = transform.constant()[i];
    }
    scaled.unscale(scratch, z);
    detail::keep_better(data, z, scratch, result);
  }
  detail::conclude(data, options.tolerance, result, end, reason);
  return result;
}

}  // namespace

void Murty::validate() const {
  check::positive("lcp::Murty::tolerance", tolerance);
  check::at_least("lcp::Murty::max_pivots", max_pivots, 0);
  check::at_least("lcp::Murty::refactor_every", refactor_every, 1);
  nonsmooth::detail::check_time_limit("lcp::Murty::time_limit", time_limit);
}

Result solve(const Problem& problem, const Murty& options) { return run(problem, options); }
Result solve(const SparseProblem& problem, const Murty& options) { return run(problem, options); }

}  // namespace nonsmooth::lcp
