// SPDX-License-Identifier: Apache-2.0
// Shapes that go through a surface of triangles where nothing of the one is in the other: past its sharp edges.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include <Eigen/Geometry>

#include "surface_search.hpp"

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kDeepestBeside = 0.1;  ///< of the size: as deep as what is past counts beside contacts of other parts
constexpr double kLeastSum = 1e-3;      ///< of unit normals: below, none is their mean
constexpr double kFlush = 1e-6;         ///< of the size: what is less deep by no more is as deep

/// A triangle, and what of it half-spaces leave.
class CutTriangle {
 public:
  explicit CutTriangle(const std::array<Vector3d, 3>& corners) {
    std::copy(corners.begin(), corners.end(), at_.begin());
  }

  /// Leaves what is behind the plane normal . x = offset; false where nothing is.
  bool cut(const Vector3d& normal, double offset) {
    std::size_t left = 0;
    Vector3d last = at_[count_ - 1];
    double height = normal.dot(last) - offset;
    for (std::size_t k = 0; k < count_; ++k) {
      const Vector3d& next = at_[k];
      const double above = normal.dot(next) - offset;
      if ((above <= 0.0) != (height <= 0.0)) kept_[left++] = last + height / (height - above) * (next - last);
      if (above <= 0.0) kept_[left++] = next;
      last = next;
      height = above;
    }
    std::swap(at_, kept_);
    count_ = left;
    return count_ > 0;
  }

 private:
  static constexpr std::size_t kMost = 2 * (3 + most_faces);  ///< each cut of a convex one adds a corner at most
  std::array<Vector3d, kMost> at_, kept_;
  std::size_t count_ = 3;
};

}  // namespace

bool SurfaceFaces::is_on_part(std::uint64_t feature, std::int32_t part) const {
  const SurfaceNames::Place place = names_.place(feature);
  const auto is_own = [&](std::int32_t face) { return view_.surface.parts[static_cast<std::size_t>(face)] == part; };
  if (place.face >= 0) return is_own(place.face);
  if (place.edge >= 0) return view_.surface.part_of(view_.surface.edge(place.edge).left) == part;
  bool on_part = false;
  view_.for_each_face(place.vertex, [&](std::int32_t face) { on_part = on_part || is_own(face); });
  return on_part;
}

/// What the shape goes through, from a triangle on over edges: listed behind what is in the memory.
void SurfaceFaces::list_cut(std::int32_t triangle) const {
  const std::size_t begin = memory_.size();
  memory_.push_back(triangle);
  for (std::size_t i = begin; i < memory_.size(); ++i) {
    const auto own = static_cast<std::int32_t>(memory_[i]);
    for (const std::int32_t e : view_.surface.triangle(own).edges) {
      const Surface::Edge& edge = view_.surface.edge(e);
      const std::int32_t other = edge.left == own ? edge.right : edge.left;
      const auto from = memory_.begin() + static_cast<std::ptrdiff_t>(begin);
      if (other < 0 || std::find(from, memory_.end(), Index{other}) != memory_.end()) continue;
      if (goes_through(other, Vector3d::Zero())) memory_.push_back(other);
    }
  }
}

/// Moved so, the shape goes through none of those listed from number `begin` on.
bool SurfaceFaces::leaves_cut(std::size_t begin, const Vector3d& shift) const {
  return std::none_of(memory_.begin() + static_cast<std::ptrdiff_t>(begin), memory_.end(),
                      [&](Index t) { return goes_through(static_cast<std::int32_t>(t), shift); });
}

/// A little beyond what a point is deep, along its normal.
Vector3d SurfaceFaces::beyond(const PatchPoint& point) const {
  return (std::max(-point.gap, 0.0) + kAside * view_.tolerance) * point.normal;
}

/// Around the point of the surface nothing else is in the way or flush, as faces and edges inside of a solid or a seam
/// have it.
bool SurfaceFaces::is_free(const PatchPoint& way) const {
  const double aside = kAside * view_.tolerance;
  bool free = !is_in_solid(way.on_second + aside * way.normal);
  const auto look_beside = [&](const Surface::Edge& edge, const Vector3d& x) {
    for (const std::int32_t t : {edge.left, edge.right})
      free = free && (t < 0 || !(is_in_solid(x + aside * view_.outward(t, edge)) ||
                                 is_in_solid(x + aside * view_.surface.face_of(t).normal)));
  };
  const SurfaceNames::Place place = names_.place(way.feature);
  if (place.edge >= 0) look_beside(view_.surface.edge(place.edge), way.on_second);
  if (place.vertex >= 0) {
    view_.for_each_edge(place.vertex, [&](const Surface::Edge& edge, std::int32_t) {
      const Vector3d from = view_.vertex(place.vertex);
      const Vector3d along = view_.vertex(edge.from == place.vertex ? edge.to : edge.from) - from;
      if (edge.convex) look_beside(edge, from + std::min(2.0 * aside / along.norm(), 0.5) * along);
    });
  }
  return free;
}

/// The shape leaves what is listed by less than half of the way: along normals of this, where edges at a concave corner
/// keep it out together; and where there are rims, as what comes through the surface from behind or beside does, along
/// the opposite normal, beyond a rim, or behind it.
bool SurfaceFaces::has_shorter(const PatchPoint& way, std::size_t cut) const {
  const auto leaves_along = [&](const Vector3d& direction) {
    for (double back = -0.5 * way.gap; back > margin(); back *= 0.25)
      if (leaves_cut(cut, back * direction)) return true;
    return false;
  };
  if (!view_.surface.closed && leaves_along(-way.normal)) return true;
  Vector3d sum = Vector3d::Zero();
  for (std::size_t i = cut; i < memory_.size(); ++i) {
    const auto triangle = static_cast<std::int32_t>(memory_[i]);
    const Vector3d& normal = view_.surface.face_of(triangle).normal;
    sum += normal;
    if (leaves_along(normal)) return true;
    for (const std::int32_t e : view_.surface.triangle(triangle).edges) {
      const Surface::Edge& edge = view_.surface.edge(e);
      if (edge.right >= 0) continue;
      const Vector3d out = view_.outward(triangle, edge);
      if (leaves_along(out) || leaves_along((out - normal).normalized()) || leaves_along(-normal)) return true;
    }
  }
  return sum.norm() > kLeastSum && leaves_along(sum.normalized());
}

/// Of the ways out the least deep that leaves what is listed; then those that are flush with it.
class SurfaceFaces::ShortestWay final : public WaysOut {
 public:
  ShortestWay(const SurfaceFaces& faces, std::size_t cut) : faces_(faces), cut_(cut) {
    best_.gap = -std::numeric_limits<double>::infinity();
  }

  void see(const PatchPoint& way) override {
    if (!listing_) {
      if (way.gap > best_.gap && faces_.leaves_cut(cut_, faces_.beyond(way))) best_ = way;
    } else if (num_flush_ < flush_.size() && way.gap >= best_.gap - kFlush * faces_.size_ &&
               (way.normal - best_.normal).norm() <= kJustSupports) {
      flush_[num_flush_++] = way;
    }
  }
  /// None that is deeper than `deepest`.
  void find(std::int32_t part, double deepest) {
    faces_.list_ways_out(part, *this);
    if (best_.gap < -deepest || !faces_.is_free(best_) || faces_.has_shorter(best_, cut_)) return;
    listing_ = true;
    faces_.list_ways_out(part, *this);
  }
  [[nodiscard]] std::span<const PatchPoint> flush() const { return std::span(flush_).first(num_flush_); }

 private:
  const SurfaceFaces& faces_;
  std::size_t cut_;
  PatchPoint best_;
  bool listing_ = false;
  std::array<PatchPoint, most_vertices> flush_;
  std::size_t num_flush_ = 0;
};

void SurfaceFaces::add_what_is_past(PointList& points) const {
  const std::size_t count = points.size();
  for (std::size_t i = 0; i < triangles().size(); ++i) {
    const auto triangle = static_cast<std::int32_t>(triangles()[i]);
    const std::int32_t part = view_.surface.part_of(triangle);
    const auto touches = [&](std::size_t k) { return !points.is_dropped(k) && points[k].gap <= view_.tolerance; };
    bool known = false;
    for (std::size_t k = 0; k < count && !known; ++k) known = touches(k) && is_on_part(points.feature(k), part);
    if (known || !goes_through(triangle, Vector3d::Zero())) continue;
    for (std::size_t k = count; k < points.size() && !known; ++k) known = !goes_through(triangle, beyond(points[k]));
    if (known) continue;
    const std::size_t cut = memory_.size(), num_points = points.size();
    list_cut(triangle);
    ShortestWay way(*this, cut);
    double deepest = size_;
    for (std::size_t k = 0; k < num_points && !known; ++k) {  // of another part: it may be all that separates them
      if (!touches(k)) continue;
      known = leaves_cut(cut, beyond(points[k]));
      deepest = kDeepestBeside * size_;
    }
    if (!known) way.find(part, deepest);
    memory_.resize(cut);
    for (const PatchPoint& own : way.flush()) {
      for (std::size_t k = 0; k < count; ++k)  // apart, with the same name
        if (points.feature(k) == own.feature) points.drop(k);
      points.add(own);
    }
  }
}

bool SurfaceSearch::goes_through(std::int32_t triangle, const Vector3d& shift) const {
  const auto& corners = view_.surface.triangle(triangle).vertices;
  const std::array<Vector3d, 3> at{view_.vertex(corners[0]) - shift, view_.vertex(corners[1]) - shift,
                                   view_.vertex(corners[2]) - shift};
  for (Index f = 0; f < hull_.num_faces(); ++f) {
    const double offset = hull_.offset(f) - margin();
    if (std::all_of(at.begin(), at.end(), [&](const Vector3d& x) { return hull_.normal(f).dot(x) > offset; }))
      return false;
  }
  CutTriangle left(at);
  for (Index f = 0; f < hull_.num_faces(); ++f)
    if (!left.cut(hull_.normal(f), hull_.offset(f) - margin())) return false;
  return true;
}

/// Crossings of edges, vertices under faces of the hull and of the hull over faces, along a normal of both.
void SurfaceSearch::list_ways_out(std::int32_t part, WaysOut& ways) const {
  const Surface& surface = view_.surface;
  const auto num_edges = static_cast<Index>(hull_.hull->edges.size());
  const auto offer = [&](const Vector3d& normal, const Vector3d& on_hull, double distance, std::uint64_t feature) {
    if (distance < -margin()) ways.see({normal, on_hull, on_hull - distance * normal, distance, feature});
  };
  for (std::size_t i = 0; i < edges().size(); ++i) {
    const auto e = static_cast<std::int32_t>(edges()[i]);
    const Surface::Edge& edge = surface.edge(e);
    if (surface.part_of(edge.left) != part) continue;
    for (Index of_hull = 0; of_hull < num_edges; ++of_hull) {
      Crossing found;
      if (!cross(of_hull, e, Vector3d::Zero(), found) || !found.within) continue;
      if (view_.is_normal(edge, found.normal, kJustSupports) && edge_supports(of_hull, -found.normal, kJustSupports))
        offer(found.normal, found.on_hull, found.normal.dot(found.on_hull - found.on_surface),
              names_.edge_across(e, of_hull));
    }
  }
  for (std::size_t i = 0; i < vertices().size(); ++i) {
    const auto w = static_cast<std::int32_t>(vertices()[i]);
    if (!is_on_part(names_.hull_at(w), part)) continue;
    const Vector3d x = view_.vertex(w);
    for (Index f = 0; f < hull_.num_faces(); ++f) {
      const Vector3d normal = -hull_.normal(f);
      const double distance = hull_.normal(f).dot(x) - hull_.offset(f);
      if (view_.is_normal(w, normal, kJustSupports) && is_under(f, x))
        offer(normal, x + distance * normal, distance, names_.hull_at(w));
    }
  }
  for (std::size_t i = 0; i < triangles().size(); ++i) {
    const auto t = static_cast<std::int32_t>(triangles()[i]);
    if (surface.part_of(t) != part) continue;
    const std::int32_t face = surface.triangle(t).face;
    for (Index v = 0; v < hull_.num_vertices(); ++v) {
      const Vector3d& x = hull_.vertex(v);
      if (vertex_supports(v, -view_.normal(face), kJustSupports) && is_above_or_below(t, x))
        offer(view_.normal(face), x, view_.height(face, x), names_.vertex_over(face, v));
    }
  }
}

}  // namespace nonsmooth::narrow_phase
