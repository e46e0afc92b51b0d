// SPDX-License-Identifier: Apache-2.0
#include "schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nonsmooth/numerics/error.hpp>

#include "events/mode_part.hpp"

namespace nonsmooth::events {
namespace {

/// Instants this close are one: what k period and a sum of periods differ by.
double tie(double t) { return 64.0 * std::numeric_limits<double>::epsilon() * std::abs(t); }

}  // namespace

Schedule::Schedule(const std::vector<UserEvent>& events, const std::vector<double>& impulses, double t0) {
  for (std::size_t e = 0; e < events.size(); ++e) {
    for (const double instant : events[e].instants) {
      if (instant < t0) {
        throw InvalidArgument("EventDrivenOptions::events[" + std::to_string(e) + "].instants",
                              text(instant) + ", before the start at t = " + text(t0),
                              "instants that are not in the past");
      }
      singles_.push_back({instant, {false, e}});
    }
    const double reach = std::max(std::abs(t0), std::abs(events[e].first));
    if (events[e].period > 0.0 && !(events[e].period > 4.0 * tie(reach))) {
      throw InvalidArgument("EventDrivenOptions::events[" + std::to_string(e) + "].period",
                            "a period that is round-off of the time at which it runs", "a period above 256 eps |t|");
    }
    if (events[e].period > 0.0) periodic_.push_back({events[e].first, events[e].period, {false, e}});
  }
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    if (impulses[i] > t0) singles_.push_back({impulses[i], {true, i}});
  }
  std::stable_sort(singles_.begin(), singles_.end(),
                   [](const Single& one, const Single& other) { return one.instant < other.instant; });
}

double Schedule::Periodic::after(double t) const {
  double k = std::max(0.0, std::floor((t - first) / period));
  for (int tries = 0; tries < 4; ++tries, k += 1.0) {
    if (first + k * period > t + tie(t)) return first + k * period;
  }
  return std::numeric_limits<double>::infinity();  // t has outgrown the period: instants are no longer told apart
}

double Schedule::after(double t) const {
  double next = std::numeric_limits<double>::infinity();
  const auto single = std::upper_bound(singles_.begin(), singles_.end(), t + tie(t),
                                       [](double value, const Single& one) { return value < one.instant; });
  if (single != singles_.end()) next = single->instant;
  for (const Periodic& periodic : periodic_) next = std::min(next, periodic.after(t));
  return next;
}

void Schedule::due(double t, std::vector<Due>& found) const {
  found.clear();
  for (const Single& single : singles_) {
    if (std::abs(single.instant - t) <= tie(t)) found.push_back(single.due);
  }
  for (const Periodic& periodic : periodic_) {
    const double k = std::round((t - periodic.first) / periodic.period);
    if (k >= 0.0 && std::abs(periodic.first + k * periodic.period - t) <= tie(t)) found.push_back(periodic.due);
  }
}

}  // namespace nonsmooth::events
