// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <nonsmooth/numerics/named_solver.hpp>
#include <nonsmooth/numerics/vi/problem.hpp>

namespace nonsmooth::vi {

/// An algorithm of the family by name. w is recomputed from x.
using Solver = NamedSolver<Problem, Result>;

/// Which problems an algorithm takes; it refuses others.
enum class Takes : unsigned char {
  Every,              ///< any set with a projection
  WithJacobian,       ///< ConvexSet::has_jacobian()
  Polyhedra,          ///< ConvexSet::polyhedron()
  AffineOnPolyhedra,  ///< the same, and of the maps F(x) = M x + q alone
};

/// One line of the registry.
struct Entry {
  std::string_view name;  ///< as in Result::solver, e.g. "extragradient"; "automatic" names the one that answered
  std::string_view description;  ///< one sentence: what it is good for
  Solver solver;                 ///< with default options
  Takes takes = Takes::Every;
};

/// Every algorithm of the family, "automatic" first.
[[nodiscard]] const std::vector<Entry>& registry();

/// The entry of that name. @throws InvalidArgument listing the known names.
[[nodiscard]] const Entry& find(std::string_view name);

}  // namespace nonsmooth::vi

namespace nonsmooth {

/// @cond
template <>
vi::Result vi::Solver::solve(const vi::Problem& problem, const Limits& limits) const;
/// @endcond

}  // namespace nonsmooth
