// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <nonsmooth/numerics/named_solver.hpp>
#include <nonsmooth/numerics/vi/quasi.hpp>

namespace nonsmooth::vi {

/// An algorithm for quasi-variational inequalities by name. w is recomputed from x. Infeasible never stands: no vector
/// proves that all sets K(x) have no point.
using QuasiSolver = NamedSolver<QuasiProblem, Result>;

/// One line of that registry.
struct QuasiEntry {
  std::string_view name;  ///< as in Result::solver, e.g. "quasi projection"; "automatic" names the one that answered
  std::string_view description;  ///< one sentence: what it is good for
  QuasiSolver solver;            ///< with default options
};

/// Every algorithm for quasi-variational inequalities, "automatic" first.
[[nodiscard]] const std::vector<QuasiEntry>& quasi_registry();

/// The entry of that name. @throws InvalidArgument listing the known names.
[[nodiscard]] const QuasiEntry& find_quasi(std::string_view name);

}  // namespace nonsmooth::vi

namespace nonsmooth {

/// @cond
template <>
vi::Result vi::QuasiSolver::solve(const vi::QuasiProblem& problem, const Limits& limits) const;
/// @endcond

}  // namespace nonsmooth
