// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/any_solver.hpp>
#include <nonsmooth/numerics/friction/problem.hpp>
#include <nonsmooth/numerics/named_solver.hpp>

namespace nonsmooth::friction {

/// An algorithm of the family by name. u and Result::figures are recomputed from r.
using Solver = NamedSolver<Problem, Result>;

/// One line of the registry.
struct Entry {
  std::string_view name;         ///< as in Result::solver, e.g. "gauss-seidel"
  std::string_view description;  ///< one sentence: what it is good for
  Solver solver;                 ///< with default options
  /// True if the algorithm takes products of these sets; if not, solve() throws InvalidArgument.
  bool (*supports)(const ProductSet&);
  std::function<AnySolver(const Limits&)> within;  ///< its options within limits
};

/// Every algorithm of the family for the reduced form, "automatic" first.
[[nodiscard]] const std::vector<Entry>& registry();

/// The entry of that name. @throws InvalidArgument listing the known names.
[[nodiscard]] const Entry& find(std::string_view name);

}  // namespace nonsmooth::friction

namespace nonsmooth {

/// @cond
template <>
friction::Result friction::Solver::solve(const friction::Problem& problem, const Limits& limits) const;
/// @endcond

}  // namespace nonsmooth
