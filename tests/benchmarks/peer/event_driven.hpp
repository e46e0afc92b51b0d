// SPDX-License-Identifier: Apache-2.0
#pragma once

// The peer's side of event_driven_peer.cpp. Plain declarations: the peer's headers are C++17, ours C++20.

#include <memory>
#include <vector>

namespace peer {

/// An event-driven simulation that is built once and run once; only run() is timed.
class EventRun {
 public:
  EventRun(const EventRun&) = delete;
  EventRun& operator=(const EventRun&) = delete;
  virtual ~EventRun() = default;

  /// To the last output time; the number of events: output times and instants. Throws what the peer throws.
  virtual long run() = 0;
  [[nodiscard]] virtual std::vector<double> state() const = 0;  ///< q of all bodies, then v of all

 protected:
  EventRun() = default;
};

// Models of problems/event_driven.hpp; output times k step, k = 1 ... steps. Integrators with the
// peer's default tolerances, problems at impacts and of accelerations by Lemke's algorithm.

/// falling_ball(restitution), LSODAR.
[[nodiscard]] std::unique_ptr<EventRun> falling_ball(double restitution, double step, long steps);
/// column_of_steel_balls(), LSODAR, impulse steps of 1e-6 N s.
[[nodiscard]] std::unique_ptr<EventRun> column_of_steel_balls(double step, long steps);
/// block_on_two_corners(), generalised-alpha method with rho = 0.99, its constraints those of positions.
[[nodiscard]] std::unique_ptr<EventRun> block_on_two_corners(double step, long steps);

}  // namespace peer
