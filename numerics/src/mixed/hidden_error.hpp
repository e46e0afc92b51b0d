// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the natural map e of a cone does not show in doubles: shared by the certificates of the reduced and the global
// form.

#include <algorithm>
#include <cmath>
#include <limits>

#include "../set_kernels.hpp"

namespace nonsmooth::mixed::internal {

[[nodiscard]] inline double tangential_speed(const double* u, Index n) noexcept {
  double square = 0.0;
  for (Index k = 1; k < n; ++k) square += u[k] * u[k];
  return std::sqrt(square);
}

/// By how much u violates u_0 >= (mu - g)|u_T|, which is û in K*, over sqrt(1 + (mu - g)^2): the penetration of
/// contacts [unit of u]. 0 or less where it holds, and for kinds without a cone.
[[nodiscard]] inline double dual_violation(const BlockSet& set, const double* u, Index n) noexcept {
  switch (set.kind) {
    case SetKind::Coulomb2D:
    case SetKind::Coulomb3D:
    case SetKind::Rolling:
      return -u[0];  // g = mu, in every tangential group
    case SetKind::SecondOrderCone:
    case SetKind::DruckerPrager: {
      const double slope = set.mu - dilatancy(set);
      return (slope * tangential_speed(u, n) - u[0]) / std::hypot(1.0, slope);
    }
    case SetKind::Free:
    case SetKind::Orthant:
    case SetKind::Box:
    case SetKind::VonMises:
      break;
  }
  return 0.0;
}

/// What rounding may hide of rho e = r - P_K(r - rho û): where r is much larger than rho û, û is lost in r - rho û.
[[nodiscard]] inline double hidden_in(const double* r, Index n) noexcept {
  double largest = 0.0;
  for (Index k = 0; k < n; ++k) largest = std::max(largest, std::abs(r[k]));
  return 8.0 * std::numeric_limits<double>::epsilon() * largest;
}

/// rho of terms of equal size, |r| / |û|, û = u + lift e_0, where that is above `rho`: |e| falls as rho grows, so that
/// e with it is no larger (in the Euclidean norm) than e with `rho`, and rounding hides nothing of it. Else 0. Neither
/// square overflows.
[[nodiscard]] inline double balanced_rho(const double* r, const double* u, double lift, Index n, double rho) noexcept {
  double size_r = 0.0, size_u = std::abs(u[0] + lift);
  for (Index k = 0; k < n; ++k) size_r = std::max(size_r, std::abs(r[k]));
  for (Index k = 1; k < n; ++k) size_u = std::max(size_u, std::abs(u[k]));
  const double balanced = size_r / size_u;
  return balanced > rho && std::isfinite(balanced) ? balanced : 0.0;
}

}  // namespace nonsmooth::mixed::internal
