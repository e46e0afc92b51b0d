// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is looked for before the tiers behind the first sweeps, at the cost of a few of those.

#include <cstdint>
#include <vector>

#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>

#include "mixed/block_cholesky.hpp"

namespace nonsmooth::friction::internal {

/// Blocks of canonical sets that may be left open, r = 0, whatever the reactions of the others are: q_N >= 0
/// (every entry of an Orthant block), and in each of those rows w of W the part w_j of every other block j that is not
/// in the list lies in the dual cone of K_j, so that w·r >= 0 for every r in K. Any solution of the others is then a
/// solution of the whole with r = 0 here; the whole may have a solution where the others have none. Keeps its memory.
class OpenBlocks {
 public:
  /// Ascending. Cost: a look at the block rows with q_N >= 0, each left at the first part that pulls, a few times over.
  [[nodiscard]] const std::vector<Index>& find(const mixed::Problem& problem);
  /// part := the problem without those found last (not all of its blocks), and r there.
  void leave_out(const mixed::Problem& problem, mixed::Problem& part);
  [[nodiscard]] const std::vector<Index>& kept() const noexcept { return kept_; }  ///< the others, which it left in

 private:
  std::vector<char> open_;
  std::vector<Index> list_, kept_, place_, sizes_;
};

/// At least so many rows of a symmetric positive semidefinite W depend on others: blocks that are coupled to the same
/// blocks are an interface, of two bodies say, and rank W is at most the sum of the ranks of their diagonal blocks.
/// Those are found by a Cholesky factorization with pivoting, given up (for no dependent rows) beyond rank 12, that of
/// two bodies. Some ten operations an entry of those blocks of W; the order of the contacts does not matter. Keeps its
/// memory: nothing is allocated where W has no more blocks and rows than before.
class DependentRows {
 public:
  [[nodiscard]] Index count(const BlockSparseMatrix& W);

 private:
  void order_by_pattern(const BlockSparseMatrix& W);
  [[nodiscard]] Index count_among(const BlockSparseMatrix& W, const Index* members, Index count);

  std::vector<std::uint64_t> hash_;
  std::vector<Index> order_, first_;
  std::vector<double> factors_;
  GrowingVector diagonal_, whole_;
};

/// The projection on ker S, S symmetric positive semidefinite in blocks of a symmetric pattern, by one sparse
/// factorization: (d (S + d)^-1)^2 with d a 1e-10th of the largest diagonal entry (more where round-off of the factors
/// needs it). Modes far softer than d count as kernel, and |S P z| <= d |z| / 4.
class KernelProjection {
 public:
  explicit KernelProjection(const BlockSparseMatrix& S);

  /// False where S + d has no factors: S is not positive semidefinite. No other call then.
  [[nodiscard]] bool valid() const noexcept { return valid_; }
  void project(Eigen::VectorXd& z) const;
  /// dim ker S, estimated as the mean of z·P z over 16 vectors of signs: its standard deviation is at most the root of
  /// an eighth of the dimension. The same number on every call. Cost: 32 solves.
  [[nodiscard]] Index estimate_dimension() const;

 private:
  Index rows_;
  double shift_ = 0.0;
  mixed::internal::BlockCholesky factors_;
  bool valid_ = false;
};

}  // namespace nonsmooth::friction::internal
