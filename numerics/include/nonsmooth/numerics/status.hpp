// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace nonsmooth {

/// How a solve ended. A result is born NotRun and only a certified answer is Solved.
enum class Status : unsigned char {
  NotRun,            ///< nothing has been solved yet
  Solved,            ///< the certificate, recomputed from the problem's data, is at or below the tolerance, or its
                     ///< errors are the rounding of its own terms: Result::at_round_off
  IterationLimit,    ///< the best iterate is returned
  TimeLimit,         ///< the best iterate is returned; the one status that depends on the clock
  Infeasible,        ///< no solution exists; the result carries the proof
  Stalled,           ///< no further progress: round-off, a secondary ray, a line search that found no descent
  NumericalFailure,  ///< a factorization broke down or a number overflowed
};

[[nodiscard]] constexpr std::string_view to_string(Status status) noexcept {
  switch (status) {
    case Status::NotRun:
      return "not run";
    case Status::Solved:
      return "solved";
    case Status::IterationLimit:
      return "iteration limit";
    case Status::TimeLimit:
      return "time limit";
    case Status::Infeasible:
      return "infeasible";
    case Status::Stalled:
      return "stalled";
    case Status::NumericalFailure:
      return "numerical failure";
  }
  return "unknown";
}

}  // namespace nonsmooth
