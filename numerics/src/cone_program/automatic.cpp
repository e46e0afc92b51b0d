// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/cone_program/automatic.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/cone_program.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "portfolio.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::cone_program {

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
  if (!portfolio.ends(solve(problem, portfolio.within(InteriorPoint{}, &InteriorPoint::max_steps))) &&
      !portfolio.late())
    portfolio.ends(solve(problem, portfolio.within(Admm{}, &Admm::max_iterations)));
  nonsmooth::detail::call_solved(result);
  return result;
}

Result solve(const Problem& problem) { return solve(problem, Automatic{}); }

}  // namespace nonsmooth::cone_program
