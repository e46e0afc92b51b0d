// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bound_search.hpp"
#include "contact/impact_rules.hpp"
#include "joint_forces.hpp"
#include "newton.hpp"
#include "sleep.hpp"
#include "step_impact.hpp"
#include "stepping/half_explicit/half_explicit.hpp"
#include "stepping/positions/projection.hpp"
#include "stepping/problem/global_form.hpp"
#include "stepping/staged/staged.hpp"
#include "stepping/watches/problem_watches.hpp"
#include "stepping/watches/run_watch.hpp"

namespace nonsmooth {

/// What the stages of a step share, each part with its owner; step.cpp and the projection order the stages.
///
/// Every unknown z (a velocity v, or a first-order x) obeys, with the factor A of its system,
///     z = z_free + P r,    P = A^-1 H^T (mechanics) or h A^-1 B (first order),    u = H z + D r + w.
struct Workspace::Implementation {
  explicit Implementation(int number_of_threads) : threads(number_of_threads) {}

  mutable ThreadPool threads;  ///< it changes nothing here
  bool options_stay = false;   ///< those of a simulation, which has validated them
  Discretisation discretisation{threads};
  SystemCaches systems;
  RelationCaches relations;
  Iterate iterate;
  ContactSearch search;
  ContactSet contacts;
  Sleep sleep;
  ActiveSet active;
  Joining joining;
  ImpactRules impact_rules;
  const ActingRows acting{relations, contacts, active};
  OneStepSolver one_step;
  StepImpact impact;
  GlobalForm global_form;
  StepSolution solution;
  bool has_reactions = false;  ///< H, q* and the state's multipliers are of one step, which was taken
  NewtonCaches newton;
  ProjectionProblem projection;
  State backup;                 ///< while callables can still fail
  std::vector<Index> doubtful;  ///< first-order systems whose steps may have several answers
  RunWatch watch;
  HalfExplicit half_explicit;
  Staged staged;
  /// One for all workspaces of a simulation, which come and go; null while a step only looks ahead.
  std::shared_ptr<stages::ProblemWatches> watches = std::make_shared<stages::ProblemWatches>();
  JointForces joint_forces;
  MovesInStep moves;
  BoundSearch bounds;
  Eigen::VectorXd lengths;  ///< lengths_of_unknowns(), of what was prepared

  /// Of a step to `state`.
  [[nodiscard]] TakenStep taken(const StepReport& report, const State& state) const {
    return {report, state, discretisation, relations, solution};
  }
};

/// How the library sees what a workspace holds.
struct WorkspaceAccess {
  /// @throws InvalidArgument of a workspace that was moved from.
  [[nodiscard]] static Workspace::Implementation& caches(Workspace& workspace);
  [[nodiscard]] static const Workspace::Implementation& caches(const Workspace& workspace);
};

namespace stages {

/// Rebuilds every cache if the model's revision, h or a scheme's parameter changed. @throws InvalidArgument where a
/// system, relation or law cannot have its scheme.
void prepare(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h,
             Workspace::Implementation& caches);
/// Contacts of the model's sources at t_k. After free_state, whose z_free becomes that of all systems where schemes
/// look for contacts as far as bodies get without reactions.
void find_contacts(const NonSmoothDynamicalSystem& model, const StepView& step, Workspace::Implementation& caches);
/// Commits positions, unknowns, multipliers, outputs and contact memory to the state.
void update(double t_next, Workspace::Implementation& caches, State& state);

}  // namespace stages
}  // namespace nonsmooth
