// SPDX-License-Identifier: Apache-2.0
// The order of the stages of one step, and what it commits to the state.
#include <algorithm>
#include <sstream>

#include <internal/check.hpp>
#include <nonsmooth/kernel/workspace.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "sums.hpp"

namespace nonsmooth {

Workspace::Workspace(int threads) : implementation_(std::make_unique<Implementation>(threads)) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

Workspace::Implementation& Workspace::implementation() {
  if (!implementation_) throw InvalidArgument("Workspace", "one that was moved from", "a workspace that lives");
  return *implementation_;
}

std::string StepReport::message() const {
  std::ostringstream text;
  text.precision(3);
  switch (outcome) {
    case Outcome::Completed:
      return {};
    case Outcome::SolverFailed:
      text << "step to t = " << t << " s: the one-step problem of " << rows << " rows ended " << to_string(solver)
           << " at residual " << certificate.residual << ". " << detail << (detail.empty() ? "" : " ");
      if (taken) {
        text << "The step was taken.";
      } else if (solver == Status::Infeasible) {
        text << "Look for what contradicts them: a constraint, a bound, a prescribed motion.";
      } else if (solver == Status::NumericalFailure) {
        text
            << "Shorten the step, or look at the data of what is named: numbers over many decades, a motion that grows "
               "without bound.";
      } else {
        text << "Shorten the step, or set on_failure = Accept.";
      }
      break;
    case Outcome::NewtonLimit:
      text << "step to t = " << t << " s: Newton did not settle in " << newton_iterations << " iterations. " << detail
           << (detail.empty() ? "" : " ")
           << (taken ? "The step was taken." : "Check the Jacobians, shorten the step, or set on_failure = Accept.");
      break;
    case Outcome::ProjectionLimit:
      text << "step to t = " << t << " s: positions were still off their constraints after " << projections
           << " projections. " << detail << (detail.empty() ? "" : " ")
           << (taken ? "The step was taken." : "Shorten the step, or look for constraints that contradict each other.");
      break;
    case Outcome::CallableFailed:
      text << "step to t = " << t << " s: " << detail;
      break;
  }
  return text.str();
}

namespace stages {

void forget_active_set(Plan& plan) {
  plan.last_key.clear();
  plan.last_key.push_back({~std::uint64_t{0}, -2, -2, -2});  // no active set looks like this
}

void prepare(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h, Plan& plan) {
  const auto& layout = model.layout();
  const bool same_model = plan.prepared && plan.layout->revision == layout->revision && plan.h == h;
  const NewtonOptions& newton = options.newton;
  const bool valid = newton.max_iterations >= 1 && newton.tolerance > 0.0 && newton.max_halvings >= 0;
  if (same_model && valid && plan.integrator == options.integrator && plan.integrators == options.integrators) return;
  options.validate();
  const bool same_but_h = plan.prepared && plan.layout->revision == layout->revision &&
                          plan.integrator == options.integrator && plan.integrators == options.integrators;
  if (!same_but_h) plan.positive_up_to.assign(layout->systems.size(), 0.0);
  plan.prepared = false;  // should anything below throw, the next step starts over
  choose_schemes(model, options, *layout, plan.schemes);
  plan.layout = layout;
  plan.h = h;
  plan.integrator = options.integrator;
  plan.integrators = options.integrators;
  plan.forecast = 0.0;
  plan.two_steps = false;
  for (std::size_t i = 0; i < plan.schemes.size(); ++i) {
    plan.two_steps = plan.two_steps || plan.schemes[i].two_steps;
    if (!layout->systems[i].first_order) plan.forecast = std::max(plan.forecast, plan.schemes[i].forecast);
  }
  forget_active_set(plan);
  plan.active_stands = false;
  plan.global_systems.clear();
  plan.global_checked = false;
  plan.touched.clear();
  plan.matrix_stands = false;
  plan.solver.reset();
  plan.contacts.clear();
  plan.contact_source.clear();
  plan.contact_u.clear();
  prepare_systems(model, plan);
  prepare_interactions(model, plan);
  plan.outputs_call_users =
      !plan.nonlinear.empty() || std::any_of(plan.interactions.begin(), plan.interactions.end(), [](const auto& i) {
        return (i.relation && !i.offset) || i.nonlinear || (i.linear && i.linear->e.function());
      });
  plan.prepared = true;
}

}  // namespace stages

namespace {

using Plan = Workspace::Implementation;

/// Newton's iteration with natural monotonicity: a correction that is no smaller than the last is halved. Where halving
/// did not help, modes of laws change and corrections measure no progress: the rest of the step goes undamped.
class Damping {
 public:
  explicit Damping(Index max_halvings) : max_halvings_(max_halvings) {}

  /// The iterate is a part of the way only, and not the answer of a linearised step.
  [[nodiscard]] bool halved() const { return halvings_ > 0; }

  /// Moves the plan's iterate: on to the answer of the linearised step, or back towards the one before.
  void move(double correction, Plan& plan) {
    if (last_ > 0.0 && correction >= last_ && halvings_ < max_halvings_) {
      ++halvings_;
      scale_ *= 0.5;
      plan.z_iterate = plan.z_base + scale_ * (plan.z_full - plan.z_base);
      plan.lambda_iterate = plan.lambda_base + scale_ * (plan.lambda_full - plan.lambda_base);
      return;
    }
    if (halvings_ > 0 && correction >= last_) max_halvings_ = 0;
    halvings_ = 0;
    scale_ = 1.0;
    last_ = correction;
    if (max_halvings_ > 0) {
      plan.z_base = plan.z_iterate;
      plan.z_full = plan.z;
      plan.lambda_base = plan.lambda_iterate;
      plan.lambda_full = plan.lambda;
    }
    plan.z_iterate = plan.z;
    plan.lambda_iterate = plan.lambda;
  }

 private:
  Index max_halvings_, halvings_ = 0;
  double last_ = 0.0, scale_ = 1.0;
};

/// Solves one linearised problem; false where the step ends there.
bool solve_linearised(const TimeSteppingOptions& options, const State& state, Plan& plan, StepReport& report) {
  if (plan.active.empty()) {
    plan.z = plan.z_free;
    if (plan.any_iterates) plan.lambda.setZero();
    return true;
  }
  const bool global = options.form == Form::Global;
  if (global) {
    stages::solve_global(options, state, plan);
  } else {
    stages::assemble(state, plan);
    stages::solve(options, state, plan);
  }
  report.solver = plan.result.status;
  report.at_round_off = plan.result.at_round_off;
  report.certificate = plan.result.certificate;
  report.rows = plan.result.r.size();
  report.solver_iterations = plan.result.iterations;
  report.detail.clear();
  if (!plan.result.ok()) report.detail = stages::place_of_failure(plan);
  if (!plan.result.ok() && options.on_failure != OnFailure::Accept) {
    report.outcome = StepReport::Outcome::SolverFailed;
    report.taken = false;
    if (global) stages::assemble(state, plan);  // its W says which rows depend on others
    if (const std::string redundant = stages::redundant_equalities(plan); !redundant.empty())
      report.detail += (report.detail.empty() ? "" : " ") + redundant;
    return false;
  }
  if (!global) stages::apply_multipliers(plan);
  return true;
}

/// Runs the stages; throws CallableFailure before anything is committed.
StepReport solve_velocities(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double t_next,
                            State& state, Plan& plan) {
  StepReport report;
  report.t = t_next;
  stages::free_state(state, t_next, plan);
  if (!model.sources().empty()) stages::detect_contacts(model, state, plan);
  stages::index_sets(state, plan);
  const bool iterate = stages::needs_newton(plan);
  if (!plan.all_constant || iterate) {
    plan.z_iterate = state.unknowns;
    stages::predict_positions(state, true, plan);
  }
  if (plan.any_input_history) plan.z_linear = plan.z_free;

  bool settled = false;
  // Not where multipliers are unknowns of Newton's too: no equation of motion looks at them.
  const bool by_residual = iterate && options.newton.residual_tolerance > 0.0 && plan.nonlinear_first_order.empty() &&
                           std::none_of(plan.interactions.begin(), plan.interactions.end(), [](const auto& relation) {
                             return relation.iterates && (relation.first_order || relation.compliant);
                           });
  const bool safeguarded = iterate && std::any_of(plan.interactions.begin(), plan.interactions.end(),
                                                  [](const InteractionPlan& i) { return i.law->shockley != nullptr; });
  if (iterate) plan.idle.assign(static_cast<std::size_t>(plan.layout->num_rows), 0);
  Damping damping(safeguarded ? 0 : options.newton.max_halvings);
  for (Index iteration = 0; !settled && iteration < options.newton.max_iterations; ++iteration) {
    const bool first = iteration == 0;
    if (!first) {
      stages::predict_positions(state, false, plan);
      if (plan.any_input_history) plan.z_free = plan.z_linear;
    }
    stages::evaluate_systems(state, t_next, first, plan);
    if (!first && by_residual && !damping.halved() && stages::motion_holds(options.newton.residual_tolerance, plan)) {
      settled = true;
      break;
    }
    stages::evaluate_relations(state, t_next, first, plan);
    stages::linearise_systems(state, t_next, first, plan);
    stages::linearise_inputs(state, plan);
    if (!solve_linearised(options, state, plan, report)) return report;
    if (!iterate) break;
    if (by_residual) stages::keep_impulses(plan);
    ++report.newton_iterations;
    const double correction = stages::unsettled(state, options.newton.tolerance, plan);
    settled = correction <= 1.0;
    damping.move(correction, plan);
  }
  // A limit of one iteration asks for the linearly implicit scheme: nothing is left to settle.
  if (!check::all_finite(plan.z)) {
    report.outcome = StepReport::Outcome::SolverFailed;
    report.solver = Status::NumericalFailure;
    report.at_round_off = false;
    report.taken = false;
    report.detail = stages::first_not_finite(plan);
    return report;
  }
  if (!plan.active.empty() && !plan.result.ok()) {
    report.outcome = StepReport::Outcome::SolverFailed;
  } else if (iterate && !settled && options.newton.max_iterations > 1) {
    report.outcome = StepReport::Outcome::NewtonLimit;
    report.detail = stages::least_settled(plan);
  }
  if (!report.ok() && options.on_failure != OnFailure::Accept) {
    report.taken = false;
    return report;
  }
  if (!plan.outputs_call_users) {
    stages::update(t_next, state, plan);
    return report;
  }
  plan.backup = state;
  try {
    stages::update(t_next, state, plan);
  } catch (const CallableFailure&) {
    state = plan.backup;  // the outputs at t_{k+1} could not be had: nothing of the step stays
    throw;
  }
  return report;
}

/// A step and the projection of its positions; throws CallableFailure with the state as it was.
StepReport try_step(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double t_next,
                    State& state, Plan& plan) {
  plan.joined.clear();
  plan.joining.clear();
  plan.joining_source.clear();
  if (options.projection.kind == Projection::None) return solve_velocities(model, options, t_next, state, plan);
  plan.backup = state;
  Index newton_iterations = 0, projections = 0;
  for (;;) {
    StepReport report = solve_velocities(model, options, t_next, state, plan);
    report.newton_iterations = newton_iterations += report.newton_iterations;
    report.projections = projections;
    if (!report.taken) return report;
    try {
      const bool projected = stages::project_positions(model, options, state, plan, report);
      if (!projected && report.ok()) report.outcome = StepReport::Outcome::ProjectionLimit;
    } catch (const CallableFailure&) {
      state = plan.backup;
      throw;
    }
    projections = report.projections;
    if (!report.ok() && options.on_failure != OnFailure::Accept) {
      report.taken = false;
      state = plan.backup;
      return report;
    }
    if (options.projection.kind != Projection::Combined || !stages::join_closed(state, plan)) return report;
    state = plan.backup;
  }
}

StepReport guarded_step(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h,
                        double t_next, State& state, Plan& plan) {
  stages::prepare(model, options, h, plan);
  try {
    return try_step(model, options, t_next, state, plan);
  } catch (const CallableFailure& failure) {
    StepReport report;
    report.outcome = StepReport::Outcome::CallableFailed;
    report.taken = false;
    report.t = t_next;
    report.detail = failure.detail;
    return report;
  }
}

/// The step from state.t to t_next in two halves, each again in two where it fails, `depth` times at most.
StepReport step_in_halves(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double t_next,
                          Index depth, State& state, stages::Sums& sums, Plan& plan) {
  const double t = state.t, middle = t + 0.5 * (t_next - t);
  StepReport total;
  for (const double end : {middle, t_next}) {
    StepReport half = guarded_step(model, options, end - state.t, end, state, plan);
    if (half.taken) {
      sums.add(state);
    } else if (half.outcome != StepReport::Outcome::CallableFailed && depth > 1) {
      half = step_in_halves(model, options, end, depth - 1, state, sums, plan);
    }
    half.halvings += total.halvings;
    half.newton_iterations += total.newton_iterations;
    total = half;
    if (!total.taken) return total;
  }
  ++total.halvings;
  return total;
}

void require_size(const char* array, const Eigen::VectorXd& values, Index wanted) {
  if (values.size() == wanted) return;
  check::size(std::string("State::") + array, values.size(), wanted, "as the layout has it");
}

}  // namespace

void require_sound(const State& state) {
  if (!state.layout()) throw InvalidArgument("State", "an empty state", "one made by a model or a simulation");
  const Layout& layout = *state.layout();
  const Index rows = layout.num_rows, unknowns = layout.num_unknowns;
  const Index wrong = (state.positions.size() ^ layout.num_positions) | (state.unknowns.size() ^ unknowns) |
                      (state.differences.size() ^ unknowns) | (state.law_memory.size() ^ layout.num_memory) |
                      (state.outputs.size() ^ rows) | (state.velocities.size() ^ rows) |
                      (state.multipliers.size() ^ rows) | (state.percussions.size() ^ rows) |
                      (state.projections.size() ^ rows);
  if (wrong == 0 && std::isfinite(state.t) && check::all_finite(state.positions) && check::all_finite(state.unknowns))
    return;
  check::finite("State::t", state.t);
  require_size("positions", state.positions, layout.num_positions);
  require_size("unknowns", state.unknowns, layout.num_unknowns);
  require_size("differences", state.differences, layout.num_unknowns);
  require_size("law_memory", state.law_memory, layout.num_memory);
  const std::pair<const char*, const Eigen::VectorXd*> of_rows[] = {{"outputs", &state.outputs},
                                                                    {"velocities", &state.velocities},
                                                                    {"multipliers", &state.multipliers},
                                                                    {"percussions", &state.percussions},
                                                                    {"projections", &state.projections}};
  for (const auto& [name, values] : of_rows) require_size(name, *values, rows);
  if (!check::all_finite(state.positions) || !check::all_finite(state.unknowns)) {
    throw InvalidArgument("step: state", "a coordinate, velocity or state that is not finite", "finite entries");
  }
}

StepReport step(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h, State& state,
                Workspace& workspace) {
  Plan& plan = workspace.implementation();
  check::positive("step: h", h);
  if (!state.layout() || state.layout()->revision != model.layout()->revision) {
    throw InvalidArgument("step: state", "a state of another revision or model",
                          "one of the model's present revision (migrate() carries an old one over)");
  }
  require_sound(state);
  const bool goes_on = on_grid(state, h);
  const double t_next = goes_on ? state.t_origin + static_cast<double>(state.k + 1) * h : state.t + h;
  StepReport report = guarded_step(model, options, h, t_next, state, plan);
  if (report.taken || options.on_failure != OnFailure::Halve || report.outcome == StepReport::Outcome::CallableFailed) {
    return report;
  }
  State halves = state;
  stages::Sums sums(model.layout()->num_rows);
  const StepReport halved = step_in_halves(model, options, t_next, options.max_halvings, halves, sums, plan);
  if (!halved.taken) return report;  // the whole step's own failure says more
  sums.write(h, plan, halves);
  // The grid goes on as if the step had been made at once.
  halves.grid_step = h;
  halves.t_origin = goes_on ? state.t_origin : state.t;
  halves.k = goes_on ? state.k + 1 : 1;
  halves.steps = state.steps + 1;
  state = std::move(halves);
  return halved;
}

}  // namespace nonsmooth
