// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <nonsmooth/numerics/mpcc/sparse_problem.hpp>
#include <nonsmooth/numerics/two_storage_solver.hpp>

namespace nonsmooth::mpcc {

/// An algorithm of the family by name. The certificate, s and the stationarity are recomputed: B stands where
/// is_bouligand_stationary() says so, Infeasible only with a proof or a direction that holds.
using Solver = TwoStorageSolver<Problem, SparseProblem, Result>;

/// One line of the registry.
struct Entry {
  std::string_view name;         ///< as in Result::solver, e.g. "relaxation"
  std::string_view description;  ///< one sentence: what it is good for
  Solver solver;                 ///< with default options
};

/// Every algorithm of the family, "automatic" first.
[[nodiscard]] const std::vector<Entry>& registry();

/// The entry of that name. @throws InvalidArgument listing the known names.
[[nodiscard]] const Entry& find(std::string_view name);

}  // namespace nonsmooth::mpcc

namespace nonsmooth {

/// @cond
template <>
mpcc::Result mpcc::Solver::solve(const mpcc::Problem& problem, const Limits& limits) const;
template <>
mpcc::Result mpcc::Solver::solve(const mpcc::SparseProblem& problem, const Limits& limits) const;
/// @endcond

}  // namespace nonsmooth
