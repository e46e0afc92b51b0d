// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every family calls solved although its tolerance is not reached: an answer that is right to the rounding of its
// own terms. The doors say it, which are registries, Automatic and the workspaces of Automatic: algorithms inside a
// portfolio end Stalled, so that the next may reach the tolerance. Forms whose certificate has no row_residual never
// say it.

#include <cmath>
#include <limits>
#include <string_view>

#include <nonsmooth/numerics/certificate.hpp>
#include <nonsmooth/numerics/status.hpp>

namespace nonsmooth::detail {

/// The reason of such a result, which message() repeats.
inline constexpr std::string_view solved_at_round_off =
    "at round-off: the tolerance is below what double precision allows";

/// True if the error of each row is within the round-off of its own terms, 64 eps (|W||r| + |q|)_i, and r is no
/// direction to infinity, which satisfies every row in the same sense: on sets without bound eps |W||r| is to be below
/// 1e-6 of the data. `bounded`: K is; `data`: the size of the problem's data, max |q| [unit of q].
[[nodiscard]] inline bool solved_to_round_off(const Certificate& certificate, bool bounded, double data) noexcept {
  constexpr double unit = 64.0 * std::numeric_limits<double>::epsilon();  // as in round_off
  return std::isfinite(certificate.round_off) && certificate.error <= certificate.round_off &&
         certificate.row_residual <= unit && (bounded || certificate.round_off <= 64.0 * 1e-6 * data);
}

/// Turns a result that no algorithm brought to its tolerance Solved, told so, where its errors are the rounding of its
/// own terms.
template <class Result>
void tell_round_off(bool bounded, double data, Result& result) {
  const bool open =
      result.status == Status::Stalled || result.status == Status::IterationLimit || result.status == Status::TimeLimit;
  if (!open || !solved_to_round_off(result.certificate, bounded, data)) return;
  result.status = Status::Solved;
  result.reason = solved_at_round_off;
  result.proof.resize(0);
}

}  // namespace nonsmooth::detail
