// SPDX-License-Identifier: Apache-2.0
#pragma once

// The peer's side of time_loop_peer.cpp. Plain declarations: the peer's headers are C++17, ours C++20.

#include <memory>
#include <vector>

namespace peer {

/// A simulation that is built once and stepped once; only run() is timed.
class TimeLoop {
 public:
  TimeLoop(const TimeLoop&) = delete;
  TimeLoop& operator=(const TimeLoop&) = delete;
  virtual ~TimeLoop() = default;

  virtual void run(long steps) = 0;
  [[nodiscard]] virtual std::vector<double> state() const = 0;  ///< (q, v) or x

 protected:
  TimeLoop() = default;
};

/// nonsmooth::problems::bouncing_ball(): three coordinates, Moreau-Jean theta = 0.5, h = 5 ms, e = 0.9, Lemke.
[[nodiscard]] std::unique_ptr<TimeLoop> bouncing_ball(long steps);
/// nonsmooth::problems::diode_bridge(): four diodes, Euler-Moreau theta = 0.5, h = 1 us, Lemke.
[[nodiscard]] std::unique_ptr<TimeLoop> diode_bridge(long steps);

}  // namespace peer
