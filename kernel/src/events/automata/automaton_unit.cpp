// SPDX-License-Identifier: Apache-2.0
// A HybridAutomaton in a mode: its guards and what they are judged by.
#include "automaton_unit.hpp"

#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>

#include "model/guarded.hpp"
#include "model/switched/switching_function.hpp"

namespace nonsmooth::events {
namespace {

/// Of the time in which x changes by its size: a way over which the slope's change is above the noise of differences.
constexpr double kCurvatureStep = 1e-4;
/// Of the slope's terms: a change over that way that is less is noise.
constexpr double kCurvatureNoise = 1e-7;

}  // namespace

AutomatonUnit::AutomatonUnit(std::shared_ptr<const AutomatonFields> fields, std::string name, Place place,
                             const EventDrivenOptions& options)
    : fields_(std::move(fields)),
      name_(std::move(name)),
      place_(place),
      thresholds_(options.thresholds),
      on_ambiguity_(options.on_ambiguity),
      choose_(options.choose) {
  x_ = rate_ = later_ = middle_ = gradient_ = largest_ = Eigen::VectorXd::Zero(fields_->n());
}

void AutomatonUnit::reset() {
  mode_ = -1;
  watched_.clear();
  others_.clear();
  largest_.setZero();
  now_ = {};
  ended_.clear();
  chattering_.reset();
}

void AutomatonUnit::gather(const Eigen::VectorXd& z) { x_ = z.segment(place_.z, fields_->n()); }

const SwitchingFunction& AutomatonUnit::function_of(const Watched& watched) const {
  return watched.transition < 0 ? fields_->mode(mode_).invariant : fields_->transition(watched.transition).guard;
}

double AutomatonUnit::value_of(const SwitchingFunction& function, double t, const Eigen::VectorXd& x) {
  double value = 0.0;
  guarded(name_, "a guard or invariant", [&] { value = function.value(window_.inside(t), x); });
  if (!std::isfinite(value))
    throw CallableFailure{"a guard or invariant of " + name_ + " returned a number that is not finite"};
  return value;
}

void AutomatonUnit::field(Index m, double t, const Eigen::VectorXd& x, Eigen::VectorXd& value) {
  guarded(name_, "f(t, x)", [&] { fields_->field(m, window_.inside(t), x, value); });
  require_finite(name_, "f(t, x)", value);
}

double AutomatonUnit::slope_of(const SwitchingFunction& function, double t, const Eigen::VectorXd& x, double& slope) {
  field(mode_, t, x, rate_);
  double own = 0.0;
  t = window_.inside(t);
  guarded(name_, "a derivative of a guard or invariant", [&] {
    switching::gradient(function, t, x, gradient_);
    own = switching::rate(function, t, x, window_.inside(window_.first), window_.inside(window_.last));
  });
  slope = gradient_.dot(rate_) + own;
  return gradient_.cwiseAbs().dot(rate_.cwiseAbs()) + std::abs(own);
}

double AutomatonUnit::terms_of(const SwitchingFunction& function, double t, const Eigen::VectorXd& x) {
  double own = 0.0;
  guarded(name_, "a derivative of a guard or invariant", [&] {
    switching::gradient(function, window_.inside(t), x, gradient_);
    own = switching::rate(function, window_.inside(t), x, window_.inside(window_.first), window_.inside(window_.last));
  });
  return gradient_.cwiseAbs().dot(largest_) + std::abs(own * t) + std::abs(value_of(function, t, x));
}

/// At x_, in the mode mode_.
AutomatonUnit::Reading AutomatonUnit::read(const SwitchingFunction& function, double t) {
  Reading reading{.value = value_of(function, t, x_), .terms = terms_of(function, t, x_)};
  const double terms = slope_of(function, t, x_, reading.slope), speed = rate_.norm(), size = largest_.norm();
  const double scale = speed > 0.0 && size > 0.0 ? size / speed : std::max(1.0, std::abs(t));  // of time
  double h = kCurvatureStep * scale;
  if (const double left = window_.last - t; left > 0.0) h = std::min(h, left / 8.0);
  middle_ = x_ + 0.5 * h * rate_;
  field(mode_, t + 0.5 * h, middle_, rate_);
  later_ = x_ + h * rate_;
  double later = 0.0;
  const double larger = std::max(terms, slope_of(function, t + h, later_, later));
  if (std::abs(later - reading.slope) > kCurvatureNoise * larger) reading.curvature = (later - reading.slope) / h;
  // A field that balances there leaves round-off alone, of which its own terms are made.
  reading.slope_zero = thresholds_.acceleration * std::max(terms, std::abs(reading.curvature) * scale);
  return reading;
}

void AutomatonUnit::watch_mode() {
  watched_.clear();
  for (const Index k : fields_->leaving(mode_)) watched_.push_back({.transition = k, .sign = -1.0});
  if (fields_->mode(mode_).invariant.value) watched_.push_back({.transition = -1, .sign = 1.0});
}

/// Guards of the present mode, with the zeros from which they leave.
void AutomatonUnit::begin_watch(double t) {
  watch_mode();
  for (Watched& one : watched_) {
    const Reading reading = read(function_of(one), t);
    if (std::abs(reading.value) > thresholds_.accumulation * reading.terms) continue;
    one.offset = one.sign * reading.value;
    if (one.sign * reading.direction() > 0.0) one.zeros = std::abs(reading.slope) > reading.slope_zero ? 1 : 2;
  }
}

void AutomatonUnit::guards(double t, const Eigen::VectorXd& z, double* values) {
  gather(z);
  for (std::size_t g = 0; g < watched_.size(); ++g)
    values[g] = watched_[g].sign * value_of(function_of(watched_[g]), t, x_) - watched_[g].offset;
}

void AutomatonUnit::guard_starts(double t, const Eigen::VectorXd& z, bool fresh, int* zeros, double* dips) {
  gather(z);
  for (std::size_t g = 0; g < watched_.size(); ++g) {
    zeros[g] = fresh ? watched_[g].zeros : 0;
    dips[g] = 64.0 * eps * terms_of(function_of(watched_[g]), t, x_);
  }
}

std::string AutomatonUnit::guard_name(Index guard) const {
  const Watched& one = watched_[static_cast<std::size_t>(guard)];
  if (one.transition < 0) return "the invariant of " + fields_->mode(mode_).name + " of " + name_;
  return "the guard of " + fields_->transition_name(one.transition) + " of " + name_;
}

/// The mode is a whole number for ever, and x on the surface that it slides along.
bool AutomatonUnit::remove_drift(double t, Eigen::VectorXd& z) {
  gather(z);
  largest_ = largest_.cwiseMax(x_.cwiseAbs());
  bool settled = false;
  if (now_.mode >= 0) {
    guarded(name_, "a guard or field", [&] { settled = fields_->sliding(now_.mode)->settle(window_.inside(t), x_); });
    require_finite(name_, "the sliding", x_);
    if (settled) z.segment(place_.z, fields_->n()) = x_;
    follow(t);
  }
  double& number = z[place_.z + fields_->n()];
  const auto mode = static_cast<double>(mode_);
  if (mode_ < 0 || number == mode) return settled;
  number = mode;
  return true;
}

}  // namespace nonsmooth::events
