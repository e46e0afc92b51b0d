// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <nonsmooth/numerics/mlcp/problem.hpp>
#include <nonsmooth/numerics/two_storage_solver.hpp>

namespace nonsmooth::mlcp {

/// An algorithm of the family by name. w is recomputed from u and v.
using Solver = TwoStorageSolver<Problem, SparseProblem, Result>;

/// One line of the registry.
struct Entry {
  std::string_view name;         ///< as in Result::solver, e.g. "active set"; "automatic" names the one that answered
  std::string_view description;  ///< one sentence: what it is good for
  Solver solver;                 ///< with default options
  Index max_rows = 0;            ///< rows of v, one bound each, that are never too many; 0: no bound
};

/// Every algorithm of the family, "automatic" first.
[[nodiscard]] const std::vector<Entry>& registry();

/// The entry of that name. @throws InvalidArgument listing the known names.
[[nodiscard]] const Entry& find(std::string_view name);

}  // namespace nonsmooth::mlcp

namespace nonsmooth {

/// @cond
template <>
mlcp::Result mlcp::Solver::solve(const mlcp::Problem& problem, const Limits& limits) const;
template <>
mlcp::Result mlcp::Solver::solve(const mlcp::SparseProblem& problem, const Limits& limits) const;
/// @endcond

}  // namespace nonsmooth
