// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::analysis::detail {

/// The graph of systems and of the ties between them (joints, equalities): both are its vertices, and each tie has an
/// edge to every system that it acts on; a tie of one system has one to the ground as well, and so has a system of
/// whose velocities some are prescribed, as these are the ground's. What loops in space lack of freedoms shows in them.
///
/// Rows depend on one another within parts() alone, as long as those of each tie do not. Let sum_C H_C^T p_C be zero
/// over all ties, and let a part share one system s with the others, but for the ground. On its other systems its own
/// sum is zero. Where it is not tied to the ground, its ties measure what is between their systems, H_C V = 0 for each
/// motion V that these have in common; so its sum on s does no work on V_s, which is any motion of s, and is zero. Then
/// the sum of the others is zero as well, and what was shown of a part that shares one system holds of these: parts,
/// ties on no loop among them as parts of their own, are joined at systems as a tree is, whose leaves share one, the
/// part that is tied to the ground being the root and left for the last. A tie that sees what its systems have in
/// common, as a coupler of two angles against the ground does, has an edge to the ground for that.
class ConstraintGraph {
 public:
  static constexpr Index kGround = -1;

  /// `systems`: of each tie, by number from zero, none twice. `prescribed`: those of whose velocities some are; each
  /// once or more, of other ties too. `measuring`: ties of several systems that also measure the ground, of parts()
  /// alone.
  ConstraintGraph(std::vector<std::vector<Index>> systems, std::vector<Index> prescribed,
                  std::vector<Index> measuring = {});

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
  std::vector<Index> measuring_;
  Index num_systems_ = 0;
};

}  // namespace nonsmooth::analysis::detail
