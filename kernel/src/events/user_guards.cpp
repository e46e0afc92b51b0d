// SPDX-License-Identifier: Apache-2.0
#include "user_guards.hpp"

#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::events {
namespace {

/// How far to look for the sign of a guard that is zero: far above round-off of t and z, short against motions.
double look_ahead(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot) {
  const double size = z.size() > 0 ? z.lpNorm<Eigen::Infinity>() : 0.0;
  const double rate = zdot.size() > 0 ? zdot.lpNorm<Eigen::Infinity>() : 0.0;
  if (size > 0.0 && rate > 0.0) return std::max(1e-6 * (size / rate), 64.0 * eps * std::abs(t));
  return 1e-6 * (t != 0.0 ? std::abs(t) : 1.0);  // at rest, or at the origin at zero: nothing else has a unit
}

}  // namespace

UserGuards::UserGuards(const std::vector<UserEvent>& events, const State& prototype)
    : events_(events), probe_(prototype) {
  for (std::size_t e = 0; e < events.size(); ++e) {
    if (!events[e].guard) continue;
    watched_.emplace_back();
    watched_.back().event = e;
  }
}

void UserGuards::reset() {
  for (Watched& watched : watched_) {
    watched.magnitude = 0.0;
    watched.handled = true;
  }
}

double UserGuards::value(const Watched& watched, double t, const Eigen::VectorXd& z) {
  probe_.t = t;
  probe_.positions = z.head(probe_.positions.size());
  probe_.unknowns = z.tail(probe_.unknowns.size());
  return events_[watched.event].guard(probe_);
}

void UserGuards::evaluate(double t, const Eigen::VectorXd& z, double* values) {
  for (std::size_t g = 0; g < watched_.size(); ++g) {
    Watched& watched = watched_[g];
    const double raw = value(watched, t, z);
    watched.magnitude = std::max(watched.magnitude, std::abs(raw));
    values[g] = watched.sign * raw - watched.offset;
  }
}

void UserGuards::start(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, double h, int* zeros,
                       double* dips) {
  for (std::size_t g = 0; g < watched_.size(); ++g) {
    Watched& watched = watched_[g];
    double raw = value(watched, t, z);
    zeros[g] = 0;
    watched.offset = 0.0;
    const double ahead = std::max(1e-6 * h, 16.0 * eps * std::abs(t));
    moved_ = z + ahead * zdot;
    const double later = value(watched, t + ahead, moved_);
    watched.magnitude = std::max({watched.magnitude, std::abs(raw), std::abs(later)});
    // Below 1e-11 of its largest value a guard counts as zero: that is what a located event leaves of it.
    const bool zero = std::abs(raw) <= 1e-11 * watched.magnitude, handled = watched.handled;
    watched.handled = false;
    dips[g] = 8.0 * eps * watched.magnitude;
    if (zero && !handled) continue;  // the last step ended on it by chance
    if (zero) {
      zeros[g] = 1;
      watched.offset = raw;
      raw = later;
    }
    watched.sign = raw < 0.0 ? -1.0 : 1.0;
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

void UserGuards::refuse_identical_zeros(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot) {
  for (const Watched& watched : watched_) {
    const double ahead = look_ahead(t, z, zdot);
    bool zero = value(watched, t, z) == 0.0;
    for (const double s : {1.0, 10.0, 100.0, 1000.0}) {
      moved_ = z + s * ahead * zdot;
      zero = zero && value(watched, t + s * ahead, moved_) == 0.0;
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
