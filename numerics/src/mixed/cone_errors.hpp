// SPDX-License-Identifier: Apache-2.0
#pragma once

// e = (r - P_K(r - rho û)) / rho of cones and cylinders, for the certificate, its confirmation in extended precision
// and the figures of friction.

#include <cmath>
#include <limits>
#include <type_traits>

#include "rolling_cone.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::mixed::internal {

/// sqrt of the sum of (r_k - rho u_k)^2 over `size` rows from `first` on.
template <class Real>
[[nodiscard]] inline Real length_of_step(Real rho, const double* r, const Real* u, Index first, Index size) noexcept {
  Real square = 0;
  for (Index k = first; k < first + size; ++k) square += (r[k] - rho * u[k]) * (r[k] - rho * u[k]);
  return std::sqrt(square);
}

/// For callers of for_each_error() that do not ask where borders are.
struct AnyPlace {
  template <class Real>
  void operator()(Index, Index, bool, Real, Real) const noexcept {}
};

/// e of a block of a cone or a cylinder in canonical units, one component at a time: `visit(row, e)`; û_0 = hat.
/// `place(first, size, outside, border, length)`: the rows from `first` on of r - rho û have this length, and the
/// projection shortens it to `border` where `outside`; else e = û there.
template <class Real, class Visit, class Place = AnyPlace>
void for_each_error(const BlockSet& set, std::type_identity_t<Real> rho, std::type_identity_t<Real> hat,
                    const double* r, const Real* u, Index n, Visit visit, Place place = {}) {
  if (set.kind == SetKind::Rolling) {
    const detail::RollingGroups groups = detail::rolling_groups(set, n);
    Real length[3] = {};
    for (int k = 0; k < groups.count; ++k)
      length[k] = length_of_step(rho, r, u, groups.groups[k].first, groups.groups[k].size);
    const auto projection = detail::project_on_rolling_cone(groups, r[0] - rho * hat, length);
    const bool axial = projection.apex || projection.moved;
    visit(Index{0}, axial ? (r[0] - projection.axial) / rho : hat);
    if (axial) place(0, 1, true, projection.axial, r[0] - rho * hat);
    for (int k = 0; k < groups.count; ++k) {
      const detail::RollingGroup& group = groups.groups[k];
      const Real border = group.bound * projection.axial;
      const bool outside = projection.apex || projection.outside[k];
      const Real ratio = projection.outside[k] && length[k] > 0 ? border / length[k] : 0;
      place(group.first, group.size, outside, border, length[k]);
      for (Index i = group.first; i < group.first + group.size; ++i)
        visit(i, outside ? (r[i] - ratio * (r[i] - rho * u[i])) / rho : u[i]);
    }
    return;
  }
  const Real length = length_of_step(rho, r, u, 1, n - 1);
  if (set.kind == SetKind::VonMises) {
    const Real radius = set.radius;
    const bool outside = !(length <= radius);
    place(0, n, outside, radius, length);
    visit(Index{0}, u[0]);
    const Real ratio = outside ? radius / length : 0;
    for (Index k = 1; k < n; ++k) visit(k, outside ? (r[k] - ratio * (r[k] - rho * u[k])) / rho : u[k]);
    return;
  }
  const Real mu = set.mu, z_N = r[0] - rho * hat;
  const bool inside = z_N > 0 ? length <= mu * z_N : (length == 0 && z_N == 0);  // mu = 0: nothing below the apex
  place(0, n, !inside, mu * z_N, length);
  if (inside) {
    visit(Index{0}, hat);
    for (Index k = 1; k < n; ++k) visit(k, u[k]);
  } else if (mu * length <= -z_N) {
    for (Index k = 0; k < n; ++k) visit(k, r[k] / rho);
  } else {
    const Real P_N = (z_N + mu * length) / (1 + mu * mu);
    visit(Index{0}, (r[0] - P_N) / rho);
    const Real ratio = length > 0 ? mu * P_N / length : 0;
    for (Index k = 1; k < n; ++k) visit(k, (r[k] - ratio * (r[k] - rho * u[k])) / rho);
  }
}

/// A contact, in canonical units, whose r - rho û is inside K by more than rounding: e = û there, and the law is u = 0.
/// What is left of u_T then opens nothing, and counts once in û_0 = u_0 + mu |u_T|, as it does where mu is 1, not mu
/// times: of mu = 1e9 the round-off of u_T alone would be an error of 1e-7 of u. `lift`: mu |u_T|, of all groups.
template <class Real>
[[nodiscard]] bool sticks_inside(const BlockSet& set, std::type_identity_t<Real> rho, std::type_identity_t<Real> lift,
                                 const double* r, const Real* u, Index n) noexcept {
  if (!(set.mu > 1.0)) return false;
  if (set.kind != SetKind::Coulomb2D && set.kind != SetKind::Coulomb3D && set.kind != SetKind::Rolling) return false;
  const Real z_N = r[0] - rho * (u[0] + lift), noise = 64 * std::numeric_limits<Real>::epsilon();
  const auto is_inside = [&](Real bound, Index first, Index size) {
    const Real border = bound * z_N, length = length_of_step(rho, r, u, first, size);
    return border - length > noise * (border + length);
  };
  if (!(z_N > noise * std::abs(r[0]))) return false;
  if (set.kind != SetKind::Rolling) return is_inside(set.mu, 1, n - 1);
  for (const detail::RollingGroup& group : detail::rolling_groups(set, n))
    if (group.bound > 0.0 && !is_inside(group.bound, group.first, group.size)) return false;
  return true;
}

}  // namespace nonsmooth::mixed::internal
