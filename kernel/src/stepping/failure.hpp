// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel/one_step_ns_problem.hpp>
#include <nonsmooth/numerics/any_solver.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "newton.hpp"

/// What a step that failed says of its model.
namespace nonsmooth::stages {

/// Where the problem's worst row is, or which rows the proof of infeasibility names, as a sentence; empty where it has
/// neither.
[[nodiscard]] std::string place_of_failure(const OneStepNSProblem& problem);
/// The places of the rows that the result's proof of infeasibility names.
[[nodiscard]] std::vector<std::string> places_in_proof(const OneStepNSProblem& problem);
/// " in <places>": the rows whose law this solver refuses, of one block alone too, in the form that the problem has;
/// empty where it takes each.
[[nodiscard]] std::string rows_refused(const AnySolver& solver, const OneStepNSProblem& problem);
/// solve(), the answer of an algorithm to the form that the problem has, (W, q) or (A, H).
/// @throws InvalidArgument naming the rows of the laws that it does not take, and then the global form, else the
/// solver.
template <class Solve>
decltype(auto) naming_rows(const AnySolver& solver, const OneStepNSProblem& problem, Solve&& solve) {
  try {
    return solve();
  } catch (const InvalidArgument& error) {
    const std::string rows = rows_refused(solver, problem);
    throw InvalidArgument(problem.global && !rows.empty() ? "TimeSteppingOptions::form" : "TimeSteppingOptions::solver",
                          error.found() + rows, error.expected());
  }
}
/// After Newton's limit: what moved last, against what is allowed, as a sentence.
[[nodiscard]] std::string least_converged(const Layout& layout, const RelationCaches& relations,
                                          const LeastConverged& worst);
/// Of z that is not finite: whose first entry is not, as a sentence.
[[nodiscard]] std::string first_not_finite(const Layout& layout, const Eigen::VectorXd& z);
/// Which interactions' equality rows depend on others', as a sentence; empty where none do.
[[nodiscard]] std::string redundant_equalities(const OneStepNSProblem& problem);

}  // namespace nonsmooth::stages
