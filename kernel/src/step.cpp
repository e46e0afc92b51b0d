// SPDX-License-Identifier: Apache-2.0
// The order of the stages of one step, and what it commits to the state.
#include <nonsmooth/kernel/workspace.hpp>

#include <algorithm>
#include <sstream>

#include <nonsmooth/numerics/error.hpp>

#include "plan.hpp"

namespace nonsmooth {

Workspace::Workspace(int threads) : implementation_(std::make_unique<Implementation>(threads)) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

void TimeSteppingOptions::validate() const {
  check::positive("TimeSteppingOptions::step", step);
  if (const auto* moreau = std::get_if<MoreauJean>(&integrator)) {
    check::range("MoreauJean::theta", moreau->theta, 0.0, 1.0);
    check::range("MoreauJean::forecast", moreau->forecast, 0.0, 1.0);
  } else {
    check::range("EulerMoreau::theta", std::get<EulerMoreau>(integrator).theta, 0.0, 1.0);
  }
  std::visit([](const auto& solver_options) { solver_options.validate(); }, solver);
  check::positive("NewtonOptions::tolerance", newton.tolerance);
  check::at_least("NewtonOptions::max_iterations", newton.max_iterations, 1);
  check::at_least("TimeSteppingOptions::threads", threads, 1);
}

std::string StepReport::message() const {
  std::ostringstream text;
  text.precision(3);
  switch (outcome) {
    case Outcome::Completed:
      return {};
    case Outcome::SolverFailed:
      text << "step to t = " << t << " s: the one-step problem of " << rows << " rows ended " << to_string(solver)
           << " at residual " << certificate.residual
           << ". Look at its worst row, loosen the solver's tolerance, shorten the step, or set on_failure = Accept.";
      break;
    case Outcome::NewtonLimit:
      text << "step to t = " << t << " s: Newton did not settle in " << newton_iterations
           << " iterations. Check the Jacobians, shorten the step, or set on_failure = Accept.";
      break;
    case Outcome::CallableFailed:
      text << "step to t = " << t << " s: " << detail;
      break;
  }
  return text.str();
}

namespace stages {
namespace {

void update_outputs_in_place(double t, State& state, Plan& plan) {
  for (InteractionPlan& interaction : plan.interactions) {
    double* y = state.outputs.data() + interaction.row;
    double* u = state.velocities.data() + interaction.row;
    const bool affine = interaction.first_order || interaction.offset;
    if (!affine) {
      Index at = 0;
      for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
        const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
        interaction.q.segment(at, leg.nq) = state.positions.segment(leg.q, leg.nq);
        interaction.z.segment(leg.column, leg.n) = state.unknowns.segment(leg.z, leg.n);
        at += leg.nq;
      }
      const auto rows = interaction.rows;
      interaction.values.setZero();
      guarded(interaction.name, "h(q)", [&] { interaction.relation->h(t, interaction.q, interaction.values); });
      require_finite(interaction.name, "h(q)", interaction.values);
      std::copy(interaction.values.begin(), interaction.values.end(), y);
      interaction.jacobian.setZero();
      guarded(interaction.name, "H(q)", [&] { interaction.relation->H(t, interaction.q, interaction.jacobian); });
      require_finite(interaction.name, "H(q)", interaction.jacobian);
      interaction.values.setZero();
      guarded(interaction.name, "h_t", [&] { interaction.relation->h_t(t, interaction.q, interaction.values); });
      require_finite(interaction.name, "h_t", interaction.values);
      Eigen::Map<Eigen::VectorXd> velocity(u, rows);
      velocity = interaction.values;
      velocity.noalias() += interaction.jacobian * interaction.z;
      continue;
    }
    for (Index r = 0; r < interaction.rows; ++r) {
      double position =
          interaction.offset ? (*interaction.offset)[r] : plan.w[static_cast<std::size_t>(interaction.row + r)];
      double rate = 0.0;
      for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
        const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
        const double* H = plan.hu.data() + leg.hu + r;
        const double* z = state.unknowns.data() + leg.z;
        const double* q = state.positions.data() + leg.q;
        for (Index k = 0; k < leg.n; ++k) {
          const double entry = H[k * interaction.rows];
          rate += entry * z[k];
          if (interaction.offset) position += entry * q[k];
        }
      }
      if (interaction.first_order) {
        position += rate;
        if (interaction.D) {
          for (Index k = 0; k < interaction.rows; ++k) {
            position += (*interaction.D)(r, k) * state.multipliers[interaction.row + k];
          }
        }
        y[r] = position;
      } else {
        y[r] = position;
        u[r] = rate;
      }
    }
  }
}

}  // namespace

void prepare(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h, Plan& plan) {
  const auto* moreau = std::get_if<MoreauJean>(&options.integrator);
  const auto* euler = std::get_if<EulerMoreau>(&options.integrator);
  const MoreauJean mechanics = moreau ? *moreau : MoreauJean{};
  const double theta_first_order = euler ? euler->theta : EulerMoreau{}.theta;
  const auto layout = model.layout();
  if (plan.prepared && plan.layout->revision == layout->revision && plan.h == h && plan.theta == mechanics.theta &&
      plan.forecast == mechanics.forecast && plan.theta_first_order == theta_first_order) {
    return;
  }
  options.validate();
  if (euler && std::none_of(layout->systems.begin(), layout->systems.end(),
                            [](const Layout::System& system) { return system.first_order; })) {
    throw InvalidArgument("TimeSteppingOptions::integrator", "EulerMoreau for a model of mechanical systems",
                          "MoreauJean");
  }
  plan.layout = layout;
  plan.prepared = false;  // should anything below throw, the next step starts over
  plan.h = h;
  plan.theta = mechanics.theta;
  plan.forecast = mechanics.forecast;
  plan.theta_first_order = theta_first_order;
  plan.last_key.clear();
  plan.last_key.push_back({~std::uint64_t{0}, -2, -2, -2});  // no active set looks like this
  plan.touched.clear();
  plan.matrix_stands = false;
  plan.solver.reset();
  plan.contacts.clear();
  plan.contact_source.clear();
  plan.contact_u.clear();
  prepare_systems(model, plan);
  prepare_interactions(model, plan);
  plan.outputs_call_users = !plan.nonlinear.empty() || std::any_of(plan.interactions.begin(), plan.interactions.end(),
                                                                   [](const auto& interaction) {
                                                                     return interaction.relation && !interaction.offset;
                                                                   });
  plan.prepared = true;
}

void update(double t_next, State& state, Plan& plan) {
  const double h = plan.h, theta = plan.theta;
  double* positions = state.positions.data();
  const double* before = state.unknowns.data();
  const double* after = plan.z.data();
  for (const DiagonalRun& run : plan.runs) {
    plan.threads.for_each_range(run.count, Index{2048}, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) {
        positions[run.q + i] += h * (theta * after[run.z + i] + (1.0 - theta) * before[run.z + i]);
      }
    });
  }
  const auto advance = [&](Index system) {
    const auto& place = plan.system(system);
    if (place.first_order) return;
    for (Index i = 0; i < place.n; ++i) {
      positions[place.q + i] += h * (theta * after[place.z + i] + (1.0 - theta) * before[place.z + i]);
    }
  };
  for (const DenseSystem& s : plan.dense) advance(s.system);
  for (const SparseSystem& s : plan.sparse) advance(s.system);
  for (NonlinearSystem& s : plan.nonlinear) {
    const auto& place = plan.system(s.system);
    s.w = h * (theta * plan.z.segment(place.z, place.n) + (1.0 - theta) * state.unknowns.segment(place.z, place.n));
    guarded(place.name, "retract(q, w)",
            [&] { s.description->retract(state.positions.segment(place.q, place.nq), s.w); });
  }
  state.unknowns.swap(plan.z);

  state.multipliers.setZero();
  state.contacts.clear();
  for (const ActiveBlock& block : plan.active) {
    if (block.model_block >= 0) {
      const Index row = plan.blocks[static_cast<std::size_t>(block.model_block)].row;
      for (Index k = 0; k < block.size; ++k) state.multipliers[row + k] = plan.result.r[block.row + k];
    } else {
      const PlanarContact& contact = plan.contacts[static_cast<std::size_t>(block.contact)];
      const auto source = static_cast<std::uint64_t>(plan.contact_source[static_cast<std::size_t>(block.contact)]);
      state.contacts.push_back({contact.feature, source, plan.result.r[block.row], plan.result.r[block.row + 1]});
    }
  }
  if (state.grid_step != h) {
    state.grid_step = h;
    state.t_origin = state.t;
    state.k = 0;
  }
  ++state.k;
  state.t = t_next;
  update_outputs_in_place(t_next, state, plan);
}

}  // namespace stages

namespace {

/// System by system, so that units do not mix: the change of the iterate against the size of z and of the free change.
bool newton_settled(const State& state, double tolerance, const Workspace::Implementation& plan) {
  for (const Layout::System& place : plan.layout->systems) {
    const auto z = plan.z.segment(place.z, place.n);
    const double change = (z - plan.z_iterate.segment(place.z, place.n)).lpNorm<Eigen::Infinity>();
    const double size =
        z.lpNorm<Eigen::Infinity>() + state.unknowns.segment(place.z, place.n).lpNorm<Eigen::Infinity>() +
        (plan.z_free.segment(place.z, place.n) - state.unknowns.segment(place.z, place.n)).lpNorm<Eigen::Infinity>();
    if (!(change <= tolerance * size)) return false;
  }
  return true;
}

/// Runs the stages; throws CallableFailure before anything is committed.
StepReport try_step(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double t_next,
                    State& state, Workspace::Implementation& plan) {
  StepReport report;
  report.t = t_next;
  stages::free_state(state, t_next, plan);
  if (!model.sources().empty()) stages::detect_contacts(model, state, plan);
  stages::index_sets(state, plan);
  const bool iterate = !plan.nonlinear.empty() || stages::active_relations_vary(plan);
  if (!plan.all_constant || !plan.nonlinear.empty()) {
    plan.z_iterate = state.unknowns;
    stages::predict_positions(state, true, plan);
  }

  bool settled = false;
  for (Index iteration = 0; !settled && iteration < options.newton.max_iterations; ++iteration) {
    if (iteration > 0) stages::predict_positions(state, false, plan);
    if (!plan.nonlinear.empty()) stages::linearise_systems(state, t_next, iteration == 0, plan);
    stages::linearise_relations(t_next, plan);
    if (plan.active.empty()) {
      plan.z = plan.z_free;
    } else {
      stages::assemble(state, plan);
      stages::solve(options, state, plan);
      report.solver = plan.result.status;
      report.certificate = plan.result.certificate;
      report.rows = plan.problem.q.size();
      report.solver_iterations = plan.result.iterations;
      if (!plan.result.ok() && options.on_failure == OnFailure::Stop) {
        report.outcome = StepReport::Outcome::SolverFailed;
        report.taken = false;
        return report;
      }
      stages::apply_multipliers(plan);
    }
    if (!iterate) break;
    ++report.newton_iterations;
    settled = newton_settled(state, options.newton.tolerance, plan);
    plan.z_iterate = plan.z;
  }
  // A limit of one iteration asks for the linearly implicit scheme: nothing is left to settle.
  if (iterate && !settled && options.newton.max_iterations > 1) report.outcome = StepReport::Outcome::NewtonLimit;
  if (!plan.z.allFinite()) {
    report.outcome = StepReport::Outcome::SolverFailed;
    report.solver = Status::NumericalFailure;
    report.taken = false;
    return report;
  }
  if (!plan.active.empty() && !plan.result.ok()) report.outcome = StepReport::Outcome::SolverFailed;
  if (!report.ok() && options.on_failure == OnFailure::Stop) {
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

}  // namespace

StepReport step(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h, State& state,
                Workspace& workspace) {
  Workspace::Implementation& plan = workspace.implementation();
  check::positive("step: h", h);
  if (!state.layout() || state.layout()->revision != model.layout()->revision) {
    throw InvalidArgument("step: state", "a state of another revision or model",
                          "one of the model's present revision (migrate() carries an old one over)");
  }
  stages::prepare(model, options, h, plan);
  if (!state.positions.allFinite() || !state.unknowns.allFinite()) {
    throw InvalidArgument("step: state", "a coordinate, velocity or state that is not finite", "finite entries");
  }
  // t = t_origin + k h without accumulated rounding while the step stays what it was.
  const double t_next = state.grid_step == h ? state.t_origin + static_cast<double>(state.k + 1) * h : state.t + h;
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

}  // namespace nonsmooth
