// SPDX-License-Identifier: Apache-2.0
#pragma once

// e = (r - P_K(r - rho û)) / rho of cones and cylinders, for the certificate and the figures of friction.

#include <cmath>

#include "rolling_cone.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::mixed::internal {

/// e of a cone of any size, one component at a time: `visit(row, e)`. normal_gain = û_0 - u_0.
template <class Visit>
void cone_error(double mu, double rho, double normal_gain, const double* r, const double* u, Index n, Visit visit) {
  const double hat = u[0] + normal_gain;
  const double z_N = r[0] - rho * hat;
  double square = 0.0;
  for (Index k = 1; k < n; ++k) square += (r[k] - rho * u[k]) * (r[k] - rho * u[k]);
  const double slope = std::sqrt(square);
  if (z_N > 0.0 ? slope <= mu * z_N : (slope == 0.0 && z_N == 0.0)) {  // mu = 0: nothing below the apex is inside
    visit(Index{0}, hat);
    for (Index k = 1; k < n; ++k) visit(k, u[k]);
  } else if (mu * slope <= -z_N) {
    for (Index k = 0; k < n; ++k) visit(k, r[k] / rho);
  } else {
    const double P_N = (z_N + mu * slope) / (1.0 + mu * mu);
    visit(Index{0}, (r[0] - P_N) / rho);
    const double ratio = slope > 0.0 ? mu * P_N / slope : 0.0;
    for (Index k = 1; k < n; ++k) visit(k, (r[k] - ratio * (r[k] - rho * u[k])) / rho);
  }
}

/// e of a rolling cone, in the same manner: groups that the projection leaves alone have e = u.
template <class Visit>
void rolling_error(const BlockSet& set, double rho, const double* r, const double* u, Index n, Visit visit) {
  const detail::RollingGroups groups = detail::rolling_groups(set, n);
  const double hat = u[0] + velocity_lift(set, u, n);
  double length[3] = {};
  for (int k = 0; k < groups.count; ++k) {
    double square = 0.0;
    for (Index i = groups.groups[k].first; i < groups.groups[k].first + groups.groups[k].size; ++i)
      square += (r[i] - rho * u[i]) * (r[i] - rho * u[i]);
    length[k] = std::sqrt(square);
  }
  const auto projection = detail::project_on_rolling_cone(groups, r[0] - rho * hat, length);
  visit(Index{0}, projection.apex || projection.moved ? (r[0] - projection.axial) / rho : hat);
  for (int k = 0; k < groups.count; ++k) {
    const detail::RollingGroup& group = groups.groups[k];
    const double ratio = projection.outside[k] && length[k] > 0.0 ? group.bound * projection.axial / length[k] : 0.0;
    const bool kept = !projection.apex && !projection.outside[k];
    for (Index i = group.first; i < group.first + group.size; ++i)
      visit(i, kept ? u[i] : (r[i] - ratio * (r[i] - rho * u[i])) / rho);
  }
}

/// e of a von Mises block, in the same manner.
template <class Visit>
void ball_error(double radius, double rho, const double* r, const double* u, Index n, Visit visit) {
  visit(Index{0}, u[0]);
  double square = 0.0;
  for (Index k = 1; k < n; ++k) square += (r[k] - rho * u[k]) * (r[k] - rho * u[k]);
  const double size = std::sqrt(square);
  if (size <= radius) {
    for (Index k = 1; k < n; ++k) visit(k, u[k]);
  } else {
    const double ratio = radius / size;
    for (Index k = 1; k < n; ++k) visit(k, (r[k] - ratio * (r[k] - rho * u[k])) / rho);
  }
}

}  // namespace nonsmooth::mixed::internal
