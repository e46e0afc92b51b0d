// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mlcp/problem.hpp>

namespace nonsmooth::mlcp {

/// Picks the algorithm, cheap ones first; Result::solver says which one answered. Every answer is certified.
///
/// Elimination first where u is the larger part and not small; else relay::Automatic on z = (u, v)
/// (closed form, ActiveSet, Lemke, SemismoothNewton, Enumeration of few rows), then Elimination where A allows it. For
/// p != n, and where nothing has solved the problem, diagnose() looks at the equality rows: contradicting ones end
/// Infeasible with their proof; redundant ones are dropped, which Result::reason tells. Sparse: relay::Automatic on
/// z = (u, v).
struct Automatic {
  double tolerance = 1e-10;                                     ///< Certificate::residual <= tolerance; > 0
  Index max_iterations = 0;                                     ///< of each algorithm, >= 0; 0: its default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Automatic::validate.
[[nodiscard]] Result solve(const Problem& problem, const Automatic& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const Automatic& options);

}  // namespace nonsmooth::mlcp
