// SPDX-License-Identifier: Apache-2.0
#include "rounded_hull.hpp"

#include <utility>

#include "contact/shape_checks.hpp"
#include "in_space.hpp"

namespace nonsmooth {
namespace {

void take(std::shared_ptr<const Hull> hull, double radius, ShapePart<InSpace>& part) {
  part.enclose(hull->middle, hull->size + radius);
  part.geometry = RoundedHull{std::move(hull), radius};
}

}  // namespace

void make_part(const Sphere& sphere, ShapePart<InSpace>& part) {
  shape_checks::validate(sphere);
  take(narrow_phase::point_hull(), sphere.radius, part);
}
void make_part(const Box& box, ShapePart<InSpace>& part) {
  shape_checks::validate(box);
  take(narrow_phase::box_hull(box.half_extents), 0.0, part);
}
void make_part(const Capsule& capsule, ShapePart<InSpace>& part) {
  shape_checks::validate(capsule);
  take(narrow_phase::segment_hull(capsule.half_length), capsule.radius, part);
}
void make_part(const ConvexPolyhedron& polyhedron, ShapePart<InSpace>& part) { take(polyhedron.hull(), 0.0, part); }

void meet(const RoundedHull& first, const RoundedHull& second, ShapeSearch<InSpace>& at) {
  const narrow_phase::PlacedHull& placed = at.work.place_first(first, at);
  at.work.second.place(*second.hull, second.radius, at.turn_of_second(), at.between());
  narrow_phase::find_contacts(placed, at.work.second, at.reach(), at.work.patch);
  for (const narrow_phase::PatchPoint& point : at.work.patch) at.add(point);
}

}  // namespace nonsmooth
