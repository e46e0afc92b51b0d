// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/kernel/event_driven.hpp>

namespace nonsmooth::events {

/// The instants that are known beforehand: users' instants and periods, prescribed impulses.
class Schedule {
 public:
  /// What happens at one of them.
  struct Due {
    bool impulse = false;
    std::size_t index = 0;  ///< of the user's event, or of the impulse
  };

  /// Impulses at or before t0 act in no step, as in time-stepping.
  /// @throws InvalidArgument for a user's instant before t0.
  Schedule(const std::vector<UserEvent>& events, const std::vector<double>& impulses, double t0);

  /// The first instant after t; infinity where there is none.
  [[nodiscard]] double after(double t) const;
  /// Everything due at t, which after() gave.
  void due(double t, std::vector<Due>& found) const;

 private:
  struct Single {
    double instant;
    Due due;
  };
  struct Periodic {
    double first, period;
    Due due;
    [[nodiscard]] double after(double t) const;
  };
  std::vector<Single> singles_;  // by instant
  std::vector<Periodic> periodic_;
};

}  // namespace nonsmooth::events
