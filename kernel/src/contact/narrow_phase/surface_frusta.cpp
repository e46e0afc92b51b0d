// SPDX-License-Identifier: Apache-2.0
// Cylinders and cones on surfaces of triangles.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <Eigen/Geometry>

#include "root_of.hpp"
#include "surface_faces.hpp"

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kJustTouch = 1e-9;  ///< of the sizes, and sine: what separates no less, and normals that are as good
constexpr int kOfLine = 6;           ///< names on an edge: those of at_edge, then the ends of a line of the side

/// The normals of a convex edge or vertex.
template <class Feature>
class FeatureNormals final : public NormalFilter {
 public:
  /// Within `most` at most, whatever is asked.
  FeatureNormals(const SurfaceView& view, const Feature& feature, double most = 1.0)
      : view_(view), feature_(feature), most_(most) {}
  [[nodiscard]] bool allows(const Vector3d& normal, double sine) const override {
    return view_.is_normal(feature_, normal, std::min(sine, most_));
  }

 private:
  const SurfaceView& view_;
  const Feature& feature_;
  double most_;
};

class FrustumSearch final : SurfaceFaces {
 public:
  FrustumSearch(const MovingFrustum& first, const Surface& second, const Vector3d& at, std::vector<Index>& memory,
                Patch& patch)
      : SurfaceFaces(first.motion, first.frustum.frustum->size, 0.0, second, at, memory),
        frustum_(first.frustum),
        patch_(patch) {
    past_.gap = -std::numeric_limits<double>::infinity();
  }

  [[nodiscard]] PointList find() {
    Vector3d low, high;
    for (Index k = 0; k < 3; ++k) {
      low[k] = -frustum_.height(-Vector3d::Unit(k));
      high[k] = frustum_.height(Vector3d::Unit(k));
    }
    list_near(low, high);
    faces_begin_ = memory_.size();
    for (std::size_t i = 0; i < triangles().size(); ++i)
      memory_.push_back(view_.surface.triangle(static_cast<std::int32_t>(triangles()[i])).face);
    const auto begin = memory_.begin() + static_cast<std::ptrdiff_t>(faces_begin_);
    std::sort(begin, memory_.end());
    memory_.erase(std::unique(begin, memory_.end()), memory_.end());
    faces_end_ = memory_.size();
    PointList points(memory_);
    for (std::size_t i = faces_begin_; i < faces_end_; ++i) on_face(static_cast<std::int32_t>(memory_[i]), points);
    for (std::size_t i = 0; i < edges().size(); ++i) on_edge(static_cast<std::int32_t>(edges()[i]), points);
    for (std::size_t i = 0; i < vertices().size(); ++i) on_vertex(static_cast<std::int32_t>(vertices()[i]), points);
    drop_hidden_features(points);
    add_what_is_left(points);
    add_what_is_past(points);
    points.sort();
    return points;
  }

 private:
  [[nodiscard]] double separation(std::int32_t face) const override {
    const Vector3d& normal = view_.normal(face);
    return view_.height(face, Vector3d::Zero()) - frustum_.height(-normal);
  }

  /// Distances are convex: from its first corner to a point of the opposite side, and along that. What a normal says of
  /// those at the corners is a bound for all of the triangle.
  [[nodiscard]] bool goes_through(std::int32_t triangle, const Vector3d& shift) const override {
    const auto& corners = view_.surface.triangle(triangle).vertices;
    const Vector3d at = view_.vertex(corners[0]) - shift, one = view_.vertex(corners[1]) - shift - at,
                   other = view_.vertex(corners[2]) - shift - at;
    bool through = false, known = false;
    const auto look = [&](const Vector3d& x) {
      const FrustumDistance own = distance_from(frustum_, x);
      const double to_first = own.normal.dot(at - x);
      const double least = own.distance + to_first + std::min({0.0, own.normal.dot(one), own.normal.dot(other)});
      through = through || own.distance < -margin();
      known = known || through || least >= -margin();
      return own;
    };
    const auto along = [&](double s) {
      const Vector3d side = (1.0 - s) * one + s * other;
      const double t = root_of(0.0, 1.0, [&](double u) { return known ? 0.0 : look(at + u * side).normal.dot(side); });
      return known ? 0.0 : look(at + t * side).distance;
    };
    (void)look(at + (one + other) / 3.0);
    if (!known) (void)least_of(0.0, 1.0, along);
    return through;
  }
  void list_ways_out(std::int32_t part, WaysOut& ways) const override {
    const auto offer = [&](PatchPoint point, std::uint64_t name) {
      if (!(point.gap < -margin())) return;
      point.feature = name;
      ways.see(point);
    };
    for (std::size_t i = faces_begin_; i < faces_end_; ++i) {
      const auto face = static_cast<std::int32_t>(memory_[i]);
      if (view_.surface.parts[static_cast<std::size_t>(face)] != part) continue;
      find_contacts(frustum_, view_.normal(face), -view_.height(face, Vector3d::Zero()), 0.0, patch_);
      for (const PatchPoint& point : patch_)
        if (is_over_face(face, point.on_first))
          offer(point, names_.vertex_over(face, static_cast<Index>(point.feature)));
    }
    PlacedHull feature;
    for (std::size_t i = 0; i < edges().size(); ++i) {
      const auto e = static_cast<std::int32_t>(edges()[i]);
      const Surface::Edge& edge = view_.surface.edge(e);
      if (view_.surface.part_of(edge.left) != part) continue;
      const Vector3d from = view_.vertex(edge.from), side = view_.vertex(edge.to) - from;
      feature.place_segment(from, from + side);
      const PatchPoint point =
          most_separating(frustum_, feature, FeatureNormals<Surface::Edge>(view_, edge, kJustTouch));
      if (!is_on_frustum(point)) continue;
      const double t = side.dot(point.on_second - from) / side.squaredNorm();
      if (t > 0.0 && t < 1.0) offer(point, names_.edge_across(e, 0));
    }
    for (std::size_t i = 0; i < vertices().size(); ++i) {
      const auto w = static_cast<std::int32_t>(vertices()[i]);
      if (!is_on_part(names_.hull_at(w), part)) continue;
      feature.place_point(view_.vertex(w));
      const PatchPoint point = most_separating(frustum_, feature, FeatureNormals<std::int32_t>(view_, w, kJustTouch));
      if (is_on_frustum(point)) offer(point, names_.hull_at(w));
    }
  }
  [[nodiscard]] bool is_on_frustum(const PatchPoint& point) const {
    return std::isfinite(point.gap) && distance_from(frustum_, point.on_first).distance <= kJustSupports * size_;
  }

  void on_face(std::int32_t face, PointList& points) {
    const Vector3d& normal = view_.normal(face);
    find_contacts(frustum_, normal, -view_.height(face, Vector3d::Zero()), motion_.reach + view_.surface.deviation,
                  patch_);
    for (const PatchPoint& point : patch_) on_face(face, point.on_first, static_cast<Index>(point.feature), points);
  }
  void on_face(std::int32_t face, const Vector3d& x, Index k, PointList& points) {
    if (!may_be_over(face, x)) return;
    const NearestPoint nearest = nearest_point(view_, triangles(), x);
    if (nearest.inside && nearest.squared > view_.tolerance * view_.tolerance) {
      bool own = false;
      view_.for_each_face(nearest, [&](std::int32_t other) { own = own || other == face; });
      if (own) {
        lift(x, k, face, points);
      } else if (const double height = view_.height(face, x); height < -view_.tolerance && is_over_face(face, x)) {
        leave({view_.normal(face), x, x - height * view_.normal(face), height, names_.vertex_over(face, k)});
      }
      return;
    }
    const double farthest = motion_.reach + view_.surface.deviation;
    if (nearest.squared > farthest * farthest) return;
    for (std::size_t i = 0; i < triangles().size(); ++i) {
      const auto triangle = static_cast<std::int32_t>(triangles()[i]);
      if (view_.surface.triangle(triangle).face == face) over_face(x, k, triangle, nearest, points);
    }
  }
  /// What is above the plane of a face has to be over one of its triangles, now or when it comes down.
  [[nodiscard]] bool may_be_over(std::int32_t face, const Vector3d& x) const {
    const double height = view_.height(face, x);
    if (height <= view_.tolerance + view_.surface.face(face).deviation) return true;
    if (std::isfinite(time_to_touch(height, view_.normal(face).dot(motion_.velocity_at(x))))) return true;
    return is_over_face(face, x);
  }
  /// Above or below one of its triangles.
  [[nodiscard]] bool is_over_face(std::int32_t face, const Vector3d& x) const {
    for (std::size_t i = 0; i < triangles().size(); ++i) {
      const auto number = static_cast<std::int32_t>(triangles()[i]);
      if (view_.surface.triangle(number).face == face && is_above_or_below(number, x)) return true;
    }
    return false;
  }

  /// What may keep the frustum out where nothing else does: a point of it in the solid that is nearer to another face
  /// than to the one that it is the lowest on, while what is the lowest on that is not in the solid.
  void leave(const PatchPoint& point) {
    if (num_left_ == left_.size() && !(point.gap > left_.back().gap)) return;
    num_left_ = std::min(num_left_ + 1, left_.size());
    std::size_t at = num_left_ - 1;
    for (; at > 0 && point.gap > left_[at - 1].gap; --at) left_[at] = left_[at - 1];
    left_[at] = point;
  }
  /// From the shallowest on, each that no point takes out of the solid where it moves the frustum out.
  void add_what_is_left(PointList& points) const {
    for (std::size_t k = 0; k < num_left_; ++k) {
      bool out = false;
      for (std::size_t i = 0; i < points.size() && !out; ++i)
        out = points[i].gap <= view_.tolerance && !is_in_solid(left_[k].on_first + beyond(points[i]));
      if (!out) points.add(left_[k]);
    }
    for (std::size_t i = 0; i < points.size(); ++i)
      if (points[i].gap <= view_.tolerance) return;
    if (std::isfinite(past_.gap)) points.add(past_);
  }
  /// Where it meets a segment or point with these normals, or will when it has come near to it. False: nowhere.
  [[nodiscard]] bool meet(const PlacedHull& hull, const NormalFilter& filter) {
    find_contacts(frustum_, hull, motion_.reach, filter, patch_);
    if (patch_.size() > 0) return true;
    if (!(motion_.horizon > 0.0)) return false;
    find_contacts(frustum_, hull, motion_.reach, patch_);
    if (patch_.size() == 0) return false;
    const PatchPoint now = *patch_.begin();
    const Vector3d velocity = motion_.velocity_at(now.on_first);
    const double time = time_to_touch(now.gap, now.normal.dot(velocity));
    if (!std::isfinite(time)) return false;
    PlacedFrustum moved = frustum_;
    moved.centre += time * velocity;
    find_contacts(moved, hull, motion_.reach, filter, patch_);
    // They touch then: what is in the other along a normal that is allowed, then or now, is not what will touch.
    double least = std::numeric_limits<double>::infinity();
    patch_.change_from(0, [&](PatchPoint& point) {
      least = std::min(least, point.gap);
      point.on_first -= time * velocity;
      point.gap = point.normal.dot(point.on_first - point.on_second);
      least = std::min(least, point.gap);
    });
    return patch_.size() > 0 && least >= -kJustTouch * size_;
  }
  /// What is in the frustum by some depth has solid behind it, as far along a direction out of it.
  [[nodiscard]] bool is_solid_behind(const PatchPoint& point, const Vector3d& out) const {
    return point.gap >= -view_.tolerance || is_in_solid(point.on_second + point.gap * out.normalized());
  }
  void add_feature(const PatchPoint& point, const Vector3d& out, std::uint64_t name, PointList& points) const {
    if (is_solid_behind(point, out)) add(point.normal, point.on_first, point.gap, name, points);
  }

  void on_edge(std::int32_t e, PointList& points) {
    const Surface::Edge& edge = view_.surface.edge(e);
    const Vector3d from = view_.vertex(edge.from), to = view_.vertex(edge.to), side = to - from;
    if (distance_from(frustum_, 0.5 * (from + to)).distance - 0.5 * side.norm() > motion_.reach) return;
    segment_.place_segment(from, to);
    if (!meet(segment_, FeatureNormals<Surface::Edge>(view_, edge))) return;
    const Vector3d beside = edge.right >= 0 ? view_.surface.face_of(edge.right).normal : view_.outward(edge.left, edge);
    const double end = view_.tolerance / side.norm();
    for (const PatchPoint& point : patch_) {
      const double t = side.dot(point.on_second - from) / side.squaredNorm();
      if (!(t > end && t < 1.0 - end)) {
        at_end(point, t < 0.5 ? edge.from : edge.to);
        continue;
      }
      const auto place =
          static_cast<Index>(point.feature < at_vertex(0) ? kOfLine + point.feature : point.feature - at_edge(0, 0));
      add_feature(point, view_.surface.face_of(edge.left).normal + beside, names_.edge_across(e, place), points);
    }
  }
  void on_vertex(std::int32_t w, PointList& points) {
    const Vector3d x = view_.vertex(w);
    if (distance_from(frustum_, x).distance > motion_.reach) return;
    segment_.place_point(x);
    if (meet(segment_, FeatureNormals<std::int32_t>(view_, w)))
      add_feature(*patch_.begin(), out_of_vertex(w), names_.hull_at(w), points);
  }
  /// The frustum is past a vertex that is not in it, as where a side and an end meet at a sharp angle: the edge is.
  void at_end(const PatchPoint& point, std::int32_t w) {
    if (point.gap >= -view_.tolerance || point.gap <= past_.gap) return;
    if (distance_from(frustum_, view_.vertex(w)).distance <= 0.0) return;
    if (!view_.is_normal(w, point.normal, kJustTouch) || !is_solid_behind(point, out_of_vertex(w))) return;
    past_ = point;
    past_.feature = names_.hull_at(w);
  }
  /// Away from its faces and, as there may be rims, from its edges.
  [[nodiscard]] Vector3d out_of_vertex(std::int32_t w) const {
    const auto v = static_cast<std::size_t>(w);
    Vector3d along = Vector3d::Zero();
    for (auto i = view_.surface.vertex_begin[v]; i < view_.surface.vertex_begin[v + 1]; ++i) {
      const Surface::Edge& edge = view_.surface.edge(view_.surface.vertex_edges[static_cast<std::size_t>(i)]);
      along += (view_.surface.vertex(edge.from == w ? edge.to : edge.from) - view_.surface.vertex(w)).normalized();
    }
    return view_.surface.vertex_normals[v].normalized() - along.normalized();
  }

  /// An edge or vertex lies deep in the frustum where another point, not as deep, is all that separates them: moved a
  /// little beyond it, the frustum has left them.
  void drop_hidden_features(PointList& points) const {
    const double deep = -2.0 * view_.tolerance;
    const std::size_t count = points.size();
    for (std::size_t i = 0; i < count; ++i) {
      const PatchPoint own = points[i];
      const std::int32_t edge = names_.crossing(own.feature).edge, vertex = names_.vertex_of(own.feature);
      if (own.gap >= deep || (edge < 0 && vertex < 0)) continue;
      bool hidden = false;
      for (std::size_t j = 0; j < count && !hidden; ++j) {
        const PatchPoint other = points[j];
        if (other.gap > view_.tolerance || !(other.gap > own.gap)) continue;
        const Vector3d shift = beyond(other);
        // Out along its own normal too: about as deep as the other, which is not all that separates them then.
        if (own.gap + shift.dot(own.normal) > -view_.tolerance) continue;
        PlacedFrustum moved = frustum_;
        moved.centre += shift;
        hidden = vertex >= 0 ? distance_from(moved, view_.vertex(vertex)).distance > 0.0
                             : distance_of_edge(moved, edge) > 0.0;
      }
      if (hidden) points.drop(i);
    }
  }
  [[nodiscard]] double distance_of_edge(const PlacedFrustum& frustum, std::int32_t e) const {
    const Surface::Edge& edge = view_.surface.edge(e);
    const Vector3d from = view_.vertex(edge.from), side = view_.vertex(edge.to) - from;
    const double t =
        root_of(0.0, 1.0, [&](double s) { return distance_from(frustum, from + s * side).normal.dot(side); });
    return distance_from(frustum, from + t * side).distance;
  }

  const PlacedFrustum& frustum_;
  Patch& patch_;
  PlacedHull segment_;
  std::array<PatchPoint, 8> left_;  ///< by their gaps, the shallowest first
  std::size_t num_left_ = 0;
  PatchPoint past_;
  std::size_t faces_begin_ = 0, faces_end_ = 0;
};

}  // namespace

PointList find_contacts(const MovingFrustum& first, const Surface& second, const Vector3d& at,
                        std::vector<Index>& memory, Patch& scratch) {
  return FrustumSearch(first, second, at, memory, scratch).find();
}

}  // namespace nonsmooth::narrow_phase
