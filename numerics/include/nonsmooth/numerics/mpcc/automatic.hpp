// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mpcc/sparse_problem.hpp>

namespace nonsmooth::mpcc {

/// Up to 30 pairs the first 24 programs of BranchAndBound, where the program without complementarity bounds the value
/// from below (of a Q that is not convex up to three pairs only): where the tree ends in time the answer is the best of
/// all pieces, as Result::reason says, else the best piece so far counts if it is B-stationary. Then Relaxation and,
/// where that ends without an answer and there are at most 30 pairs, all of BranchAndBound. Result::solver says which
/// one answered. Of sparse data NonlinearRelaxation.
struct Automatic {
  double tolerance = 1e-10;                                     ///< Certificate::residual <= tolerance; > 0
  Index max_iterations = 0;                                     ///< of each algorithm, >= 0; 0: its default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Automatic::validate.
[[nodiscard]] Result solve(const Problem& problem, const Automatic& options);
/// @throws InvalidArgument as SparseProblem::validate and Automatic::validate.
[[nodiscard]] Result solve(const SparseProblem& problem, const Automatic& options);

}  // namespace nonsmooth::mpcc
