// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one sentence of Result::message(), alike in every family.

#include <string>
#include <string_view>

#include <nonsmooth/numerics/certificate.hpp>
#include <nonsmooth/numerics/status.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::detail {

/// What a family tells its users to look at next; the limits' advice is the same everywhere.
struct Advice {
  std::string_view stalled, infeasible, numerical_failure;
};

/// What is said of a result.
struct Outcome {
  Status status;
  std::string_view solver;
  Index iterations;
  const Certificate& certificate;
  std::string_view reason;
  bool at_round_off;
};

/// E.g. "iteration limit by lemke after 1 iteration: residual 0.2, worst in row 3; max_pivots reached; raise the
/// limit".
[[nodiscard]] std::string message(const Outcome& outcome, const Advice& advice);

/// The same of any family's Result.
template <class Result>
[[nodiscard]] std::string message(const Result& result, const Advice& advice) {
  return message(
      Outcome{result.status, result.solver, result.iterations, result.certificate, result.reason, result.at_round_off},
      advice);
}

}  // namespace nonsmooth::detail
