// SPDX-License-Identifier: Apache-2.0
#include "edge_pair.hpp"

#include <utility>

#include <nonsmooth/numerics/error.hpp>

#include "contact/narrow_phase/closest_features.hpp"

namespace nonsmooth::shape_pairs {
namespace {

using Edge = EdgePair::Edge;
using Eigen::Vector3d;

/// Of normals of both edges, so much of an angle beside them counts as one: faces that lie on one another have the
/// normals of their edges at the end of these, where rounding and a tilt below this cannot matter.
constexpr double kBesideNormals = 1e-6;

/// Of both sizes: what another direction separates more counts only if it does so by more than this, so that no normal
/// turns round where shapes touch.
constexpr double kAsMuch = 1e-9;

MovingSegment moving_edge(const SpaceBodies& bodies, Index body, const Edge& edge) {
  return {moving(bodies.point(body, edge.line.from)), moving(bodies.direction(body, edge.line.along)), 0.0};
}

/// How much a direction looks into either face of an edge.
std::array<double, 2> looks_into(const SpaceBodies& bodies, Index body, const Edge& edge, const Vector3d& direction) {
  const Vector3d own = bodies.axes(body).transpose() * direction;
  return {own.dot(edge.into[0]), own.dot(edge.into[1])};
}

void place(narrow_phase::PlacedHull& hull, const SpaceBodies& bodies, Index body, const Edge& edge) {
  hull.place(*edge.hull, 0.0, bodies.axes(body) * edge.turn, bodies.point(body, edge.position).value);
}

/// No direction separates both more than `separation`, which is below zero.
bool separates_most(const SpaceBodies& bodies, const EdgePair& pair, double separation) {
  narrow_phase::PlacedHull one, other;
  place(one, bodies, 0, pair.first);
  place(other, bodies, 1, pair.second);
  const double limit = separation + kAsMuch * (one.size + other.size);
  return narrow_phase::most_separating_face(one, other, limit).separation <= limit &&
         narrow_phase::most_separating_face(other, one, limit).separation <= limit &&
         narrow_phase::most_separating_edges(one, other).separation <= limit;
}

}  // namespace

Edge::Edge(std::shared_ptr<const Hull> own, const Vector3d& at, const Eigen::Matrix3d& turned, std::size_t edge)
    : hull(std::move(own)), position(at), turn(turned), width(narrow_phase::least_width(*hull)) {
  const Hull::Edge& ends = hull->edges[edge];
  const Vector3d &from = hull->vertices[static_cast<std::size_t>(ends.from)],
                 &to = hull->vertices[static_cast<std::size_t>(ends.to)], along = to - from;
  line = {position + turn * (from - hull->middle), turn * along};
  const auto normal = [&](Index face) -> const Vector3d& { return hull->faces[static_cast<std::size_t>(face)].normal; };
  into = {turn * rotation::cross(normal(ends.left), along).normalized(),
          turn * rotation::cross(along, normal(ends.right)).normalized()};
}

Nearest EdgePair::operator()(const SpaceBodies& bodies) const {
  const MovingSegment one = moving_edge(bodies, 0, first), other = moving_edge(bodies, 1, second);
  Nearest result = nearest(one, other);
  if (!cross_inside(one, other)) {
    result.several = result.gap <= kCornersMeet * arm();
    return result;
  }
  const Moving &a = one.along, &b = other.along;
  double length = 0.0;
  result.normal = unit_of(
      {rotation::cross(a.value, b.value), rotation::cross(a.rate, b.value) + rotation::cross(a.value, b.rate)}, length);
  auto into_first = looks_into(bodies, 0, first, result.normal.value),
       into_second = looks_into(bodies, 1, second, result.normal.value);
  double sign = into_first[0] + into_first[1] >= into_second[0] + into_second[1] ? 1.0 : -1.0;
  const bool is_normal_of_both = std::min(sign * into_first[0], sign * into_first[1]) >= -kBesideNormals &&
                                 std::max(sign * into_second[0], sign * into_second[1]) <= kBesideNormals;
  const double height = result.normal.value.dot(result.on_first.value - result.on_second.value);
  if (sign * height < 0.0 && !(is_normal_of_both && separates_most(bodies, *this, sign * height))) sign = -sign;
  result.normal = {sign * result.normal.value, sign * result.normal.rate};
  result.gap = sign * height;
  return result;
}

void EdgePair::refuse_several() {
  throw InvalidArgument("an edge of a box or polyhedron on an edge of another or of a mesh or height field",
                        "an end of one touching the other, or edges along one another",
                        "edges that cross, each between the ends of the other");
}

}  // namespace nonsmooth::shape_pairs
