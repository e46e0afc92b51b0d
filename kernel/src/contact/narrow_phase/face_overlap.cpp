// SPDX-License-Identifier: Apache-2.0
// Contact patches: one face clipped by the sides of another. Source: Sutherland & Hodgman 1974 (clipping).
#include "face_overlap.hpp"

#include <cmath>
#include <limits>

#include <Eigen/Geometry>

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kOnSide = 1e-12;     ///< of the sizes: vertices that are this near to a side's plane are inside
constexpr double kEdgeOnFace = 1e-6;  ///< cosine: faces that are seen from the edge have no height along the direction

/// A vertex of the clipped polygon: one of the subject, one of the clipper, or where their edges cross; -1: not so.
/// Two buffers of hundreds are made for each pair: none is filled before it is used.
struct Corner {
  Vector3d point;  // on the subject
  Index subject_vertex;
  Index clipper_corner;  // number along the clipper's face
  Index clipper_side, subject_edge;
  Index next_edge;  // of the subject, to the next corner; or
  Index next_side;  // of the clipper
};

Corner corner_at(const Vector3d& point) { return {point, -1, -1, -1, -1, -1, -1}; }

struct Polygon {
  std::array<Corner, Patch::most_points> corners;
  std::size_t count = 0;

  void add(const Corner& corner) {
    if (count < corners.size()) corners[count++] = corner;
  }
};

/// The face, or all of a segment or point.
void start(const PlacedHull& subject, Index face, Polygon& polygon) {
  polygon.count = 0;
  const auto add = [&](Index vertex, Index edge) {
    Corner corner = corner_at(subject.vertex(vertex));
    corner.subject_vertex = vertex;
    corner.next_edge = edge;
    polygon.add(corner);
  };
  if (face < 0) {
    for (Index v = 0; v < subject.num_vertices(); ++v) add(v, 0);
    return;
  }
  const Hull::Face& own = subject.hull->faces[static_cast<std::size_t>(face)];
  for (Index c = own.begin; c < own.begin + own.count; ++c)
    add(subject.hull->corners[static_cast<std::size_t>(c)], subject.hull->corner_edges[static_cast<std::size_t>(c)]);
}

/// Where the polygon's side from `from` to `to` crosses the clipper's side number `side` of `sides`.
Corner crossing(const Corner& from, const Corner& to, double d_from, double d_to, Index side, Index sides) {
  const double t = std::clamp(d_from / (d_from - d_to), 0.0, 1.0);
  Corner corner = corner_at(from.point + t * (to.point - from.point));
  if (from.next_side < 0) {
    corner.clipper_side = side;
    corner.subject_edge = from.next_edge;
  } else {
    corner.clipper_corner = (side + 1) % sides == from.next_side ? from.next_side : side;
  }
  return corner;
}

/// Keeps what is on the inner side of a plane; vertices near it count as inside.
void cut(const Polygon& polygon, const Vector3d& outward, const Vector3d& through, double near, Index side, Index sides,
         Polygon& result) {
  result.count = 0;
  const auto distance = [&](const Corner& corner) { return outward.dot(corner.point - through); };
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const Corner& from = polygon.corners[i];
    const Corner& to = polygon.corners[(i + 1) % polygon.count];
    const double d_from = distance(from), d_to = distance(to);
    if (d_from <= near) {
      Corner kept = from;
      if (d_to > near && d_from >= -near) {  // the side is left here
        kept.next_edge = -1;
        kept.next_side = side;
      }
      result.add(kept);
      if (d_to <= near || d_from >= -near) continue;
      Corner leaving = crossing(from, to, d_from, d_to, side, sides);
      leaving.next_side = side;
      result.add(leaving);
    } else if (d_to < -near) {
      Corner entering = crossing(from, to, d_from, d_to, side, sides);
      entering.next_edge = from.next_edge;
      entering.next_side = from.next_side;
      result.add(entering);
    }
  }
}

/// The point of a face's plane that p reaches along `direction`.
Vector3d onto(const PlacedHull& hull, Index face, const Vector3d& direction, const Vector3d& p) {
  const Vector3d& normal = hull.normal(face);
  return p + ((hull.offset(face) - normal.dot(p)) / normal.dot(direction)) * direction;
}

}  // namespace

Index supporting_face(const PlacedHull& hull, const Vector3d& outward) {
  if (hull.num_faces() == 0) return -1;
  Index farthest = 0;
  double most = outward.dot(hull.vertex(0));
  for (Index v = 1; v < hull.num_vertices(); ++v) {
    const double height = outward.dot(hull.vertex(v));
    if (height > most) most = height, farthest = v;
  }
  Index best = -1;
  double cosine = -2.0;
  for (Index f = 0; f < hull.num_faces(); ++f) {
    const double own = outward.dot(hull.normal(f));
    if (own <= cosine) continue;
    const Hull::Face& face = hull.hull->faces[static_cast<std::size_t>(f)];
    const Index* const corners = hull.hull->corners.data() + face.begin;
    if (std::find(corners, corners + face.count, farthest) == corners + face.count) continue;
    best = f;
    cosine = own;
  }
  return best;
}

void add_point(const Facing& facing, const Vector3d& on_first, const Vector3d& on_second, std::uint32_t feature,
               Patch& patch) {
  const double gap = facing.direction.dot(on_second - on_first);
  if (!(gap <= facing.reach)) return;
  const double r_first = facing.first.radius, r_second = facing.second.radius;
  patch.add({-facing.direction, on_first + r_first * facing.direction, on_second - r_second * facing.direction,
             gap - r_first - r_second, feature});
}

double add_face_overlap(const Facing& facing, Patch& patch) {
  const bool swapped = facing.first.num_faces() == 0;  // the clipper is the first hull wherever it has faces
  const PlacedHull& clipper = swapped ? facing.second : facing.first;
  const PlacedHull& subject = swapped ? facing.first : facing.second;
  const Vector3d outward = swapped ? Vector3d(-facing.direction) : facing.direction;  // of the clipper
  const Index face = supporting_face(clipper, outward), subject_face = supporting_face(subject, -outward);
  double least = std::numeric_limits<double>::infinity();
  if (face < 0 || std::abs(clipper.normal(face).dot(outward)) < kEdgeOnFace) return least;

  const Hull::Face& sides = clipper.hull->faces[static_cast<std::size_t>(face)];
  const auto corner = [&](Index k) {
    return clipper.hull->corners[static_cast<std::size_t>(sides.begin + k % sides.count)];
  };
  const double near = kOnSide * (clipper.hull->size + subject.hull->size);
  Polygon polygons[2];
  start(subject, subject_face, polygons[0]);
  int current = 0;
  for (Index k = 0; k < sides.count && polygons[current].count > 0; ++k) {
    const Vector3d& from = clipper.vertex(corner(k));
    const Vector3d side = (clipper.vertex(corner(k + 1)) - from).cross(outward).normalized();
    cut(polygons[current], side, from, near, k, sides.count, polygons[1 - current]);
    current = 1 - current;
  }

  const auto vertex_feature = [swapped](Index v, bool of_clipper) {
    return of_clipper != swapped ? vertex_of_first(v) : vertex_of_second(v);
  };
  const Polygon& overlap = polygons[current];
  for (std::size_t i = 0; i < overlap.count; ++i) {
    const Corner& own = overlap.corners[i];
    Vector3d on_clipper, on_subject = own.point;
    std::uint32_t feature = 0;
    if (own.clipper_corner >= 0) {
      const Index v = corner(own.clipper_corner);
      if (subject_face < 0 || std::abs(subject.normal(subject_face).dot(outward)) < kEdgeOnFace) continue;
      on_clipper = clipper.vertex(v);
      on_subject = onto(subject, subject_face, outward, on_clipper);
      feature = vertex_feature(v, true);
    } else {
      on_clipper = onto(clipper, face, outward, on_subject);
      const Index edge = own.subject_vertex >= 0
                             ? -1
                             : clipper.hull->corner_edges[static_cast<std::size_t>(sides.begin + own.clipper_side)];
      feature = own.subject_vertex >= 0 ? vertex_feature(own.subject_vertex, false)
                : swapped               ? crossing_edges(own.subject_edge, edge)
                                        : crossing_edges(edge, own.subject_edge);
    }
    least = std::min(least, outward.dot(on_subject - on_clipper));
    if (swapped) {
      add_point(facing, on_subject, on_clipper, feature, patch);
    } else {
      add_point(facing, on_clipper, on_subject, feature, patch);
    }
  }
  return least;
}

}  // namespace nonsmooth::narrow_phase
