// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>

/// What happens at instants at which a mode ends: how it was resolved, and where functions of time are asked beside it.
namespace nonsmooth::instants {

/// A number for messages, nine digits.
[[nodiscard]] std::string text(double value);

/// How a subsystem came through the resolution of an instant.
struct Resolution {
  enum class Outcome : unsigned char {
    Mode,          ///< there is a mode to go on with
    NoMode,        ///< no mode is consistent: no acceleration, or no rate, satisfies the laws
    Unsolved,      ///< an impact or mode problem that the solver did not solve
    Undetermined,  ///< derivatives up to the last that is looked at do not tell which mode follows
    Ambiguous,     ///< several motions go on, and none is to be chosen; the part has one of them as its mode
    Endless,       ///< changes of mode at one instant without end
  };
  Outcome outcome = Outcome::Mode;
  std::string detail;  ///< which interaction, and why; empty for Mode

  explicit operator bool() const noexcept { return outcome == Outcome::Mode; }
};

/// The open interval between two instants at which data may jump: functions of time are asked inside of it only, so
/// that its ends see the limits from within.
struct TimeWindow {
  double first = -std::numeric_limits<double>::infinity(), last = std::numeric_limits<double>::infinity();

  /// 16 eps away from either end, relative to the largest magnitude of t and the ends: an end at zero has none.
  [[nodiscard]] double inside(double t) const noexcept;
};

}  // namespace nonsmooth::instants
