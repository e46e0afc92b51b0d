// SPDX-License-Identifier: Apache-2.0
// What touches a half-space or a half-plane: spheres, disks, points and rims.
#include "plane_pairs.hpp"

#include <memory>
#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "contact_relation.hpp"
#include "pair_checks.hpp"
#include "rim_point.hpp"

namespace nonsmooth {
namespace {

using Eigen::Vector3d;
using shape_pairs::ContactRelation;
using shape_pairs::moving;
using shape_pairs::Moving;
using shape_pairs::Nearest;
using shape_pairs::PlaneBodies;
using shape_pairs::SpaceBodies;

constexpr double kFlat = 1e-6;      ///< sine of a tilt below which a rim lies flat
constexpr double kTouching = 1e-8;  ///< radii over its half-space below which such a rim rests on all of it

/// All points x with normal . x <= offset.
struct Plane {
  Vector3d normal, tangents[2];
  double offset;

  /// Of a point p of the first body that touches it.
  template <class Bodies>
  [[nodiscard]] Nearest under(const Bodies& bodies, const Moving& n, const Moving& p) const {
    const Moving surface = moving(bodies.point(1, offset * normal));
    const Vector3d from_surface = p.value - surface.value;
    const double gap = n.value.dot(from_surface);
    const double climb = n.value.dot(p.rate - surface.rate) + n.rate.dot(from_surface);
    Moving foot = shifted(p, -gap, n);
    foot.rate -= climb * n.value;
    return {gap, n, p, foot};
  }
  /// Moves along are no dips; half a radian of a turn may be, a quarter of a quaternion's way.
  [[nodiscard]] static double smallest_feature() { return 0.25; }
  /// A surface that turns moves the faster the farther off it is.
  [[nodiscard]] static double steepness(Index systems, double arm) {
    return systems > 1 ? 0.0 : shape_pairs::steepness_of(arm);
  }
};

/// A sphere, a disk or a point.
struct SphereOnPlane {
  static constexpr Index kMost = 2;
  Vector3d center;
  double radius;
  Plane plane;

  template <class Bodies>
  [[nodiscard]] Nearest operator()(const Bodies& bodies) const {
    const Moving n = moving(bodies.direction(1, plane.normal));
    return plane.under(bodies, n, shifted(moving(bodies.point(0, center)), -radius, n));
  }
  [[nodiscard]] Moving tangent(const SpaceBodies& bodies, Index k) const {
    return moving(bodies.direction(1, plane.tangents[k]));
  }
  [[nodiscard]] double smallest_feature() const { return Plane::smallest_feature(); }
  [[nodiscard]] double passage_depth() const { return shape_pairs::kNeverBehind; }
  [[nodiscard]] double steepness(Index systems) const { return Plane::steepness(systems, center.norm()); }
};

/// A circle about the unit axis a: its lowest point is c - radius d, d along n - (a . n) a.
struct RimOnPlane {
  static constexpr Index kMost = 2;
  Vector3d center, axis;
  double radius;
  Plane plane;
  bool stands = false;  ///< on points beside it

  [[nodiscard]] Nearest operator()(const SpaceBodies& bodies) const {
    const Moving n = moving(bodies.direction(1, plane.normal)), a = moving(bodies.direction(0, axis));
    const Moving c = moving(bodies.point(0, center));
    if (radius == 0.0) return plane.under(bodies, n, c);  // a tip may stand upright
    const double flat = stands ? shape_pairs::kNoLowest : kFlat;
    if (const auto lowest = shape_pairs::lowest_of_rim(c, a, radius, n, flat)) return plane.under(bodies, n, *lowest);
    Nearest middle = plane.under(bodies, n, c);
    middle.several = !stands && middle.gap <= kTouching * radius;
    return middle;
  }
  [[noreturn]] static void refuse_several() {
    throw InvalidArgument("RimOnHalfSpace", "a rim that lies flat",
                          "a tilted one, which has a lowest point, or points beside it that its end stands on, as a "
                          "source has them of cylinders and cones (link_contacts)");
  }
  [[nodiscard]] Moving tangent(const SpaceBodies& bodies, Index k) const {
    return moving(bodies.direction(1, plane.tangents[k]));
  }
  [[nodiscard]] double smallest_feature() const { return Plane::smallest_feature(); }
  [[nodiscard]] double passage_depth() const { return shape_pairs::kNeverBehind; }
  [[nodiscard]] double steepness(Index systems) const { return Plane::steepness(systems, center.norm() + radius); }
};

/// Fields are named after `name`.
Plane plane_of(const std::string& name, const Vector3d& normal, double offset) {
  const Vector3d n = shape_pairs::unit_normal(name, normal, offset);
  // By the least turn from z, or from -z where that is nearer: (x, y) where the normal is z.
  const double sign = n[2] < 0.0 ? -1.0 : 1.0, a = 1.0 / (1.0 + sign * n[2]);
  const Vector3d sum = n + sign * Vector3d::UnitZ();
  return {n, {Vector3d::UnitX() - a * n[0] * sum, sign * Vector3d::UnitY() - sign * a * n[1] * sum}, offset};
}

/// A radius of zero is a point.
void check_round_or_point(const std::string& field, const Vector3d& center, double radius) {
  check::finite(field + ".center", ConstVectorRef(center));
  check::range(field + ".radius", radius, 0.0, 1e300);
}

}  // namespace

std::shared_ptr<const MechanicalRelation> make_relation(SphereOnHalfSpace pair) {
  check_round_or_point("SphereOnHalfSpace::sphere", pair.sphere.center, pair.sphere.radius);
  const Plane plane = plane_of("SphereOnHalfSpace::half_space", pair.half_space.normal, pair.half_space.offset);
  return std::make_shared<const ContactRelation<SphereOnPlane, SpaceBodies>>(
      SphereOnPlane{pair.sphere.center, pair.sphere.radius, plane},
      shape_pairs::rows_of("SphereOnHalfSpace", pair.rows, 3));
}

namespace {

std::shared_ptr<const MechanicalRelation> rim_on_plane(const RimOnHalfSpace& pair, bool stands) {
  check_round_or_point("RimOnHalfSpace::rim", pair.rim.center, pair.rim.radius);
  check::finite("RimOnHalfSpace::rim.axis", ConstVectorRef(pair.rim.axis));
  check::positive("RimOnHalfSpace::rim.axis: length", pair.rim.axis.norm());
  const Plane plane = plane_of("RimOnHalfSpace::half_space", pair.half_space.normal, pair.half_space.offset);
  return std::make_shared<const ContactRelation<RimOnPlane, SpaceBodies>>(
      RimOnPlane{pair.rim.center, pair.rim.axis.normalized(), pair.rim.radius, plane, stands},
      shape_pairs::rows_of("RimOnHalfSpace", pair.rows, 3));
}

}  // namespace

std::shared_ptr<const MechanicalRelation> make_relation(RimOnHalfSpace pair) { return rim_on_plane(pair, false); }
std::shared_ptr<const MechanicalRelation> shape_pairs::rim_of_end(const RimOnHalfSpace& pair) {
  return rim_on_plane(pair, true);
}

std::shared_ptr<const MechanicalRelation> make_relation(DiskOnHalfPlane pair) {
  const Vector3d center(pair.disk.center.x(), pair.disk.center.y(), 0.0);
  const Vector3d normal(pair.half_plane.normal.x(), pair.half_plane.normal.y(), 0.0);
  check_round_or_point("DiskOnHalfPlane::disk", center, pair.disk.radius);
  const Plane plane = plane_of("DiskOnHalfPlane::half_plane", normal, pair.half_plane.offset);
  return std::make_shared<const ContactRelation<SphereOnPlane, PlaneBodies>>(
      SphereOnPlane{center, pair.disk.radius, plane}, shape_pairs::rows_of("DiskOnHalfPlane", pair.rows, 2));
}

}  // namespace nonsmooth
