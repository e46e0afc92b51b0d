// SPDX-License-Identifier: Apache-2.0
#include "event_loop.hpp"

#include <algorithm>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "analysis/examine_start.hpp"
#include "analysis/run_remarks.hpp"
#include "event_examination.hpp"
#include "events/mechanics/generalised_alpha.hpp"
#include "model/guarded.hpp"
#include "model/outputs.hpp"

namespace nonsmooth::events {
namespace {

std::vector<double> instants_of(const std::vector<MechanicalModel::Impulse>& impulses) {
  std::vector<double> instants;
  for (const auto& impulse : impulses) instants.push_back(impulse.instant);
  return instants;
}

NonSmoothDynamicalSystem checked(NonSmoothDynamicalSystem model, const EventDrivenOptions& options) {
  options.validate();
  if (model.num_systems() == 0) throw InvalidArgument("EventDriven: model", "no system", "at least one");
  model.link_sources();
  return model;
}

/// Keeps its memory.
void forget(EventHistory& history) {
  history.of = 0;
  for (auto* numbers : {&history.loop, &history.mechanics, &history.first_order, &history.users, &history.integrator})
    numbers->clear();
}

}  // namespace

EventLoop::EventLoop(NonSmoothDynamicalSystem model, EventDrivenOptions options, double t0)
    : EventLoop(std::move(model), std::move(options), t0, nullptr) {}

EventLoop::EventLoop(NonSmoothDynamicalSystem model, const EventLoop& before)
    : EventLoop(std::move(model), before.options_, before.t0_, &before.state_) {
  events_.insert(events_.begin(), before.events_.begin(), before.events_.end());
  for (const RunRemark& own : std::exchange(findings_, before.findings_))
    add_remark(own.kind, own.subject, own.first_t, own.worst, findings_, own.count);
  for (const RunRemark& own : std::exchange(noticed_, before.noticed_))
    add_remark(own.kind, own.subject, own.first_t, own.worst, noticed_, own.count);
}

EventLoop::EventLoop(NonSmoothDynamicalSystem model, EventDrivenOptions options, double t0, const State* state)
    : model_(checked(std::move(model), options)),
      options_(std::move(options)),
      t0_(t0),
      state_(state ? model_.migrate(*state) : model_.initial_state(t0)),
      mechanics_(model_, model_.layout(), options_),
      first_order_(model_, options_),
      filippov_(model_, options_),
      automata_(model_, options_),
      schedule_(options_.events, instants_of(mechanics_.impulses()), t0),
      user_(options_.events, state_, options_.step > 0.0, first_order_),
      flow_(*this),
      guards_(*this),
      directions_(*this) {
  stages::require_masses(model_, state_);
  if (options_.sensitivities)
    sensitivities_ =
        std::make_unique<EventSensitivities>(model_, options_, mechanics_, first_order_, filippov_, automata_);
  if (options_.examination != Examination::Off) remarks_ = examine_first_order(model_, model_.layout());
  require_none_refused(remarks_, options_.examination);
  state_.forces = Eigen::VectorXd::Zero(state_.outputs.size());
  z_.resize(state_.positions.size() + state_.unknowns.size());
  begin(State(state_), state == nullptr);
}

std::unique_ptr<smooth::Stepper> EventLoop::make_stepper() {
  const smooth::ErrorControl control{.relative = options_.relative_tolerance,
                                     .absolute = options_.absolute_tolerance,
                                     .fixed_step = options_.step,
                                     .largest_step = options_.largest_step};
  return std::visit(
      [&](const auto& method) -> std::unique_ptr<smooth::Stepper> {
        if constexpr (std::is_same_v<std::decay_t<decltype(method)>, GeneralisedAlpha>) {
          if (!first_order_.empty()) {
            throw InvalidArgument("EventDrivenOptions::integrator", "GeneralisedAlpha with a first-order system",
                                  "DormandPrince or RadauIIA: the method is for mechanics");
          }
          return make_generalised_alpha(method, control, mechanics_.model(), mechanics_.mode(), flow_);
        } else {
          auto stepper = smooth::make_stepper(method, control, flow_);
          if (control.fixed_step > 0.0 || mechanics_.empty()) return stepper;
          return std::make_unique<smooth::OnsetStepper>(std::move(stepper), control, flow_, directions_);
        }
      },
      options_.integrator);
}

void EventLoop::set_state(const State& state) {
  const Layout& layout = *model_.layout();
  if (state.layout() && layout.sources_linked_in > 0 && state.layout()->revision == layout.sources_linked_in)
    return set_state(model_.migrate(state));
  if (!state.layout() || state.layout()->revision != layout.revision) {
    throw InvalidArgument("EventDriven::set_state: state", "a state of another revision",
                          "one of the model's present revision");
  }
  check::size("EventDriven::set_state: state.positions", state.positions.size(), state_.positions.size(),
              "the model's");
  check::size("EventDriven::set_state: state.unknowns", state.unknowns.size(), state_.unknowns.size(), "the model's");
  check::finite("EventDriven::set_state: state.t", state.t);
  check::finite("EventDriven::set_state: state.positions", ConstVectorRef(state.positions));
  check::finite("EventDriven::set_state: state.unknowns", ConstVectorRef(state.unknowns));
  require_configurations(model_, state);
  bool resumed = false;
  try {
    resumed = resume(state);
  } catch (const CallableFailure&) {  // begin() says which
  }
  if (!resumed) begin(state, false);
  if (sensitivities_) sensitivities_->begin();
}

void EventLoop::begin(const State& state, bool first) {
  try {
    start_from(state, first);
  } catch (const CallableFailure& failure) {
    const bool jams = !mechanics_.jammed().empty() && failure.detail == mechanics_.jammed();
    throw InvalidArgument("EventDriven: model", failure.detail,
                          jams
                              ? "a state from which no joint jams, or less friction: by forces it moves no farther; by "
                                "steps an impulse stops it"
                              : "functions that can be asked at the state set");
  }
}

void EventLoop::start_from(const State& state, bool first) {
  // Until the end of this function there is nothing to go on from: whoever catches what it throws sees that.
  phase_ = Phase::Failed;
  failure_ = {};
  failure_.outcome = Outcome::NoMode;
  failure_.detail = "the state that was set is not consistent";
  state_ = state;
  state_.forces = Eigen::VectorXd::Zero(state_.outputs.size());
  state_.differences_t = -std::numeric_limits<double>::infinity();
  t_ = state.t;
  z_ << state.positions, state.unknowns;
  before_ = state_;
  mechanics_.reset();
  mechanics_.model().follow(state_);
  first_order_.reset();
  filippov_.reset();
  automata_.reset();
  crossed_.clear();
  stepper_ = make_stepper();  // the length of its last step is forgotten, as everything else
  in_a_row_ = paced_ = 0;
  pace_before_ = pace_ = std::numeric_limits<double>::quiet_NaN();
  last_instant_ = searched_ = -std::numeric_limits<double>::infinity();
  last_step_ = 0.0;
  start_ = Start::AfterInstant;
  retry_.clear();
  user_.reset();
  open_window(t_);
  alternatives_.clear();
  if (first && options_.repair_initial_state && options_.examination != Examination::Off) {
    const Remarks repaired = examine_gaps(t_, z_, options_, mechanics_.model());
    remarks_.insert(remarks_.end(), repaired.begin(), repaired.end());
  }
  mechanics_.make_consistent(t_, z_, options_.repair_initial_state, "EventDriven: initial state");
  bool stops = false;
  if (first) {
    std::vector<std::size_t> users;
    add_due(users, false);
    std::vector<Event> happened;
    stops = act(users, happened);
    events_.insert(events_.end(), happened.begin(), happened.end());
  }
  RunReport report;
  const bool resolved = resolve(t_, report);
  write(t_, z_, state_);
  before_ = state_;
  before_.events = {};
  if (!resolved) {
    if (report.outcome == Outcome::Ambiguous) note_other_motions();
    return fail(report);
  }
  note_gain();
  note_other_motions();
  if (user_.size() > 0) {
    flow_(t_, z_, zdot_);
    user_.refuse_identical_zeros(t_, z_, zdot_, flow_);
  }
  phase_ = stops ? Phase::Stopped : Phase::Smooth;
  save_history();
}

void EventLoop::fail(const RunReport& report) {
  phase_ = Phase::Failed;
  failure_ = report;
  failure_.steps = failure_.events = 0;
}

void EventLoop::open_window(double t) {
  window_start_ = t;
  next_instant_ = schedule_.after(t);
  const TimeWindow window{t, next_instant_};
  mechanics_.set_window(window);
  first_order_.set_window(window);
  filippov_.set_window(window);
  automata_.set_window(window);
}

void EventLoop::Flow::operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) {
  if (zdot.size() != z.size()) zdot.resize(z.size());
  loop.mechanics_.rates(t, z, zdot);
  if (!loop.first_order_.empty()) loop.first_order_.rates(t, z, zdot);
  loop.filippov_.rates(t, z, zdot);
}

void EventLoop::write(double t, const Eigen::VectorXd& z, State& state) {
  state.t = t;
  state.positions = z.head(state.positions.size());
  state.unknowns = z.tail(state.unknowns.size());
  mechanics_.write(t, z, state);
  if (!first_order_.empty()) first_order_.write(t, z, state);
  filippov_.write(t, z, state);
}

void EventLoop::evaluate(double t, State& state) {
  const OfTheModel of_the_model(*this);
  if (state.layout() != state_.layout() || state.forces.size() != state_.forces.size()) state = state_;
  if (t >= t_) {
    write(t_, z_, state);
    return;
  }
  stepper_->dense().evaluate(std::max(t, stepper_->t_start()), inside_);
  (void)mechanics_.model().normalise(inside_);  // the polynomial leaves the manifolds by its error
  write(t, inside_, state);
}

void EventLoop::rates(double t, Eigen::VectorXd& value) {
  const OfTheModel of_the_model(*this);
  if (phase_ == Phase::Failed)
    throw InvalidArgument("EventDriven::rates: state", "one without a mode: " + failure_.detail,
                          "a motion that goes on");
  const bool inside = t < t_;
  if (inside) stepper_->dense().evaluate(std::max(t, stepper_->t_start()), inside_);
  flow_(inside ? t : t_, inside ? inside_ : z_, zdot_);
  value = zdot_.tail(state_.unknowns.size());
}

RunReport EventLoop::advance_to(double T, const std::function<bool(double, double)>& segment,
                                const EventDrivenObserver& observer) {
  check::finite("EventDriven::advance_to: T", T);
  if (T < t_) {
    throw InvalidArgument("EventDriven::advance_to: T", text(T), "not before the present time " + text(t_));
  }
  const Index evaluations = stepper_->evaluations();
  forget(state_.events);  // of where the last call ended
  RunReport report;
  const Running running(running_);
  try {
    if (phase_ == Phase::Failed) {
      report = failure_;
    } else {
      run(T, segment, observer, report);
    }
    save_history();
  } catch (const std::exception& error) {
    give_up(error.what(), report);
  } catch (...) {
    give_up("what was thrown is no std::exception", report);
  }
  report.t = t_;
  report.evaluations = stepper_->evaluations() - evaluations;
  note_sliding();
  report.findings = std::exchange(noticed_, {});
  return report;
}

void EventLoop::give_up(const char* what, RunReport& report) {
  observed_ = nullptr;
  report.outcome = Outcome::CallableFailed;
  report.detail = what;
  state_.events.of = 0;
  if (start_ == Start::GoesOn) start_ = Start::Again;  // the next call starts from the last state that was reached
  if (phase_ == Phase::Smooth) crossed_.clear();
  state_.t = t_;
  state_.positions = z_.head(state_.positions.size());
  state_.unknowns = z_.tail(state_.unknowns.size());
  try {
    first_order_.complete(t_, z_, state_.unknowns);
  } catch (...) {  // the function that failed before: algebraic unknowns are not known here
  }
}

/// Else the run ends where the step did, with nothing moved.
bool EventLoop::constraints_are_explained(RunReport& report) {
  std::string gap = mechanics_.unexplained_gap(t_, z_, options_.relative_tolerance);
  if (gap.empty()) return true;
  report.detail = std::move(gap);
  report.outcome = Outcome::IntegratorFailed;
  start_ = Start::Again;
  crossed_.clear();
  write(t_, z_, state_);
  return false;
}

void EventLoop::run(double T, const std::function<bool(double, double)>& segment, const EventDrivenObserver& observer,
                    RunReport& report) {
  end_ = T;
  if (phase_ == Phase::Stopped) {
    phase_ = Phase::Smooth;
    report.outcome = Outcome::StoppedByEvent;
    return;
  }
  while (true) {
    // An instant may wait since an observer stopped the run just before it.
    if (phase_ != Phase::Smooth && !handle_instant(report, observer)) return;
    if (!(t_ < T)) break;
    mechanics_.begin_step(t_, z_);
    if (!first_order_.empty()) first_order_.begin_step(t_, z_);
    filippov_.begin_step(t_, z_);
    start_z_ = z_;
    if (start_ != Start::GoesOn) stepper_->start(t_, z_);
    if (start_ == Start::GoesOn) start_ = Start::Again;  // unless this step succeeds
    const double limit = std::min(T, next_instant_);
    const smooth::Outcome taken = stepper_->advance(searched_ > t_ ? std::min(limit, searched_) : limit);
    if (taken != smooth::Outcome::Taken) {
      tell_of_integrator(taken, report);
      write(t_, z_, state_);
      return;
    }
    ++report.steps;
    const Index count = guards_.size();
    crossed_.clear();
    const smooth::DensePolynomial* dense = count > 0 ? &stepper_->dense() : nullptr;
    if (count > 0 && !nothing_crosses(*dense) && !locate(report)) {
      write(t_, z_, state_);
      return;
    }
    if (sensitivities_) sensitivities_->along(stepper_->dense());
    last_step_ = stepper_->t() - stepper_->t_start();
    t_ = stepper_->t();
    z_ = stepper_->z();
    start_ = Start::GoesOn;
    if (options_.step == 0.0 && !constraints_are_explained(report)) return;
    phase_ = !crossed_.empty() || t_ >= next_instant_ ? Phase::Instant : Phase::Smooth;
    const bool moved = mechanics_.remove_drift(t_, z_),
               back = !first_order_.empty() && first_order_.remove_drift(t_, z_), slid = filippov_.remove_drift(t_, z_),
               rounded = automata_.remove_drift(t_, z_);
    if (moved || back || slid || rounded) stepper_->amend(z_);
    if (!mechanics_.lost_constraint().empty()) {
      report.outcome = Outcome::IntegratorFailed;
      report.detail = mechanics_.lost_constraint();
      start_ = Start::Again;
      write(t_, z_, state_);
      return;
    }
    if (!show(report, [&] { return segment(stepper_->t_start(), t_); })) {
      report.outcome = Outcome::StoppedByObserver;
      write(t_, z_, state_);
      return;
    }
  }
  write(t_, z_, state_);
}

}  // namespace nonsmooth::events
