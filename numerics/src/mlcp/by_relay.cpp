// SPDX-License-Identifier: Apache-2.0
// The algorithms that are relay's on z = (u, v).
#include <nonsmooth/numerics/mlcp/gauss_seidel.hpp>
#include <nonsmooth/numerics/mlcp/lemke.hpp>
#include <nonsmooth/numerics/mlcp/semismooth_newton.hpp>

#include "internal.hpp"

namespace nonsmooth::mlcp {
namespace {

template <class P, class Options>
Result solve_by_relay(const P& problem, const Options& options) {
  problem.validate();
  options.validate();
  return detail::from_relay(problem, relay::solve(detail::relay_form(problem), options));
}

}  // namespace

Result solve(const Problem& problem, const GaussSeidel& options) { return solve_by_relay(problem, options); }
Result solve(const SparseProblem& problem, const GaussSeidel& options) { return solve_by_relay(problem, options); }
Result solve(const Problem& problem, const Lemke& options) { return solve_by_relay(problem, options); }
Result solve(const SparseProblem& problem, const Lemke& options) { return solve_by_relay(problem, options); }
Result solve(const Problem& problem, const SemismoothNewton& options) { return solve_by_relay(problem, options); }
Result solve(const SparseProblem& problem, const SemismoothNewton& options) { return solve_by_relay(problem, options); }

}  // namespace nonsmooth::mlcp
