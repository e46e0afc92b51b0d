// SPDX-License-Identifier: Apache-2.0
// Spheres and disks on polyhedra, cylinders and cones, surfaces of triangles, polygons and height lines.
#include "round_on_shape.hpp"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <internal/check.hpp>
#include <nonsmooth/kernel/relations/shape_pairs.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "contact/planar/height_profile.hpp"
#include "frustum_distance.hpp"
#include "hull_distance.hpp"
#include "pair_checks.hpp"
#include "polygon_distance.hpp"
#include "surface_distance.hpp"

namespace nonsmooth {
namespace {

using Eigen::Vector3d;
using shape_pairs::RoundOnShape;

template <class Bodies, class Shape>
std::shared_ptr<const MechanicalRelation> relation_of(RoundOnShape<Shape> geometry, Index rows) {
  return std::make_shared<const shape_pairs::ContactRelation<RoundOnShape<Shape>, Bodies>>(std::move(geometry), rows);
}

/// In space, at the pose of a description. `middle`: of the shape, from its origin.
template <class Pair, class Shape>
std::shared_ptr<const MechanicalRelation> posed(const std::string& name, const Pair& pair, Shape shape,
                                                const Vector3d& middle, bool sphere_is_second) {
  const Eigen::Matrix3d turn = shape_pairs::turn_of_shape(name, pair.position, pair.orientation);
  const Index rows = shape_pairs::rows_of(name, pair.rows, 3);
  return relation_of<joints::SpaceBodies>(RoundOnShape<Shape>{pair.sphere.center, pair.sphere.radius, std::move(shape),
                                                              pair.position + turn * middle, turn, sphere_is_second},
                                          rows);
}

template <class Shape>
RoundOnShape<Shape> in_plane(const std::string& name, const DiskOnBody& disk, Shape shape) {
  shape_pairs::check_round(name + "::disk", disk.center, disk.radius);
  return {.center = {disk.center.x(), disk.center.y(), 0.0}, .radius = disk.radius, .shape = std::move(shape)};
}

void check_part(const std::string& name, Index part, Index count) {
  if (part < 0 || part >= count) {
    throw InvalidArgument(name + "::part", std::to_string(part),
                          "0 to " + std::to_string(count - 1) + ", the parts between its valleys");
  }
}

}  // namespace

std::shared_ptr<const MechanicalRelation> make_relation(SphereOnPolyhedron pair) {
  shape_pairs::check_round("SphereOnPolyhedron::sphere", pair.sphere.center, pair.sphere.radius);
  std::shared_ptr<const Hull> hull;
  if (const auto* box = std::get_if<Box>(&pair.polyhedron)) {
    for (const double extent : box->half_extents)
      check::positive("SphereOnPolyhedron::polyhedron: Box::half_extents", extent);
    hull = narrow_phase::box_hull(box->half_extents);
  } else {
    hull = std::get<ConvexPolyhedron>(pair.polyhedron).hull();
  }
  const Vector3d middle = hull->middle;
  return posed("SphereOnPolyhedron", pair, shape_pairs::HullShape{std::move(hull)}, middle, pair.sphere_is_second);
}

std::shared_ptr<const MechanicalRelation> make_relation(SphereOnFrustum pair) {
  shape_pairs::check_round("SphereOnFrustum::sphere", pair.sphere.center, pair.sphere.radius);
  const auto* const cone = std::get_if<Cone>(&pair.frustum);
  const Vector3d middle(0.0, 0.0, cone ? 0.5 * cone->height : 0.0);
  auto frustum = std::visit([](const auto& shape) { return narrow_phase::frustum_of(shape); }, pair.frustum);
  return posed("SphereOnFrustum", pair, shape_pairs::FrustumShape{std::move(frustum)}, middle, pair.sphere_is_second);
}

std::shared_ptr<const MechanicalRelation> make_relation(SphereOnSurface pair) {
  shape_pairs::check_round("SphereOnSurface::sphere", pair.sphere.center, pair.sphere.radius);
  const auto surface = std::visit([](const auto& shape) { return shape.surface(); }, pair.surface);
  auto parts = shape_pairs::surface_parts(surface);
  if (!parts->refused.empty()) {
    throw InvalidArgument("SphereOnSurface::surface", parts->refused,
                          "concave edges between parts of convex ones alone, rims that turn outwards");
  }
  check_part("SphereOnSurface", pair.part, parts->count);
  return posed("SphereOnSurface", pair,
               shape_pairs::SurfaceShape{std::move(parts), static_cast<std::int32_t>(pair.part), pair.sphere.radius},
               surface->middle, false);
}

std::shared_ptr<const MechanicalRelation> make_relation(DiskOnPolygon pair) {
  check::range("DiskOnPolygon::polygon.rounding", pair.polygon.rounding, 0.0, 1e300);
  shape_pairs::PolygonShape shape{planar::convex_polygon(pair.polygon.vertices), pair.polygon.rounding};
  const Eigen::Vector2d middle = shape.polygon.middle;
  auto geometry = in_plane("DiskOnPolygon", pair.disk, std::move(shape));
  geometry.middle = {middle.x(), middle.y(), 0.0};
  geometry.round_is_second = pair.disk_is_second;
  return relation_of<joints::PlaneBodies>(std::move(geometry), shape_pairs::rows_of("DiskOnPolygon", pair.rows, 2));
}

std::shared_ptr<const MechanicalRelation> make_relation(DiskOnHeightLine pair) {
  planar::HeightProfile::check_points(pair.line.points);
  std::vector<shape_pairs::HeightPart> parts = shape_pairs::height_parts(pair.line.points);
  check_part("DiskOnHeightLine", pair.part, static_cast<Index>(parts.size()));
  auto geometry = in_plane("DiskOnHeightLine", pair.disk, std::move(parts[static_cast<std::size_t>(pair.part)]));
  return relation_of<joints::PlaneBodies>(std::move(geometry), shape_pairs::rows_of("DiskOnHeightLine", pair.rows, 2));
}

}  // namespace nonsmooth
