// SPDX-License-Identifier: Apache-2.0
#include "surface_ground.hpp"

#include <utility>

#include "contact/narrow_phase/surface_contacts.hpp"
#include "in_space.hpp"

namespace nonsmooth {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

void take(const char* name, std::shared_ptr<const Surface> surface, ShapePart<InSpace>& part) {
  part.require_ground(name);
  part.enclose(surface->middle, surface->size);
  part.geometry = SurfaceGround{std::move(surface)};
}

/// In the axes of the surface, where find_at(turn of the first, its motion, its centre from the surface's) lists
/// points.
template <class Find>
void meet_there(ShapeSearch<InSpace>& at, Find find_at) {
  const Matrix3d &turn = at.second().turn, back = turn.transpose();
  const Vector3d spin = at.body_turn() * at.velocity().tail<3>();
  const narrow_phase::Motion motion{.velocity = back * (at.velocity().head<3>() + spin.cross(at.lever())),
                                    .spin = back * spin,
                                    .reach = at.reach(),
                                    .horizon = at.horizon()};
  const std::size_t end = at.memory().size();
  const narrow_phase::PointList points = find_at(back * at.turn(), motion, back * (at.centre() - at.second().position));
  for (std::size_t i = 0; i < points.size(); ++i) {
    narrow_phase::PatchPoint point = points[i];
    for (Vector3d* const vector : {&point.normal, &point.on_first, &point.on_second}) *vector = turn * *vector;
    at.add(point);
  }
  at.memory().resize(end);
}

}  // namespace

Index SurfaceGround::num_numbers() const {
  return static_cast<Index>((narrow_phase::num_features(*surface) - 1) >> ShapeSearch<InSpace>::kMeetingBits) + 1;
}

void make_part(const TriangleMesh& mesh, ShapePart<InSpace>& part) { take("a triangle mesh", mesh.surface(), part); }
void make_part(const HeightField& field, ShapePart<InSpace>& part) { take("a height field", field.surface(), part); }

void meet(const RoundedHull& first, const SurfaceGround& second, ShapeSearch<InSpace>& at) {
  meet_there(at, [&](const Matrix3d& turn, const narrow_phase::Motion& motion, const Vector3d& centre) {
    at.work.second.place(*first.hull, first.radius, turn, Vector3d::Zero());
    return find_contacts(narrow_phase::MovingHull{at.work.second, motion}, *second.surface, centre, at.memory());
  });
}
void meet(const FrustumSolid& first, const SurfaceGround& second, ShapeSearch<InSpace>& at) {
  meet_there(at, [&](const Matrix3d& turn, const narrow_phase::Motion& motion, const Vector3d& centre) {
    const narrow_phase::PlacedFrustum placed = first.placed(turn, Vector3d::Zero());
    return find_contacts(narrow_phase::MovingFrustum{placed, motion}, *second.surface, centre, at.memory(),
                         at.work.patch);
  });
}

}  // namespace nonsmooth
