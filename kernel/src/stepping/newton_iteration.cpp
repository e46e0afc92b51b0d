// SPDX-License-Identifier: Apache-2.0
#include "newton_iteration.hpp"

#include <algorithm>
#include <string>

#include "commit.hpp"
#include "damping.hpp"
#include "failure.hpp"

namespace nonsmooth {
namespace {

/// The impact at the start of the step; false where the step ends there.
bool solve_impact(const TimeSteppingOptions& options, const StepView& step, Workspace::Implementation& caches,
                  StepReport& report) {
  if (stages::solve_impact(options, step, caches.acting, caches.impact, caches.active, caches.one_step,
                           report.detail) ||
      options.on_failure == OnFailure::Accept)
    return true;
  const mixed::Result& result = caches.one_step.problem.result;
  report.outcome = StepReport::Outcome::SolverFailed;
  report.taken = false;
  report.solver = result.status;
  report.certificate = result.certificate;
  report.rows = caches.active.rows();
  return false;
}

/// The unknowns of a linearised problem that was solved.
void set_unknowns(const StepView& step, Workspace::Implementation& caches) {
  StepSolution& solution = caches.solution;
  if (caches.active.blocks.empty()) {
    solution.z = solution.z_free;
    if (caches.relations.any_iterates) solution.lambda.setZero();
  } else if (caches.global_form.on) {
    stages::apply_global(caches.discretisation, caches.systems, caches.acting, caches.global_form,
                         caches.one_step.problem.result, solution);
  } else {
    stages::apply_multipliers(caches.threads, caches.acting, caches.one_step, solution);
    stages::refine_unknowns(step, caches.acting, caches.threads, caches.one_step, solution);
  }
  if (caches.sleep.any) stages::hold_sleepers(caches.discretisation, caches.sleep, solution.z);
}

/// Solves one linearised problem, that of Newton's first iterate or a later one; false where the step ends there.
/// `jumps`: answers jump about.
bool solve_linearised(const TimeSteppingOptions& options, const StepView& step, bool first, bool jumps,
                      Workspace::Implementation& caches, StepReport& report) {
  StepSolution& solution = caches.solution;
  caches.one_step.percussions.resize(0);
  if (caches.active.blocks.empty()) {
    set_unknowns(step, caches);
    return true;
  }
  if (!caches.contacts.empty()) stages::linearise_contacts(caches.search, caches.systems, caches.contacts);
  if (caches.joint_forces.on && !stages::solve_joint_forces(options, step, caches, report)) return false;
  OneStepSolver& one_step = caches.one_step;
  const mixed::Result& result = one_step.problem.result;
  const bool global =
      options.form == Form::Global && stages::takes_global(options, caches.acting, caches.search, caches.global_form);
  caches.global_form.on = global;
  if (global) {
    stages::assemble_global(step, caches.acting, caches.systems, solution.z_free, options.dependent_rows,
                            caches.global_form, one_step);
    stages::solve_global(options, step.state, caches.acting, caches.global_form, one_step);
  } else {
    stages::assemble(step, caches.acting, caches.systems.inputs, solution.z_free, options.dependent_rows, one_step);
    if (caches.relations.separate_impacts || caches.search.separate_impacts) {
      if (first) stages::find_impact(step, caches.acting, one_step.problem, caches.impact);
      if (caches.impact.found && !solve_impact(options, step, caches, report)) return false;
    }
    // Where multipliers are iterates of Newton's, which are not unique, another start is another iteration.
    const bool from_state = first || (caches.relations.any_iterates && !jumps);
    if (!jumps || !stages::keep_answer(options.newton.tolerance, one_step))
      stages::solve(options, step.state, caches.acting, from_state, caches.threads, one_step);
  }
  report.solver = result.status;
  report.at_round_off = result.at_round_off;
  report.certificate = result.certificate;
  report.rows = result.r.size();
  report.redundant_rows = one_step.redundant.count();
  report.unexamined_rows = one_step.redundant.unexamined();
  report.solver_iterations = result.iterations;
  if (caches.joint_forces.on && !caches.joint_forces.alone) stages::tell_of_joint_forces(caches.joint_forces, report);
  report.detail.clear();
  if (!result.ok()) {
    report.detail = stages::place_of_failure(one_step.problem);
    if (options.on_failure != OnFailure::Accept) {
      report.outcome = StepReport::Outcome::SolverFailed;
      report.taken = false;
      // The W of the reduced form says which rows depend on others.
      if (global) stages::assemble(step, caches.acting, caches.systems.inputs, solution.z_free, 0.0, one_step);
      if (const std::string redundant = stages::redundant_equalities(one_step.problem); !redundant.empty())
        report.detail += (report.detail.empty() ? "" : " ") + redundant;
      return false;
    }
  }
  set_unknowns(step, caches);
  if (caches.joint_forces.on && caches.joint_forces.alone) stages::take_joint_forces(step, caches);
  return true;
}

/// The residual of the equations of motion may end Newton's iteration: not where multipliers are unknowns of Newton's
/// too, at which no equation of motion looks.
bool may_end_by_residual(const NewtonOptions& options, const RelationCaches& relations) {
  return options.residual_tolerance > 0.0 &&
         std::none_of(relations.interactions.begin(), relations.interactions.end(), [](const auto& relation) {
           return relation.iterates &&
                  (relation.first_order || relation.compliant || relation.law->varies == LawVaries::Iterate);
         });
}

}  // namespace

NewtonEnd iterate_newton(const TimeSteppingOptions& options, const StepView& step, bool iterates,
                         Workspace::Implementation& caches, StepReport& report) {
  SystemCaches& systems = caches.systems;
  RelationCaches& relations = caches.relations;
  Iterate& iterate = caches.iterate;
  StepSolution& solution = caches.solution;
  NewtonCaches& newton = caches.newton;
  const auto wakes = [&] { return stages::wake_pushed(step, solution.z_free, caches.sleep, caches.search.asleep); };
  if (relations.stand && wakes()) return NewtonEnd::Woken;
  if (relations.stand)
    return solve_linearised(options, step, true, false, caches, report) ? NewtonEnd::Converged
                                                                        : NewtonEnd::SolverFailed;
  if (relations.any_input_history) newton.z_linear = solution.z_free;
  const bool by_residual = iterates && may_end_by_residual(options.newton, relations);
  const bool safeguarded =
      iterates && std::any_of(relations.interactions.begin(), relations.interactions.end(),
                              [](const InteractionPlan& i) { return i.law->varies == LawVaries::Iterate; });
  if (iterates) newton.idle.assign(static_cast<std::size_t>(step.discretisation.layout->num_rows), 0);
  Damping damping(safeguarded ? 0 : options.newton.max_halvings);
  if (safeguarded) caches.bounds.begin(relations, *step.discretisation.layout, caches.lengths, newton);
  Patience patience;
  for (Index iteration = 0; iteration < options.newton.max_iterations; ++iteration) {
    iterate.first = iteration == 0;
    if (!iterate.first) {
      stages::predict_positions(step, systems, iterate);
      if (relations.any_input_history) solution.z_free = newton.z_linear;
    }
    stages::evaluate_systems(step, iterate, systems);
    if (!iterate.first && by_residual && !damping.halved() &&
        stages::motion_holds(options.newton.residual_tolerance, systems))
      return NewtonEnd::Converged;
    stages::evaluate_relations(step, iterate, systems, relations);
    stages::linearise_systems(step, iterate, systems, solution.z_free);
    if (iterate.first && wakes()) return NewtonEnd::Woken;
    stages::linearise_inputs(step, iterate, systems, relations, solution.z_free);
    if (!solve_linearised(options, step, iterate.first, patience.is_over(), caches, report))
      return NewtonEnd::SolverFailed;
    if (!iterates) return NewtonEnd::Converged;
    if (by_residual) stages::keep_impulses(step.discretisation, solution.z_free, solution.z, systems);
    ++report.newton_iterations;
    const double error =
        stages::newton_error(options.newton.tolerance, step, relations, iterate, solution, caches.lengths, newton);
    patience.look(error);
    if (safeguarded) {
      caches.bounds.move(relations, solution, iterate);
    } else {
      damping.move(error, solution, newton, iterate);
    }
    if (error <= 1.0) return NewtonEnd::Converged;
  }
  return NewtonEnd::Limit;
}

}  // namespace nonsmooth
