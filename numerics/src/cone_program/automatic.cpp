// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/cone_program/automatic.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/cone_program.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "embedding.hpp"
#include "polyhedral.hpp"
#include "portfolio.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::cone_program {

namespace {

/// Vertices, by active sets, where cones are polyhedral: to rounding, as the proofs.
bool try_polyhedral(const Problem& problem, nonsmooth::detail::Portfolio<Result>& portfolio) {
  if (!detail::is_polyhedral(problem)) return false;
  return portfolio.ends(detail::solve_polyhedral(problem, portfolio.within(Automatic{}, &Automatic::max_iterations)));
}

}  // namespace

void Automatic::validate() const {
  check::positive("cone_program::Automatic::tolerance", tolerance);
  check::at_least("cone_program::Automatic::max_iterations", max_iterations, 0);
  nonsmooth::detail::check_time_limit("cone_program::Automatic::time_limit", time_limit);
}

Result solve(const Problem& problem, const Automatic& options) {
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  problem.validate();
  Result result;
  nonsmooth::detail::Portfolio<Result> portfolio(options, deadline, result);
  const bool ended =
      portfolio.ends(detail::solve_by_embedding(problem, portfolio.within(InteriorPoint{}, &InteriorPoint::max_steps)));
  if (!ended && !portfolio.late() && !try_polyhedral(problem, portfolio) && !portfolio.late())
    portfolio.ends(solve(problem, portfolio.within(Admm{}, &Admm::max_iterations)));
  nonsmooth::detail::call_solved(result);
  return result;
}

Result solve(const Problem& problem) { return solve(problem, Automatic{}); }

}  // namespace nonsmooth::cone_program
