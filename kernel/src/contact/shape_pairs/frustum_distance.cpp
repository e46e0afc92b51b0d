// SPDX-License-Identifier: Apache-2.0
#include "frustum_distance.hpp"

#include <cmath>

namespace nonsmooth::shape_pairs {

/// With e_rho and e_phi across the axis, towards x and around: n = (n_rho, 0, n_z) turns around the axis by n_rho / rho
/// a unit of way along e_phi, and about a circle (or a tip) at the distance d by 1 / d along m, across n in the plane
/// of the axis.
Distance FrustumShape::distance(const Eigen::Vector3d& x) const {
  using Eigen::Vector3d;
  const narrow_phase::PlacedFrustum placed{frustum.get(), Vector3d::Zero(), Vector3d::UnitZ(), Vector3d::UnitX(),
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

}  // namespace nonsmooth::shape_pairs
