// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relations/shape_pairs.hpp>

#include <string>
#include <utility>

#include <internal/check.hpp>

#include "pair_checks.hpp"
#include "segment_pair.hpp"

namespace nonsmooth {
namespace {

using Eigen::Vector3d;
using shape_pairs::ContactRelation;
using shape_pairs::PlaneBodies;
using shape_pairs::rows_of;
using shape_pairs::Segment;
using shape_pairs::SegmentPair;
using shape_pairs::SpaceBodies;

Segment segment_of(const std::string& field, const SphereOnBody& sphere) {
  shape_pairs::check_round(field, sphere.center, sphere.radius);
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
std::shared_ptr<const MechanicalRelation> make_relation(DiskPair pair) {
  return make_pair<PlaneBodies>("DiskPair", pair.first, "first", pair.second, "second", pair.rows);
}
std::shared_ptr<const MechanicalRelation> make_relation(DiskInCircle pair) {
  return make_hollow<PlaneBodies>("DiskInCircle", pair);
}
std::shared_ptr<const MechanicalRelation> make_relation(DiskOnSegment pair) {
  const auto& [from, to, rounding] = pair.segment;
  check::finite("DiskOnSegment::segment.from", ConstVectorRef(from));
  check::finite("DiskOnSegment::segment.to", ConstVectorRef(to));
  check::range("DiskOnSegment::segment.rounding", rounding, 0.0, 1e300);
  if (from == to) throw InvalidArgument("DiskOnSegment::segment", "ends that are one", "two ends, or a disk");
  const Eigen::Vector2d along = to - from;
  SegmentPair geometry{segment_of("DiskOnSegment::disk", pair.disk),
                       {{from.x(), from.y(), 0.0}, {along.x(), along.y(), 0.0}, rounding}};
  if (pair.disk_is_second) std::swap(geometry.first, geometry.second);
  return std::make_shared<const ContactRelation<SegmentPair, PlaneBodies>>(geometry,
                                                                           rows_of("DiskOnSegment", pair.rows, 2));
}

}  // namespace nonsmooth
