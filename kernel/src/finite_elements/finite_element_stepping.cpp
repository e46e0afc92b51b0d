// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/finite_element_stepping.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "analysis/run_remarks.hpp"
#include "filippov_elements.hpp"
#include "model/guarded.hpp"
#include "model/outputs.hpp"
#include "model/step_grid.hpp"
#include "model/switched/filippov.hpp"
#include "model/switched/hybrid_automaton.hpp"

namespace nonsmooth {
namespace {

using finite_elements::Collocation;
using finite_elements::FilippovElements;
using finite_elements::SwitchedOutcome;

/// What is left of a run below this part of a step belongs to rounding of k h.
constexpr double kGridTolerance = 1e-9;

EventDrivenOptions as_events(const FiniteElementOptions& options) {
  EventDrivenOptions own;
  own.thresholds = options.thresholds;
  own.on_ambiguity = options.on_ambiguity;
  own.choose = options.choose;
  return own;
}

RunReport::Outcome ending(SwitchedOutcome outcome, const instants::Resolution& resolution) {
  if (outcome == SwitchedOutcome::Chattering) return RunReport::Outcome::Chattering;
  if (outcome == SwitchedOutcome::NotConverged) return RunReport::Outcome::StepFailed;
  const bool several = resolution.outcome == instants::Resolution::Outcome::Ambiguous;
  return several ? RunReport::Outcome::Ambiguous : RunReport::Outcome::NoMode;
}

NonSmoothDynamicalSystem required(NonSmoothDynamicalSystem model) {
  if (model.num_systems() == 0)
    throw InvalidArgument("FiniteElementStepping: model", "no system", "at least one FilippovSystem");
  return model;
}

}  // namespace

void FiniteElementOptions::validate() const {
  check::positive("FiniteElementOptions::step", step);
  check::within("FiniteElementOptions::stages", stages, 1, Collocation::kMostStages);
  check::within("FiniteElementOptions::elements", elements, 1, 32);
  check::positive("EventThresholds::position", thresholds.position);
  check::positive("EventThresholds::acceleration", thresholds.acceleration);
  const bool known = on_ambiguity == OnAmbiguity::Stop || on_ambiguity == OnAmbiguity::Utkin ||
                     (on_ambiguity == OnAmbiguity::Choose && choose);
  if (choose && on_ambiguity != OnAmbiguity::Choose)
    throw InvalidArgument("FiniteElementOptions::choose", "a function without OnAmbiguity::Choose", "none, or Choose");
  if (!known) {
    throw InvalidArgument("FiniteElementOptions::on_ambiguity",
                          "one that elements do not know, or Choose without choose",
                          "Stop, Utkin, or Choose with a function; EventDriven knows the others");
  }
}

struct FiniteElementStepping::Implementation {
  Implementation(NonSmoothDynamicalSystem of, FiniteElementOptions with)
      : model(required(std::move(of))),
        options((with.validate(), std::move(with))),
        collocation(options.family, options.stages) {
    const Layout& layout = *model.layout();
    std::vector<filippov::FilippovUnit> units = filippov::filippov_units(model, as_events(options));
    if (units.size() != layout.systems.size() || units.size() != layout.interactions.size() ||
        !layout.sources.empty()) {
      std::string found = "other systems, interactions or sources of contacts";
      for (const Layout::System& system : layout.systems) {
        const auto* process = model.systems()[system.slot].first_order;
        if (!dynamic_cast<const FilippovProcess*>(process))
          found = system.name + (dynamic_cast<const AutomatonProcess*>(process) ? ", a HybridAutomaton"
                                                                                : ", which is no FilippovSystem");
      }
      throw InvalidArgument(
          "FiniteElementStepping: model", found,
          "FilippovSystems alone, with what link_filippov() gave them; EventDriven takes automata and links");
    }
    z.resize(layout.num_positions + layout.num_unknowns);
    for (std::size_t i = 0; i < units.size(); ++i) {
      const std::string& name = layout.systems[i].name;
      systems.push_back(
          std::make_unique<FilippovElements>(std::move(units[i]), name, z.size(), collocation, options.elements));
    }
    begin_sensitivities();
  }

  void begin_sensitivities() {
    sensitivities.clear();
    if (!options.sensitivities) return;
    for (const Layout::System& system : model.layout()->systems)
      sensitivities.push_back({.transition = Eigen::MatrixXd::Identity(system.n, system.n)});
  }

  [[nodiscard]] const Eigen::VectorXd& x_of(std::size_t i) {
    const Layout::System& place = model.layout()->systems[i];
    x = state.unknowns.segment(place.z, place.n);
    return x;
  }

  /// Takes all systems over h, or to the first switch where one of them ends; false then, and the report says how.
  /// @throws CallableFailure
  bool step(double h, RunReport& report);
  void tell_motions(FilippovElements& system, double t);
  void commit(double reached, double h, bool whole, RunReport& report);
  void write(State& of);

  NonSmoothDynamicalSystem model;
  FiniteElementOptions options;
  Collocation collocation;
  State state, next;                                       // next: while it is made
  std::vector<std::unique_ptr<FilippovElements>> systems;  // in the order of the layout
  std::vector<Eigen::MatrixXd> transitions;                // of the step, by system
  std::vector<Sensitivity> sensitivities;
  std::vector<Event> events;
  std::vector<OtherMotion> alternatives;
  Remarks remarks;
  RunRemarks findings;
  Eigen::VectorXd z, x;     // scratch
  bool ended_here = false;  ///< the last step ended in the state, and its modes are those of it
};

bool FiniteElementStepping::Implementation::step(double h, RunReport& report) {
  transitions.resize(sensitivities.size());
  const auto take = [&](std::size_t i, double length, bool goes_on) {
    if (options.sensitivities) transitions[i] = sensitivities[i].transition;
    return systems[i]->step(state.t, x_of(i), length, goes_on, options.sensitivities ? &transitions[i] : nullptr);
  };
  const bool goes_on = std::exchange(ended_here, false);
  alternatives.clear();
  std::size_t first = systems.size();  // the system that ends the step, at the earliest switch
  SwitchedOutcome outcome = SwitchedOutcome::Advanced;
  double reached = h;
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const SwitchedOutcome own = take(i, h, goes_on);
    const finite_elements::SwitchedStepper& stepper = systems[i]->stepper();
    report.newton_iterations += stepper.iterations();
    if (own == SwitchedOutcome::Advanced || (first < systems.size() && stepper.reached() >= reached)) continue;
    first = i;
    outcome = own;
    reached = stepper.reached();
  }
  if (first == systems.size()) {
    commit(h, h, true, report);
    return true;
  }
  report.outcome = ending(outcome, systems[first]->modes().resolution());
  report.detail = systems[first]->detail(outcome);
  tell_motions(*systems[first], state.t + reached);
  if (!(reached > 0.0)) return false;
  for (std::size_t i = 0; i < systems.size(); ++i)
    if (i != first && take(i, reached, false) != SwitchedOutcome::Advanced)
      return false;  // the state stays before the step
  commit(reached, h, false, report);
  return false;
}

void FiniteElementStepping::Implementation::tell_motions(FilippovElements& system, double t) {
  const filippov::FilippovUnit& unit = system.modes().unit();
  for (const auto& motion : unit.others()) {
    OtherMotion other{.t = t,
                      .rates = Eigen::VectorXd::Zero(state.unknowns.size()),
                      .multipliers = Eigen::VectorXd::Zero(state.multipliers.size()),
                      .rows = {}};
    Eigen::VectorXd rates = Eigen::VectorXd::Zero(z.size());
    unit.write_other(motion, rates, other.multipliers);
    other.rates = rates.tail(state.unknowns.size());
    unit.list_changes(motion, t, EventKind::Switch, other.rows);
    alternatives.push_back(std::move(other));
  }
}

void FiniteElementStepping::Implementation::commit(double reached, double h, bool whole, RunReport& report) {
  next = state;  // users' functions are asked for its outputs before anything counts
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const Layout::System& place = model.layout()->systems[i];
    next.unknowns.segment(place.z, place.n) = systems[i]->stepper().x();
  }
  if (whole && on_grid(state, h)) {
    ++next.k;
  } else {
    next.t_origin = whole ? state.t : state.t + reached;
    next.k = whole ? 1 : 0;
    next.grid_step = h;
  }
  next.t = next.t_origin + static_cast<double>(next.k) * next.grid_step;
  next.last_step = reached;
  ++next.steps;
  write(next);
  const double end = next.t;
  std::swap(state, next);
  ended_here = whole;

  const auto earlier = static_cast<std::ptrdiff_t>(events.size());
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const finite_elements::SwitchedStepper& stepper = systems[i]->stepper();
    const std::vector<Event>& log = systems[i]->modes().log();
    events.insert(events.end(), log.begin(), log.end());
    report.events += std::count_if(log.begin(), log.end(), [](const Event& e) { return e.kind == EventKind::Switch; });
    if (const Index others = systems[i]->modes().others(); others > 0 && whole) {
      for (RunRemarks* remarks_of : {&findings, &report.findings})
        add_remark(RunRemark::Kind::SeveralAnswers, systems[i]->name(), end, static_cast<double>(others), *remarks_of);
    }
    if (const double residual = stepper.of_problem(); residual >= 0.0 && whole) {
      for (RunRemarks* remarks_of : {&findings, &report.findings})
        add_remark(RunRemark::Kind::StepProblem, systems[i]->name(), end, residual, *remarks_of);
    }
    if (!options.sensitivities) continue;
    sensitivities[i].transition = transitions[i];
    sensitivities[i].grazed = sensitivities[i].grazed || stepper.grazed();
    sensitivities[i].coincided = sensitivities[i].coincided || stepper.coincided();
  }
  std::stable_sort(events.begin() + earlier, events.end(), [](const Event& a, const Event& b) { return a.t < b.t; });
}

/// Outputs and multipliers of the modes at a state.
void FiniteElementStepping::Implementation::write(State& of) {
  z.tail(of.unknowns.size()) = of.unknowns;
  for (const auto& system : systems) system->modes().unit().write(of.t, z, of);
}

FiniteElementStepping::FiniteElementStepping(NonSmoothDynamicalSystem model, FiniteElementOptions options, double t0)
    : implementation_(std::make_unique<Implementation>(std::move(model), std::move(options))) {
  implementation_->state = implementation_->model.initial_state(t0);
}
FiniteElementStepping::~FiniteElementStepping() = default;
FiniteElementStepping::FiniteElementStepping(FiniteElementStepping&&) noexcept = default;
FiniteElementStepping& FiniteElementStepping::operator=(FiniteElementStepping&&) noexcept = default;

FiniteElementStepping::Implementation& FiniteElementStepping::implementation() const {
  if (!implementation_)
    throw InvalidArgument("FiniteElementStepping", "one that was moved from", "a simulation that lives");
  return *implementation_;
}

const State& FiniteElementStepping::state() const { return implementation().state; }
const NonSmoothDynamicalSystem& FiniteElementStepping::model() const { return implementation().model; }
const Remarks& FiniteElementStepping::examination() const { return implementation().remarks; }
const RunRemarks& FiniteElementStepping::findings() const { return implementation().findings; }
const FiniteElementOptions& FiniteElementStepping::options() const { return implementation().options; }
const std::vector<Event>& FiniteElementStepping::events() const { return implementation().events; }
const std::vector<OtherMotion>& FiniteElementStepping::alternatives() const { return implementation().alternatives; }
const OneStepNSProblem& FiniteElementStepping::problem() const {
  static const OneStepNSProblem kNone;
  return kNone;
}

const Sensitivity& FiniteElementStepping::sensitivity(SystemHandle system) const {
  const Implementation& own = implementation();
  const Index place = own.model.layout()->index(system);
  if (!own.options.sensitivities)
    throw InvalidArgument("FiniteElementStepping::sensitivity", "FiniteElementOptions::sensitivities = false", "true");
  return own.sensitivities[static_cast<std::size_t>(place)];
}

void FiniteElementStepping::set_state(const State& state) {
  Implementation& own = implementation();
  if (!state.layout() || state.layout()->revision != own.model.layout()->revision) {
    throw InvalidArgument("FiniteElementStepping::set_state", "a state of another revision or model",
                          "one of the model's present revision (migrate() carries an old one over)");
  }
  require_sound(state);
  own.state = state;
  own.ended_here = false;
  own.alternatives.clear();
  own.begin_sensitivities();
}

void FiniteElementStepping::adopt(NonSmoothDynamicalSystem model) {
  Implementation& own = implementation();
  State state = model.migrate(own.state);
  auto changed = std::make_unique<Implementation>(std::move(model), own.options);
  changed->state = std::move(state);
  changed->events = std::move(own.events);
  changed->findings = std::move(own.findings);
  implementation_ = std::move(changed);
}

RunReport FiniteElementStepping::run(double T, Call call, void* observer) {
  Implementation& own = implementation();
  check::finite("advance_to: T", T);
  const double h = own.options.step, tolerance = kGridTolerance * h;
  if (T < own.state.t - tolerance) {
    throw InvalidArgument("advance_to: T", std::to_string(T) + " s",
                          "at least the present time, " + std::to_string(own.state.t) + " s");
  }
  RunReport report;
  while (own.state.t < T - tolerance) {
    const bool shortened = end_of_step(own.state, h) > T + tolerance;
    try {
      if (!own.step(shortened ? T - own.state.t : h, report)) break;
    } catch (const CallableFailure& failure) {
      report.outcome = RunReport::Outcome::CallableFailed;
      report.detail = failure.detail;
      break;
    }
    if (shortened) {
      own.state.t = own.state.t_origin = T;  // t + (T - t) may miss T by a rounding; the next grid starts there
      own.state.k = 0;
    }
    ++report.steps;
    report.last.t = own.state.t;
    if (call && !call(observer, own.state, report.last)) {
      report.outcome = RunReport::Outcome::StoppedByObserver;
      break;
    }
  }
  report.t = own.state.t;
  return report;
}

}  // namespace nonsmooth
