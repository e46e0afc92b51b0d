// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/relay/problem.hpp>

namespace nonsmooth::relay {

/// Picks the algorithm, cheap ones first; Result::solver says which one answered. Every answer is certified.
///
/// A diagonal M (one row among them) in closed form; then ActiveSet (some steps); Lemke (up to `lemke_limit` rows);
/// SemismoothNewton; Enumeration (of what its factorizations and linear programs do in about a second). The first that
/// ends Solved or Infeasible is returned, else the best iterate with the status of its solver. The order depends on
/// sizes and outcomes only.
/// Sparse: Lemke of at most 2 n pivots, SemismoothNewton, then Lemke from the corner up to `sparse_lemke_limit` rows.
struct Automatic {
  double tolerance = 1e-10;                                     ///< Certificate::residual <= tolerance; > 0
  Index lemke_limit = 1000;                                     ///< rows, >= 0; above, pivots of O(n^2) take minutes
  Index sparse_lemke_limit = 10'000;                            ///< rows, >= 0; above, its pivots take minutes
  Index max_iterations = 0;                                     ///< of each algorithm, >= 0; 0: its default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Automatic::validate.
[[nodiscard]] Result solve(const Problem& problem, const Automatic& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const Automatic& options);

}  // namespace nonsmooth::relay
