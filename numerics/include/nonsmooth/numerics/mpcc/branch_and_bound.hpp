// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mpcc/problem.hpp>

namespace nonsmooth::mpcc {

/// Branch and bound on the sides of the pairs: a node is the program with some sides set to 0 and no complementarity
/// for the other pairs, a convex quadratic program whose value bounds those of all pieces in it from below. The pair
/// whose smaller side is the largest over its terms is divided, the node with that side at 0 first; a node that is
/// empty, or no better than the best piece by `tolerance` of the terms of the value, is left. Where every side counts
/// as 0 (Look::biactive) the piece there is solved; if it is empty or does not reach the bound of the node, some side
/// only looks like 0, and the node is divided on.
///
/// Ends with a global minimiser where the tree is exhausted. Where Q is convex on pieces alone, or a node is unbounded,
/// there are no bounds above and all pieces below it are looked at. Few pairs, up to some 20. Cost: a quadratic program
/// a node, 2^(k + 1) of them at worst. Source: Bard, Moore 1990 [bard1990].
struct BranchAndBound {
  double tolerance = 1e-10;                                     ///< Certificate::residual <= tolerance; > 0
  Index max_nodes = 20'000;                                     ///< quadratic programs, >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and BranchAndBound::validate.
[[nodiscard]] Result solve(const Problem& problem, const BranchAndBound& options);

}  // namespace nonsmooth::mpcc
