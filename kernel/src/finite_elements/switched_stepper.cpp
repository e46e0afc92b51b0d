// SPDX-License-Identifier: Apache-2.0
#include "switched_stepper.hpp"

#include <algorithm>
#include <cmath>

#include <internal/at.hpp>
#include <internal/round_off.hpp>

namespace nonsmooth::finite_elements {
namespace {

unsigned bit(Index surface) { return 1U << static_cast<unsigned>(surface); }

/// alpha that far outside of [0, 1] is outside: the equivalent control of a mode is known to about the square root of
/// what differences of users' gradients lose.
constexpr double kControlTolerance = 1e-9;

constexpr int kMostRescues = 8;   ///< of a step by StepProblem
constexpr int kMostHalvings = 3;  ///< of what is left of a step, until it has an answer

/// A guard whose rate is that small a part of |gradient| |x'| grazes: the derivative loses as many digits.
constexpr double kGrazing = 1e-6;

}  // namespace

SwitchedStepper::SwitchedStepper(SwitchedField& field, ModeRule& rule, const Collocation& collocation, Index elements)
    : field_(&field),
      rule_(&rule),
      collocation_(&collocation),
      elements_(elements),
      mode_field_(field),
      problem_(field, collocation.c.size()),
      chain_(at(kMostElements), Element(field, collocation)),
      c_(field.num_switches()) {}

void SwitchedStepper::list_guards() {
  guards_.clear();
  for (Index j = 0; j < field_->num_switches(); ++j) {
    if (std::find(mode_.sliding.begin(), mode_.sliding.end(), j) == mode_.sliding.end()) {
      guards_.push_back({.surface = j});
    } else {
      guards_.push_back({.surface = j, .sliding = true});
      guards_.push_back({.surface = j, .sliding = true, .upper = true});
    }
  }
  if (mode_.sliding.size() > 1 && rule_->may_leave()) guards_.push_back({.leaving = true});
  mode_field_.set_mode(mode_);
  for (Element& element : chain_) element.set_mode(mode_);
}

double SwitchedStepper::margin(const Guard& guard, double t, const Eigen::VectorXd& x) {
  if (guard.leaving) return rule_->margin_to_leave(t, x);
  if (!guard.sliding) {
    field_->switches(t, x, c_);
    return (mode_.pattern & bit(guard.surface)) != 0 ? c_[guard.surface] : -c_[guard.surface];
  }
  probe_alpha_ = alpha_;
  if (!mode_field_.equivalent_control(t, x, probe_alpha_)) return -1.0;
  const auto place = std::find(mode_.sliding.begin(), mode_.sliding.end(), guard.surface) - mode_.sliding.begin();
  return guard.upper ? 1.0 - probe_alpha_[place] : probe_alpha_[place];
}

double SwitchedStepper::tolerance(const Guard& guard, double t, const Eigen::VectorXd& x) {
  if (!guard.of_surface()) return kControlTolerance;
  field_->gradients(t, x, G_);
  // What the round-off of the largest x so far makes of c.
  return 64.0 * eps * G_.row(guard.surface).cwiseAbs().dot(largest_.transpose()) + std::numeric_limits<double>::min();
}

void SwitchedStepper::gradient(const Guard& guard, double t, const Eigen::VectorXd& x, Eigen::VectorXd& slope,
                               double& by_time) {
  if (guard.of_surface()) {
    const double sign = (mode_.pattern & bit(guard.surface)) != 0 ? 1.0 : -1.0;
    field_->gradients(t, x, G_);
    slope = sign * G_.row(guard.surface).transpose();
    field_->switch_rates(t, x, c_);
    by_time = sign * c_[guard.surface];
    return;
  }
  slope.resize(x.size());
  Eigen::VectorXd moved = x;
  for (Index i = 0; i < x.size(); ++i) {
    const double way = std::cbrt(eps) * std::max(1.0, std::abs(x[i]));
    moved[i] = x[i] + way;
    const double above = margin(guard, t, moved);
    moved[i] = x[i] - way;
    slope[i] = (above - margin(guard, t, moved)) / (2.0 * way);
    moved[i] = x[i];
  }
  const double way = std::cbrt(eps) * std::max(1.0, std::abs(t)), later = margin(guard, t + way, x);
  by_time = (later - margin(guard, t - way, x)) / (2.0 * way);
}

double SwitchedStepper::rate(const Guard& guard, double t, const Eigen::VectorXd& x) {
  probe_alpha_ = alpha_;
  (void)mode_field_.equivalent_control(t, x, probe_alpha_);
  mode_field_.evaluate(t, x, probe_alpha_, F_, nullptr, nullptr);
  if (guard.of_surface()) {
    field_->gradients(t, x, G_);
    field_->switch_rates(t, x, c_);
    const double slope = G_.row(guard.surface).dot(F_) + c_[guard.surface];
    return (mode_.pattern & bit(guard.surface)) != 0 ? slope : -slope;
  }
  const double way =
      std::cbrt(eps) * std::max(1.0, x.lpNorm<Eigen::Infinity>()) / std::max(1.0, F_.lpNorm<Eigen::Infinity>());
  ahead_ = x + way * F_;
  const double later = margin(guard, t + way, ahead_);
  ahead_ = x - way * F_;
  return (later - margin(guard, t - way, ahead_)) / (2.0 * way);
}

SwitchedStepper::Place SwitchedStepper::first_violation(const Element& element, const Guard* but_at_end) {
  const Index stages = collocation_->c.size();
  Place first;
  Eigen::VectorXd &x = place_x_, &stage_alpha = place_alpha_;
  double before = 0.0;
  // The stages and the middles between them: a way out and back between two of them is the motion's own dip, which a
  // step of this length does not resolve.
  for (Index half = 0; half < 2 * stages + 1 && !first.found; ++half) {
    const Index j = half / 2;
    const double left = j == 0 ? 0.0 : collocation_->c[j - 1], right = j < stages ? collocation_->c[j] : 1.0;
    const double s = half % 2 == 0 ? 0.5 * (left + right) : right;
    if (half == 2 * stages && collocation_->ends_at_last_stage) break;
    element.evaluate(half == 2 * stages ? 1.0 : s, x, stage_alpha);
    const double place = half == 2 * stages ? 1.0 : s;
    for (const Guard& guard : guards_) {
      const bool at_end = but_at_end != nullptr && guard == *but_at_end && place > 0.9;
      if (at_end || margin(guard, element.time(place), x) >= -tolerance(guard, element.time(place), x)) continue;
      // Halved between the places on the element's polynomial, which the location starts from.
      double low = before, high = place;
      for (int i = 0; i < 12; ++i) {
        const double middle = 0.5 * (low + high);
        element.evaluate(middle, x, stage_alpha);
        (margin(guard, element.time(middle), x) >= 0.0 ? low : high) = middle;
      }
      if (!first.found || high < first.s) first = {.s = high, .guard = guard, .found = true};
      element.evaluate(place, x, stage_alpha);
    }
    before = place;
  }
  return first;
}

bool SwitchedStepper::march(Index count, double length, bool kept) {
  for (Index i = 0; i < count; ++i) {
    Element& element = chain_[at(i)];
    const Eigen::VectorXd& from = i == 0 ? x_ : chain_[at(i - 1)].end();
    const double begins = t_ + reached_ + static_cast<double>(i) * length;
    bool solved = element.solve(begins, from, length, alpha_, kept);
    iterations_ += element.iterations();
    if (!solved && kept) solved = element.solve(begins, from, length, alpha_, false);
    if (!solved) return false;
  }
  return true;
}

bool SwitchedStepper::locate(Index count, const Guard& guard, double& length) {
  constexpr int kMostSteps = 40;
  const auto elements = static_cast<double>(count);
  double last_length = 0.0, last_value = 0.0, last_step = std::numeric_limits<double>::infinity();
  const double longest = 2.0 * length;
  for (int i = 0; i < kMostSteps; ++i) {
    if (!march(count, length, i > 0)) return false;
    const Eigen::VectorXd& end = chain_[at(count - 1)].end();
    const double t = t_ + reached_ + elements * length, value = margin(guard, t, end);
    // The end moves as the flow does, but for the error of the elements; the secant mends that.
    double slope = elements * rate(guard, t, end);
    if (i > 0 && value != last_value && length != last_length) {
      const double secant = (value - last_value) / (length - last_length);
      if (std::abs(secant - slope) < 0.1 * std::abs(slope)) slope = secant;
    }
    const double step = -value / slope;
    if (!std::isfinite(step)) return false;
    // Of the length, of t, and of what the guard itself is known to.
    const double round_off =
        4.0 * eps * (length + std::abs(t) / elements) + std::abs(tolerance(guard, t, end) / (64.0 * slope));
    if (std::abs(step) <= round_off || (std::abs(step) >= last_step && std::abs(step) <= 1e4 * round_off)) return true;
    last_step = std::abs(step);
    last_length = length;
    last_value = value;
    length = std::clamp(length + step, 0.1 * length, longest);
  }
  return false;
}

bool SwitchedStepper::phase(double left, Index elements, double& length, Index& used, Guard& guard, bool& switched) {
  length = left / static_cast<double>(elements);
  switched = false;
  for (used = 1; used <= elements; ++used) {
    Element& element = chain_[at(used - 1)];
    const Eigen::VectorXd& from = used == 1 ? x_ : chain_[at(used - 2)].end();
    const double begins = t_ + reached_ + static_cast<double>(used - 1) * length;
    if (!element.solve(begins, from, length, alpha_, false)) return false;
    iterations_ += element.iterations();
    Place place = first_violation(element, nullptr);
    if (!place.found) continue;
    place.element = used - 1;
    // The elements before it are stretched or shortened with it; what another guard does there comes first.
    double of_element = length;
    for (std::size_t tries = 0; tries <= guards_.size(); ++tries) {
      guard = place.guard;
      double until = (static_cast<double>(place.element) + place.s) * of_element / static_cast<double>(used);
      if (!locate(used, guard, until)) return false;
      if (static_cast<double>(used) * until > left) {  // by the error of the elements: at the end of the step
        until = left / static_cast<double>(used);
        if (!march(used, until, true)) return false;
      }
      Place earlier;
      for (Index i = 0; i < used && !earlier.found; ++i) {
        earlier = first_violation(chain_[at(i)], i + 1 == used ? &guard : nullptr);
        earlier.element = i;
      }
      if (!earlier.found) {
        length = until;
        switched = true;
        return true;
      }
      place = earlier;
      of_element = until;
    }
    return false;
  }
  used = elements;
  return true;
}

void SwitchedStepper::chain(Index used, bool switched, const Guard& guard, double share, Eigen::MatrixXd& transition) {
  Eigen::VectorXd by_length = Eigen::VectorXd::Zero(x_.size()), by_start = by_length;
  for (Index i = 0; i < used; ++i) {
    chain_[at(i)].differentiate(of_end_);
    transition = of_end_.dx_0 * transition;
    by_length = of_end_.dx_0 * by_length + of_end_.dh + static_cast<double>(i) * of_end_.dt_0;
    by_start = of_end_.dx_0 * by_start + of_end_.dt_0;
  }
  transition.noalias() += by_start * elapsed_;
  if (!switched) {  // the rest of the step: it is shorter where what came before took longer
    transition.noalias() -= share * by_length * elapsed_;
    return;
  }
  const Element& last = chain_[at(used - 1)];
  Eigen::VectorXd slope;
  double by_time = 0.0;
  gradient(guard, last.time(1.0), last.end(), slope, by_time);
  const double passes = slope.dot(by_length) + static_cast<double>(used) * by_time;
  grazed_ = grazed_ || std::abs(passes) <= kGrazing * (slope.norm() * by_length.norm() + std::abs(by_time));
  const Eigen::RowVectorXd length_dx = -(slope.transpose() * transition + by_time * elapsed_) / passes;
  transition.noalias() += by_length * length_dx;
  elapsed_ += static_cast<double>(used) * length_dx;
}

bool SwitchedStepper::vanishes(const Guard& guard) {
  const double t = t_ + reached_;
  return margin(guard, t, x_) <= 1e3 * tolerance(guard, t, x_);
}

Index SwitchedStepper::num_vanishing() {
  return std::count_if(guards_.begin(), guards_.end(), [&](const Guard& guard) { return vanishes(guard); });
}

SwitchedOutcome SwitchedStepper::choose() {
  mode_known_ = true;
  if (!rule_->choose(t_ + reached_, x_, largest_, mode_)) return SwitchedOutcome::NoMode;
  const bool inside =
      begin_mode() && (alpha_.array() >= -kControlTolerance).all() && (alpha_.array() <= 1.0 + kControlTolerance).all();
  return inside ? SwitchedOutcome::Advanced : SwitchedOutcome::Undetermined;
}

bool SwitchedStepper::begin_mode() {
  list_guards();
  if (mode_.alpha.size() == static_cast<Index>(mode_.sliding.size())) {
    alpha_ = mode_.alpha;
  } else {
    alpha_.setConstant(static_cast<Index>(mode_.sliding.size()), 0.5);
  }
  return mode_field_.equivalent_control(t_ + reached_, x_, alpha_);
}

/// Of several surfaces the rule is asked all the same: it says again which motions go on.
bool SwitchedStepper::keep() { return begin_mode() && mode_.sliding.size() <= 1 && num_vanishing() == 0; }

SwitchedOutcome SwitchedStepper::enter(bool goes_on, Eigen::MatrixXd* transition) {
  if (!goes_on || !mode_known_) return choose();
  if (keep()) return SwitchedOutcome::Advanced;
  return change_mode(transition);
}

/// A switch where a step begins. `transition` gets the saltation matrix of the guard that vanishes,
/// I + (F+ - F-) grad^T / (dg/dt along F-).
SwitchedOutcome SwitchedStepper::change_mode(Eigen::MatrixXd* transition) {
  if (transition == nullptr) return choose();
  const SwitchedMode before = mode_;
  const auto found = std::find_if(guards_.begin(), guards_.end(), [&](const Guard& guard) { return vanishes(guard); });
  const bool several = num_vanishing() > 1, one = found != guards_.end();
  Eigen::VectorXd slope, F_before;
  double by_time = 0.0, passes = 0.0;
  mode_field_.evaluate(t_, x_, alpha_, F_before, nullptr, nullptr);
  if (one) {
    gradient(*found, t_, x_, slope, by_time);
    passes = slope.dot(F_before) + by_time;
  }
  const SwitchedOutcome outcome = choose();
  if (outcome != SwitchedOutcome::Advanced || !one || mode_.same_signs(before)) return outcome;
  mode_field_.evaluate(t_, x_, alpha_, F_, nullptr, nullptr);
  coincided_ = coincided_ || several;
  grazed_ = grazed_ || std::abs(passes) <= kGrazing * (slope.norm() * F_before.norm() + std::abs(by_time));
  const Eigen::RowVectorXd moved = slope.transpose() * *transition / passes;
  transition->noalias() += (F_ - F_before) * moved;
  return outcome;
}

/// |x| with the way of the step: where x starts at zero, it is as large as it comes.
void SwitchedStepper::measure(double h) {
  field_->switches(t_, x_, c_);
  unsigned pattern = 0;
  for (Index j = 0; j < c_.size(); ++j)
    if (c_[j] > 0.0) pattern |= bit(j);
  field_->field(t_, x_, pattern, F_);
  largest_ = x_.cwiseAbs() + h * F_.cwiseAbs();
}

SwitchedOutcome SwitchedStepper::step(double t, const Eigen::VectorXd& x, double h, bool goes_on,
                                      Eigen::MatrixXd* transition) {
  t_ = t;
  x_ = x;
  reached_ = 0.0;
  iterations_ = 0;
  of_problem_ = -1.0;
  grazed_ = coincided_ = false;
  if (transition != nullptr) elapsed_.setZero(transition->cols());
  measure(h);
  SwitchedOutcome outcome = follow_modes(h, goes_on, transition);
  for (int rescues = 0; outcome != SwitchedOutcome::Advanced && transition == nullptr; ++rescues) {
    const bool open = outcome == SwitchedOutcome::NoMode || outcome == SwitchedOutcome::Undetermined;
    if (open && rule_->rests_until(t + h, x_)) {
      reached_ = h;
      return SwitchedOutcome::Advanced;
    }
    const bool of_newton = outcome == SwitchedOutcome::NotConverged || outcome == SwitchedOutcome::Undetermined;
    if (!of_newton || rescues == kMostRescues || !rule_->is_only_motion() || !rescue(h)) return outcome;
    outcome = reached_ == h ? SwitchedOutcome::Advanced : follow_modes(h, false, nullptr);
  }
  return outcome;
}

/// A part of what is left of the step by StepProblem: all of it, or the largest half of a half that has an answer.
bool SwitchedStepper::rescue(double h) {
  const double left = h - reached_;
  if (left <= 16.0 * eps * h) {
    of_problem_ = std::max(of_problem_, 0.0);
    reached_ = h;
    return true;
  }
  double part = left;
  for (int halvings = 0; halvings <= kMostHalvings; ++halvings, part *= 0.5) {
    if (!problem_.solve(t_ + reached_, x_, part, std::max<Index>(2, elements_))) continue;
    x_ = problem_.end();
    mode_known_ = false;
    largest_ = largest_.cwiseMax(x_.cwiseAbs());
    of_problem_ = std::max(of_problem_, problem_.residual());
    reached_ = halvings == 0 ? h : reached_ + part;
    return true;
  }
  return false;
}

/// step() by Newton's iteration on one mode after another.
SwitchedOutcome SwitchedStepper::follow_modes(double h, bool goes_on, Eigen::MatrixXd* transition) {
  if (const SwitchedOutcome entered = enter(goes_on, transition); entered != SwitchedOutcome::Advanced) return entered;
  Index elements = elements_;
  for (Index switches = 0; switches <= kMostSwitches; ++switches) {
    double length = 0.0;
    Index used = 0, tried = std::max<Index>(1, elements);
    Guard guard;
    bool switched = false;
    while (!phase(h - reached_, tried, length, used, guard, switched)) {
      if (tried == kMostElements) return SwitchedOutcome::NotConverged;
      tried = std::min(2 * tried, kMostElements);
    }
    if (transition != nullptr) chain(used, switched, guard, 1.0 / static_cast<double>(tried), *transition);
    x_ = chain_[at(used - 1)].end();
    largest_ = largest_.cwiseMax(x_.cwiseAbs());
    if (!switched) {
      reached_ = h;
      return SwitchedOutcome::Advanced;
    }
    elements = tried - used;
    reached_ += static_cast<double>(used) * length;
    coincided_ = coincided_ || num_vanishing() > 1;
    const bool at_end = h - reached_ <= 16.0 * eps * h;
    (void)mode_field_.equivalent_control(t_ + reached_, x_, alpha_);
    mode_field_.evaluate(t_ + reached_, x_, alpha_, F_before_, nullptr, nullptr);
    const SwitchedOutcome chosen = choose();
    if (chosen == SwitchedOutcome::Advanced && !at_end) continue;
    // It ends here, at one t: x goes on, or back, by F for what the switch comes earlier.
    if (chosen == SwitchedOutcome::Advanced)
      mode_field_.evaluate(t_ + reached_, x_, alpha_, F_before_, nullptr, nullptr);
    if (transition != nullptr) transition->noalias() -= F_before_ * elapsed_;
    if (chosen == SwitchedOutcome::Advanced) reached_ = h;
    return chosen;
  }
  return SwitchedOutcome::Chattering;
}

}  // namespace nonsmooth::finite_elements
