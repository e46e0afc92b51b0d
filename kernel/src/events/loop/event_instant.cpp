// SPDX-License-Identifier: Apache-2.0
// An instant of the loop: what users and prescribed impulses do, both subsystems resolved, and instants without end.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "analysis/run_remarks.hpp"
#include "event_loop.hpp"
#include "model/guarded.hpp"
#include "model/outputs.hpp"

namespace nonsmooth::events {
namespace {

constexpr Index kTold = 8;             ///< instants of a run without end whose guards are named
constexpr double kMostInstants = 1e8;  ///< that a run may have ahead of it: logging them alone takes gigabytes

}  // namespace

bool EventLoop::resolve(double t, RunReport& report) {
  log_.clear();
  const Index first = mechanics_.num_guards(), second = first_of_filippov(), third = first_of_automata(),
              fourth = first_of_users();
  const auto of_part = [&](Index from, Index to) {
    part_crossed_.clear();
    for (const Index g : crossed_) {
      if (g >= from && g < to) part_crossed_.push_back(g - from);
    }
    return part_crossed_;
  };
  const std::vector<Index> mechanical = of_part(0, first), other = of_part(first, second),
                           sliding = of_part(second, third), automatic = of_part(third, fourth);
  Resolution resolution = mechanics_.resolve(t, z_, mechanical, log_);
  // First, as others see the modes that they lead to; those have a mode then, whatever becomes of these.
  const Resolution transitions = automata_.resolve(t, z_, automatic, log_);
  if (resolution && !first_order_.empty()) resolution = first_order_.resolve(t, z_, other, log_);
  if (resolution) resolution = filippov_.resolve(t, z_, sliding, log_);
  if (resolution) resolution = transitions;
  events_.insert(events_.end(), log_.begin(), log_.end());
  switch (resolution.outcome) {
    case Resolution::Outcome::Mode:
      return true;
    case Resolution::Outcome::NoMode:
    case Resolution::Outcome::Undetermined:
      report.outcome = Outcome::NoMode;
      break;
    case Resolution::Outcome::Ambiguous:
      report.outcome = Outcome::Ambiguous;
      break;
    case Resolution::Outcome::Endless:
      report.outcome = Outcome::Chattering;
      break;
    case Resolution::Outcome::Unsolved:
      report.outcome = Outcome::ImpactUnsolved;
      break;
  }
  report.detail = resolution.detail;
  return false;
}

void EventLoop::note_gain() {
  const double gain = mechanics_.impacts().gain();
  if (!(gain > 0.0) || options_.examination == Examination::Off) return;
  for (RunRemarks* remarks : {&findings_, &noticed_})
    add_remark(RunRemark::Kind::ImpactGain, mechanics_.impacts().gaining(), t_, gain, *remarks);
}

void EventLoop::note_sliding() {
  if (options_.examination == Examination::Off) return;
  for (AutomatonUnit& unit : automata_.units()) {
    unit.tell_sliding([&](const std::string& subject, const AutomatonUnit::Stretch& stretch, bool begins) {
      constexpr auto kKind = RunRemark::Kind::SlidingInstead;
      add_remark(kKind, subject, stretch.from, stretch.distance, findings_, begins ? 1 : 0);
      const bool known = std::any_of(noticed_.begin(), noticed_.end(),
                                     [&](const RunRemark& one) { return one.kind == kKind && one.subject == subject; });
      add_remark(kKind, subject, stretch.from, stretch.distance, noticed_, begins || !known ? 1 : 0);
    });
  }
}

void EventLoop::note_other_motions() {
  const std::vector<FilippovPart::Other> sliding = filippov_.others(t_);
  const std::vector<AutomatonPart::Other> transitions = automata_.others(t_);
  if (mechanics_.others().empty() && first_order_.others().empty() && sliding.empty() && transitions.empty()) return;
  alternatives_.clear();
  flow_(t_, z_, zdot_);
  const auto add = [&](const auto& part, const auto& other) {
    Eigen::VectorXd rates = zdot_, multipliers = state_.forces;  // contacts' and none, then first-order rows'
    for (const Layout::Interaction& place : model_.layout()->interactions) {
      const Index count = place.rows + place.auxiliary;
      if (place.first_order) multipliers.segment(place.row, count) = state_.multipliers.segment(place.row, count);
    }
    part.write_other(other, rates, multipliers);
    alternatives_.push_back({t_, rates.tail(state_.unknowns.size()), std::move(multipliers), other.rows});
  };
  const auto tell = [&](const std::string& subject, std::size_t count) {
    for (RunRemarks* remarks : {&findings_, &noticed_})
      add_remark(RunRemark::Kind::SeveralAnswers, subject, t_, static_cast<double>(count), *remarks);
  };
  for (const MechanicalPart::Other& other : mechanics_.others()) add(mechanics_, other);
  if (!mechanics_.others().empty()) tell(mechanics_.others().front().subject, mechanics_.others().size());
  for (const FilippovPart::Other& other : sliding) add(filippov_, other);
  for (const AutomatonPart::Other& other : transitions) add(automata_, other);
  const auto tell_by_unit = [&](const auto& list) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      const auto* unit = list[k].unit;
      if (k > 0 && list[k - 1].unit == unit) continue;
      tell(unit->name(), static_cast<std::size_t>(std::count_if(
                             list.begin(), list.end(), [&](const auto& other) { return other.unit == unit; })));
    }
  };
  tell_by_unit(sliding);
  tell_by_unit(transitions);
  for (const FirstOrderPart::Other& other : first_order_.others()) add(first_order_, other);
  if (first_order_.others().empty()) return;
  const InteractionHandle first = first_order_.others().front().rows.front().interaction;
  const bool linked = first.model == model_.layout()->model;
  tell(linked ? model_.layout()->at(first).name : "the first-order systems", first_order_.others().size());
}

/// Users' actions on z_, at a state that is consistent before and has to be so after.
bool EventLoop::act(const std::vector<std::size_t>& users, std::vector<Event>& happened) {
  bool stops = false, changed = false;
  for (const std::size_t index : users) {
    const UserEvent& event = options_.events[index];
    if (event.action) {
      State acted = before_;
      acted.positions = z_.head(acted.positions.size());
      acted.unknowns = z_.tail(acted.unknowns.size());
      first_order_.complete(t_, z_, acted.unknowns);
      guarded(name_of_user(index), "action", [&] { event.action(acted); });
      check::size("UserEvent::action: State::positions", acted.positions.size(), before_.positions.size(), "as before");
      check::size("UserEvent::action: State::unknowns", acted.unknowns.size(), before_.unknowns.size(), "as before");
      require_configurations(model_, acted);
      z_ << acted.positions, acted.unknowns;
      changed = true;
    }
    Event one;
    one.kind = EventKind::User;
    one.t = t_;
    one.row = static_cast<Index>(index);
    happened.push_back(one);
    stops = stops || event.terminal;
  }
  if (changed) mechanics_.make_consistent(t_, z_, false, "UserEvent::action: state", false);
  return stops;
}

void EventLoop::add_due(std::vector<std::size_t>& users, bool impulses) {
  schedule_.due(t_, due_);
  for (const Schedule::Due& due : due_) {
    if (!due.impulse && std::find(users.begin(), users.end(), due.index) == users.end()) users.push_back(due.index);
    if (due.impulse && impulses) mechanics_.add_impulse(mechanics_.impulses()[due.index].impulse);
  }
}

bool EventLoop::handle_instant(RunReport& report, const EventDrivenObserver& observer) {
  const Index first_user = first_of_users();
  const bool scheduled = t_ >= next_instant_;
  if (!scheduled) ++paced_;
  for (const Index g : crossed_) {
    if (g >= first_user) user_.happened(g - first_user, t_);
  }
  const bool again = phase_ == Phase::Retry;
  phase_ = Phase::Smooth;
  const bool heard = scheduled || again || std::any_of(crossed_.begin(), crossed_.end(), [&](Index g) {
                       return g < first_user || user_.counts(g - first_user);
                     });
  if (!heard) {  // a user's guard passed zero in the direction that nobody asked for: its sign is taken anew
    crossed_.clear();
    return !chatters(report);
  }
  ++report.events;
  note_alternating();
  write(t_, z_, before_);
  std::vector<std::size_t> users = retry_;
  for (const Index g : crossed_) {
    if (g >= first_user && user_.counts(g - first_user)) users.push_back(user_.event(g - first_user));
  }
  const std::vector<Event>::difference_type known = std::ssize(events_);
  start_z_ << z_.head(before_.positions.size()), before_.unknowns;
  bool stops = false, resolved = false;
  std::vector<Event> happened;
  try {
    if (sensitivities_ && !again) sensitivities_->before(t_, z_, crossed_, window_start_);
    if (scheduled) add_due(users, true);
    stops = act(users, happened);
    events_.insert(events_.end(), happened.begin(), happened.end());
    if (scheduled) open_window(next_instant_);
    resolved = resolve(t_, report);
    log_.insert(log_.begin(), happened.begin(), happened.end());
    write(t_, z_, state_);
  } catch (...) {
    // The instant waits for another call, which resolves it afresh: how far this one came nobody knows.
    z_ = start_z_;
    events_.erase(events_.begin() + known, events_.end());
    mechanics_.reset();
    first_order_.reset();
    filippov_.reset();
    automata_.reset();
    retry_ = users;
    phase_ = Phase::Retry;
    crossed_.clear();
    if (scheduled) next_instant_ = t_;
    throw;
  }
  start_ = Start::AfterInstant;
  retry_.clear();
  crossed_.clear();
  if (!resolved) {
    if (report.outcome == Outcome::Ambiguous) note_other_motions();
    fail(report);
    return false;
  }
  if (sensitivities_) sensitivities_->after(t_, z_);
  note_gain();
  note_other_motions();
  if (observer.instant && !show(report, [&] { return observer.instant({log_, before_, state_}); })) {
    report.outcome = Outcome::StoppedByObserver;
    return false;
  }
  if (stops) {
    report.outcome = Outcome::StoppedByEvent;
    return false;
  }
  return !chatters(report);
}

/// What ends modes in the last instants before a run of them counts as one without end.
void EventLoop::note_alternating() {
  if (in_a_row_ + kTold < options_.thresholds.chattering_events) return;
  for (const Index g : crossed_) {
    std::string name = name_of_guard(g);
    if (std::find(alternating_.begin(), alternating_.end(), name) == alternating_.end())
      alternating_.push_back(std::move(name));
  }
}

bool EventLoop::chatters(RunReport& report) {
  const bool close = t_ - last_instant_ <= 1e-12 * std::max(std::abs(t_), last_step_);
  in_a_row_ = close ? in_a_row_ + 1 : 0;
  if (!close) alternating_.clear();
  last_instant_ = t_;
  // A pace is steady where as many instants took as long as before. One that falls grows out of what is looked for; one
  // that rises, as impacts that accumulate have, ends by itself or at one instant.
  const Index window = 100 * options_.thresholds.chattering_events;
  double ahead = 0.0;
  if (paced_ >= window) {
    const double last = t_ - pace_, before = pace_ - pace_before_;
    if (last > 0.0 && std::abs(last - before) <= 0.1 * std::max(last, before)) {
      ahead = static_cast<double>(window) * (end_ - t_) / last;
    }
    pace_before_ = pace_;
    pace_ = t_;
    paced_ = 0;
  }
  if (in_a_row_ >= options_.thresholds.chattering_events) {
    report.detail = std::to_string(in_a_row_) + " instants in a row without advance";
    for (std::size_t k = 0; k < alternating_.size(); ++k)
      report.detail += (k == 0                        ? ", each at a zero of "
                        : k + 1 < alternating_.size() ? ", "
                                                      : " or ") +
                       alternating_[k];
  } else if (ahead > kMostInstants) {
    std::ostringstream count;
    count << std::setprecision(2) << ahead;
    report.detail = "at the pace of the last " + std::to_string(2 * window) + " instants there are " + count.str() +
                    " more before t = " + text(end_);
  } else {
    return false;
  }
  report.outcome = Outcome::Chattering;
  report.detail += "; the last events:";
  const std::size_t shown = std::min<std::size_t>(events_.size(), 6);
  for (std::size_t k = events_.size() - shown; k < events_.size(); ++k) {
    report.detail += (k + shown == events_.size() ? " " : ", ") + name_of(events_[k]);
  }
  in_a_row_ = 0;
  alternating_.clear();
  return true;
}

}  // namespace nonsmooth::events
