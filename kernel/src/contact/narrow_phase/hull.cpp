// SPDX-License-Identifier: Apache-2.0
// Points, segments and polyhedra with their faces and edges.
#include "hull.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <Eigen/Geometry>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace narrow_phase {
namespace {

using Eigen::Vector3d;
using Points = std::vector<Vector3d>;

constexpr double kThinnest = 4.0;  ///< of the tolerance: a plane through thinner triangles is not known well enough

const Vector3d& at(const Points& points, Index i) { return points[static_cast<std::size_t>(i)]; }

/// The ball about the box of all vertices.
void enclose(Hull& hull) {
  Vector3d low = hull.vertices.front(), high = low;
  for (const Vector3d& vertex : hull.vertices) {
    low = low.cwiseMin(vertex);
    high = high.cwiseMax(vertex);
  }
  hull.middle = 0.5 * (low + high);
  hull.size = 0.0;
  for (const Vector3d& vertex : hull.vertices) hull.size = std::max(hull.size, (vertex - hull.middle).norm());
}

/// Faces and edges of polygons of vertices, in the ball about them. False where they do not close a surface of the kind
/// of a sphere.
bool connect(const std::vector<std::vector<Index>>& polygons, Hull& hull) {
  std::map<std::pair<Index, Index>, Index> edge_of;
  for (const std::vector<Index>& polygon : polygons) {
    const auto face = static_cast<Index>(hull.faces.size()), count = static_cast<Index>(polygon.size());
    Vector3d normal = Vector3d::Zero();
    const Vector3d& origin = at(hull.vertices, polygon[0]);
    for (std::size_t c = 0; c < polygon.size(); ++c) {
      const Index from = polygon[c], to = polygon[(c + 1) % polygon.size()];
      normal += (at(hull.vertices, from) - origin).cross(at(hull.vertices, to) - origin);
      const auto [known, is_new] = edge_of.try_emplace(std::minmax(from, to), static_cast<Index>(hull.edges.size()));
      if (is_new) {
        hull.edges.push_back({.from = from, .to = to, .left = face});
      } else {
        Hull::Edge& edge = hull.edges[static_cast<std::size_t>(known->second)];
        if (edge.right >= 0 || edge.from != to) return false;
        edge.right = face;
      }
      hull.corners.push_back(from);
      hull.corner_edges.push_back(known->second);
    }
    normal.normalize();
    double offset = normal.dot(origin - hull.middle);
    for (const Vector3d& vertex : hull.vertices) offset = std::max(offset, normal.dot(vertex - hull.middle));
    hull.faces.push_back({normal, offset, static_cast<Index>(hull.corners.size()) - count, count});
  }
  const auto has_both = [](const Hull::Edge& edge) { return edge.right >= 0; };
  return std::all_of(hull.edges.begin(), hull.edges.end(), has_both) &&
         hull.vertices.size() + hull.faces.size() == hull.edges.size() + 2;
}

/// The convex polygon of points of a plane, counterclockwise about `normal`; points on its sides are left out.
std::vector<Index> polygon_of(const Points& points, std::vector<Index> members, const Vector3d& normal,
                              double tolerance) {
  const Vector3d x = normal.unitOrthogonal(), y = normal.cross(x);
  const auto key = [&](Index i) { return std::pair(x.dot(at(points, i)), y.dot(at(points, i))); };
  std::sort(members.begin(), members.end(), [&](Index i, Index j) { return key(i) < key(j); });
  std::vector<Index> chain;
  const auto right_of = [&](Index a, Index b, Index c) {  // b lies right of the line from a to c
    const Vector3d along = at(points, c) - at(points, a);
    return normal.dot((at(points, b) - at(points, a)).cross(along)) > tolerance * along.norm();
  };
  const auto extend = [&](Index i, std::size_t keep) {
    while (chain.size() > keep && !right_of(chain[chain.size() - 2], chain.back(), i)) chain.pop_back();
    chain.push_back(i);
  };
  for (const Index i : members) extend(i, 1);
  const std::size_t lower = chain.size();
  for (auto i = members.rbegin() + 1; i != members.rend(); ++i) extend(*i, lower);
  chain.pop_back();
  return chain;
}

/// The faces' planes are those through three points that have all others on one side.
/// `tolerance`: points that are this near to a plane are on it.
std::vector<std::vector<Index>> polygons_of(const Points& points, double tolerance) {
  std::vector<std::vector<Index>> polygons, members_of;
  const auto count = static_cast<Index>(points.size());
  std::vector<Index> members;
  const auto has = [](const std::vector<Index>& sorted, Index i) {
    return std::binary_search(sorted.begin(), sorted.end(), i);
  };
  const auto look_at = [&](Index i, Index j, Index k) {
    const Vector3d a = at(points, j) - at(points, i), b = at(points, k) - at(points, i);
    Vector3d normal = a.cross(b);
    const double twice_area = normal.norm();
    const double longest = std::sqrt(std::max({a.squaredNorm(), b.squaredNorm(), (b - a).squaredNorm()}));
    if (!(twice_area > kThinnest * tolerance * longest)) return;
    normal /= twice_area;
    bool above = false, below = false;
    members.clear();
    for (Index l = 0; l < count; ++l) {
      const double distance = l == i || l == j || l == k ? 0.0 : normal.dot(at(points, l) - at(points, i));
      above = above || distance > tolerance;
      below = below || distance < -tolerance;
      if (above && below) return;
      if (std::abs(distance) <= tolerance) members.push_back(l);
    }
    for (const std::vector<Index>& known : members_of) {
      if (has(known, i) && has(known, j) && has(known, k)) return;
    }
    members_of.push_back(members);
    polygons.push_back(polygon_of(points, members, above ? -normal : normal, tolerance));
  };
  for (Index i = 0; i < count; ++i) {
    for (Index j = i + 1; j < count; ++j) {
      for (Index k = j + 1; k < count; ++k) look_at(i, j, k);
    }
  }
  // Rounding may lift a small part of a face: what lies on another face whole is no face.
  std::vector<std::vector<Index>> whole;
  for (std::size_t f = 0; f < polygons.size(); ++f) {
    const auto holds = [&](const std::vector<Index>& other) {
      return other.size() > members_of[f].size() &&
             std::includes(other.begin(), other.end(), members_of[f].begin(), members_of[f].end());
    };
    if (std::none_of(members_of.begin(), members_of.end(), holds)) whole.push_back(std::move(polygons[f]));
  }
  return whole;
}

/// What points are whose planes are so many.
std::string unsound(std::size_t planes) {
  if (planes == 0) return "points that are all on a line";
  if (planes == 1) return "points that are all in one plane";
  return std::to_string(planes) + " faces that close no surface";
}

std::shared_ptr<const Hull> polyhedron_hull(const Points& points, double coplanar) {
  check::within("ConvexPolyhedron: points", static_cast<Index>(points.size()), 4, most_vertices);
  for (std::size_t i = 0; i < points.size(); ++i)
    check::finite("ConvexPolyhedron: point " + std::to_string(i), ConstVectorRef(points[i]));
  check::range("ConvexPolyhedron: coplanar", coplanar, 1e-12, 1e-3);
  Hull all;
  all.vertices = points;
  enclose(all);
  std::vector<std::vector<Index>> polygons = polygons_of(points, coplanar * all.size);
  // What is a corner of a face is a vertex, in the order given.
  std::vector<Index> number(points.size(), -1);
  for (const auto& polygon : polygons) {
    for (const Index i : polygon) number[static_cast<std::size_t>(i)] = 0;
  }
  Hull hull;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<Index>(hull.vertices.size());
    hull.vertices.push_back(points[i]);
  }
  bool sound = polygons.size() >= 4;
  for (auto& polygon : polygons) {
    sound = sound && polygon.size() >= 3;
    for (Index& i : polygon) i = number[static_cast<std::size_t>(i)];
  }
  if (sound) enclose(hull);
  if (!sound || !connect(polygons, hull)) {
    throw InvalidArgument(
        "ConvexPolyhedron: points", unsound(polygons.size()),
        "points that span a volume, faces no thinner than 4 coplanar of its size and no vertex twice");
  }
  return std::make_shared<const Hull>(std::move(hull));
}

}  // namespace

std::shared_ptr<const Hull> point_hull() {
  static const std::shared_ptr<const Hull> point = [] {
    Hull hull;
    hull.vertices.push_back(Vector3d::Zero());
    return std::make_shared<const Hull>(std::move(hull));
  }();
  return point;
}

std::shared_ptr<const Hull> segment_hull(double half_length) {
  Hull hull;
  hull.vertices = {Vector3d(0.0, 0.0, -half_length), Vector3d(0.0, 0.0, half_length)};
  hull.edges.push_back({.from = 0, .to = 1});
  enclose(hull);
  return std::make_shared<const Hull>(std::move(hull));
}

std::shared_ptr<const Hull> box_hull(const Vector3d& half_extents) {
  Hull hull;
  for (int corner = 0; corner < 8; ++corner) {
    const Vector3d sign(corner & 1 ? 1.0 : -1.0, corner & 2 ? 1.0 : -1.0, corner & 4 ? 1.0 : -1.0);
    hull.vertices.push_back(sign.cwiseProduct(half_extents));
  }
  enclose(hull);
  connect({{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}, hull);
  for (Index f = 0; f < 6; ++f) {  // without rounding
    Hull::Face& face = hull.faces[static_cast<std::size_t>(f)];
    face.normal = (f % 2 == 0 ? -1.0 : 1.0) * Vector3d::Unit(f / 2);
    face.offset = half_extents[f / 2];
  }
  return std::make_shared<const Hull>(std::move(hull));
}

std::shared_ptr<const Hull> wedge_hull(const Vector3d& from, const Vector3d& to, const Vector3d& left,
                                       const Vector3d& right, double deep) {
  Hull hull;
  const Vector3d middle = 0.5 * (from + to);
  hull.vertices = {from, to, middle + deep * left, middle + deep * right};
  enclose(hull);
  connect({{0, 1, 2}, {1, 0, 3}, {0, 2, 3}, {2, 1, 3}}, hull);
  return std::make_shared<const Hull>(std::move(hull));
}

double least_width(const Hull& hull) {
  double width = hull.faces.empty() ? 0.0 : std::numeric_limits<double>::infinity();
  for (const Hull::Face& face : hull.faces) {
    double lowest = 0.0;
    for (const Vector3d& vertex : hull.vertices)
      lowest = std::min(lowest, face.normal.dot(vertex - hull.middle) - face.offset);
    width = std::min(width, -0.5 * lowest);  // between two edges it may be half of that on a face
  }
  return width;
}

void PlacedHull::place(const Hull& from, double rounding, const Eigen::Matrix3d& turn, const Vector3d& position) {
  hull = &from;
  radius = rounding;
  size = from.size;
  centre = position;
  for (std::size_t v = 0; v < from.vertices.size(); ++v)
    vertices[v] = position + turn * (from.vertices[v] - from.middle);
  for (std::size_t f = 0; f < from.faces.size(); ++f) {
    const Hull::Face& face = from.faces[f];
    normals[f] = turn * face.normal;
    offsets[f] = normals[f].dot(position) + face.offset;
  }
}

namespace {

/// Made before anything is placed: searches do not allocate.
const std::shared_ptr<const Hull> kSegmentHull = segment_hull(1.0), kPointHull = point_hull();

}  // namespace

void PlacedHull::place_segment(const Vector3d& from, const Vector3d& to) {
  hull = kSegmentHull.get();
  radius = 0.0;
  size = 0.5 * (to - from).norm();
  centre = 0.5 * (from + to);
  vertices[0] = from;
  vertices[1] = to;
}

void PlacedHull::place_point(const Vector3d& at) {
  hull = kPointHull.get();
  radius = size = 0.0;
  centre = vertices[0] = at;
}

}  // namespace narrow_phase

ConvexPolyhedron::ConvexPolyhedron(const std::vector<Eigen::Vector3d>& points, double coplanar)
    : hull_(narrow_phase::polyhedron_hull(points, coplanar)) {}

const std::vector<Eigen::Vector3d>& ConvexPolyhedron::vertices() const noexcept { return hull_->vertices; }

std::vector<std::vector<Index>> ConvexPolyhedron::faces() const {
  std::vector<std::vector<Index>> polygons;
  for (const Hull::Face& face : hull_->faces) {
    const auto begin = hull_->corners.begin() + face.begin;
    polygons.emplace_back(begin, begin + face.count);
  }
  return polygons;
}

}  // namespace nonsmooth
