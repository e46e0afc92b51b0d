// SPDX-License-Identifier: Apache-2.0
#include "frustum_distance.hpp"

#include <cmath>

namespace nonsmooth::shape_pairs {

/// With e_rho and e_phi across the axis, towards x and around: n = (n_rho, 0, n_z) turns around the axis by n_rho / rho
/// a unit of way along e_phi, and about a circle (or a tip) at the distance d by 1 / d along m, across n in the plane
/// of the axis.
Distance distance_to(const Frustum& frustum, const Eigen::Vector3d& x) {
  using Eigen::Vector3d;
  const narrow_phase::PlacedFrustum placed{&frustum, Vector3d::Zero(), Vector3d::UnitZ(), Vector3d::UnitX(),
                                           Vector3d::UnitY()};
  const narrow_phase::FrustumDistance at = narrow_phase::distance_from(placed, x);
  Distance result = from_plane(at.distance, at.normal);
  const double rho = std::hypot(x.x(), x.y());
  const Vector3d e_rho = rho > 0.0 ? Vector3d(x.x() / rho, x.y() / rho, 0.0) : Vector3d::UnitX();
  const Vector3d e_phi(-e_rho.y(), e_rho.x(), 0.0);
  const double n_rho = at.normal.dot(e_rho), about = at.circle >= 0 ? 1.0 / at.distance : 0.0;
  const Vector3d m(at.normal.z() * e_rho.x(), at.normal.z() * e_rho.y(), -n_rho);
  result.bend = about * m * m.transpose() + (rho > 0.0 ? n_rho / rho : about) * e_phi * e_phi.transpose();
  return result;
}

bool SharpFrustumShape::at_corner(const Eigen::Vector3d& x, double near) const {
  const double rho = std::hypot(x.x(), x.y());
  return std::hypot(rho - frustum->radii[0], x.z() + frustum->half) <= near ||
         std::hypot(rho - frustum->radii[1], x.z() - frustum->half) <= near;
}

Distance distance_of_side(const Frustum& frustum, const Eigen::Vector3d& x) {
  using Eigen::Vector3d;
  const double narrows = frustum.radii[0] - frustum.radii[1], length = std::hypot(narrows, 2.0 * frustum.half);
  const double sine = narrows / length, cosine = 2.0 * frustum.half / length, rho = std::hypot(x.x(), x.y());
  const Vector3d e_rho = rho > 0.0 ? Vector3d(x.x() / rho, x.y() / rho, 0.0) : Vector3d::UnitX();
  const Vector3d e_phi(-e_rho.y(), e_rho.x(), 0.0);
  Distance result = from_plane((rho - frustum.radii[0]) * cosine + (x.z() + frustum.half) * sine,
                               cosine * e_rho + sine * Vector3d::UnitZ());
  if (rho > 0.0) result.bend = (cosine / rho) * e_phi * e_phi.transpose();
  return result;
}

Distance distance_of_end(const Frustum& frustum, int end, const Eigen::Vector3d& x) {
  const double out = end == 0 ? -1.0 : 1.0;
  return from_plane(out * x.z() - frustum.half, out * Eigen::Vector3d::UnitZ());
}

}  // namespace nonsmooth::shape_pairs
