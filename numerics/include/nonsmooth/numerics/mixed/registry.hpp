// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/any_solver.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>
#include <nonsmooth/numerics/named_solver.hpp>

namespace nonsmooth::mixed {

/// An algorithm of the family by name. A callable gets the problem in canonical form (see BlockSet); the result is
/// given back in the units of the problem.
using Solver = NamedSolver<Problem, Result>;

/// One line of the registry.
struct Entry {
  std::string_view name;         ///< as in Result::solver, e.g. "block gauss-seidel"
  std::string_view description;  ///< one sentence: what it is good for
  Solver solver;                 ///< with default options
  /// True if the algorithm takes products of these sets; if not, solve() throws InvalidArgument.
  bool (*supports)(const ProductSet&);
  std::function<AnySolver(const Limits&)> within;  ///< its options within limits
};

/// Every algorithm of the family, "automatic" first.
[[nodiscard]] const std::vector<Entry>& registry();

/// The entry of that name. @throws InvalidArgument listing the known names.
[[nodiscard]] const Entry& find(std::string_view name);

}  // namespace nonsmooth::mixed

namespace nonsmooth {

/// @cond
template <>
mixed::Result mixed::Solver::solve(const mixed::Problem& problem, const Limits& limits) const;
/// @endcond

}  // namespace nonsmooth
