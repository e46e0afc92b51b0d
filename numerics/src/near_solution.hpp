// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is refined at the doors of a family, which are its registry, Automatic and its workspaces: answers that are
// nearly solutions, whatever solver left them (mixed/refinement.hpp, relay/refinement.hpp).

#include <string_view>

#include <nonsmooth/numerics/status.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::detail {

/// Result::reason of an answer that refinement brought to the tolerance.
inline constexpr std::string_view refined_reason = "refined by Newton steps on the modes that the solver found";

/// Residuals above come with modes that are anyone's guess.
inline constexpr double near_a_solution = 1e-3;

/// Factorizations of a refinement.
inline constexpr Index most_refinements = 12;

/// More rows cost more than a caller expects behind a solver's last iteration: of a nearly full and of a sparse matrix.
inline constexpr Index most_full_rows = 600, most_sparse_rows = 4'000;

/// Stalled, or at the iteration limit where the caller set none, and tolerance < residual <= near_a_solution. An
/// iteration limit of the caller's is what was asked for.
template <class Result>
[[nodiscard]] bool ended_near(const Result& result, double tolerance, Index max_iterations) noexcept {
  const bool open =
      result.status == Status::Stalled || (result.status == Status::IterationLimit && max_iterations == 0);
  const double residual = result.certificate.residual;
  return open && residual > tolerance && residual <= near_a_solution;
}

}  // namespace nonsmooth::detail
