// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <nonsmooth/numerics/qp/problem.hpp>
#include <nonsmooth/numerics/two_storage_solver.hpp>

namespace nonsmooth::qp {

/// An algorithm of the family by name; Infeasible stands only with a proof or a direction that holds.
using Solver = TwoStorageSolver<Problem, SparseProblem, Result>;

/// One line of the registry.
struct Entry {
  std::string_view name;         ///< as in Result::solver, e.g. "dual active set"
  std::string_view description;  ///< one sentence: what it is good for
  Solver solver;                 ///< with default options
};

/// Every algorithm of the family, "automatic" first.
[[nodiscard]] const std::vector<Entry>& registry();

/// The entry of that name. @throws InvalidArgument listing the known names.
[[nodiscard]] const Entry& find(std::string_view name);

}  // namespace nonsmooth::qp

namespace nonsmooth {

/// @cond
template <>
qp::Result qp::Solver::solve(const qp::Problem& problem, const Limits& limits) const;
template <>
qp::Result qp::Solver::solve(const qp::SparseProblem& problem, const Limits& limits) const;
/// @endcond

}  // namespace nonsmooth
