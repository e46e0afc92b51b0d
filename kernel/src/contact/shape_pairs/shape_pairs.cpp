// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relations/shape_pairs.hpp>

#include <string>

#include <internal/check.hpp>

#include "segment_pair.hpp"

namespace nonsmooth {
namespace {

using Eigen::Vector3d;
using shape_pairs::ContactRelation;
using shape_pairs::moving;
using shape_pairs::Moving;
using shape_pairs::Nearest;
using shape_pairs::PlaneBodies;
using shape_pairs::Segment;
using shape_pairs::SegmentPair;
using shape_pairs::SpaceBodies;

/// A sphere, a disk or a point on a half-space or a half-plane: on all points x with normal . x <= offset.
struct SphereOnPlane {
  static constexpr Index kMost = 2;
  Vector3d center;
  double radius;
  Vector3d normal, tangents[2];
  double offset;

  template <class Bodies>
  [[nodiscard]] Nearest operator()(const Bodies& bodies) const {
    const Moving c = moving(bodies.point(0, center)), surface = moving(bodies.point(1, offset * normal));
    Nearest result;
    result.normal = moving(bodies.direction(1, normal));
    const Vector3d &n = result.normal.value, from_surface = c.value - surface.value;
    const double height = n.dot(from_surface);
    const double climb = n.dot(c.rate - surface.rate) + result.normal.rate.dot(from_surface);
    result.gap = height - radius;
    result.on_first = shifted(c, -radius, result.normal);
    result.on_second = shifted(c, -height, result.normal);
    result.on_second.rate -= climb * n;
    return result;
  }
  [[nodiscard]] Moving tangent(const SpaceBodies& bodies, Index k) const {
    return moving(bodies.direction(1, tangents[k]));
  }
  /// Moves along are no dips; half a radian of a turn may be, a quarter of a quaternion's way.
  [[nodiscard]] double smallest_feature() const { return 0.25; }
  [[nodiscard]] double passage_depth() const { return shape_pairs::kNeverBehind; }
  /// A surface that turns moves the faster the farther off it is.
  [[nodiscard]] double steepness(Index systems) const {
    return systems > 1 ? 0.0 : shape_pairs::steepness_of(center.norm());
  }
};

Index rows_of(const std::string& pair, Index rows, Index all) {
  if (rows != 1 && rows != all) {
    throw InvalidArgument(pair + "::rows", std::to_string(rows),
                          all == 2 ? "1 (N) or 2 (N, T)" : "1 (N) or 3 (N, T1, T2)");
  }
  return rows;
}

Segment segment_of(const std::string& field, const SphereOnBody& sphere) {
  check::finite(field + ".center", ConstVectorRef(sphere.center));
  check::positive(field + ".radius", sphere.radius);
  return {sphere.center, Vector3d::Zero(), sphere.radius};
}
Segment segment_of(const std::string& field, const CapsuleOnBody& capsule) {
  check::finite(field + ".from", ConstVectorRef(capsule.from));
  check::finite(field + ".to", ConstVectorRef(capsule.to));
  check::positive(field + ".radius", capsule.radius);
  if (capsule.from == capsule.to) throw InvalidArgument(field, "ends that are one", "two ends, or a sphere");
  return {capsule.from, capsule.to - capsule.from, capsule.radius};
}
Segment segment_of(const std::string& field, const DiskOnBody& disk) {
  return segment_of(field, SphereOnBody{{disk.center[0], disk.center[1], 0.0}, disk.radius});
}

template <class Bodies, class First, class Second>
std::shared_ptr<const MechanicalRelation> make_pair(const std::string& pair, const First& first, const char* first_name,
                                                    const Second& second, const char* second_name, Index rows) {
  const Index all = Bodies::kPositions == PlaneBodies::kPositions ? 2 : 3;
  return std::make_shared<const ContactRelation<SegmentPair, Bodies>>(
      SegmentPair{segment_of(pair + "::" + first_name, first), segment_of(pair + "::" + second_name, second)},
      rows_of(pair, rows, all));
}

/// The second is hollow.
template <class Bodies, class Description>
std::shared_ptr<const MechanicalRelation> make_hollow(const std::string& pair, const Description& description) {
  const Index all = Bodies::kPositions == PlaneBodies::kPositions ? 2 : 3;
  SegmentPair geometry{segment_of(pair + "::inner", description.inner),
                       segment_of(pair + "::outer", description.outer)};
  if (!(geometry.second.radius > geometry.first.radius)) {
    throw InvalidArgument(pair + "::outer.radius", check::text(geometry.second.radius),
                          "more than that of the inner one, " + check::text(geometry.first.radius));
  }
  geometry.second.radius *= -1.0;
  return std::make_shared<const ContactRelation<SegmentPair, Bodies>>(geometry, rows_of(pair, description.rows, all));
}

/// On normal . x <= offset, fields named after `plane`.
SphereOnPlane on_plane(const std::string& sphere, const Vector3d& center, double radius, const std::string& plane,
                       const Vector3d& normal, double offset) {
  check::finite(sphere + ".center", ConstVectorRef(center));
  check::range(sphere + ".radius", radius, 0.0, 1e300);
  check::finite(plane + ".normal", ConstVectorRef(normal));
  check::positive(plane + ".normal: length", normal.norm());
  check::finite(plane + ".offset", offset);
  const Vector3d n = normal.normalized();
  // By the least turn from z, or from -z where that is nearer: (x, y) where the normal is z.
  const double sign = n[2] < 0.0 ? -1.0 : 1.0, a = 1.0 / (1.0 + sign * n[2]);
  const Vector3d sum = n + sign * Vector3d::UnitZ();
  return {center,
          radius,
          n,
          {Vector3d::UnitX() - a * n[0] * sum, sign * Vector3d::UnitY() - sign * a * n[1] * sum},
          offset};
}

}  // namespace

std::shared_ptr<const MechanicalRelation> make_relation(SpherePair pair) {
  return make_pair<SpaceBodies>("SpherePair", pair.first, "first", pair.second, "second", pair.rows);
}
std::shared_ptr<const MechanicalRelation> make_relation(SphereInSphere pair) {
  return make_hollow<SpaceBodies>("SphereInSphere", pair);
}
std::shared_ptr<const MechanicalRelation> make_relation(SphereOnCapsule pair) {
  return make_pair<SpaceBodies>("SphereOnCapsule", pair.sphere, "sphere", pair.capsule, "capsule", pair.rows);
}
std::shared_ptr<const MechanicalRelation> make_relation(CapsulePair pair) {
  return make_pair<SpaceBodies>("CapsulePair", pair.first, "first", pair.second, "second", pair.rows);
}
std::shared_ptr<const MechanicalRelation> make_relation(SphereOnHalfSpace pair) {
  return std::make_shared<const ContactRelation<SphereOnPlane, SpaceBodies>>(
      on_plane("SphereOnHalfSpace::sphere", pair.sphere.center, pair.sphere.radius, "SphereOnHalfSpace::half_space",
               pair.half_space.normal, pair.half_space.offset),
      rows_of("SphereOnHalfSpace", pair.rows, 3));
}

std::shared_ptr<const MechanicalRelation> make_relation(DiskPair pair) {
  return make_pair<PlaneBodies>("DiskPair", pair.first, "first", pair.second, "second", pair.rows);
}
std::shared_ptr<const MechanicalRelation> make_relation(DiskInCircle pair) {
  return make_hollow<PlaneBodies>("DiskInCircle", pair);
}
std::shared_ptr<const MechanicalRelation> make_relation(DiskOnHalfPlane pair) {
  const auto in_space = [](const Eigen::Vector2d& a) { return Vector3d(a[0], a[1], 0.0); };
  return std::make_shared<const ContactRelation<SphereOnPlane, PlaneBodies>>(
      on_plane("DiskOnHalfPlane::disk", in_space(pair.disk.center), pair.disk.radius, "DiskOnHalfPlane::half_plane",
               in_space(pair.half_plane.normal), pair.half_plane.offset),
      rows_of("DiskOnHalfPlane", pair.rows, 2));
}

}  // namespace nonsmooth
