// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the natural map e of a cone does not show in doubles: shared by the certificates of the reduced and the global
// form.

#include <algorithm>
#include <cmath>
#include <limits>

#include "rolling_cone.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::mixed::internal {

[[nodiscard]] inline double tangential_speed(const double* u, Index n) noexcept {
  double square = 0.0;
  for (Index k = 1; k < n; ++k) square += u[k] * u[k];
  return std::sqrt(square);
}

/// |r|_inf.
[[nodiscard]] inline double size_of(const double* r, Index n) noexcept {
  double largest = 0.0;
  for (Index k = 0; k < n; ++k) largest = std::max(largest, std::abs(r[k]));
  return largest;
}

/// |x|_2; no square overflows.
[[nodiscard]] inline double norm(const double* x, Index n) noexcept {
  const double size = size_of(x, n);
  if (!(size > 0.0 && std::isfinite(size))) return size;
  double square = 0.0;
  for (Index k = 0; k < n; ++k) square += (x[k] / size) * (x[k] / size);
  return size * std::sqrt(square);
}

/// û = u + g |u_T| e_0 is in K* where u is in U = {u_0 >= (mu - g)|u_T|}, and on the border of U where r is not 0. What
/// is wrong with that, in the unit of u: the distance of u to U, the penetration of contacts; inside, the smaller of
/// the distance to the border and push = |r|_inf / rho, a gap that opens under a force.
template <class Real>
[[nodiscard]] inline Real opening_error(Real slope, Real u_0, Real u_T, Real push) noexcept {
  if (slope == 0) return u_0 < 0 ? -u_0 : std::min(u_0, push);
  if (slope > 0 && u_T <= -slope * u_0) return std::hypot(u_0, u_T);  // the apex is nearest
  const Real w = (u_0 - slope * u_T) / std::hypot(Real(1), slope);
  return w < 0 ? -w : std::min(w, push);
}

/// The same of a block; 0 for kinds without a cone.
[[nodiscard]] inline double opening_error(const BlockSet& set, double push, const double* u, Index n) noexcept {
  double slope = 0.0;
  switch (set.kind) {
    case SetKind::Coulomb2D:
    case SetKind::Coulomb3D:
    case SetKind::Rolling:
      break;  // g = mu, in every tangential group
    case SetKind::SecondOrderCone:
    case SetKind::DruckerPrager:
      slope = set.mu - lift_factor(set);
      break;
    case SetKind::Free:
    case SetKind::Orthant:
    case SetKind::Box:
    case SetKind::VonMises:
      return 0.0;
  }
  return opening_error(slope, u[0], slope == 0.0 ? 0.0 : tangential_speed(u, n), push);
}

/// What rounding may hide of e = (r - P_K(r - rho û)) / rho is this share of push = |r|_inf / rho: where r is much
/// larger than rho û, û is lost in r - rho û.
inline constexpr double hidden_share = 8.0 * std::numeric_limits<double>::epsilon();

/// rho of terms of equal size, |r| / |û|, û = u + lift e_0, where that is above `rho`: |e| falls as rho grows, so that
/// e with it is no larger (in the Euclidean norm) than e with `rho`, and rounding hides nothing of it. Else 0.
[[nodiscard]] inline double balanced_rho(const double* r, const double* u, double lift, Index n, double rho) noexcept {
  const double size_u = std::max(std::abs(u[0] + lift), size_of(u + 1, n - 1));
  const double balanced = size_of(r, n) / size_u;
  return balanced > rho && std::isfinite(balanced) ? balanced : 0.0;
}

/// r_G opposes u_G where it slides, r_G = -s u_G with s >= 0, in every group G of rows of a cone or a cylinder. The
/// share of e_G that is not along r_G,
///   sin(angle(r_G, -u_G)) |r_G| |u_G| / (|r_G| + rho |u_G|), and 1 for the sine where r_G drives the sliding,
/// in the unit of u: no more than |u_G| and |r_G| / rho, so that it adds nothing to a group that sticks or is open. The
/// directions are compared after each is scaled to 1: no digit of u_G is lost beside a large r_G, as it is in e with
/// any rho where û_N = mu |u_T| is large itself.
[[nodiscard]] inline double misalignment(const detail::RollingGroup& group, double rho, const double* r,
                                         const double* u) noexcept {
  const double size_r = norm(r + group.first, group.size), size_u = norm(u + group.first, group.size);
  if (!(size_r > 0.0 && size_u > 0.0)) return 0.0;
  double square = 0.0;  // |r_G / |r_G| + u_G / |u_G||^2 = 4 sin(angle / 2)^2
  for (Index k = group.first; k < group.first + group.size; ++k) {
    const double sum = r[k] / size_r + u[k] / size_u;
    square += sum * sum;
  }
  const double sine = square < 2.0 ? std::sqrt(square * (1.0 - 0.25 * square)) : 1.0;
  return sine / (1.0 / size_u + rho / size_r);
}

}  // namespace nonsmooth::mixed::internal
