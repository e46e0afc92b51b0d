// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/scene.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/contact_source.hpp>
#include <nonsmooth/kernel/layout.hpp>
#include <nonsmooth/kernel/state.hpp>

namespace nonsmooth {
namespace {

using Kind = SceneGeometry::Kind;

constexpr double kFloorPieces = 400.0, kMostFloorPieces = 40'000.0;  // of a floor that is a function, before thinning
constexpr std::size_t kLongestPiece = 64;                            // of these that one may stand for

double size_of(const std::vector<Eigen::Vector3d>& points) {
  double size = 0.0;
  for (const Eigen::Vector3d& point : points) size = std::max(size, point.norm());
  return size;
}

SceneGeometry mesh_of(std::vector<Eigen::Vector3d> points, std::vector<std::array<Index, 3>> triangles) {
  SceneGeometry geometry{.kind = Kind::Mesh, .points = std::move(points), .triangles = std::move(triangles)};
  geometry.size = size_of(geometry.points);
  return geometry;
}

Eigen::Vector3d in_plane(const Eigen::Vector2d& point) { return {point.x(), point.y(), 0.0}; }

SceneGeometry line_of(Kind kind, const std::vector<Eigen::Vector2d>& points, double rounding) {
  SceneGeometry geometry{.kind = kind, .numbers = {rounding}};
  for (const Eigen::Vector2d& point : points) geometry.points.push_back(in_plane(point));
  if (kind != Kind::HeightLine) geometry.size = size_of(geometry.points) + rounding;
  return geometry;
}

struct GeometryOf {
  SceneGeometry operator()(const Sphere& s) const {
    return {.kind = Kind::Sphere, .numbers = {s.radius}, .size = s.radius};
  }
  SceneGeometry operator()(const HalfSpace& s) const {
    const Eigen::Vector3d normal = s.normal.normalized();
    return {.kind = Kind::HalfSpace, .numbers = {normal.x(), normal.y(), normal.z(), s.offset}};
  }
  SceneGeometry operator()(const Box& s) const {
    return {.kind = Kind::Box,
            .numbers = {s.half_extents.x(), s.half_extents.y(), s.half_extents.z()},
            .size = s.half_extents.norm()};
  }
  SceneGeometry operator()(const Capsule& s) const {
    return {.kind = Kind::Capsule, .numbers = {s.radius, s.half_length}, .size = s.radius + s.half_length};
  }
  SceneGeometry operator()(const Cylinder& s) const {
    return {.kind = Kind::Cylinder, .numbers = {s.radius, s.half_length}, .size = std::hypot(s.radius, s.half_length)};
  }
  SceneGeometry operator()(const Cone& s) const {
    return {.kind = Kind::Cone,
            .numbers = {s.radius, s.height, s.top_radius},
            .size = std::max(s.radius, std::hypot(s.top_radius, s.height))};
  }
  SceneGeometry operator()(const ConvexPolyhedron& s) const {
    std::vector<std::array<Index, 3>> triangles;
    for (const std::vector<Index>& face : s.faces()) {
      for (std::size_t k = 2; k < face.size(); ++k) triangles.push_back({face[0], face[k - 1], face[k]});
    }
    return mesh_of(s.vertices(), std::move(triangles));
  }
  SceneGeometry operator()(const TriangleMesh& s) const { return mesh_of(s.vertices(), s.triangles()); }
  SceneGeometry operator()(const HeightField& s) const { return mesh_of(s.vertices(), s.triangles()); }
  SceneGeometry operator()(const Disk& s) const {
    return {.kind = Kind::Disk, .numbers = {s.radius}, .size = s.radius};
  }
  SceneGeometry operator()(const ConvexPolygon& s) const {
    // In the order of a drawn outline: about the mean of the vertices.
    Eigen::Vector2d middle = Eigen::Vector2d::Zero();
    for (const Eigen::Vector2d& vertex : s.vertices) middle += vertex / static_cast<double>(s.vertices.size());
    std::vector<Eigen::Vector2d> vertices = s.vertices;
    const auto angle = [&](const Eigen::Vector2d& p) { return std::atan2(p.y() - middle.y(), p.x() - middle.x()); };
    std::sort(vertices.begin(), vertices.end(), [&](const auto& a, const auto& b) { return angle(a) < angle(b); });
    return line_of(Kind::Polygon, vertices, s.rounding);
  }
  SceneGeometry operator()(const PlanarSegment& s) const { return line_of(Kind::Segment, {s.from, s.to}, s.rounding); }
  SceneGeometry operator()(const HalfPlane& s) const {
    const Eigen::Vector2d normal = s.normal.normalized();
    return {.kind = Kind::HalfPlane, .numbers = {normal.x(), normal.y(), s.offset}};
  }
  SceneGeometry operator()(const HeightLine& s) const { return line_of(Kind::HeightLine, s.points, 0.0); }
};

/// What makes two geometries one.
using GeometryKey = std::tuple<Kind, std::array<double, 4>, std::vector<double>, std::size_t>;

GeometryKey key_of(const SceneGeometry& geometry) {
  std::vector<double> points;
  for (const Eigen::Vector3d& point : geometry.points) points.insert(points.end(), point.begin(), point.end());
  return {geometry.kind, geometry.numbers, std::move(points), geometry.triangles.size()};
}

/// The points between two others are within a distance of their line, upwards.
bool is_straight(const std::vector<Eigen::Vector2d>& points, std::size_t from, std::size_t to, double tolerance) {
  const Eigen::Vector2d way = points[to] - points[from];
  for (std::size_t k = from + 1; k < to; ++k) {
    const double on = points[from].y() + way.y() / way.x() * (points[k].x() - points[from].x());
    if (std::abs(points[k].y() - on) > tolerance) return false;
  }
  return true;
}

/// Of points of ascending x those whose line passes all others within the tolerance.
std::vector<Eigen::Vector2d> thinned(const std::vector<Eigen::Vector2d>& points, double tolerance) {
  std::vector<Eigen::Vector2d> kept{points.front()};
  for (std::size_t from = 0; from + 1 < points.size();) {
    std::size_t to = from + 1;
    while (to + 1 < points.size() && to - from < kLongestPiece && is_straight(points, from, to + 1, tolerance)) ++to;
    kept.push_back(points[to]);
    from = to;
  }
  return kept;
}

class SceneMaker {
 public:
  explicit SceneMaker(const NonSmoothDynamicalSystem& model) : model_(model), layout_(*model.layout()) {}

  void add(const DrawnShape& drawn) {
    const Index body = drawn.body == SystemHandle{} ? -1 : layout_.index(drawn.body);
    if (const auto* shape = std::get_if<ShapeOnBody>(&drawn.shape)) {
      in_space_ = true;
      add(std::visit(GeometryOf{}, shape->shape),
          {.body = body, .position = shape->position, .orientation = shape->orientation, .material = shape->material});
    } else if (const auto* planar = std::get_if<PlanarShapeOnBody>(&drawn.shape)) {
      const double half = 0.5 * planar->angle;
      add(std::visit(GeometryOf{}, planar->shape), {.body = body,
                                                    .position = in_plane(planar->position),
                                                    .orientation = {std::cos(half), 0.0, 0.0, std::sin(half)},
                                                    .material = planar->material});
    } else {
      add_floor(std::get<FloorProfile>(drawn.shape));
    }
  }

  /// Bodies in space that nothing was drawn of.
  void mark_bare_bodies() {
    std::vector<char> drawn(layout_.systems.size(), 0);
    for (const SceneShape& shape : scene_.shapes) {
      if (shape.body >= 0) drawn[static_cast<std::size_t>(shape.body)] = 1;
    }
    for (std::size_t s = 0; s < drawn.size(); ++s) {
      const Layout::System& place = layout_.systems[s];
      if (drawn[s] != 0 || place.nq != 7 || place.n != 6) continue;
      in_space_ = true;
      add({.kind = Kind::Mark}, {.body = static_cast<Index>(s)});
    }
  }

  Scene finish() {
    scene_.dimension = scene_.shapes.empty() ? 0 : in_space_ ? 3 : 2;
    return std::move(scene_);
  }

 private:
  void add(SceneGeometry geometry, SceneShape shape) {
    const auto [at, is_new] = numbers_.try_emplace(key_of(geometry), static_cast<Index>(scene_.geometries.size()));
    if (is_new) scene_.geometries.push_back(std::move(geometry));
    shape.geometry = at->second;
    scene_.shapes.push_back(std::move(shape));
  }

  /// Sampled twice a radius of the smallest disk, so that disks are drawn on it however wide the field is, and thinned
  /// to a fiftieth of that radius.
  void add_floor(const FloorProfile& floor) {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    const State state = model_.initial_state();
    double low = kNone, high = -kNone, smallest = kNone;
    for (const SceneShape& shape : scene_.shapes) {
      if (shape.body < 0) continue;
      const Layout::System& place = layout_.systems[static_cast<std::size_t>(shape.body)];
      if (place.nq != 3) continue;
      const double x = state.positions[place.q],
                   size = scene_.geometries[static_cast<std::size_t>(shape.geometry)].size;
      low = std::min(low, x - size);
      high = std::max(high, x + size);
      if (size > 0.0) smallest = std::min(smallest, size);
    }
    if (low > high) low = high = 0.0;
    const double wide = std::max(high - low, 1e-3), pieces = std::ceil(3.0 * wide / (0.5 * smallest));
    const auto count = static_cast<Index>(std::clamp(pieces, kFloorPieces, kMostFloorPieces));
    std::vector<Eigen::Vector2d> points;
    for (Index k = 0; k <= count; ++k) {
      const double x = low - wide + 3.0 * wide * static_cast<double>(k) / static_cast<double>(count);
      if (const double y = floor.height(x); std::isfinite(y)) points.emplace_back(x, y);
    }
    if (points.size() < 2) return;
    const double tolerance = std::isfinite(smallest) ? 0.02 * smallest : 0.0;
    add(GeometryOf{}(HeightLine{thinned(points, tolerance)}), {.material = floor.material});
  }

  const NonSmoothDynamicalSystem& model_;
  const Layout& layout_;
  Scene scene_;
  std::map<GeometryKey, Index> numbers_;
  bool in_space_ = false;
};

}  // namespace

Scene scene_of(const NonSmoothDynamicalSystem& model, const std::vector<DrawnShape>& further) {
  SceneMaker maker(model);
  for (const auto& sources : {model.sources(), model.linked_sources()}) {
    for (const auto& source : sources) {
      for (const DrawnShape& shape : source->drawn_shapes()) maker.add(shape);
    }
  }
  for (const DrawnShape& shape : further) maker.add(shape);
  maker.mark_bare_bodies();
  return maker.finish();
}

}  // namespace nonsmooth
