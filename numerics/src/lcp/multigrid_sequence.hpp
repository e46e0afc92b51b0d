// SPDX-License-Identifier: Apache-2.0
// Multigrid on problems that follow each other; not installed.
#pragma once

#include <memory>

#include <nonsmooth/numerics/lcp/multigrid.hpp>

namespace nonsmooth::lcp::detail {

class CoarseHierarchy;

/// Solves by Multigrid problems of one size whose matrices differ little, as those of Newton's steps do: the
/// interpolations of the first serve the others, which begin where they are told.
class MultigridSequence {
 public:
  MultigridSequence();
  ~MultigridSequence();
  MultigridSequence(const MultigridSequence&) = delete;
  MultigridSequence& operator=(const MultigridSequence&) = delete;

  /// `start`: where the finest level begins; empty: coarse to fine, with interpolations made for this M.
  [[nodiscard]] Result solve(const SparseProblem& problem, const Multigrid& options, const Eigen::VectorXd& start);

 private:
  std::unique_ptr<CoarseHierarchy> hierarchy_;
};

}  // namespace nonsmooth::lcp::detail
