// SPDX-License-Identifier: Apache-2.0
// The order of the stages of one step, and what it commits to the state.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/kernel/workspace.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "commit.hpp"
#include "failure.hpp"
#include "model/guarded.hpp"
#include "model/inclusions/process_with_law.hpp"
#include "model/outputs.hpp"
#include "model/step_grid.hpp"
#include "newton_iteration.hpp"
#include "stepping/positions/position_level.hpp"
#include "sums.hpp"
#include "workspace_implementation.hpp"

namespace nonsmooth {

namespace {

/// How far sources look: velocities at which bodies go that far. Under generalised-alpha by what their forces alone
/// would do too, as these lift bodies that contacts hold.
const Eigen::VectorXd& find_outlook(const StepView& step, Workspace::Implementation& caches) {
  const bool at_gaps = caches.search.at_gaps;
  if (!caches.search.at_forces && !(at_gaps && !caches.systems.nonlinear.empty()))
    return at_gaps ? caches.solution.z_free : step.state.unknowns;
  stages::begin_iterate(step, caches.relations, caches.iterate);
  stages::predict_positions(step, caches.systems, caches.iterate);
  if (at_gaps) {
    stages::evaluate_systems(step, caches.iterate, caches.systems);
    stages::linearise_systems(step, caches.iterate, caches.systems, caches.solution.z_free);
    return caches.solution.z_free;
  }
  double held = 0.0;  // the largest gap of what pressed
  for (const ContactMemory& contact : step.state.contacts)
    if (contact.impulse[0] > 0.0) held = std::max(held, contact.gap);
  Eigen::VectorXd& outlook = caches.iterate.z;  // v + h A of generalised-alpha; the step begins its iterate anew
  for (std::size_t i = 0; i < step.discretisation.schemes.size(); ++i) {
    const Scheme& scheme = step.discretisation.schemes[i];
    if (!scheme.generalised_alpha) continue;
    const Layout::System& place = step.discretisation.layout->systems[i];
    // In the last step loads that changed by D lifted what presses by lift_of_step() h^2 D: sources look for what is
    // left of loads up to sixteen times as large.
    const double lifted = stages::lift_by_residuals + std::min(0.5, 16.0 * stages::lift_of_step(scheme));
    const double part = lifted / scheme.forecast;
    for (Index k = place.z; k < place.z + place.n; ++k) {
      const double v = step.state.unknowns[k];
      outlook[k] = v + std::copysign(part * std::abs(outlook[k] - v) + held / (scheme.forecast * step.h()), v);
    }
  }
  return outlook;
}

}  // namespace

namespace stages {

void find_contacts(const NonSmoothDynamicalSystem& model, const StepView& step, Workspace::Implementation& caches) {
  if (model.sources().empty()) return;
  caches.contacts.positions = step.state.positions;
  const Eigen::VectorXd& outlook = find_outlook(step, caches);
  detect_contacts(model, step, outlook, caches.joining, caches.systems, caches.search, caches.contacts);
}

void update(double t_next, Workspace::Implementation& caches, State& state) {
  if (caches.watch.impacts.looked_at && !caches.active.blocks.empty())
    measure_impacts({state, t_next, caches.discretisation}, caches.acting, caches.one_step.problem,
                    caches.watch.impacts);
  if (caches.sleep.on) keep_for_sleepers(state, caches.sleep);
  commit_motion(caches.discretisation, caches.systems, caches.solution, state);
  commit_multipliers({state, t_next, caches.discretisation}, caches.acting, caches.one_step.problem.result,
                     caches.solution.last_multipliers, state);
  if (caches.joint_forces.on) commit_joint_forces({state, t_next, caches.discretisation}, caches, state);
  if (caches.sleep.on) {
    commit_sleep(caches.discretisation, caches.acting, caches.search.asleep, caches.solution, caches.sleep, state);
  } else if (!state.sleep.island.empty()) {
    state.wake();  // of a simulation in which they slept
  }
  commit_time(t_next, caches.discretisation, state);
  update_outputs_in_place(t_next, caches.discretisation.h, caches.relations, state);
  update_law_memory(state.law_memory, caches.relations, state);
}

}  // namespace stages

namespace {

/// Contacts and index sets: what acts in the step. Who is touched wakes, and then more may act.
void find_what_acts(const NonSmoothDynamicalSystem& model, const StepView& step, Workspace::Implementation& caches) {
  do {
    stages::find_contacts(model, step, caches);
    stages::index_sets(step, caches.search, caches.contacts, caches.joining, caches.systems, caches.relations,
                       caches.impact_rules, caches.active);
  } while (stages::wake_touched(caches.active, caches.relations, caches.sleep, caches.search.asleep));
}

/// Linearises and solves a step whose free state is known, again where somebody wakes.
NewtonEnd solve_awake(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, const StepView& step,
                      Workspace::Implementation& caches, StepReport& report) {
  NewtonEnd end = NewtonEnd::Woken;
  while (end == NewtonEnd::Woken) {
    find_what_acts(model, step, caches);
    const bool iterates = stages::needs_newton(caches.systems, caches.relations, caches.active);
    if (!caches.relations.all_constant || !caches.systems.nonlinear.empty()) {
      stages::begin_iterate(step, caches.relations, caches.iterate);
      stages::predict_positions(step, caches.systems, caches.iterate);
    }
    end = iterate_newton(options, step, iterates, caches, report);
  }
  return end;
}

void tell_of_sleep(const Sleep& sleep, StepReport& report) {
  if (!sleep.on) return;
  report.asleep = sleep.asleep;
  report.fell_asleep = sleep.fell_asleep;
  report.woken = sleep.woken;
  report.energy_taken = sleep.energy_taken;
}

/// What systems solved by themselves, beside the one-step problem.
void tell_of_own_problems(const SystemCaches& systems, StepReport& report) {
  const OwnProblem* own = stages::own_problems(systems);
  if (own == nullptr || own->rows == 0) return;
  if (report.rows == 0 || own->certificate.residual > report.certificate.residual) {
    report.certificate = own->certificate;
    report.at_round_off = own->at_round_off;
  }
  report.rows += own->rows;
  report.solver_iterations += own->iterations;
}

/// Runs the stages; throws CallableFailure before anything is committed.
StepReport solve_velocities(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double t_next,
                            State& state, Workspace::Implementation& caches) {
  if (stages::is_half_explicit(caches.discretisation))
    return stages::solve_half_explicit(options, t_next, state, caches);
  if (stages::is_staged(caches.staged)) return stages::solve_staged(options, t_next, state, caches);
  StepReport report;
  report.t = t_next;
  const StepView step{state, t_next, caches.discretisation};
  caches.one_step.redundant.begin_step();
  stages::free_state(step, caches.systems, caches.solution.z_free);
  stages::begin_sleep(model, options, step, caches.relations, caches.solution.z_free, caches.sleep, caches.search);
  if (caches.joint_forces.on && !stages::begin_joint_forces(options, step, caches, report)) return report;
  const NewtonEnd end = solve_awake(model, options, step, caches, report);
  if (end == NewtonEnd::SolverFailed) return report;
  // A limit of one iteration asks for the linearly implicit scheme: nothing is left that has to converge.
  const Layout& layout = *caches.discretisation.layout;
  if (!check::all_finite(caches.solution.z)) {
    report.outcome = StepReport::Outcome::SolverFailed;
    report.solver = Status::NumericalFailure;
    report.at_round_off = false;
    report.taken = false;
    report.detail = stages::first_not_finite(layout, caches.solution.z);
    return report;
  }
  if (!caches.active.blocks.empty() && !caches.one_step.problem.result.ok()) {
    report.outcome = StepReport::Outcome::SolverFailed;
  } else if (end == NewtonEnd::Limit && options.newton.max_iterations > 1) {
    report.outcome = StepReport::Outcome::NewtonLimit;
    report.detail = stages::least_converged(layout, caches.relations, caches.newton.least_converged);
  }
  if (!report.ok() && options.on_failure != OnFailure::Accept) {
    report.taken = false;
    return report;
  }
  caches.sleep.solved = report.ok();
  tell_of_own_problems(caches.systems, report);
  stages::measure_penetration(step, caches.acting, caches.joining, caches.solution.z_free, report);
  if (!caches.relations.outputs_call_users) {
    stages::update(t_next, caches, state);
    tell_of_sleep(caches.sleep, report);
    return report;
  }
  caches.backup = state;
  try {
    stages::update(t_next, caches, state);
  } catch (const CallableFailure&) {
    state = caches.backup;  // the outputs at t_{k+1} could not be had: nothing of the step stays
    throw;
  }
  tell_of_sleep(caches.sleep, report);
  return report;
}

/// A step with multipliers of positions beside those of velocities; throws CallableFailure with the state as it was.
StepReport step_with_positions(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double t_next,
                               State& state, Workspace::Implementation& caches) {
  caches.backup = state;
  const stages::PositionsApart apart(caches.discretisation, caches.systems, caches.projection, caches.moves);
  Index newton_iterations = 0;
  for (Index turn = 0;; ++turn) {
    StepReport report = solve_velocities(model, options, t_next, state, caches);
    report.newton_iterations = newton_iterations += report.newton_iterations;
    report.projections = turn;
    if (!report.taken) return report;
    bool solved = true;
    try {
      if (stages::hold_positions(model, options, state, caches, solved)) return report;
    } catch (const CallableFailure&) {
      state = caches.backup;
      throw;
    }
    if (!solved || turn == options.projection.max_iterations) {
      report.detail = stages::unprojected(caches.projection);
      if (report.ok()) report.outcome = StepReport::Outcome::ProjectionLimit;
      if (options.on_failure == OnFailure::Accept) return report;
      report.taken = false;
      state = caches.backup;
      return report;
    }
    state = caches.backup;
  }
}

/// A step and the projection of its positions; throws CallableFailure with the state as it was.
StepReport try_step(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double t_next,
                    State& state, Workspace::Implementation& caches) {
  caches.joining.clear();
  caches.discretisation.joins =
      options.projection.kind == Projection::Combined || options.projection.kind == Projection::WithinStep;
  if (options.projection.kind == Projection::None) return solve_velocities(model, options, t_next, state, caches);
  if (options.projection.kind == Projection::WithinStep)
    return step_with_positions(model, options, t_next, state, caches);
  caches.backup = state;
  caches.projection.problem.blocks.clear();
  Index newton_iterations = 0, projections = 0;
  for (;;) {
    StepReport report = solve_velocities(model, options, t_next, state, caches);
    report.newton_iterations = newton_iterations += report.newton_iterations;
    report.projections = projections;
    if (!report.taken) return report;
    try {
      const bool projected = stages::project_positions(model, options, state, caches, report);
      if (!projected && report.ok()) report.outcome = StepReport::Outcome::ProjectionLimit;
    } catch (const CallableFailure&) {
      state = caches.backup;
      throw;
    }
    projections = report.projections;
    if (!report.ok() && options.on_failure != OnFailure::Accept) {
      report.taken = false;
      state = caches.backup;
      return report;
    }
    if (options.projection.kind != Projection::Combined ||
        !stages::join_closed(state, caches.projection, caches.relations, caches.joining))
      return report;
    state = caches.backup;
  }
}

/// The problem on which a part of a step ended so: the projection's where that failed; null: none.
const OneStepNSProblem* problem_of(const Workspace::Implementation& caches, const StepReport& report) {
  if (report.outcome == StepReport::Outcome::CallableFailed) return nullptr;
  if (stages::is_staged(caches.staged)) return caches.staged.last;
  const OneStepNSProblem& problem = caches.one_step.problem;
  if (report.taken) return caches.active.blocks.empty() ? nullptr : &problem;
  if (const OwnProblem* own = stages::own_problems(caches.systems); own != nullptr && own->failed) return nullptr;
  if (report.outcome == StepReport::Outcome::ProjectionLimit)
    return caches.projection.problem.empty() ? nullptr : &caches.projection.problem;
  // Where it failed before it had a problem, that of the step before is still there.
  const bool is_own = !caches.active.blocks.empty() && report.rows > 0 && problem.num_rows() == report.rows;
  return is_own ? &problem : nullptr;
}

/// A part of a step, whatever it throws.
StepReport caught_step(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double t_next,
                       State& state, Workspace::Implementation& caches) {
  try {
    return try_step(model, options, t_next, state, caches);
  } catch (const ProcessFailure& failure) {
    StepReport report;
    report.outcome = StepReport::Outcome::SolverFailed;
    report.taken = false;
    report.t = t_next;
    report.solver = failure.status;
    report.certificate = failure.certificate;
    report.rows = failure.rows;
    report.detail = failure.detail;
    return report;
  } catch (const CallableFailure& failure) {
    StepReport report;
    report.outcome = StepReport::Outcome::CallableFailed;
    report.taken = false;
    report.t = t_next;
    report.detail = failure.detail;
    return report;
  }
}

/// The same of length h, and who watches is shown its problem.
StepReport guarded_step(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h,
                        double t_next, State& state, Workspace::Implementation& caches) {
  stages::prepare(model, options, h, caches);
  StepReport report = caught_step(model, options, t_next, state, caches);
  if (!caches.watches) return report;
  if (const OneStepNSProblem* problem = problem_of(caches, report)) caches.watches->show(*problem, t_next, h);
  return report;
}

/// The step from state.t to t_next in two halves, each again in two where it fails, `depth` times at most.
StepReport step_in_halves(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double t_next,
                          Index depth, stages::Sums& sums, Workspace::Implementation& caches) {
  const double t = sums.state.t, middle = t + 0.5 * (t_next - t);
  StepReport total;
  for (const double end : {middle, t_next}) {
    StepReport half = guarded_step(model, options, end - sums.state.t, end, sums.state, caches);
    if (half.taken) {
      sums.add_part();
    } else if (half.outcome != StepReport::Outcome::CallableFailed && depth > 1) {
      half = step_in_halves(model, options, end, depth - 1, sums, caches);
    }
    stages::add_report(total, half);
    total = half;
    if (!total.taken) return total;
  }
  ++total.subdivisions;
  return total;
}

/// A copy of the problem on which a step failed that was not taken, if it was one.
void keep_problem(const Workspace::Implementation& caches, StepReport& report) {
  if (const OneStepNSProblem* problem = problem_of(caches, report))
    report.problem = std::make_shared<const OneStepNSProblem>(*problem);
}

}  // namespace

StepReport step(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h, State& state,
                Workspace& workspace) {
  Workspace::Implementation& caches = WorkspaceAccess::caches(workspace);
  check::positive("step: h", h);
  if (!state.layout() || state.layout()->revision != model.layout()->revision) {
    throw InvalidArgument("step: state", "a state of another revision or model",
                          "one of the model's present revision (migrate() carries an old one over)");
  }
  require_sound(state);
  if (!caches.options_stay) require_configurations(model, state);  // a simulation looks at what was written itself
  caches.has_reactions = false;
  const bool goes_on = on_grid(state, h);
  const double t_next = goes_on ? state.t_origin + static_cast<double>(state.k + 1) * h : state.t + h;
  StepReport report = guarded_step(model, options, h, t_next, state, caches);
  caches.has_reactions = report.taken;
  if (report.taken) return report;
  if (options.on_failure != OnFailure::Subdivide || report.outcome == StepReport::Outcome::CallableFailed) {
    keep_problem(caches, report);
    return report;
  }
  stages::Sums sums(state);
  const StepReport halved = step_in_halves(model, options, t_next, options.max_subdivisions, sums, caches);
  if (!halved.taken) {  // the whole step's own failure says more: once more, of a copy, for its problem
    State again = state;
    stages::prepare(model, options, h, caches);
    if (caught_step(model, options, t_next, again, caches).outcome == report.outcome) keep_problem(caches, report);
    return report;
  }
  sums.write(h, caches.relations, stages::kept_by(caches.staged));
  State& halves = sums.state;
  // The grid goes on as if the step had been made at once.
  halves.grid_step = h;
  halves.t_origin = goes_on ? state.t_origin : state.t;
  halves.k = goes_on ? state.k + 1 : 1;
  halves.steps = state.steps + 1;
  state = std::move(halves);
  caches.has_reactions = true;
  return halved;
}

}  // namespace nonsmooth
