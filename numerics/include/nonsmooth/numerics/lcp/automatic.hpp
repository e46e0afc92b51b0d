// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// Picks the algorithm, cheap ones first; Result::solver says which one answered. Every answer is certified.
///
/// Dense: q >= 0 and one row in closed form; up to 200 rows Lemke, then enumeration (up to 8 rows) or
/// Fischer-Burmeister; above, block principal pivoting, then the same. Sparse: primal-dual active set where the
/// diagonal is positive, block principal pivoting, Lemke (up to `sparse_lemke_limit` rows, its pivots being one by
/// one), Fischer-Burmeister. The first that ends Solved or Infeasible is returned, else the best iterate with the
/// status of its solver.
struct Automatic {
  double tolerance = 1e-10;         ///< Certificate::residual <= tolerance; > 0
  Index sparse_lemke_limit = 2000;  ///< >= 0; above, a sparse Lemke takes minutes

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Automatic::validate.
[[nodiscard]] Result solve(const Problem& problem, const Automatic& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const Automatic& options);

}  // namespace nonsmooth::lcp
