// SPDX-License-Identifier: Apache-2.0
// Shapes that go through a surface of triangles where nothing of the one is in the other: past its sharp edges.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <Eigen/Geometry>

#include "surface_search.hpp"

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kDeepestBeside = 0.1;  ///< of the size: as deep as what is past counts beside contacts of other parts
constexpr double kLeastSum = 1e-3;      ///< of unit normals: below, none is their mean
constexpr double kFlush = 1e-6;         ///< of the size: what is no farther from as deep is as deep
constexpr std::size_t kMostCuts = 16;   ///< places where a shape goes through a surface at once

/// A triangle, and what of it half-spaces leave.
class CutTriangle {
 public:
  explicit CutTriangle(const std::array<Vector3d, 3>& corners) {
    std::copy(corners.begin(), corners.end(), at().begin());
  }

  /// Leaves what is behind the plane normal . x = offset; false where nothing is.
  bool cut(const Vector3d& normal, double offset) {
    const Corners& before = at();
    Corners& kept = both_[1 - now_];
    std::size_t left = 0;
    Vector3d last = before[count_ - 1];
    double height = normal.dot(last) - offset;
    for (std::size_t k = 0; k < count_; ++k) {
      const Vector3d& next = before[k];
      const double above = normal.dot(next) - offset;
      if ((above <= 0.0) != (height <= 0.0)) kept[left++] = last + height / (height - above) * (next - last);
      if (above <= 0.0) kept[left++] = next;
      last = next;
      height = above;
    }
    now_ = 1 - now_;
    count_ = left;
    return count_ > 0;
  }

 private:
  static constexpr std::size_t kMost = 2 * (3 + most_faces);  ///< each cut of a convex one adds a corner at most
  using Corners = std::array<Vector3d, kMost>;
  Corners& at() { return both_[now_]; }

  std::array<Corners, 2> both_;  ///< those that are left, and room for the next
  std::size_t now_ = 0, count_ = 3;
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

/// Neighbouring triangles that the shape goes through, all there are, by their numbers in the memory, and the way out.
struct SurfaceFaces::Cut {
  std::size_t begin = 0, end = 0;
  std::int32_t part = 0;
  PatchPoint way;
};

/// Moved so, the shape goes through none of these.
bool SurfaceFaces::leaves(const Cut& cut, const Vector3d& shift) const {
  return std::none_of(memory_.begin() + static_cast<std::ptrdiff_t>(cut.begin),
                      memory_.begin() + static_cast<std::ptrdiff_t>(cut.end),
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

/// The shape leaves a cut by less than half of its way: along normals of this, where edges at a concave corner keep it
/// out together; and where there are rims, as what comes through the surface from behind or beside does, along the
/// opposite normal, beyond a rim, or behind it. What is bottomless has nothing behind it.
bool SurfaceFaces::has_shorter(const Cut& cut) const {
  const double half = -0.5 * cut.way.gap;
  const bool behind = !view_.surface.closed && !view_.surface.bottomless;
  const auto leaves_along = [&](const Vector3d& direction) { return half > margin() && leaves(cut, half * direction); };
  if (behind && leaves_along(-cut.way.normal)) return true;
  Vector3d sum = Vector3d::Zero();
  for (std::size_t i = cut.begin; i < cut.end; ++i) {
    const auto triangle = static_cast<std::int32_t>(memory_[i]);
    const Vector3d& normal = view_.surface.face_of(triangle).normal;
    sum += normal;
    if (leaves_along(normal)) return true;
    for (const std::int32_t e : view_.surface.triangle(triangle).edges) {
      const Surface::Edge& edge = view_.surface.edge(e);
      if (edge.right >= 0) continue;
      const Vector3d out = view_.outward(triangle, edge);
      if (leaves_along(out)) return true;
      if (behind && (leaves_along((out - normal).normalized()) || leaves_along(-normal))) return true;
    }
  }
  return sum.norm() > kLeastSum && leaves_along(sum.normalized());
}

/// Of the ways out the least deep that leaves a cut.
class SurfaceFaces::ShortestWay final : public WaysOut {
 public:
  ShortestWay(const SurfaceFaces& faces, Cut& cut) : faces_(faces), cut_(cut) {
    cut_.way.gap = -std::numeric_limits<double>::infinity();
  }
  void see(const PatchPoint& way) override {
    if (way.gap > cut_.way.gap && faces_.leaves(cut_, faces_.beyond(way))) cut_.way = way;
  }

 private:
  const SurfaceFaces& faces_;
  Cut& cut_;
};

/// Adds those that are flush with one of them, in place of what is apart under the same name.
class SurfaceFaces::FlushWays final : public WaysOut {
 public:
  FlushWays(const PatchPoint& way, double size, std::size_t num_found, PointList& points)
      : way_(way), most_(kFlush * size), num_found_(num_found), points_(points) {}
  void see(const PatchPoint& way) override {
    if (std::abs(way.gap - way_.gap) > most_ || (way.normal - way_.normal).norm() > kJustSupports) return;
    for (std::size_t k = 0; k < num_found_; ++k)
      if (points_.feature(k) == way.feature) points_.drop(k);
    points_.add(way);
  }

 private:
  const PatchPoint& way_;
  double most_;
  std::size_t num_found_;
  PointList& points_;
};

bool SurfaceFaces::touches(const PointList& points, std::size_t k) const {
  return !points.is_dropped(k) && points[k].gap <= view_.tolerance;
}

/// Lists the cut of a triangle; false where the first `num_found` points know it, or no way out counts.
bool SurfaceFaces::find_cut(std::int32_t triangle, const PointList& points, std::size_t num_found, Cut& cut) const {
  cut.begin = memory_.size();
  list_cut(triangle);
  cut.end = memory_.size();
  cut.part = view_.surface.part_of(triangle);
  double deepest = size_;
  for (std::size_t k = 0; k < num_found; ++k) {  // of other parts: they may be all that separates the two
    if (!touches(points, k)) continue;
    if (leaves(cut, beyond(points[k]))) return false;
    deepest = kDeepestBeside * size_;
  }
  ShortestWay shortest(*this, cut);
  list_ways_out(cut.part, shortest);
  return cut.way.gap >= -deepest && is_free(cut.way) && !has_shorter(cut);
}

void SurfaceFaces::add_what_is_past(PointList& points) const {
  const std::size_t num_found = points.size(), behind = memory_.size();
  std::array<Cut, kMostCuts> cuts;
  std::size_t num_cuts = 0;
  const auto is_touched = [&](std::int32_t part) {
    for (std::size_t k = 0; k < num_found; ++k)
      if (touches(points, k) && is_on_part(points.feature(k), part)) return true;
    return false;
  };
  for (std::size_t i = 0; i < triangles().size() && num_cuts < kMostCuts; ++i) {
    const auto triangle = static_cast<std::int32_t>(triangles()[i]);
    if (is_touched(view_.surface.part_of(triangle)) || !goes_through(triangle, Vector3d::Zero())) continue;
    const auto listed = memory_.begin() + static_cast<std::ptrdiff_t>(behind);
    if (std::find(listed, memory_.end(), Index{triangle}) != memory_.end()) continue;
    if (find_cut(triangle, points, num_found, cuts[num_cuts])) ++num_cuts;
  }
  // The deepest first, whatever the numbers of triangles: what its way takes out as well needs none.
  const auto end = cuts.begin() + static_cast<std::ptrdiff_t>(num_cuts);
  std::sort(cuts.begin(), end, [](const Cut& one, const Cut& other) {
    return one.way.gap != other.way.gap ? one.way.gap < other.way.gap : one.begin < other.begin;
  });
  auto kept = cuts.begin();
  for (auto cut = cuts.begin(); cut != end; ++cut) {
    const auto takes_out = [&](const Cut& deeper) { return leaves(*cut, beyond(deeper.way)); };
    if (std::none_of(cuts.begin(), kept, takes_out)) *kept++ = *cut;
  }
  memory_.resize(behind);
  for (auto cut = cuts.begin(); cut != kept; ++cut) {
    FlushWays flush(cut->way, size_, num_found, points);
    list_ways_out(cut->part, flush);
  }
}

bool SurfaceSearch::goes_through(std::int32_t triangle, const Vector3d& shift) const {
  const auto& corners = view_.surface.triangle(triangle).vertices;
  const std::int32_t face = view_.surface.triangle(triangle).face;
  if (separation(face) + view_.normal(face).dot(shift) >= -2.0 * view_.tolerance) return false;
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
