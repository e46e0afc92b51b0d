// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/any_solver.hpp>
#include <nonsmooth/numerics/friction/global_problem.hpp>
#include <nonsmooth/numerics/named_solver.hpp>

namespace nonsmooth::friction {

/// An algorithm for the global form by name. u, balance and certificate are recomputed from v and r.
using GlobalSolver = NamedSolver<GlobalProblem, GlobalResult>;

/// One line of the registry; every algorithm takes every set of the family.
struct GlobalEntry {
  std::string_view name;                           ///< as in GlobalResult::solver, e.g. "global admm"
  std::string_view description;                    ///< one sentence: what it is good for
  GlobalSolver solver;                             ///< with default options
  std::function<AnySolver(const Limits&)> within;  ///< its options within limits
};

/// Every algorithm of the family for the global form, "automatic" first.
[[nodiscard]] const std::vector<GlobalEntry>& global_registry();

/// The entry of that name. @throws InvalidArgument listing the known names.
[[nodiscard]] const GlobalEntry& find_global(std::string_view name);

}  // namespace nonsmooth::friction

namespace nonsmooth {

/// @cond
template <>
friction::GlobalResult friction::GlobalSolver::solve(const friction::GlobalProblem& problem,
                                                     const Limits& limits) const;
/// @endcond

}  // namespace nonsmooth
