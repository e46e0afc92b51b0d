// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/certificate.hpp>
#include <nonsmooth/numerics/status.hpp>

namespace nonsmooth::mixed::internal {

/// When a Newton method ends, whatever its equations: looked at before each step.
struct NewtonStop {
  /// How it is to conclude where the certificate does not say Solved.
  Status status = Status::IterationLimit;
  std::string_view reason;

  /// True where `measure` is met, the error has been at round-off for more than ten looks, or steps or time are up.
  [[nodiscard]] bool due(double measure, double tolerance, const Certificate& certificate, Index steps, Index max_steps,
                         const nonsmooth::detail::Deadline& deadline) {
    if (measure <= tolerance) return true;
    if (certificate.error <= certificate.round_off && ++at_round_off_ > 10) {
      status = Status::Stalled;
      reason = "at round-off";
    } else if (steps >= max_steps) {
      reason = "max_steps reached";
    } else if (deadline.passed()) {
      status = Status::TimeLimit;
      reason = "time_limit reached";
    } else {
      return false;
    }
    return true;
  }

 private:
  int at_round_off_ = 0;
};

}  // namespace nonsmooth::mixed::internal
