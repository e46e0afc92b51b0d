// SPDX-License-Identifier: Apache-2.0
#include "user_guards.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/guarded.hpp"

namespace nonsmooth::events {
namespace {

/// Times in which coordinates change by their size: each has its own, as they have units of their own.
struct TimeScales {
  double shortest = std::numeric_limits<double>::infinity(), longest = 0.0;

  void add(double scale) {
    if (!(scale > 0.0 && std::isfinite(scale))) return;
    shortest = std::min(shortest, scale);
    longest = std::max(longest, scale);
  }
  [[nodiscard]] bool empty() const noexcept { return longest == 0.0; }
};

}  // namespace

UserGuards::UserGuards(const std::vector<UserEvent>& events, const State& prototype, bool fixed_step,
                       FirstOrderPart& first_order)
    : events_(events), probe_(prototype), fixed_step_(fixed_step), first_order_(first_order) {
  for (std::size_t e = 0; e < events.size(); ++e) {
    if (!events[e].guard) continue;
    watched_.emplace_back();
    watched_.back().event = e;
  }
}

void UserGuards::reset() {
  longest_step_ = {};
  for (Watched& watched : watched_) {
    watched.magnitude = 0.0;
    watched.handled = true;
    watched.repeats = false;
    watched.last = std::numeric_limits<double>::quiet_NaN();
  }
}

void UserGuards::happened(Index guard, double t) {
  mark_handled(guard);
  Watched& watched = watched_[static_cast<std::size_t>(guard)];
  watched.repeats = watched.last == t;
  watched.last = t;
}

double UserGuards::value(const Watched& watched, double t, const Eigen::VectorXd& z) {
  probe_.t = t;
  probe_.positions = z.head(probe_.positions.size());
  probe_.unknowns = z.tail(probe_.unknowns.size());
  first_order_.complete(t, z, probe_.unknowns);
  const UserEvent& event = events_[watched.event];
  double value = 0.0;
  guarded(event.name.empty() ? "a user's event" : event.name, "guard", [&] { value = event.guard(probe_); });
  return value;
}

void UserGuards::evaluate(double t, const Eigen::VectorXd& z, double* values) {
  for (std::size_t g = 0; g < watched_.size(); ++g) {
    Watched& watched = watched_[g];
    const double raw = value(watched, t, z);
    watched.magnitude = std::max(watched.magnitude, std::abs(raw));
    values[g] = watched.sign * raw - watched.offset;
  }
}

double UserGuards::places(double h) {
  if (watched_.empty()) return 0.0;
  double most = fixed_step_ ? 0.0 : longest_step_.places(h, h);
  for (const Watched& watched : watched_) {
    const double feature = events_[watched.event].smallest_feature;
    if (feature > 0.0) most = std::max(most, 2.0 * h / feature);
  }
  return most;
}

/// The sum of what changes of each coordinate, and of t, by a few of its last bits do to the guard.
double UserGuards::round_off(const Watched& watched, double t, const Eigen::VectorXd& z, double raw) {
  constexpr double kBits = 4.0 * eps;
  moved_ = z;
  double sum = std::abs(value(watched, t + kBits * std::abs(t), moved_) - raw);
  for (Index i = 0; i < z.size(); ++i) {
    moved_[i] = z[i] + kBits * std::abs(z[i]);
    sum += std::abs(value(watched, t, moved_) - raw);
    moved_[i] = z[i];
  }
  return sum;
}

UserGuards::Departure UserGuards::departure(const Watched& watched, const smooth::DensePolynomial& dense,
                                            const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, double raw) {
  constexpr int kHighest = 4;
  const double least = std::max(8.0 * watched.noise, 64.0 * eps * std::abs(raw));
  // By its slope where that shows: a ball that is thrown up leaves upwards, however soon it is back.
  const double ahead = std::max(1e-6 * dense.h, 16.0 * eps * std::abs(dense.t0));
  moved_ = z + ahead * zdot;
  const double after = value(watched, dense.t0 + ahead, moved_) - raw;
  moved_ = z - ahead * zdot;
  const double before = value(watched, dense.t0 - ahead, moved_) - raw;
  const double slope = 0.5 * (after - before), bend = 0.5 * (after + before);  // a tangent start has no slope
  if (slope != 0.0 && std::abs(slope) > std::abs(bend)) return {slope < 0.0 ? -1.0 : 1.0, 1};
  const auto change = [&](double s) {
    const double t = s == 1.0 ? dense.end() : dense.t0 + s * dense.h;
    dense.evaluate(t, moved_);
    return value(watched, t, moved_) - raw;
  };
  // From near to far: the first place where it shows above round-off, and twice as far for the order.
  for (const double s : {0x1p-20, 0x1p-15, 0x1p-10, 0x1p-7, 0x1p-4, 0x1p-1}) {
    const double near = change(s);
    if (!(std::abs(near) > least)) continue;
    const double ratio = change(2.0 * s) / near;
    const double order = ratio > 0.0 ? std::round(std::log2(ratio)) : 1.0;
    return {near < 0.0 ? -1.0 : 1.0, static_cast<int>(std::clamp(order, 1.0, static_cast<double>(kHighest)))};
  }
  // Below round-off in the middle: at the end up to 16 times as much is still that of a zero of order 4.
  const double end = std::abs(change(1.0));
  return {.size = end <= 16.0 * least ? end : 0.0};
}

void UserGuards::start(const smooth::DensePolynomial& dense, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot,
                       int* zeros, double* dips) {
  for (std::size_t g = 0; g < watched_.size(); ++g) {
    Watched& watched = watched_[g];
    const double raw = value(watched, dense.t0, z);
    zeros[g] = 0;
    watched.offset = 0.0;
    watched.magnitude = std::max(watched.magnitude, std::abs(raw));
    dips[g] = 8.0 * eps * watched.magnitude;
    const bool handled = watched.handled;
    watched.handled = false;
    // Below 1e-11 of its largest value a guard counts as zero: that is what a located event leaves of it.
    double zero = 1e-11 * watched.magnitude;
    if (handled) {
      watched.noise = round_off(watched, dense.t0, z, raw);
      zero = std::max(zero, 8.0 * watched.noise);
    }
    if (std::abs(raw) > zero) {
      watched.sign = raw < 0.0 ? -1.0 : 1.0;
      continue;
    }
    if (!handled || watched.repeats) continue;  // the last step ended on it by chance; or it cannot leave
    const Departure leaves = departure(watched, dense, z, zdot, raw);
    watched.offset = raw;
    dips[g] = std::max(dips[g], 8.0 * watched.noise);
    zeros[g] = leaves.order;
    if (leaves.sign == 0.0) {
      watched.handled = true;  // still leaving: nothing that is told of it along this step is more than round-off
      zeros[g] = 0;
      dips[g] = std::max(dips[g], 2.0 * leaves.size);
    } else {
      watched.sign = leaves.sign;
    }
    watched.offset *= watched.sign;
  }
}

bool UserGuards::counts(Index guard) const {
  const Watched& watched = watched_[static_cast<std::size_t>(guard)];
  switch (events_[watched.event].direction) {
    case UserEvent::Direction::Both:
      return true;
    case UserEvent::Direction::Falling:
      return watched.sign > 0.0;
    case UserEvent::Direction::Rising:
      return watched.sign < 0.0;
  }
  return true;
}

void UserGuards::refuse_identical_zeros(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot,
                                        smooth::RightHandSide& flow) {
  constexpr double kNear = 1e-6;
  std::optional<std::array<double, 8>> places;
  for (const Watched& watched : watched_) {
    bool zero = value(watched, t, z) == 0.0;
    if (!zero) continue;
    if (!places) {
      TimeScales scales;
      for (Index i = 0; i < z.size(); ++i) scales.add(std::abs(z[i]) / std::abs(zdot[i]));
      // At rest every step tells the accelerations; at the origin at zero nothing has a unit.
      const double here = t != 0.0 ? std::abs(t) : 1.0, least = 64.0 * eps * std::abs(t);
      const double step = std::max(kNear * (scales.empty() ? here : scales.shortest), least);
      moved_ = z + step * zdot;
      second_.resize(z.size());
      flow(t + step, moved_, second_);
      second_ = (second_ - zdot) / step;
      for (Index i = 0; i < z.size(); ++i) scales.add(std::sqrt(std::abs(z[i]) / std::abs(second_[i])));
      if (scales.empty()) scales.add(here);
      places.emplace();
      double share = kNear;
      for (std::size_t k = 0; k < 4; ++k, share *= 10.0) {
        (*places)[k] = std::max(share * scales.shortest, least);
        (*places)[k + 4] = std::max(share * scales.longest, least);
      }
    }
    for (const double s : *places) {
      // z(t + s) to second order; without a velocity the second derivative has the time to show.
      moved_ = z + s * zdot + (0.5 * s * s) * second_;
      zero = value(watched, t + s, moved_) == 0.0;
      if (!zero) break;
    }
    if (zero) {
      const std::string& name = events_[watched.event].name;
      throw InvalidArgument("EventDrivenOptions::events[" + std::to_string(watched.event) + "].guard",
                            "zero at the start and along the motion from there" + (name.empty() ? name : ": " + name),
                            "a function that passes zero at single instants");
    }
  }
}

}  // namespace nonsmooth::events
