// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/relay/lemke.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "dictionary.hpp"

namespace nonsmooth::relay {
namespace {

void run(const View& problem, const Lemke& options, Result& result) {
  const Index n = problem.q.size();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  result.solver = "lemke";
  detail::Dictionary dictionary;
  dictionary.prepare(problem, options.equilibrate);
  const Index limit = detail::pivot_limit(options.max_pivots, n);
  const detail::PivotEnd end = dictionary.run(limit, options.refactor_every, deadline);
  result.iterations = dictionary.pivots();
  Eigen::VectorXd z(n);
  Eigen::VectorXd w(n);
  dictionary.extract(problem, z);
  detail::keep_better(problem, z, w, result);
  if (end == detail::PivotEnd::Complementary && !(result.certificate.residual <= 1e-2 * options.tolerance)) {
    detail::Partition partition(problem);
    detail::Places places;
    dictionary.places(places);
    if (partition.solve(places, z, w) || partition.solve_least(places, z, w)) {
      detail::clamp(problem, z);
      detail::keep_better(problem, z, w, result);
    }
    if (!(result.certificate.residual <= options.tolerance)) {  // rows at round-off of a bound may be on its wrong side
      Result mended;
      detail::active_set(problem, options.tolerance, 20, deadline.remaining(), result.z, mended);
      detail::keep_better(problem, mended.z, w, result);
    }
  }
  detail::conclude_pivoting(problem, options.tolerance, end, result);
  // Where the matrix is singular only up to round-off, what should have been a ray may end far away instead.
  const bool limited = end == detail::PivotEnd::Limit || end == detail::PivotEnd::TimeLimit;
  if (!result.ok() && !limited) detail::prove_infeasible(problem, deadline.remaining(), result);
}

}  // namespace

void Lemke::validate() const {
  check::positive("relay::Lemke::tolerance", tolerance);
  check::at_least("relay::Lemke::max_pivots", max_pivots, 0);
  check::at_least("relay::Lemke::refactor_every", refactor_every, 1);
  check::at_least("relay::Lemke::crash_steps", crash_steps, 0);
  nonsmooth::detail::check_time_limit("relay::Lemke::time_limit", time_limit);
}

void detail::lemke(const View& problem, double tolerance, Index max_pivots, double time_limit, Result& result) {
  result = Result();
  Lemke options;
  options.tolerance = tolerance;
  options.max_pivots = max_pivots;
  options.time_limit = time_limit;
  run(problem, options, result);
}

Result solve(const Problem& problem, const Lemke& options) {
  problem.validate();
  options.validate();
  Result result;
  run(detail::view(problem), options, result);
  return result;
}

}  // namespace nonsmooth::relay
