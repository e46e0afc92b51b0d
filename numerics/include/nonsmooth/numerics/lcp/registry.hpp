// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <nonsmooth/numerics/lcp/problem.hpp>
#include <nonsmooth/numerics/two_storage_solver.hpp>

namespace nonsmooth::lcp {

/// An algorithm of the family by name. w is recomputed from z.
using Solver = TwoStorageSolver<Problem, SparseProblem, Result>;

/// One line of the registry.
struct Entry {
  std::string_view name;         ///< as in Result::solver, e.g. "block principal pivoting"
  std::string_view description;  ///< one sentence: what it is good for
  Solver solver;                 ///< with default options
  Index max_rows = 0;            ///< larger problems are refused; 0: no bound
};

/// Every algorithm of the family, "automatic" first.
[[nodiscard]] const std::vector<Entry>& registry();

/// The entry of that name. @throws InvalidArgument listing the known names.
[[nodiscard]] const Entry& find(std::string_view name);

}  // namespace nonsmooth::lcp

namespace nonsmooth {

/// @cond
template <>
lcp::Result lcp::Solver::solve(const lcp::Problem& problem, const Limits& limits) const;
template <>
lcp::Result lcp::Solver::solve(const lcp::SparseProblem& problem, const Limits& limits) const;
/// @endcond

}  // namespace nonsmooth
