// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::analysis::detail {

/// The graph of systems and of the ties between them (joints, equalities): both are its vertices, and each tie has an
/// edge to every system that it acts on; a tie of one system has one to the ground as well. Rows of ties that lie on no
/// loop of it are independent as long as those of each tie are, and what loops in space lack of freedoms shows in them.
class ConstraintGraph {
 public:
  static constexpr Index kGround = -1;

  /// `systems`: of each tie, by number from zero, none twice.
  explicit ConstraintGraph(std::vector<std::vector<Index>> systems);

  /// Ties that share loops, part by part: vertices between which two ways lead (biconnected components, those with a
  /// tie in common as one). Ties ascend, parts are in the order of their first ones; ties on no loop are in none.
  [[nodiscard]] std::vector<std::vector<Index>> parts() const;

  struct Loop {
    std::vector<Index> ties;     ///< one after the other
    std::vector<Index> systems;  ///< systems[k] is between ties[k] and the next one, the last before the first; kGround
  };
  /// A basis of all loops, edges - vertices + connected components of them: those that one more edge closes in trees of
  /// the shortest ways to the ground (to the first system where nothing is tied to it).
  [[nodiscard]] std::vector<Loop> loops() const;

 private:
  std::vector<std::vector<Index>> systems_;
  Index num_systems_ = 0;
};

}  // namespace nonsmooth::analysis::detail
