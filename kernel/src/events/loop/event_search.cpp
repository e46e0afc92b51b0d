// SPDX-License-Identifier: Apache-2.0
// The guards of all parts, and the search for the end of a smooth step, in parts where guards turn too often in the
// whole.
#include <algorithm>
#include <cmath>
#include <string>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "event_loop.hpp"

namespace nonsmooth::events {
namespace {

/// Of a step's length, that of the next attempt.
constexpr double kPart = 1.0 / 16.0;
/// Of the step and of t: what is not resolved in a step so short is noise. Above round-off of t on 1/1024 of it.
constexpr double kShortest = 1e-12, kRoundOff = 1e5 * eps;
/// Of a user's guard's largest value: more than that is no noise.
constexpr double kLargestNoise = 1e-6;
constexpr int kMostAttempts = 64;

}  // namespace

Index EventLoop::AllGuards::size() const { return loop.first_of_users() + loop.user_.size(); }

void EventLoop::AllGuards::operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& values) {
  const Index first = loop.mechanics_.num_guards(), second = loop.first_of_filippov(), third = loop.first_of_automata(),
              fourth = loop.first_of_users();
  if (values.size() != fourth + loop.user_.size()) values.resize(fourth + loop.user_.size());
  if (first > 0) loop.mechanics_.guards(t, z, values.data());
  if (second > first) loop.first_order_.guards(t, z, values.data() + first);
  if (third > second) loop.filippov_.guards(t, z, values.data() + second);
  if (fourth > third) loop.automata_.guards(t, z, values.data() + third);
  if (values.size() > fourth) loop.user_.evaluate(t, z, values.data() + fourth);
}

bool EventLoop::AllGuards::along(const smooth::DensePolynomial& dense, Eigen::MatrixXd& coefficients) {
  const Index first = loop.mechanics_.num_guards(), second = loop.first_order_.num_guards();
  if (loop.first_of_users() > loop.first_of_filippov() || loop.user_.size() > 0) return false;
  if (first == 0) return loop.first_order_.guards_along(dense, coefficients);
  if (!loop.mechanics_.zero_crossings().along(loop.start_z_, dense, first + second, coefficients)) return false;
  if (second == 0) return true;
  if (!loop.first_order_.guards_along(dense, rows_)) return false;
  coefficients.bottomRows(second).leftCols(dense.degree + 1) = rows_.leftCols(dense.degree + 1);
  return true;
}

smooth::Guards::Probing EventLoop::AllGuards::probing(const smooth::DensePolynomial& dense) {
  Probing wanted = loop.mechanics_.zero_crossings().probing(dense);
  const double least = part ? smooth::kPlacesOfLongest : 0.0;
  const Probing rows = loop.first_order_.probing(dense, least);
  const Probing surfaces = loop.filippov_.probing(dense, least), modes = loop.automata_.probing(dense, least);
  wanted.guards += rows.guards + surfaces.guards + modes.guards + loop.user_.size();
  wanted.places =
      std::max({wanted.places, rows.places, surfaces.places, modes.places, loop.user_.places(dense.h), least});
  return wanted;
}

void EventLoop::AllGuards::probe(double t, const Eigen::VectorXd& z, double* values) {
  Index count = loop.mechanics_.zero_crossings().probe(t, z, values);
  count += loop.first_order_.probe(t, z, values + count);
  count += loop.filippov_.probe(t, z, values + count);
  count += loop.automata_.probe(t, z, values + count);
  if (loop.user_.size() > 0) loop.user_.evaluate(t, z, values + count);
}

bool EventLoop::nothing_crosses(const smooth::DensePolynomial& dense) {
  if (guards_.size() == mechanics_.num_guards() && mechanics_.zero_crossings().stays_open(start_z_, dense)) return true;
  return start_ != Start::AfterInstant && finder_.stays_clear(guards_, dense);
}

/// Slopes of the guards by the step's interpolant between `aside` and t: taken within the part before the crossing, as
/// at the start itself the guard may be zero as well, and nearer until the slope of the guard that crosses converges,
/// as functions of time may be far narrower than the step.
Eigen::VectorXd EventLoop::slopes_before(double t, Index guard, double& aside) {
  constexpr double kNearer = 1.0 / 16.0, kConverged = 0.1;
  const double nearest = 1e4 * eps * std::abs(t);
  stepper_->dense().evaluate(t, inside_);
  guards_(t, inside_, values_);
  Eigen::VectorXd slopes;
  for (double distance = 1e-2 * (t - stepper_->t_start());; distance *= kNearer) {
    const double at = t - distance;
    if (slopes.size() > 0 && distance < nearest) return slopes;
    stepper_->dense().evaluate(at, inside_);
    guards_(at, inside_, earlier_);
    const double last = slopes.size() > 0 ? slopes[guard] : 0.0;
    slopes = (values_ - earlier_) / (t - at);
    aside = at;
    if (last != 0.0 && std::abs(slopes[guard] - last) <= kConverged * std::abs(last)) return slopes;
  }
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
  // The interpolant's slope starts Newton's iteration, which then goes by secants of full-order steps.
  double aside = t;
  Eigen::VectorXd slopes = slopes_before(t, guard, aside);
  double lower = start, upper = step_end, before = aside;
  double nearest = t, nearest_value = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < 20; ++pass) {
    if (stepper_->shorten(t) != smooth::Outcome::Taken) return false;
    guards_(t, stepper_->z(), values_);
    if (pass > 0 && std::abs(t - before) > 1e4 * eps * std::abs(t)) {  // nearer, differences are round-off
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
    if (std::abs(next - t) <= 2.0 * eps * std::abs(t)) break;  // before the bracket, whose other end may be far
    if (!(next > lower && next < upper)) next = 0.5 * (lower + upper);
    if (std::abs(next - t) <= 2.0 * eps * std::abs(t) || !(next > start)) break;
    earlier_ = values_;
    before = t;
    t = next;
  }
  if (t != nearest) {  // a last guess that round-off led astray
    if (stepper_->shorten(nearest) != smooth::Outcome::Taken) return false;
    guards_(nearest, stepper_->z(), values_);
  }
  crossed_.push_back(guard);
  for (Index g = 0; g < values_.size(); ++g) {
    const bool tied = std::find(crossing.tied.begin(), crossing.tied.end(), g) != crossing.tied.end();
    const bool below = values_[g] < -dips_[g] && slopes[g] < 0.0 && zeros_[static_cast<std::size_t>(g)] == 0;
    if (g != guard && (below || (tied && values_[g] <= dips_[g]))) crossed_.push_back(g);
  }
  return true;
}

bool EventLoop::locate(RunReport& report) {
  const Index count = guards_.size(), first = mechanics_.num_guards(), second = first_of_filippov(),
              third = first_of_automata(), fourth = first_of_users();
  const double start = stepper_->t_start(), end = stepper_->t();
  const double shortest = std::max(kShortest * (end - start), kRoundOff * std::max(std::abs(start), std::abs(end)));
  // With no closed row the guards are the same from step to step, and nothing moves the state between them.
  const bool fresh = start_ == Start::AfterInstant;
  MechanicalGuards& gaps = mechanics_.zero_crossings();
  bool goes_on = !fresh && count == first && mechanics_.num_multipliers() == 0 && !gaps.may_leave_out();
  if (fresh) finder_.forget_noise();
  zeros_.assign(static_cast<std::size_t>(count), 0);
  dips_.setZero(count);
  if (user_.size() > 0) flow_(start, start_z_, zdot_);
  const auto failed = [&](const std::string& detail) {
    report.outcome = Outcome::IntegratorFailed;
    report.detail = detail;
    return false;
  };
  for (int attempt = 0; attempt < kMostAttempts; ++attempt, goes_on = false) {
    const double h = stepper_->t() - start;
    mechanics_.guard_starts(start, start_z_, fresh, zeros_.data(), dips_.data());
    if (second > first) {
      first_order_.guard_starts(start, start_z_, fresh, zeros_.data() + first, dips_.data() + first);
    }
    if (third > second) filippov_.guard_starts(start, start_z_, fresh, zeros_.data() + second, dips_.data() + second);
    if (fourth > third) automata_.guard_starts(start, start_z_, fresh, zeros_.data() + third, dips_.data() + third);
    for (Index g = fourth; g < count; ++g) {  // a zero that was handled is one in the next attempt too
      if (zeros_[static_cast<std::size_t>(g)] > 0) user_.mark_handled(g - fourth);
    }
    if (user_.size() > 0)
      user_.start(stepper_->dense(), start_z_, zdot_, zeros_.data() + fourth, dips_.data() + fourth);
    guards_.part = attempt > 0;
    gaps.look_near(start_z_, stepper_->dense());
    auto crossing = finder_.first(guards_, stepper_->dense(), zeros_, dips_, goes_on);
    if (gaps.take_in(crossing ? crossing->t : stepper_->t()))
      crossing = finder_.first(guards_, stepper_->dense(), zeros_, dips_);
    if (crossing) {
      searched_ = t_;  // what follows is another motion
      return polish(*crossing, stepper_->t()) ||
             failed("no step ends at the zero of " + name_of_guard(crossing->guard));
    }
    const auto unresolved = finder_.unresolved();
    if (!unresolved) return true;
    const Index guard = unresolved->guard;
    const bool known_part = unresolved->t - start >= kPart * h;
    double next = known_part ? unresolved->t : start + kPart * h;
    if (!known_part && h <= shortest) {
      // dips of users' guards are 8 eps of their largest values
      if (guard >= fourth && unresolved->size > kLargestNoise / (8.0 * eps) * dips_[guard]) break;
      finder_.count_as_noise(*unresolved);
      next = end;
    }
    if (stepper_->shorten(next) != smooth::Outcome::Taken)
      return failed("no step is short enough for " + name_of_guard(guard));
    if (known_part) {
      searched_ = start + h;
      return true;
    }
  }
  const auto& unresolved = finder_.unresolved();
  return failed((unresolved ? name_of_guard(unresolved->guard) : "a guard of the mode") +
                " is not continuous near t = " + text(start) + ", or turns too often for any step");
}

}  // namespace nonsmooth::events
