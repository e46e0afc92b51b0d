// SPDX-License-Identifier: Apache-2.0
// What a workspace is made for: a revision of a model, a step length and schemes.
#include <nonsmooth/numerics/error.hpp>

#include "model/switched/hybrid_automaton.hpp"
#include "stepping/positions/position_level.hpp"
#include "workspace_implementation.hpp"

namespace nonsmooth::stages {
namespace {

/// What is of the old schemes, or holds a layout of the revision before, and with it sources that were removed.
void forget_model(Workspace::Implementation& caches) {
  caches.systems.kinds.clear();
  caches.one_step.problem = {};
  caches.one_step.redundant = {};
  caches.projection.problem = {};
  caches.projection.redundant = {};
  caches.joint_forces.one_step.problem = {};
  caches.joint_forces.one_step.redundant = {};
  caches.backup = {};
}

/// A step of fixed length has no place for a transition inside of it. @throws InvalidArgument
void refuse_automata(const NonSmoothDynamicalSystem& model) {
  for (const Layout::System& place : model.layout()->systems) {
    const auto& record = model.systems()[place.slot];
    if (!dynamic_cast<const AutomatonProcess*>(record.first_order)) continue;
    throw InvalidArgument("TimeStepping: system " + record.name, "a HybridAutomaton",
                          "EventDriven, which finds its transitions; or a FilippovSystem, where modes follow from x");
  }
}

}  // namespace

void prepare(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h,
             Workspace::Implementation& caches) {
  const bool same_schemes = has_schemes_of(model, options, caches.discretisation);
  if (same_schemes && caches.discretisation.h == h) {
    if (!caches.options_stay) {
      validate_beside_schemes(options);
      check_sleep(options.sleep, *model.layout(), caches.discretisation.schemes);
      check_positions(options, caches.discretisation);
    }
    return;
  }
  options.validate();
  caches.has_reactions = false;
  refuse_automata(model);
  const Layout& layout = *model.layout();
  if (!same_schemes) forget_model(caches);
  discretise(model, options, h, caches.discretisation);
  check_positions(options, caches.discretisation);
  forget_pattern(caches.one_step);
  caches.one_step.touched.clear();
  caches.one_step.matrix_stands = false;
  caches.one_step.solver.reset();
  caches.active.stands = false;
  caches.global_form.systems.clear();
  caches.global_form.laws_checked = false;
  caches.contacts.clear();
  caches.search.asleep.clear();
  caches.sleep.layout.reset();
  caches.sleep.on = false;
  caches.solution.z_free = caches.solution.z = caches.iterate.z = caches.newton.terms =
      Eigen::VectorXd::Zero(layout.num_unknowns);
  caches.lengths = lengths_of_unknowns(model);
  caches.iterate.q = caches.iterate.q_middle = Eigen::VectorXd::Zero(layout.num_positions);
  caches.iterate.lambda = caches.solution.lambda = Eigen::VectorXd::Zero(layout.num_rows);
  prepare_systems(model, caches.discretisation, caches.systems);
  prepare_interactions(model, caches.discretisation, caches.systems, caches.relations);
  prepare_sources(model, caches.discretisation, caches.systems, caches.search);
  prepare_impact_rules(model, caches.discretisation, caches.relations, caches.search, caches.impact_rules);
  check_separate_impacts(options, caches.relations, caches.search);
  prepare_half_explicit(model, options, caches);
  prepare_staged(model, options, caches);
  prepare_joint_forces(caches);
  caches.discretisation.prepared = true;
}

}  // namespace nonsmooth::stages
