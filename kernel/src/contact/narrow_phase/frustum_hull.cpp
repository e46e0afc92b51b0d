// SPDX-License-Identifier: Apache-2.0
// Cylinders and cones with hulls: the closest points, or the direction that separates the most.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "closest_features.hpp"
#include "frustum.hpp"
#include "frustum_patch.hpp"
#include "root_of.hpp"

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kAsGood = 1e-13;  ///< of the sizes: distances that differ by less are equal, and the first counts
constexpr double kNear = 1e-9;     ///< of the sizes: below, closest points have no direction between them
constexpr double kFlat = 1e-9;     ///< rad: normals of flat parts are told from others by it
constexpr double kStrict = 1e-9;   ///< sine: a normal that is this far beyond those of a feature is one of them
constexpr int kBetween = 16;       ///< directions that are looked at between two normals
constexpr int kDirections = 24;    ///< looked at around an edge: maxima of two waves are farther apart

/// A pair of points and the direction from the hull to the frustum.
struct Candidate {
  double gap = 0.0;  ///< between the hull and the frustum
  Vector3d normal, on_hull;
  std::uint32_t feature = 0;
};

class FrustumOnHull {
 public:
  FrustumOnHull(const PlacedFrustum& frustum, const PlacedHull& hull, const NormalFilter* filter)
      : frustum_(frustum), hull_(hull), filter_(filter), size_(frustum.frustum->size + hull.size) {}

  /// Among directions that the filter allows; the gap is infinite where there is none.
  [[nodiscard]] Candidate find_allowed() {
    Candidate found = find();
    if (!std::isfinite(found.gap) || !is_allowed(found.normal)) found.gap = std::numeric_limits<double>::infinity();
    return found;
  }

  [[nodiscard]] Candidate find() {
    const auto num_edges = static_cast<Index>(hull_.hull->edges.size());
    nearest_.gap = std::numeric_limits<double>::infinity();
    for (Index f = 0; f < hull_.num_faces(); ++f) take_face(f);
    for (Index v = 0; v < hull_.num_vertices(); ++v) {
      const FrustumDistance own = distance_from(frustum_, hull_.vertex(v));
      distances_[static_cast<std::size_t>(v)] = own.distance;
      offer({own.distance, -own.normal, hull_.vertex(v), at_vertex(v)});
    }
    for (Index e = 0; e < num_edges; ++e) {
      if (bound(e) <= nearest_.gap) offer(nearest_of(e));
    }
    // Where the closest points of what was looked at do not separate, the frustum goes through a face.
    const bool apart = nearest_.gap > 0.0 && separation(nearest_.normal) > 0.5 * nearest_.gap - kNear * size_;
    if (apart && nearest_.gap > kNear * size_) return nearest_;

    find_separating();
    if (apart && std::isfinite(separating_.gap)) separating_.gap = nearest_.gap;  // features know the direction
    return separating_;
  }

  /// The direction that separates the most, wherever the closest points are; a gap of minus infinity where none may.
  [[nodiscard]] Candidate find_deepest() {
    for (Index v = 0; v < hull_.num_vertices(); ++v)
      distances_[static_cast<std::size_t>(v)] = distance_from(frustum_, hull_.vertex(v)).distance;
    find_separating();
    return separating_;
  }

 private:
  void find_separating() {
    const auto num_edges = static_cast<Index>(hull_.hull->edges.size());
    separating_ = {-std::numeric_limits<double>::infinity(), Vector3d::Zero(), Vector3d::Zero(), 0};
    for (Index f = 0; f < hull_.num_faces(); ++f) separate(over_face(f));
    for (const int end : {0, 1}) {
      if (frustum_.radius(end) > 0.0) separate_at_vertex(-frustum_.out_of(end));
    }
    for (Index v = 0; v < hull_.num_vertices(); ++v)
      separate_at_vertex(-frustum_.side_normal(hull_.vertex(v) - frustum_.centre));
    for (Index e = 0; e < num_edges; ++e) {
      // A pair that separates more is no farther from each other than the present depth.
      if (bound(e) <= std::max(-separating_.gap, 0.0) + kNear * size_) separate_at_edge(e);
    }
    if (filter_ != nullptr && num_edges == 0) separate_at_circles();
  }

  [[nodiscard]] const Hull::Edge& edge_of(Index e) const { return hull_.hull->edges[static_cast<std::size_t>(e)]; }

  void offer(const Candidate& candidate) {
    if (candidate.gap < nearest_.gap - kAsGood * size_) nearest_ = candidate;
  }
  void separate(const Candidate& candidate) {
    if (candidate.gap > separating_.gap + kAsGood * size_ && is_allowed(candidate.normal)) separating_ = candidate;
  }
  /// By flat parts of the frustum within the angle of patches: ends, and lines of the side across a segment.
  [[nodiscard]] bool is_allowed(const Vector3d& normal) const {
    if (filter_ == nullptr) return true;
    const auto is_along = [&](const Vector3d& own) { return (normal + own).norm() <= kFlat; };
    bool flat = is_along(frustum_.axis) || is_along(-frustum_.axis);
    if (hull_.num_vertices() == 2 && is_along(frustum_.side_normal(-normal))) {
      const Vector3d side = hull_.vertex(1) - hull_.vertex(0);
      flat = flat || frustum_.axis.cross(side).norm() > kPatchSine * side.norm();
    }
    return filter_->allows(normal, flat ? kPatchSine : kStrict);
  }
  [[nodiscard]] Index farthest_vertex(const Vector3d& direction) const {
    Index farthest = 0;
    for (Index v = 1; v < hull_.num_vertices(); ++v) {
      if (direction.dot(hull_.vertex(v) - hull_.vertex(farthest)) > 0.0) farthest = v;
    }
    return farthest;
  }
  [[nodiscard]] double separation(const Vector3d& normal) const {
    return -frustum_.height(-normal) - normal.dot(hull_.vertex(farthest_vertex(normal)));
  }

  /// The point of the frustum that is nearest to a face's plane.
  [[nodiscard]] Candidate over_face(Index f) const {
    const Vector3d& normal = hull_.normal(f);
    const int end = frustum_.height_of(0, -normal) >= frustum_.height_of(1, -normal) ? 0 : 1;
    const double gap = -frustum_.height_of(end, -normal) - hull_.offset(f);
    return {gap, normal, frustum_.farthest_of(end, -normal) - gap * normal, lowest_of(end)};
  }
  void take_face(Index f) {
    const Candidate own = over_face(f);
    if (own.gap > 0.0 && in_prism(hull_, f, own.normal, own.on_hull, 0.0)) offer(own);
  }

  void separate_at_vertex(const Vector3d& normal) {
    const Index v = farthest_vertex(normal);
    separate({separation(normal), normal, hull_.vertex(v), at_vertex(v)});
  }

  /// A vertex on the circle of an end: all directions between the normals of the end and of the side support it.
  void separate_at_circles() {
    const Vector3d beside = frustum_.side_normal(hull_.vertex(0) - frustum_.centre);
    for (const int end : {0, 1}) {
      for (int k = 1; k < kBetween; ++k) {
        const double part = static_cast<double>(k) / kBetween;
        separate_at_vertex(-((1.0 - part) * frustum_.out_of(end) + part * beside).normalized());
      }
    }
  }

  /// No point of an edge is nearer: a distance grows no faster than 1.
  [[nodiscard]] double bound(Index e) const {
    const Hull::Edge& edge = edge_of(e);
    return 0.5 * (distances_[static_cast<std::size_t>(edge.from)] + distances_[static_cast<std::size_t>(edge.to)] -
                  (hull_.vertex(edge.to) - hull_.vertex(edge.from)).norm());
  }
  [[nodiscard]] Candidate nearest_of(Index e) const {
    const Hull::Edge& edge = edge_of(e);
    const Vector3d from = hull_.vertex(edge.from), side = hull_.vertex(edge.to) - from;
    const double t =
        root_of(0.0, 1.0, [&](double s) { return distance_from(frustum_, from + s * side).normal.dot(side); });
    const Vector3d point = from + t * side;
    const FrustumDistance own = distance_from(frustum_, point);
    return {own.distance, -across(own, point, side), point, at_edge(e, 0)};
  }
  /// A direction along which another vertex is farther belongs to another feature, whatever it separates.
  void separate_across(Index e, const Candidate& candidate) {
    const Hull::Edge& edge = edge_of(e);
    const Vector3d &n = candidate.normal, farthest = hull_.vertex(farthest_vertex(n));
    const double short_of =
        std::min(n.dot(farthest - hull_.vertex(edge.from)), n.dot(farthest - hull_.vertex(edge.to)));
    if (short_of <= kNear * size_) separate(candidate);
  }
  void separate_at_edge(Index e) {
    const Hull::Edge& edge = edge_of(e);
    const Vector3d from = hull_.vertex(edge.from), side = hull_.vertex(edge.to) - from;
    const Vector3d deepest = nearest_of(e).on_hull, beside = -frustum_.side_normal(deepest - frustum_.centre);
    separate_across(e, {separation(beside), beside, deepest, at_edge(e, 0)});  // where the edge is along the side
    cross_side(e, from, side);
    for (const int end : {0, 1}) {
      if (frustum_.radius(end) > 0.0) cross_circle(e, end, from, side);
    }
  }

  /// A direction across an edge, and across the circle that the nearest point is on: without their difference's noise.
  [[nodiscard]] Vector3d across(const FrustumDistance& own, const Vector3d& point, const Vector3d& side) const {
    if (own.circle < 0) return own.normal;
    const Vector3d radial = point - frustum_.centre;
    const Vector3d tangent = frustum_.axis.cross(radial);
    Vector3d normal = frustum_.radius(own.circle) > 0.0 ? Vector3d(side.cross(tangent)) : Vector3d::Zero();
    if (!(normal.squaredNorm() > kParallel * side.squaredNorm() * tangent.squaredNorm()))
      normal = own.normal - (side.dot(own.normal) / side.squaredNorm()) * side;
    return (normal.dot(own.normal) < 0.0 ? -1.0 : 1.0) * normal.normalized();
  }

  /// Normals of the side that are across an edge: cos(beta) radial + sin(beta) axis.
  void cross_side(Index e, const Vector3d& from, const Vector3d& side) {
    const double rise = frustum_.radius(0) - frustum_.radius(1),
                 length = std::hypot(2.0 * frustum_.frustum->half, rise);
    const double c = 2.0 * frustum_.frustum->half / length, s = rise / length;
    const double x = frustum_.x.dot(side), y = frustum_.y.dot(side), z = frustum_.axis.dot(side);
    const double cosine = -s * z / (c * std::hypot(x, y));
    if (!(std::abs(cosine) <= 1.0)) return;
    for (const double sign : {-1.0, 1.0}) {
      const double angle = std::atan2(y, x) + sign * std::acos(cosine);
      const Vector3d normal = -(c * (std::cos(angle) * frustum_.x + std::sin(angle) * frustum_.y) + s * frustum_.axis);
      const double gap = separation(normal);
      if (!(gap > separating_.gap)) continue;
      const Vector3d low = frustum_.farthest_of(0, -normal), up = frustum_.farthest_of(1, -normal) - low;
      double t = 0.0, along = 0.0;
      if (!closest_on_lines(from, side, low, up, t, along)) continue;
      separate_across(e, {gap, normal, from + std::clamp(t, 0.0, 1.0) * side, at_edge(e, 0)});
    }
  }

  /// Normals across an edge for which a circle is the farthest from it. Where the edge is nearly across the axis,
  /// normals near to the axis are looked at more closely, as heights of the circle have nearly a kink there.
  void cross_circle(Index e, int end, const Vector3d& from, const Vector3d& side) {
    const Vector3d along = side.normalized(), middle = frustum_.middle_of(end);
    const Vector3d of_axis = frustum_.axis - along * along.dot(frustum_.axis);
    const double length = of_axis.norm(), width = std::abs(along.dot(frustum_.axis));
    const Vector3d u = length > kNear ? Vector3d(of_axis / length) : side.unitOrthogonal(), w = along.cross(u);
    const auto at = [&](double angle) { return Vector3d(std::cos(angle) * u + std::sin(angle) * w); };
    const auto falls = [&](double angle) {  // minus the derivative of the separation of the circle from the edge
      const Vector3d n = at(angle), turned = std::cos(angle) * w - std::sin(angle) * u;
      const Vector3d flat = n - frustum_.axis * frustum_.axis.dot(n);
      const double across = flat.norm();
      return (across > 0.0 ? frustum_.radius(end) * flat.dot(turned) / across : 0.0) - turned.dot(middle - from);
    };
    for (const double flatness : {1.0, width}) {
      double angle = -std::numbers::pi, before = falls(angle);
      for (int k = 1; k <= kDirections; ++k) {
        const double turn = std::numbers::pi * (2.0 * k / kDirections - 1.0), last = angle, here_before = before;
        angle = std::atan2(flatness * std::sin(turn), std::cos(turn));
        before = falls(angle);
        if (!(here_before <= 0.0 && before > 0.0)) continue;
        const Vector3d normal = at(root_of(last, angle, falls));
        const double gap = separation(normal);
        separate_across(e, {gap, normal, frustum_.farthest_of(end, -normal) - gap * normal, at_edge(e, 1 + end)});
      }
    }
  }

  const PlacedFrustum& frustum_;
  const PlacedHull& hull_;
  const NormalFilter* filter_;
  double size_;
  Candidate nearest_, separating_;
  std::array<double, most_vertices> distances_;  ///< of the vertices
};

void add_contacts(const PlacedFrustum& first, const PlacedHull& second, double reach, const Candidate& best,
                  Patch& patch) {
  const FrustumFacing facing{first, second, best.normal, reach};
  const double least = add_overlap(facing, patch);
  const double as_good = kAsGood * (first.frustum->size + second.size);
  if (patch.size() == 0 || least > best.gap + 10.0 * as_good)
    add_point(facing, best.on_hull + best.gap * best.normal, best.on_hull, best.feature, patch);
  patch.sort();
}

}  // namespace

void find_contacts(const PlacedFrustum& first, const PlacedHull& second, double reach, Patch& patch) {
  patch.clear();
  const double hull_reach = reach + second.radius;
  const Candidate best = FrustumOnHull(first, second, nullptr).find();
  if (best.gap <= hull_reach) add_contacts(first, second, hull_reach, best, patch);
}

PatchPoint most_separating(const PlacedFrustum& first, const PlacedHull& second, const NormalFilter& filter) {
  const Candidate best = FrustumOnHull(first, second, &filter).find_deepest();
  return {best.normal, best.on_hull + best.gap * best.normal, best.on_hull, best.gap, best.feature};
}

PatchPoint closest_points(const PlacedFrustum& first, const PlacedHull& second) {
  const Candidate best = FrustumOnHull(first, second, nullptr).find();
  return {best.normal, best.on_hull + best.gap * best.normal, best.on_hull, best.gap, best.feature};
}

void find_contacts(const PlacedFrustum& first, const PlacedHull& second, double reach, const NormalFilter& filter,
                   Patch& patch) {
  patch.clear();
  const Candidate best = FrustumOnHull(first, second, &filter).find_allowed();
  if (best.gap <= reach) add_contacts(first, second, reach, best, patch);
}

}  // namespace nonsmooth::narrow_phase
