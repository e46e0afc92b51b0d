// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::analysis::detail {

/// The graph of systems and of the ties between them (joints, equalities): both are its vertices, and each tie has an
/// edge to every system that it acts on; a tie of one system has one to the ground as well, and so has a system of
/// whose velocities some are prescribed, as these are the ground's. Rows of ties that lie on no loop of it are
/// independent as long as those of each tie are, and what loops in space lack of freedoms shows in them.
class ConstraintGraph {
 public:
  static constexpr Index kGround = -1;

  /// `systems`: of each tie, by number from zero, none twice. `prescribed`: those of whose velocities some are; each
  /// once or more, of other ties too.
  ConstraintGraph(std::vector<std::vector<Index>> systems, std::vector<Index> prescribed);

  /// Ties that share loops, part by part: vertices between which two ways lead (biconnected components, those with a
  /// tie in common as one). Ties ascend, parts are in the order of their first ones; ties on no loop are in none.
  [[nodiscard]] std::vector<std::vector<Index>> parts() const;

  struct Loop {
    std::vector<Index> ties;  ///< one after the other
    /// systems[k] is between ties[k] and the next one, the last before the first; kGround also where the loop comes to
    /// it, or goes on, by a system whose velocities are prescribed.
    std::vector<Index> systems;
  };
  /// A basis of all loops, edges - vertices + connected components of them: those that one more edge closes in trees of
  /// the shortest ways to the ground (to the first system where nothing is tied to it).
  [[nodiscard]] std::vector<Loop> loops() const;

 private:
  std::vector<std::vector<Index>> systems_;
  std::vector<Index> prescribed_;  ///< ascending
  Index num_systems_ = 0;
};

}  // namespace nonsmooth::analysis::detail
