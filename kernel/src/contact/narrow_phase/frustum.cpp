// SPDX-License-Identifier: Apache-2.0
// Cylinders and cones: closed forms with points and half-spaces.
#include "frustum.hpp"

#include <cmath>
#include <limits>

#include <internal/check.hpp>

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kAlongAxis = 1e-12;  ///< sine: a direction this near to the axis has no lowest point of a circle

std::shared_ptr<const Frustum> frustum_between(double low, double high, double half) {
  return std::make_shared<const Frustum>(Frustum{{low, high}, half, std::hypot(std::max(low, high), half)});
}

}  // namespace

std::shared_ptr<const Frustum> frustum_of(const Cylinder& cylinder) {
  check::positive("Cylinder::radius", cylinder.radius);
  check::positive("Cylinder::half_length", cylinder.half_length);
  return frustum_between(cylinder.radius, cylinder.radius, cylinder.half_length);
}

std::shared_ptr<const Frustum> frustum_of(const Cone& cone) {
  check::positive("Cone::radius", cone.radius);
  check::positive("Cone::height", cone.height);
  check::range("Cone::top_radius", cone.top_radius, 0.0, std::numeric_limits<double>::max());
  return frustum_between(cone.radius, cone.top_radius, 0.5 * cone.height);
}

Vector3d PlacedFrustum::farthest_of(int end, const Vector3d& direction) const {
  const double a = x.dot(direction), b = y.dot(direction), length = std::hypot(a, b);
  if (is_along_axis(direction)) return middle_of(end);
  return middle_of(end) + (radius(end) / length) * (a * x + b * y);
}

bool PlacedFrustum::is_along_axis(const Vector3d& direction) const {
  return !(std::hypot(x.dot(direction), y.dot(direction)) > kAlongAxis * direction.norm());
}

double PlacedFrustum::height_of(int end, const Vector3d& direction) const {
  return direction.dot(middle_of(end)) + radius(end) * (direction - axis * axis.dot(direction)).norm();
}

Vector3d PlacedFrustum::side_normal(const Vector3d& direction) const {
  const Vector3d across = direction - axis * axis.dot(direction);
  const double length = across.norm();
  const Vector3d radial = length > 0.0 ? Vector3d(across / length) : x;
  return (2.0 * frustum->half * radial + (radius(0) - radius(1)) * axis).normalized();
}

FrustumDistance distance_from(const PlacedFrustum& frustum, const Vector3d& x) {
  const Vector3d from = x - frustum.centre;
  const double z = frustum.axis.dot(from), half = frustum.frustum->half;
  const Vector3d across = from - z * frustum.axis;
  const double rho = across.norm(), low = frustum.radius(0), high = frustum.radius(1);
  const Vector3d radial = rho > 0.0 ? Vector3d(across / rho) : frustum.x;
  const auto in_plane = [&](double of_radial, double of_axis) {
    return Vector3d(of_radial * radial + of_axis * frustum.axis);
  };
  // The side of the polygon goes from (low, -half) to (high, half).
  const double length = std::hypot(high - low, 2.0 * half);
  const double t_rho = (high - low) / length, t_z = 2.0 * half / length;
  const double along = (rho - low) * t_rho + (z + half) * t_z, off = (rho - low) * t_z - (z + half) * t_rho;
  if (std::abs(z) <= half && off <= 0.0) {
    const double above = z - half, below = -half - z;
    if (off >= above && off >= below) return {off, in_plane(t_z, -t_rho), -1};
    return above >= below ? FrustumDistance{above, frustum.axis, -1} : FrustumDistance{below, -frustum.axis, -1};
  }
  if (z < -half && rho <= low) return {-half - z, -frustum.axis, -1};
  if (z > half && rho <= high) return {z - half, frustum.axis, -1};
  if (off > 0.0 && along >= 0.0 && along <= length) return {off, in_plane(t_z, -t_rho), -1};
  const int circle = along > 0.5 * length ? 1 : 0;
  const double d_rho = rho - (circle == 1 ? high : low), d_z = circle == 1 ? z - half : z + half;
  const double distance = std::hypot(d_rho, d_z);
  if (!(distance > 0.0)) return {0.0, in_plane(t_z, -t_rho), -1};
  return {distance, in_plane(d_rho / distance, d_z / distance), circle};
}

void find_contacts(const PlacedFrustum& first, const Vector3d& normal, double offset, double reach, Patch& patch) {
  patch.clear();
  const auto add = [&](const Vector3d& point, std::uint32_t feature) {
    const double gap = normal.dot(point) - offset;
    if (gap <= reach) patch.add({normal, point, point - gap * normal, gap, feature});
  };
  for (const int end : {0, 1}) {
    const bool flat = -normal.dot(first.out_of(end)) > kPatchCosine && first.radius(end) > 0.0;
    if (first.radius(end) == 0.0 || !first.is_along_axis(normal)) add(first.farthest_of(end, -normal), lowest_of(end));
    if (!flat) continue;
    for (int k = 0; k < 4; ++k) {
      const Vector3d direction = (k < 2 ? 1.0 : -1.0) * (k % 2 == 0 ? first.x : first.y);
      add(first.middle_of(end) + first.radius(end) * direction, standing_on(end, k));
    }
  }
  patch.sort();
}

}  // namespace nonsmooth::narrow_phase
