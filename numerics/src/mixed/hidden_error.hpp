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

/// w = u_0 - (mu - g)|u_T| over sqrt(1 + (mu - g)^2), in the unit of u: >= 0 where û is in K*, 0 where r is not 0. What
/// is left of that: -w, the penetration of contacts, else the smaller of w and |r|_inf / rho, a gap that opens under a
/// force. 0 for kinds without a cone.
template <class Real>
[[nodiscard]] inline Real opening_error(Real w, Real r_size, Real rho) noexcept {
  return w < 0 ? -w : std::min(w, r_size / rho);
}

[[nodiscard]] inline double opening_error(const BlockSet& set, double rho, const double* r, const double* u,
                                          Index n) noexcept {
  double slope = 0.0, size = 0.0;
  switch (set.kind) {
    case SetKind::Coulomb2D:
    case SetKind::Coulomb3D:
    case SetKind::Rolling:
      break;  // g = mu, in every tangential group
    case SetKind::SecondOrderCone:
    case SetKind::DruckerPrager:
      slope = set.mu - dilatancy(set);
      break;
    case SetKind::Free:
    case SetKind::Orthant:
    case SetKind::Box:
    case SetKind::VonMises:
      return 0.0;
  }
  for (Index k = 0; k < n; ++k) size = std::max(size, std::abs(r[k]));
  const double w = slope == 0.0 ? u[0] : (u[0] - slope * tangential_speed(u, n)) / std::hypot(1.0, slope);
  return opening_error(w, size, rho);
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
