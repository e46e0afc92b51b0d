// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include <nonsmooth/numerics/friction/problem.hpp>

#include "mixed/internal.hpp"

namespace nonsmooth::friction::internal {

/// What a tolerance bounds, of r and u and their certificate. Without a friction block, or where numbers overflow, the
/// field's figure does not exist: then the certificate's.
[[nodiscard]] inline double measure_of(const Problem& problem, Measure measure, const Certificate& certificate,
                                       const Eigen::Ref<const Eigen::VectorXd>& r,
                                       const Eigen::Ref<const Eigen::VectorXd>& u) {
  if (measure == Measure::Certificate) return certificate.residual;
  const double figure = mixed::internal::natural_map(problem, r, u);
  return std::isnan(figure) ? certificate.residual : figure;
}

[[nodiscard]] inline double measure_of(const Problem& problem, Measure measure, const mixed::Result& of) {
  return measure_of(problem, measure, of.certificate, of.r, of.u);
}

/// Solved, unless rounding could hide an error above what the measure claims: then Stalled (mixed confirm()).
inline void end_solved(const Problem& problem, Measure measure, double tolerance, std::string_view reason,
                       mixed::Result& result) {
  mixed::internal::end(result, Status::Solved, reason);
  // Where the figure is the measure, what round-off could hide is asked of the certificate that it reached.
  const double claim =
      measure == Measure::Certificate ? tolerance : std::max(tolerance, 2.0 * result.certificate.residual);
  mixed::internal::confirm(problem, claim, result);
}

/// What a public solve ends with: notes round-off (mixed note_round_off()), which the field's figure knows nothing of.
inline void note_round_off(const Problem& problem, Measure measure, mixed::Result& result) noexcept {
  if (measure == Measure::Certificate) mixed::internal::note_round_off(problem, result);
}

}  // namespace nonsmooth::friction::internal
