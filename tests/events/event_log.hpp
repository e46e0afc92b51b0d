// SPDX-License-Identifier: Apache-2.0
// What the tests of event-driven runs read off the list of events.
#pragma once

#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::event_log {

constexpr double kPi = std::numbers::pi;
constexpr double kGravity = 9.81;

inline std::vector<Event> events_of(const EventDriven& simulation, EventKind kind) {
  std::vector<Event> found;
  for (const Event& event : simulation.events()) {
    if (event.kind == kind) found.push_back(event);
  }
  return found;
}

inline std::vector<double> times_of(const EventDriven& simulation, EventKind kind) {
  std::vector<double> times;
  for (const Event& event : events_of(simulation, kind)) times.push_back(event.t);
  return times;
}

inline std::vector<EventKind> kinds_of(const EventDriven& simulation) {
  std::vector<EventKind> kinds;
  for (const Event& event : simulation.events()) kinds.push_back(event.kind);
  return kinds;
}

/// As many times as expected, each within the tolerance.
inline void expect_times(const std::vector<double>& times, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(times.size(), expected.size());
  for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(times[k], expected[k], tolerance) << "number " << k;
}

/// Runs to T, and says why not.
inline void run_to(EventDriven& simulation, double T) {
  const auto report = simulation.advance_to(T);
  ASSERT_TRUE(report) << report.message();
  ASSERT_EQ(simulation.state().t, T);
}

/// A relation of rows (N, T) at height q[1] and along q[0], or (N, T1, T2) with the height last.
inline LagrangianLinearRelation on_floor(Index dimension) {
  if (dimension == 2) return {.H = {{0.0, 1.0}, {1.0, 0.0}}};
  return {.H = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}};
}

}  // namespace nonsmooth::event_log
