// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/workspace.hpp>

#include "dynamics/system_caches.hpp"

namespace nonsmooth {

struct ProjectionProblem;
struct MovesInStep;

namespace stages {

/// The problem of positions of a step (Projection::WithinStep) beside its problem of velocities, which are solved in
/// turn until one step satisfies both:
///
///     M U = H^T mu,   y(q_{k+1}) = 0 of joints,   0 <= y(q_{k+1}) ⟂ mu >= 0 of contacts,
///     M D = h/2 H^T p of rows that hold no positions, as friction and rows of forces,
///
/// U + D being in q_{k+1} beside what the velocities make of it, M and H at q_{k+1}. D is the way that an impulse in
/// the middle of the step has in it: sliding is of order 2 in x, and no row of gaps asks for it. With y, M and H of the
/// last such step, mu solves
///
///     0 <= y + H T (M^-1 H^T mu - U + D' - D) ⟂ mu >= 0,   T = 1 + h^2 beta S^-1 dF/dq,
///
/// T what forces, at positions that have moved, leave of a move, D' of the last p; and the step is made again with
/// M^-1 H^T mu and D'.
///
/// Why in turn, and not in one matrix. What velocities that are held do in answer to U, h gamma S^-1 dF/dq U, comes
/// back to y by h^2 beta S^-1 dF/dv. In one freedom with M / of_a = m, h gamma C = x, h^2 beta K = k a turn leaves
/// x k / ((m + x) (m + k)) of the error in y: 0 without damping, O(h^3) where h resolves it, and near 1 only where
/// neither damping nor stiffness is resolved. One matrix of both levels, of twice the rows and not symmetric, had that
/// term beside it and nothing else. Without T it were k / (m + k), near 1 of all that is stiff. A step is accepted
/// where both levels hold at once: the velocities' problem with its certificate, of the very step whose end has y
/// within ProjectionOptions' tolerances, mu > 0 only on rows that are closed to them, and U + D repeats to them. D
/// alone need not: friction beside joints may share a load in many ways.
///
/// Contacts of sources are found again where each turn ends; one keeps its mu by its feature. What took part in a turn
/// does so in all that follow, mu = 0 or not, so that turns do not go round in a circle.

/// @throws InvalidArgument where a model has mechanics under another scheme than GeneralisedAlpha.
void check_positions(const TimeSteppingOptions& options, const Discretisation& discretisation);
/// While it lives, steps have U in place of what impulses move; no multipliers yet.
class PositionsApart {
 public:
  PositionsApart(const Discretisation& discretisation, SystemCaches& systems, ProjectionProblem& own,
                 MovesInStep& moves);
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
[[nodiscard]] bool hold_positions(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                                  State& state, Workspace::Implementation& caches, bool& solved);

}  // namespace stages
}  // namespace nonsmooth
