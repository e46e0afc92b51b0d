// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mlcp/automatic.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mlcp.hpp>
#include <nonsmooth/numerics/relay/automatic.hpp>

#include "internal.hpp"
#include "portfolio.hpp"

namespace nonsmooth::mlcp {
namespace {

constexpr Index many_free = 16;  // unknowns of u; below, an elimination saves nothing

Result eliminated(const Problem& problem, const Automatic& options, const nonsmooth::detail::Deadline& deadline) {
  Elimination elimination;
  elimination.tolerance = options.tolerance;
  elimination.max_iterations = options.max_iterations;
  elimination.time_limit = deadline.remaining();
  return solve(problem, elimination);
}

Result run(const Problem& problem, const Automatic& options) {
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  const bool square = problem.num_free() == problem.num_equalities();
  // Where u is the larger part, each step on the whole repeats an elimination that is better done once.
  const bool eliminate_first =
      square && problem.num_free() >= many_free && problem.num_free() >= problem.num_constrained();
  if (eliminate_first) {
    Result result = eliminated(problem, options, deadline);
    if (result.ok() || result.status == Status::Infeasible || result.status == Status::TimeLimit) return result;
  }
  const relay::Problem form = detail::relay_form(problem);
  relay::Result answer;
  relay::detail::automatic(relay::detail::view(form), options.tolerance, options.max_iterations, deadline.remaining(),
                           answer);
  Result result = detail::from_relay(problem, std::move(answer));
  const bool dependent = result.reason == relay::detail::least_norm_reason;
  if ((result.ok() && square && !dependent) || result.status == Status::Infeasible ||
      result.status == Status::TimeLimit) {
    return result;
  }
  if (!result.ok() && square && problem.num_free() > 0 && !eliminate_first) {
    nonsmooth::detail::Portfolio<Result> portfolio(options, deadline, result);
    if (portfolio.ends(eliminated(problem, options, deadline))) return result;
  }
  const Diagnosis diagnosis = diagnose(problem);
  if (result.ok()) {
    if (!diagnosis.redundant.empty()) {
      result.reason = "solved; redundant equality rows were dropped, mlcp::diagnose lists them";
    } else if (diagnosis.undetermined.cols() > 0) {
      result.reason = "solved; no row determines all of u, mlcp::diagnose tells what is free";
    }
  } else if (diagnosis.contradicts()) {
    nonsmooth::detail::end_infeasible("equality rows contradict each other, mlcp::diagnose lists them", diagnosis.proof,
                                      result);
  } else if (result.status == Status::Stalled && !diagnosis.regular()) {
    result.reason = "no solution found; A is singular or not square, see mlcp::diagnose";
  }
  return result;
}

}  // namespace

void Automatic::validate() const {
  check::positive("mlcp::Automatic::tolerance", tolerance);
  check::at_least("mlcp::Automatic::max_iterations", max_iterations, 0);
  nonsmooth::detail::check_time_limit("mlcp::Automatic::time_limit", time_limit);
}

Result solve(const Problem& problem, const Automatic& options) {
  problem.validate();
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  Result result = run(problem, options);
  detail::refine(problem, options.tolerance, options.max_iterations, deadline, result);
  detail::tell_round_off(problem, result);
  return result;
}

Result solve(const SparseProblem& problem, const Automatic& options) {
  problem.validate();
  options.validate();
  const relay::Automatic of_form{
      .tolerance = options.tolerance, .max_iterations = options.max_iterations, .time_limit = options.time_limit};
  return detail::from_relay(problem, relay::solve(detail::relay_form(problem), of_form));
}

Result solve(const Problem& problem) { return solve(problem, Automatic{}); }
Result solve(const SparseProblem& problem) { return solve(problem, Automatic{}); }

}  // namespace nonsmooth::mlcp
