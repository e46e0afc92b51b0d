// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one sentence of Result::message(), alike in every family.

#include <string>
#include <string_view>

#include <nonsmooth/numerics/outcome.hpp>

namespace nonsmooth::detail {

/// What a family tells its users to look at next; the limits' advice is the same everywhere.
struct Advice {
  std::string_view stalled, infeasible, numerical_failure;
};

/// E.g. "iteration limit by lemke after 1 iteration: residual 0.2, worst in row 3; max_pivots reached; raise the
/// limit".
[[nodiscard]] std::string message(const Outcome& outcome, const Advice& advice);

}  // namespace nonsmooth::detail
