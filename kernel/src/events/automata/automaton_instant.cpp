// SPDX-License-Identifier: Apache-2.0
// What a HybridAutomaton does at an instant: the transitions that are taken, one after the other.
#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "automaton_unit.hpp"
#include "model/guarded.hpp"

namespace nonsmooth::events {
namespace {

/// Of a guard's terms: an excursion that cannot be told from none.
constexpr double kNoExcursion = 512.0 * eps;

std::string text_of_numbers(const Eigen::VectorXd& values) {
  std::string list = "(";
  for (Index k = 0; k < values.size(); ++k) list += (k > 0 ? ", " : "") + text(values[k]);
  return list + ")";
}

}  // namespace

Resolution AutomatonUnit::resolve(double t, Eigen::VectorXd& z, const std::vector<Index>& crossed,
                                  std::vector<Event>& log) {
  others_.clear();
  path_.clear();
  gather(z);
  largest_ = largest_.cwiseMax(x_.cwiseAbs());
  double& number = z[place_.z + fields_->n()];
  const Index before = std::exchange(mode_, fields_->mode_of(number));
  if (mode_ < 0 || number != static_cast<double>(mode_)) {
    mode_ = before;
    throw InvalidArgument("State::x of " + name_ + ": the last number, its mode", text(number),
                          "a whole number from 0 to " + std::to_string(fields_->num_modes() - 1));
  }
  std::vector<Index> risen;
  bool fallen = false;
  for (const Index g : crossed) {
    if (before != mode_) break;  // a user's action wrote another mode
    const Index k = watched_[static_cast<std::size_t>(g)].transition;
    if (k < 0) fallen = true;
    if (k >= 0) risen.push_back(k);
  }
  Resolution resolution;
  while (go_on(t, path_.empty() ? risen : std::vector<Index>{}, log, resolution)) {
  }
  if (resolution && invariant_ends(t, fallen && path_.empty())) resolution = without_exit(t);
  if (resolution && !path_.empty() && returns_at_once(t)) {
    resolution = {Resolution::Outcome::Endless,
                  text_of_state(t) + ": transitions accumulate (Zeno); the guard of " +
                      fields_->transition_name(path_.back().transition) +
                      " is back at zero before round-off shows that it left: " + text_of_path(0)};
  }
  number = static_cast<double>(mode_);
  z.segment(place_.z, fields_->n()) = x_;
  if (now_.mode != mode_) end_stretch();
  if (now_.mode < 0 && fields_->sliding(mode_)) begin_stretch(t);
  begin_watch(t);
  return resolution;
}

void AutomatonUnit::begin_stretch(double t) {
  now_ = {.mode = mode_, .from = t, .t = t, .x = x_};
  resume_stretch();
  now_.distance = chattering_->distance(0.0);
}

void AutomatonUnit::resume_stretch() {
  const AutomatonSliding& sliding = *fields_->sliding(now_.mode);
  chattering_ = std::make_unique<filippov::Chattering>(*sliding.fields(), SwitchingLag{.band = sliding.band()});
  guarded(name_, "a guard or field", [&] { (void)chattering_->look(window_.inside(now_.t), now_.x); });
}

void AutomatonUnit::end_stretch() {
  if (now_.mode < 0) return;
  ended_.push_back(std::exchange(now_, {}));
  chattering_.reset();
}

void AutomatonUnit::follow(double t) {
  const double h = t - now_.t;
  if (!(h > 0.0)) return;
  filippov::Chattering& motion = *chattering_;
  guarded(name_, "a guard or field", [&] {
    const double k1 = motion.rate(now_.eta);
    middle_ = 0.5 * (now_.x + x_) + h / 8.0 * motion.values().sliding;  // the cubic through both ends
    fields_->field(now_.mode, window_.inside(t), x_, rate_);
    middle_ -= h / 8.0 * rate_;
    (void)motion.look(window_.inside(now_.t + 0.5 * h), middle_);
    const double k2 = motion.rate(now_.eta + 0.5 * h * k1), k3 = motion.rate(now_.eta + 0.5 * h * k2);
    (void)motion.look(window_.inside(t), x_);
    now_.eta += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + motion.rate(now_.eta + h * k3));
    now_.distance = std::max(now_.distance, motion.distance(now_.eta));
  });
  now_.t = t;
  now_.x = x_;
}

bool AutomatonUnit::go_on(double t, const std::vector<Index>& crossed, std::vector<Event>& log,
                          Resolution& resolution) {
  const std::vector<Motion> motions = enabled(t, crossed);
  if (motions.empty()) return false;
  Index taken = 0;
  if (motions.size() > 1) {
    taken = chosen(t, motions);
    for (std::size_t k = 0; k < motions.size(); ++k) {
      if (static_cast<Index>(k) == taken) continue;
      others_.push_back(motions[k]);  // beside those of transitions before at this instant
      log.push_back(event_of(t, motions[k]));
      log.back().kind = EventKind::Ambiguity;
    }
    if (taken < 0) {
      std::string detail = text_of_state(t) + ": several transitions at once";
      for (const Motion& motion : motions) detail += "; " + text_of(motion);
      resolution = {Resolution::Outcome::Ambiguous, detail};
      return false;
    }
  }
  const Motion& motion = motions[static_cast<std::size_t>(taken)];
  path_.push_back({mode_, x_, motion.transition});
  log.push_back(event_of(t, motion));
  mode_ = motion.to;
  x_ = motion.x;
  largest_ = largest_.cwiseMax(x_.cwiseAbs());
  for (std::size_t k = 0; k < path_.size(); ++k) {
    if (path_[k].mode != mode_ || path_[k].x != x_) continue;
    bool stays = true;  // x all the way
    for (std::size_t l = k; l < path_.size(); ++l) stays = stays && path_[l].x == x_;
    std::string detail = text_of_state(t) + ": a cycle of transitions at one instant: " + text_of_path(k);
    if (stays && path_.size() - k > 1)
      detail += "; no motion of the automaton goes on: of a FilippovSystem with these fields one may slide there";
    resolution = {Resolution::Outcome::Endless, detail};
    return false;
  }
  if (static_cast<Index>(path_.size()) >= thresholds_.chattering_events) {
    resolution = {Resolution::Outcome::Endless,
                  text_of_state(t) + ": " + std::to_string(path_.size()) +
                      " transitions at one instant, the last: " + text_of_path(path_.size() - 4)};
    return false;
  }
  return true;
}

/// Transitions from x_ and mode_, each other state or mode once.
std::vector<AutomatonUnit::Motion> AutomatonUnit::enabled(double t, const std::vector<Index>& crossed) {
  std::vector<Motion> motions;
  for (const Index k : fields_->leaving(mode_)) {
    const AutomatonTransition& one = fields_->transition(k);
    bool taken = std::find(crossed.begin(), crossed.end(), k) != crossed.end();
    if (!taken) {
      const Reading reading = read(one.guard, t);
      const double zero = thresholds_.accumulation * reading.terms;
      taken = reading.value > zero || (reading.value >= -zero && reading.direction() > 0);
    }
    if (!taken) continue;
    Motion motion = motion_by(k, t);
    const bool known = std::any_of(motions.begin(), motions.end(),
                                   [&](const Motion& other) { return other.to == motion.to && other.x == motion.x; });
    if (known) continue;
    field(motion.to, t, motion.x, motion.rate);
    motions.push_back(std::move(motion));
  }
  return motions;
}

AutomatonUnit::Motion AutomatonUnit::motion_by(Index k, double t) {
  const AutomatonTransition& one = fields_->transition(k);
  const std::string reset = "the reset of " + fields_->transition_name(k);
  Motion motion{.transition = k, .to = fields_->to(k), .x = x_, .rate = Eigen::VectorXd(fields_->n())};
  if (one.reset) guarded(name_, reset, [&] { one.reset(window_.inside(t), motion.x); });
  const bool stays = fields_->sliding(motion.to) != nullptr;  // from one that slides, if x is on the surface
  if (const Index slides = stays ? motion.to : fields_->sliding_at(k); slides >= 0) {
    guarded(name_, "a guard or field", [&] {
      const AutomatonSliding& sliding = *fields_->sliding(slides);
      const double inside = window_.inside(t);
      const bool begins = sliding.begins(inside, motion.x, largest_);
      if (stays && !begins) motion.to = fields_->beside(slides, inside, motion.x);
      if (!begins) return;
      motion.to = slides;
      sliding.land(inside, motion.x);
    });
  }
  require_finite(name_, reset, motion.x);
  return motion;
}

Index AutomatonUnit::chosen(double t, const std::vector<Motion>& motions) {
  switch (on_ambiguity_) {
    case OnAmbiguity::Stop:
      return -1;
    case OnAmbiguity::First:
    case OnAmbiguity::Utkin:
    case OnAmbiguity::Moments:
    case OnAmbiguity::ImplicitLimit:
      return 0;
    case OnAmbiguity::LeastNorm: {
      const auto least = std::min_element(motions.begin(), motions.end(), [](const Motion& one, const Motion& other) {
        return one.rate.norm() < other.rate.norm();
      });
      return static_cast<Index>(least - motions.begin());
    }
    case OnAmbiguity::Choose:
      break;
  }
  std::vector<OtherMotion> list;
  for (const Motion& motion : motions) {
    OtherMotion one{.t = t,
                    .rates = Eigen::VectorXd::Zero(place_.num_unknowns),
                    .multipliers = Eigen::VectorXd::Zero(place_.num_rows),
                    .rows = {event_of(t, motion)}};
    write_rate(motion, one.rates);
    list.push_back(std::move(one));
  }
  Index place = 0;
  guarded("the options", "choose", [&] { place = choose_(list); });
  if (place < 0 || place >= static_cast<Index>(motions.size()))
    throw CallableFailure{"choose of the options returned " + std::to_string(place) + " of " +
                          std::to_string(motions.size()) + " motions"};
  return place;
}

Event AutomatonUnit::event_of(double t, const Motion& motion) const {
  return {.kind = EventKind::Transition,
          .t = t,
          .row = motion.transition,
          .value = static_cast<double>(motion.to),
          .system = place_.handle};
}

/// `crossed`: it was found to fall through zero here.
bool AutomatonUnit::invariant_ends(double t, bool crossed) {
  const SwitchingFunction& invariant = fields_->mode(mode_).invariant;
  if (crossed || !invariant.value) return crossed;
  const Reading reading = read(invariant, t);
  const double zero = thresholds_.accumulation * reading.terms;
  return reading.value < -zero || (reading.value <= zero && reading.direction() < 0);
}

/// True where the transition that was taken last leaves the mode that it led to again, and its guard turns so soon that
/// its way below zero, c'^2 / (2 c''), is round-off.
bool AutomatonUnit::returns_at_once(double t) {
  const Index k = path_.back().transition;
  const auto& leaving = fields_->leaving(mode_);
  if (std::find(leaving.begin(), leaving.end(), k) == leaving.end()) return false;
  const Reading reading = read(fields_->transition(k).guard, t);
  const bool at_zero = std::abs(reading.value) <= thresholds_.accumulation * reading.terms;
  return at_zero && reading.slope <= 0.0 && reading.curvature > 0.0 &&
         reading.slope * reading.slope <= 2.0 * reading.curvature * kNoExcursion * reading.terms;
}

Resolution AutomatonUnit::without_exit(double t) {
  std::string detail =
      text_of_state(t) + ": the invariant of " + fields_->mode(mode_).name + " ends, and no transition may be taken";
  const auto& leaving = fields_->leaving(mode_);
  if (leaving.empty()) detail += ": none leaves this mode";
  for (const Index k : leaving) {
    detail += "; " + fields_->transition_name(k) + " to " + fields_->mode(fields_->to(k)).name + ": guard " +
              text(value_of(fields_->transition(k).guard, t, x_));
  }
  return {Resolution::Outcome::NoMode, detail};
}

std::string AutomatonUnit::text_of_state(double t) const {
  return name_ + " in " + fields_->mode(mode_).name + " at t = " + text(t) + ", x = " + text_of_numbers(x_);
}

std::string AutomatonUnit::text_of(const Motion& motion) const {
  return fields_->transition_name(motion.transition) + " to " + fields_->mode(motion.to).name +
         ", x = " + text_of_numbers(motion.x) + ", x' = " + text_of_numbers(motion.rate);
}

/// "heats, rests, heats".
std::string AutomatonUnit::text_of_path(std::size_t first) const {
  std::string list;
  for (std::size_t k = first; k < path_.size(); ++k) list += fields_->mode(path_[k].mode).name + ", ";
  return list + fields_->mode(mode_).name;
}

}  // namespace nonsmooth::events
