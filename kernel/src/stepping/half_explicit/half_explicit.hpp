// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/kernel/state.hpp>

#include "dynamics/relations/relation_caches.hpp"

namespace nonsmooth {

/// What a half-explicit step (D1MinusLinear) has beside the caches of the stages, which it calls once a problem: all
/// its problems are z = v + h M^-1 F + M^-1 H^T p at an instant, with rows u = H z + w, so that stages see steps of
/// theta = 0 from a state `at` to its own instant.
struct HalfExplicit {
  /// What a block of the model is in a step.
  enum class Row : unsigned char {
    Open,
    Closed,  ///< at t_k
    Stays,   ///< and pressed, or did not part: forces at t_{k+1} too
    Closes,  ///< in the step: an impact
  };

  State at;                               ///< what the problems start from: t_k, then t_{k+1}
  Eigen::VectorXd v_before;               ///< v_k, after the impact of a start
  std::vector<double> w;                  ///< by state row: of rows of forces
  std::vector<BlockPlan> forces;          ///< the blocks of relations without restitution
  std::vector<Row> rows;                  ///< by block
  Eigen::VectorXd impulses, percussions;  ///< by state row, of the step so far
  // Contacts that slide have one row and one force, along -(mu d, -1).
  BlockSet sliding;                   ///< their set
  std::vector<char> stops;            ///< by block of the model: slid past rest in this step, and does not
  std::vector<double> directions;     ///< by state row: -mu d of tangential rows
  std::vector<Index> slide_begin;     ///< by block: its P in `slides`
  std::vector<double> slides;         ///< P_N - mu P_T d
  std::vector<Index> reaction_begin;  ///< by Jacobian block
  std::vector<double> reactions;      ///< sums of H^T p, each with its own H
};

namespace stages {

/// After systems, interactions, sources and impact rules; nothing where no scheme is half-explicit.
/// @throws InvalidArgument where a system, a law, a source or an option cannot have the scheme, with the one that can.
void prepare_half_explicit(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                           Workspace::Implementation& caches);
/// One step; the state changes where it is taken. Throws CallableFailure before.
StepReport solve_half_explicit(const TimeSteppingOptions& options, double t_next, State& state,
                               Workspace::Implementation& caches);

}  // namespace stages
}  // namespace nonsmooth
