// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/workspace.hpp>

#include "dynamics/system_caches.hpp"

namespace nonsmooth {

struct ProjectionProblem;

namespace stages {

/// The problem of positions of a step (Projection::WithinStep) beside its problem of velocities, which are solved in
/// turn until one step satisfies both:
///
///     M U = H^T mu,   y(q_{k+1}) = 0 of joints,   0 <= y(q_{k+1}) ⟂ mu >= 0 of contacts,
///
/// U being in q_{k+1} beside what the velocities make of it, M and H at q_{k+1}. With y, M and H of the last such step,
/// mu solves 0 <= y - H U + H M^-1 H^T mu ⟂ mu >= 0, and the step is made again with U = M^-1 H^T mu. What U changes in
/// the velocities is of order h in it, so that every turn gains as much; a turn of its own is Newton's for y.

/// @throws InvalidArgument where a model has mechanics under another scheme than GeneralisedAlpha, or a source of
/// contacts.
void check_positions(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                     const Discretisation& discretisation);
/// While it lives, steps have U in place of what impulses move; no multipliers yet.
class PositionsApart {
 public:
  PositionsApart(const Discretisation& discretisation, SystemCaches& systems, ProjectionProblem& own);
  ~PositionsApart();
  PositionsApart(const PositionsApart&) = delete;
  PositionsApart& operator=(const PositionsApart&) = delete;

 private:
  const Discretisation& discretisation_;
  SystemCaches& systems_;
};
/// From the end of a step that was made with the multipliers so far. True where it is within the tolerances of
/// positions, and the state's projections are the multipliers; otherwise others were found, and contacts that take part
/// join those that act on velocities. `solved`: own.problem has an answer; false where it has none.
[[nodiscard]] bool hold_positions(const TimeSteppingOptions& options, State& state, Workspace::Implementation& caches,
                                  bool& solved);

}  // namespace stages
}  // namespace nonsmooth
