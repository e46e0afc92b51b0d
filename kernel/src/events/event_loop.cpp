// SPDX-License-Identifier: Apache-2.0
#include "event_loop.hpp"

#include <algorithm>
#include <cmath>

#include <nonsmooth/numerics/error.hpp>

#include "generalised_alpha.hpp"

namespace nonsmooth::events {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

std::vector<double> instants_of(const std::vector<MechanicalModel::Impulse>& impulses) {
  std::vector<double> instants;
  for (const auto& impulse : impulses) instants.push_back(impulse.instant);
  return instants;
}

NonSmoothDynamicalSystem checked(NonSmoothDynamicalSystem model, const EventDrivenOptions& options) {
  options.validate();
  if (model.num_systems() == 0) throw InvalidArgument("EventDriven: model", "no system", "at least one");
  return model;
}

}  // namespace

EventLoop::EventLoop(NonSmoothDynamicalSystem model, EventDrivenOptions options, double t0)
    : model_(checked(std::move(model), options)),
      options_(std::move(options)),
      state_(model_.initial_state(t0)),
      mechanics_(model_, model_.layout(), options_),
      first_order_(model_, *model_.layout(), options_),
      schedule_(options_.events, instants_of(mechanics_.impulses()), t0),
      user_(options_.events, state_),
      flow_(*this),
      guards_(*this) {
  state_.forces = Eigen::VectorXd::Zero(state_.outputs.size());
  z_.resize(state_.positions.size() + state_.unknowns.size());
  const smooth::ErrorControl control{.relative = options_.relative_tolerance,
                                     .absolute = options_.absolute_tolerance,
                                     .fixed_step = options_.step,
                                     .largest_step = options_.largest_step};
  stepper_ = std::visit(
      [&](const auto& method) -> std::unique_ptr<smooth::Stepper> {
        if constexpr (std::is_same_v<std::decay_t<decltype(method)>, GeneralisedAlpha>) {
          if (!first_order_.empty()) {
            throw InvalidArgument("EventDrivenOptions::integrator", "GeneralisedAlpha with a first-order system",
                                  "DormandPrince or RadauIIA: the method is for mechanics");
          }
          return make_generalised_alpha(method, control, mechanics_, flow_);
        } else {
          return smooth::make_stepper(method, control, flow_);
        }
      },
      options_.integrator);
  begin(state_);
}

void EventLoop::set_state(const State& state) {
  if (!state.layout() || state.layout()->revision != model_.layout()->revision) {
    throw InvalidArgument("EventDriven::set_state: state", "a state of another revision",
                          "one of the model's present revision");
  }
  begin(state);
}

void EventLoop::begin(const State& state) {
  state_ = state;
  state_.forces = Eigen::VectorXd::Zero(state_.outputs.size());
  state_.differences_t = -std::numeric_limits<double>::infinity();
  t_ = state.t;
  z_ << state.positions, state.unknowns;
  failed_.reset();
  open_window(t_);
  mechanics_.make_consistent(t_, z_, options_.repair_initial_state);
  crossed_.clear();
  due_.clear();
  EventDrivenReport report;
  if (!settle(t_, report)) failed_ = report;
  fresh_ = true;
  waiting_ = false;
  write(t_, z_, state_);
  before_ = state_;
  if (user_.size() > 0 && !failed_) {
    flow_(t_, z_, zdot_);
    user_.refuse_identical_zeros(t_, z_, zdot_);
  }
}

void EventLoop::open_window(double t) {
  next_instant_ = schedule_.after(t);
  const TimeWindow window{t, next_instant_};
  mechanics_.set_window(window);
  first_order_.set_window(window);
}

void EventLoop::Flow::operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) {
  if (zdot.size() != z.size()) zdot.resize(z.size());
  loop.mechanics_.rates(t, z, zdot);
  if (!loop.first_order_.empty()) loop.first_order_.rates(t, z, zdot);
}

Index EventLoop::AllGuards::size() const {
  return loop.mechanics_.num_guards() + loop.first_order_.num_guards() + loop.user_.size();
}

void EventLoop::AllGuards::operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& values) {
  if (values.size() != size()) values.resize(size());
  const Index first = loop.mechanics_.num_guards(), second = first + loop.first_order_.num_guards();
  loop.mechanics_.guards(t, z, values.data());
  if (second > first) loop.first_order_.guards(t, z, values.data() + first);
  loop.user_.evaluate(t, z, values.data() + second);
}

void EventLoop::write(double t, const Eigen::VectorXd& z, State& state) {
  state.t = t;
  state.positions = z.head(state.positions.size());
  state.unknowns = z.tail(state.unknowns.size());
  mechanics_.write(t, z, state);
  if (!first_order_.empty()) first_order_.write(t, z, state);
}

void EventLoop::evaluate(double t, State& state) {
  if (state.layout() != state_.layout() || state.forces.size() != state_.forces.size()) state = state_;
  if (t >= t_) {
    write(t_, z_, state);
    return;
  }
  stepper_->dense().evaluate(std::max(t, stepper_->t_start()), inside_);
  write(t, inside_, state);
}

EventDrivenReport EventLoop::advance_to(double T, const std::function<bool(double, double)>& segment,
                                        const EventDrivenObserver& observer) {
  check::finite("EventDriven::advance_to: T", T);
  if (T < t_) {
    throw InvalidArgument("EventDriven::advance_to: T", std::to_string(T),
                          "not before the present time " + std::to_string(t_));
  }
  const Index evaluations = stepper_->evaluations();
  EventDrivenReport report;
  try {
    report = failed_ ? *failed_ : run(T, segment, observer);
  } catch (const std::exception& error) {
    report.outcome = Outcome::CallableFailed;
    report.detail = error.what();
    fresh_ = true;  // the next call starts from the last state that was reached
    waiting_ = false;
    crossed_.clear();
  }
  report.t = t_;
  report.evaluations = stepper_->evaluations() - evaluations;
  return report;
}

EventDrivenReport EventLoop::run(double T, const std::function<bool(double, double)>& segment,
                                 const EventDrivenObserver& observer) {
  EventDrivenReport report;
  while (true) {
    if (waiting_) {  // perhaps since an observer stopped the run just before it
      waiting_ = false;
      ++report.events;
      if (!handle_instant(report, observer)) return report;
    }
    if (!(t_ < T)) break;
    mechanics_.begin_step(t_, z_);
    if (!first_order_.empty()) first_order_.begin_step(t_, z_);
    start_z_ = z_;
    if (fresh_) stepper_->start(t_, z_);
    const smooth::Outcome taken = stepper_->advance(std::min(T, next_instant_));
    if (taken != smooth::Outcome::Taken) {
      report.outcome = Outcome::IntegratorFailed;
      report.detail = taken == smooth::Outcome::NotFinite ? "values that are not finite"
                                                          : "no step is short enough for the tolerances";
      write(t_, z_, state_);
      return report;
    }
    ++report.steps;
    const Index count = guards_.size();
    bool crossed = false;
    if (count > 0 && (count > mechanics_.num_guards() || !mechanics_.stays_open(start_z_, stepper_->dense()))) {
      zeros_.assign(static_cast<std::size_t>(count), 0);
      dips_.setZero(count);
      const Index first = mechanics_.num_guards(), second = first + first_order_.num_guards();
      mechanics_.guard_starts(t_, z_, fresh_, zeros_.data(), dips_.data());
      if (second > first) first_order_.guard_starts(t_, z_, fresh_, zeros_.data() + first, dips_.data() + first);
      if (user_.size() > 0) {
        flow_(t_, z_, zdot_);
        user_.start(t_, z_, zdot_, zeros_.data() + second, dips_.data() + second);
      }
      if (const auto crossing = finder_.first(guards_, stepper_->dense(), zeros_, dips_))
        crossed = polish(*crossing, stepper_->t());
    }
    last_step_ = stepper_->t() - stepper_->t_start();
    t_ = stepper_->t();
    z_ = stepper_->z();
    fresh_ = false;
    const bool moved = mechanics_.remove_drift(t_, z_),
               back = !first_order_.empty() && first_order_.remove_drift(t_, z_);
    if (moved || back) stepper_->amend(z_);
    waiting_ = crossed || t_ >= next_instant_;
    if (!segment(stepper_->t_start(), t_)) {
      report.outcome = Outcome::StoppedByObserver;
      write(t_, z_, state_);
      return report;
    }
  }
  write(t_, z_, state_);
  return report;
}

bool EventLoop::polish(const smooth::Crossing& crossing, double step_end) {
  const double start = stepper_->t_start();
  double t = std::min(crossing.t, step_end);
  Index guard = crossing.guard;
  crossed_.clear();
  if (!(t > start)) {
    // Below zero from the start on: the instant is where the step began.
    stepper_->start(start, start_z_);
    crossed_.push_back(guard);
    return true;
  }
  // The polynomial's slope starts Newton's iteration, which then goes by secants of full-order steps.
  // Taken within the part before the crossing: at the start itself the guard may be zero as well.
  const double aside = t - 1e-2 * (t - start);
  stepper_->dense().evaluate(aside, inside_);
  guards_(aside, inside_, earlier_);
  stepper_->dense().evaluate(t, inside_);
  guards_(t, inside_, values_);
  Eigen::VectorXd slopes = (values_ - earlier_) / (t - aside);
  double lower = start, upper = step_end, before = aside;
  double nearest = t, nearest_value = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < 20; ++pass) {
    if (stepper_->shorten(t) != smooth::Outcome::Taken) return false;
    guards_(t, stepper_->z(), values_);
    if (pass > 0 && std::abs(t - before) > 1e4 * kEps * std::abs(t)) {  // nearer, differences are round-off
      const double slope = (values_[guard] - earlier_[guard]) / (t - before);
      if (slope < 0.0) slopes[guard] = slope;
    }
    // Another guard that is further below zero than its slope explains crossed earlier.
    double lead = 1e-10 * std::max(std::abs(t), step_end - start);
    for (Index g = 0; g < values_.size(); ++g) {
      const bool left_zero = zeros_[static_cast<std::size_t>(g)] > 0 && t - start < lead;
      if (left_zero || !(values_[g] < -dips_[g]) || !(slopes[g] < 0.0) || values_[g] / slopes[g] <= lead) continue;
      lead = values_[g] / slopes[g];
      guard = g;
      nearest_value = std::numeric_limits<double>::infinity();
    }
    const double value = values_[guard];
    if (std::abs(value) < nearest_value) {
      nearest = t;
      nearest_value = std::abs(value);
    }
    if (std::abs(value) <= dips_[guard] || !(slopes[guard] < 0.0)) break;
    (value > 0.0 ? lower : upper) = t;
    double next = t - value / slopes[guard];
    if (std::abs(next - t) <= 2.0 * kEps * std::abs(t)) break;  // before the bracket, whose other end may be far
    if (!(next > lower && next < upper)) next = 0.5 * (lower + upper);
    if (std::abs(next - t) <= 2.0 * kEps * std::abs(t) || !(next > start)) break;
    earlier_ = values_;
    before = t;
    t = next;
  }
  if (t != nearest) {  // a last guess that round-off led astray
    if (stepper_->shorten(nearest) != smooth::Outcome::Taken) return false;
    guards_(nearest, stepper_->z(), values_);
  }
  crossed_.push_back(guard);
  for (const Index tied : crossing.tied) {
    if (tied != guard && values_[tied] <= dips_[tied]) crossed_.push_back(tied);
  }
  return true;
}

bool EventLoop::settle(double t, EventDrivenReport& report) {
  log_.clear();
  const Index first = mechanics_.num_guards(), second = first + first_order_.num_guards();
  const auto of_part = [&](Index from, Index to) {
    part_crossed_.clear();
    for (const Index g : crossed_) {
      if (g >= from && g < to) part_crossed_.push_back(g - from);
    }
    return part_crossed_;
  };
  const std::vector<Index> mechanical = of_part(0, first), other = of_part(first, second);
  Settled settled = mechanics_.settle(t, z_, mechanical, log_);
  if (settled && !first_order_.empty()) settled = first_order_.settle(t, z_, other, log_);
  events_.insert(events_.end(), log_.begin(), log_.end());
  switch (settled.outcome) {
    case Settled::Outcome::Mode:
      return true;
    case Settled::Outcome::NoMode:
    case Settled::Outcome::Undetermined:
      report.outcome = Outcome::NoMode;
      break;
    case Settled::Outcome::Unsolved:
      report.outcome = Outcome::ImpactUnsolved;
      break;
  }
  report.detail = settled.detail;
  return false;
}

bool EventLoop::handle_instant(EventDrivenReport& report, const EventDrivenObserver& observer) {
  before_ = state_;
  write(t_, z_, before_);
  due_.clear();
  const bool scheduled = t_ >= next_instant_;
  if (scheduled) schedule_.due(next_instant_, due_);
  bool stops = false;
  std::vector<Event> users;
  const auto act = [&](std::size_t index) {
    const UserEvent& event = options_.events[index];
    if (event.action) {
      State acted = before_;
      acted.positions = z_.head(acted.positions.size());
      acted.unknowns = z_.tail(acted.unknowns.size());
      event.action(acted);
      z_ << acted.positions, acted.unknowns;
    }
    Event happened;
    happened.kind = EventKind::User;
    happened.t = t_;
    happened.row = static_cast<Index>(index);
    users.push_back(happened);
    stops = stops || event.terminal;
  };
  const Index first_user = mechanics_.num_guards() + first_order_.num_guards();
  const bool heard = scheduled || std::any_of(crossed_.begin(), crossed_.end(),
                                              [&](Index g) { return g < first_user || user_.counts(g - first_user); });
  if (!heard) {  // a user's guard passed zero in the direction that nobody asked for: its sign is taken anew
    fresh_ = true;
    crossed_.clear();
    return true;
  }
  for (const Index g : crossed_) {
    if (g >= first_user && user_.counts(g - first_user)) act(user_.event(g - first_user));
  }
  for (const Schedule::Due& due : due_) {
    if (due.impulse) {
      mechanics_.add_impulse(mechanics_.impulses()[due.index].impulse);
    } else {
      act(due.index);
    }
  }
  if (scheduled) open_window(next_instant_);
  events_.insert(events_.end(), users.begin(), users.end());
  const bool settled = settle(t_, report);
  log_.insert(log_.begin(), users.begin(), users.end());
  write(t_, z_, state_);
  fresh_ = true;
  crossed_.clear();
  if (!settled) {
    failed_ = report;
    return false;
  }
  if (observer.instant && !observer.instant({log_, before_, state_})) {
    report.outcome = Outcome::StoppedByObserver;
    return false;
  }
  if (stops) {
    report.outcome = Outcome::StoppedByEvent;
    return false;
  }
  return !chatters(report);
}

bool EventLoop::chatters(EventDrivenReport& report) {
  const bool close = t_ - last_instant_ <= 1e-12 * std::max(std::abs(t_), last_step_);
  in_a_row_ = close ? in_a_row_ + 1 : 0;
  last_instant_ = t_;
  if (in_a_row_ < options_.thresholds.chattering_events) return false;
  report.outcome = Outcome::Chattering;
  report.detail = std::to_string(in_a_row_) + " instants in a row without advance; the last events:";
  const std::size_t shown = std::min<std::size_t>(events_.size(), 6);
  for (std::size_t k = events_.size() - shown; k < events_.size(); ++k) {
    report.detail += (k + shown == events_.size() ? " " : ", ") + name_of(events_[k]);
  }
  in_a_row_ = 0;
  return true;
}

std::string EventLoop::name_of(const Event& event) const {
  if (event.kind == EventKind::User) {
    const auto index = static_cast<std::size_t>(event.row);
    const std::string& name = options_.events[index].name;
    return name.empty() ? "event " + std::to_string(index) : name;
  }
  static constexpr const char* kNames[] = {"impact", "closing", "opening", "stick",     "slip",        "switch",
                                           "jump",   "impulse", "event",   "ambiguity", "accumulation"};
  std::string name = kNames[static_cast<std::size_t>(event.kind)];
  const auto& layout = *model_.layout();
  if (event.interaction.model == layout.model && event.interaction.slot < layout.interaction_of_slot.size()) {
    name += " of " + layout.at(event.interaction).name;
  }
  return name;
}

}  // namespace nonsmooth::events
