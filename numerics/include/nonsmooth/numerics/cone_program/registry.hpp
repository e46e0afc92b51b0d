// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <nonsmooth/numerics/cone_program/problem.hpp>
#include <nonsmooth/numerics/named_solver.hpp>

namespace nonsmooth::cone_program {

/// An algorithm of the family by name. s is recomputed from x; Infeasible stands only with a proof or a direction that
/// holds. Limits ask for 1e-10 unless told otherwise; 1e-8 is what interior points reach on degenerate cones too.
using Solver = NamedSolver<Problem, Result>;

/// One line of the registry.
struct Entry {
  std::string_view name;         ///< as in Result::solver, e.g. "interior point"
  std::string_view description;  ///< one sentence: what it is good for
  Solver solver;                 ///< with default options
};

/// Every algorithm of the family, "automatic" first.
[[nodiscard]] const std::vector<Entry>& registry();

/// The entry of that name. @throws InvalidArgument listing the known names.
[[nodiscard]] const Entry& find(std::string_view name);

}  // namespace nonsmooth::cone_program

namespace nonsmooth {

/// @cond
template <>
cone_program::Result cone_program::Solver::solve(const cone_program::Problem& problem, const Limits& limits) const;
/// @endcond

}  // namespace nonsmooth
