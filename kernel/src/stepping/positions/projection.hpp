// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/one_step_ns_problem.hpp>
#include <nonsmooth/numerics/any_solver.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>

#include "contact/active_set.hpp"
#include "stepping/problem/redundant_rows.hpp"

namespace nonsmooth {

/// One row of a projection of positions: 0 = y or 0 <= y ⟂ mu >= 0.
struct ProjectionRow {
  Index interaction = -1, local = 0;         ///< of the model, row within it; or
  const ContactSet::Place* place = nullptr;  ///< of ProjectionProblem::contacts, and
  Index contact = 0;                         ///< number in its batch
  Index first_jacobian = 0, num_jacobians = 0;
  bool bilateral = false;
  double gap = 0.0;
  double tolerance = 0.0;  ///< of it: the user's, or its rounding where that is more
};

/// What a row has on one system.
struct ProjectionJacobian {
  Index system = 0, n = 0, z = 0, row = 0;
  Index at = 0;  ///< of H and P, n entries each
};

/// The problem of a projection: 0 = y + W mu or 0 <= y + W mu ⟂ mu >= 0, W = H A^-1 H^T.
struct ProjectionProblem {
  /// By model block: -1 without a gap, 0 not looked at, 1 active in the velocity problem, 2 activated since it
  /// penetrated. In a step: bits of position_level.cpp, `activated` what took part.
  std::vector<signed char> state;
  ContactSet contacts;                                     ///< detected at the positions that are projected
  std::vector<std::pair<Index, std::uint64_t>> activated;  ///< source and feature of contacts as state = 2, sorted
  double reach = 0.0;         ///< the deepest penetration so far: what is as near is listed
  bool joins = false;         ///< contacts that were not active were moved
  std::size_t num_found = 0;  ///< contacts, before those are taken that are listed
  std::size_t room = 0;       ///< of contacts found and blocks, that memory was made for before the first move
  bool has_moved = false;     ///< since the workspace was made
  std::vector<ProjectionRow> rows;
  std::vector<ProjectionJacobian> jacobians;
  std::vector<double> H, P;
  std::vector<Index> system_begin, jacobians_by_system, sizes, stamp;
  Eigen::VectorXd move;  ///< of all unknowns
  OneStepNSProblem problem;
  RedundantRows redundant;
  Eigen::VectorXd gaps;  ///< by row
  mixed::Workspace solver;
  AnySolver sweeps;  ///< those of the user's that go over contacts, to the tolerance of the last move
  AnySolverWorkspace sweeper;
  std::vector<friction::Decision> decisions;  ///< of the sweeps: none
  Eigen::VectorXd multipliers;                ///< by state row, of positions within a step (position_level.cpp)
};

/// What a problem of positions within a step has beside that (position_level.hpp).
struct MovesInStep {
  double h = 0.0;                 ///< of the step
  std::vector<double> responses;  ///< what ProjectionProblem::P makes of q in the step, where P is
  Eigen::VectorXd slide, slid;    ///< by unknown: D of the step to come, of the last one
  Eigen::VectorXd sum;            ///< what is in the gaps already and is to be found anew; scratch
  std::vector<std::pair<Index, std::uint64_t>> pressing;  ///< source and feature of contacts with mu > 0, sorted
};

namespace stages {

[[nodiscard]] inline const DetectedContact& contact_of(const ProjectionRow& row) {
  return row.place->batch->contacts[static_cast<std::size_t>(row.contact)];
}
/// How far rounding of positions may have a row's gap off where it has to be: no move brings it nearer. Of systems with
/// q' = v and of bodies in space; 0 on other manifolds, whose q tells no sizes. H as it was evaluated at the state.
[[nodiscard]] double rounding_of_gap(const State& state, const RelationCaches& relations,
                                     const InteractionPlan& interaction, Index row);
/// The tolerance of a row whose gap is off by this much: the user's, or where that is not met what rounding() makes.
template <class Rounding>
void set_tolerance(const ProjectionOptions& options, double off, Rounding rounding, ProjectionRow& row) {
  row.tolerance = row.bilateral ? options.bilateral_tolerance : options.unilateral_tolerance;
  if (off > row.tolerance) row.tolerance = std::max(row.tolerance, rounding());
}
/// W, q = gaps and K of the rows that are listed; equality rows that depend on others as RedundantRows has them.
/// Within a step W is H times what the step makes of P, and q = gaps - H within->sum; nullptr: after a step.
void assemble_projection(const Discretisation& discretisation, const RelationCaches& relations,
                         const std::vector<char>& asleep, SystemCaches& systems, double dependent, MovesInStep* within,
                         ProjectionProblem& own);
/// own.move := P mu of the solution.
void sum_moves(const Discretisation& discretisation, ProjectionProblem& own);
/// The algorithm for a problem that is small or has equalities.
[[nodiscard]] mixed::Automatic projection_solver(const TimeSteppingOptions& options, const mixed::Problem& problem);
/// The listed row that is furthest from where it has to be, or those that no positions satisfy at once.
[[nodiscard]] std::string unprojected(const ProjectionProblem& own);
/// Moves the positions of a state that no step has left yet out of its obstacles and on its equalities; the caches are
/// prepared. True where it got there.
[[nodiscard]] bool repair_positions(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                                    State& state, Workspace::Implementation& caches);
/// Moves the state's positions, as `update` left them, back to its constraints. True where it got there.
[[nodiscard]] bool project_positions(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                                     State& state, Workspace::Implementation& caches, StepReport& report);
/// Model blocks that the projection closed join the active set, as detected contacts did. False where none is new.
[[nodiscard]] bool join_closed(const State& state, const ProjectionProblem& projection, const RelationCaches& relations,
                               Joining& joining);

}  // namespace stages
}  // namespace nonsmooth
