// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/scene.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include <nonsmooth/kernel/contact_source.hpp>
#include <nonsmooth/kernel/layout.hpp>
#include <nonsmooth/kernel/state.hpp>

namespace nonsmooth {
namespace {

using Kind = SceneGeometry::Kind;

constexpr Index kFloorPieces = 400;  // straight pieces of a floor that is a function

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

  void add_floor(const FloorProfile& floor) {
    const State state = model_.initial_state();
    double low = 0.0, high = 0.0;
    bool any = false;
    for (const SceneShape& shape : scene_.shapes) {
      if (shape.body < 0) continue;
      const Layout::System& place = layout_.systems[static_cast<std::size_t>(shape.body)];
      if (place.nq != 3) continue;
      const double x = state.positions[place.q],
                   size = scene_.geometries[static_cast<std::size_t>(shape.geometry)].size;
      low = any ? std::min(low, x - size) : x - size;
      high = any ? std::max(high, x + size) : x + size;
      any = true;
    }
    const double wide = std::max(high - low, 1e-3);
    HeightLine line;
    for (Index k = 0; k <= kFloorPieces; ++k) {
      const double x = low - wide + 3.0 * wide * static_cast<double>(k) / static_cast<double>(kFloorPieces);
      if (const double y = floor.height(x); std::isfinite(y)) line.points.emplace_back(x, y);
    }
    if (line.points.size() >= 2) add(GeometryOf{}(line), {.material = floor.material});
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
