// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every family calls solved although its tolerance is not reached: an answer that is right to the rounding of its
// own terms. Every solve notes it in Result::at_round_off. The doors, which are registries, Automatic and its
// workspaces, call it Solved: algorithms inside a portfolio keep their status, so that the next may reach the
// tolerance.

#include <cmath>
#include <limits>
#include <string_view>

#include <nonsmooth/numerics/certificate.hpp>
#include <nonsmooth/numerics/status.hpp>

namespace nonsmooth::detail {

/// The reason of such a result, which message() repeats.
inline constexpr std::string_view solved_at_round_off =
    "at round-off: the tolerance is below what double precision allows";

/// On sets without bound what rounding leaves in u, eps |W||r|, may be at most this part of the data.
inline constexpr double largest_rounding = 1e-6;

/// True if the error of each row is within the round-off of its own terms, 64 eps (|W||r| + |q|)_i, and r is no
/// direction to infinity, which satisfies every row in the same sense: on sets without bound eps |W||r| is to be below
/// 1e-6 of the data. `bounded`: K is. The certificate has its default floor, so that its scale is the size of the data
/// or, where r has outgrown them, round_off itself, which is above 64e-6 of it.
[[nodiscard]] inline bool solved_to_round_off(const Certificate& certificate, bool bounded) noexcept {
  constexpr double unit = 64.0 * std::numeric_limits<double>::epsilon();  // as in round_off
  return std::isfinite(certificate.round_off) && certificate.error <= certificate.round_off &&
         certificate.row_residual <= unit &&
         (bounded || certificate.round_off <= 64.0 * largest_rounding * certificate.scale);
}

/// Sets result.at_round_off of a solve that ended with this status and certificate. Solved ones keep theirs: they are
/// at the tolerance, or were told before.
template <class Result>
void note_round_off(bool bounded, Result& result) noexcept {
  if (result.status == Status::Solved) return;
  const bool open =
      result.status == Status::Stalled || result.status == Status::IterationLimit || result.status == Status::TimeLimit;
  result.at_round_off = open && solved_to_round_off(result.certificate, bounded);
}

/// Turns a result Solved of which round-off has been noted.
template <class Result>
void call_solved(Result& result) {
  if (result.status == Status::Solved || !result.at_round_off) return;
  result.status = Status::Solved;
  result.reason = solved_at_round_off;
  result.proof.resize(0);
}

/// Both, at a door.
template <class Result>
void tell_round_off(bool bounded, Result& result) {
  note_round_off(bounded, result);
  call_solved(result);
}

}  // namespace nonsmooth::detail
