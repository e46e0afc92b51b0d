// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <nonsmooth/numerics/relay/problem.hpp>
#include <nonsmooth/numerics/two_storage_solver.hpp>

namespace nonsmooth::relay {

/// An algorithm of the family by name. w is recomputed from z.
using Solver = TwoStorageSolver<Problem, SparseProblem, Result>;

/// One line of the registry.
struct Entry {
  std::string_view name;         ///< as in Result::solver, e.g. "active set"; "automatic" names the one that answered
  std::string_view description;  ///< one sentence: what it is good for
  Solver solver;                 ///< with default options
  Index max_rows = 0;            ///< rows with a finite bound that are never too many; 0: no bound
};

/// Every algorithm of the family, "automatic" first.
[[nodiscard]] const std::vector<Entry>& registry();

/// The entry of that name. @throws InvalidArgument listing the known names.
[[nodiscard]] const Entry& find(std::string_view name);

}  // namespace nonsmooth::relay

namespace nonsmooth {

/// @cond
template <>
relay::Result relay::Solver::solve(const relay::Problem& problem, const Limits& limits) const;
template <>
relay::Result relay::Solver::solve(const relay::SparseProblem& problem, const Limits& limits) const;
/// @endcond

}  // namespace nonsmooth
