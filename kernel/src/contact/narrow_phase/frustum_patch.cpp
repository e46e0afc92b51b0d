// SPDX-License-Identifier: Apache-2.0
// Contact patches of cylinders and cones: ends and lines of the side on faces and segments.
#include "frustum_patch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "face_overlap.hpp"

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kOnBorder = 1e-12;  ///< of the sizes: what is this near to a border is inside

/// Overlaps are taken along the normal, between an end or a line of the side and what of the hull faces it.
class FrustumPatch {
 public:
  FrustumPatch(const FrustumFacing& facing, Patch& patch)
      : facing_(facing),
        frustum_(facing.frustum),
        hull_(facing.hull),
        normal_(facing.normal),
        patch_(patch),
        near_(kOnBorder * (facing.frustum.frustum->size + facing.hull.size)),
        face_(supporting_face(hull_, normal_)) {
    if (face_ >= 0 && hull_.normal(face_).dot(normal_) < kPatchCosine) face_ = -1;
  }

  double add() {
    const bool segment = hull_.num_faces() == 0 && hull_.num_vertices() == 2;
    if (segment) {
      const Vector3d side = hull_.vertex(1) - hull_.vertex(0);
      if (std::abs(side.dot(normal_)) > std::sqrt(1.0 - kPatchCosine * kPatchCosine) * side.norm()) return least_;
    }
    if (face_ < 0 && !segment) return least_;
    for (const int end : {0, 1}) {
      if (frustum_.radius(end) > 0.0 && -normal_.dot(frustum_.out_of(end)) > kPatchCosine) end_on_hull(end);
    }
    // Down the axis of a flat cone all lines of the side are alike: the closest points are all there is.
    if (facing_.sides && !frustum_.is_along_axis(normal_) &&
        -normal_.dot(frustum_.side_normal(-normal_)) > kPatchCosine) {
      if (segment) {
        side_on_segment();
      } else {
        side_on_face();
      }
    }
    return least_;
  }

 private:
  void add_pair(const Vector3d& on_frustum, const Vector3d& on_hull, std::uint32_t feature) {
    least_ = std::min(least_, normal_.dot(on_frustum - on_hull));
    add_point(facing_, on_frustum, on_hull, feature, patch_);
  }
  /// The point of the face that is below or above x.
  [[nodiscard]] Vector3d on_face(const Vector3d& x) const {
    const Vector3d& own = hull_.normal(face_);
    return x + ((hull_.offset(face_) - own.dot(x)) / own.dot(normal_)) * normal_;
  }

  void end_on_hull(int end) {
    const Vector3d middle = frustum_.middle_of(end), out = frustum_.out_of(end);
    const double radius = frustum_.radius(end);
    const auto on_end = [&](const Vector3d& x) {
      return Vector3d(x + (out.dot(middle - x) / out.dot(normal_)) * normal_);
    };
    const auto take_vertex = [&](Index v) {
      const Vector3d point = on_end(hull_.vertex(v));
      if ((point - middle).norm() <= radius + near_) add_pair(point, hull_.vertex(v), at_vertex(v));
    };
    const auto take_side = [&](Index e) {
      const Hull::Edge& edge = hull_.hull->edges[static_cast<std::size_t>(e)];
      const Vector3d from = on_end(hull_.vertex(edge.from)), side = on_end(hull_.vertex(edge.to)) - from;
      const double a = side.squaredNorm(), b = side.dot(from - middle);
      const double root = b * b - a * ((from - middle).squaredNorm() - radius * radius);
      if (!(root > 0.0)) return;
      for (const int which : {0, 1}) {
        const double t = (-b + (which == 0 ? -1.0 : 1.0) * std::sqrt(root)) / a, rim = near_ / std::sqrt(a);
        if (!(t > rim && t < 1.0 - rim)) continue;
        const Vector3d on_hull = hull_.vertex(edge.from) + t * (hull_.vertex(edge.to) - hull_.vertex(edge.from));
        add_pair(from + t * side, on_hull, at_edge(e, kEnters + which));
      }
    };
    if (face_ < 0) {
      take_vertex(0);
      take_vertex(1);
      take_side(0);
      return;
    }
    for (int k = 0; k < 4; ++k) {
      const Vector3d direction = (k < 2 ? 1.0 : -1.0) * (k % 2 == 0 ? frustum_.x : frustum_.y);
      const Vector3d point = middle + radius * direction;
      if (in_prism(hull_, face_, normal_, point, near_)) add_pair(point, on_face(point), standing_on(end, k));
    }
    const Hull::Face& face = hull_.hull->faces[static_cast<std::size_t>(face_)];
    for (Index c = face.begin; c < face.begin + face.count; ++c) {
      take_vertex(hull_.hull->corners[static_cast<std::size_t>(c)]);
      take_side(hull_.hull->corner_edges[static_cast<std::size_t>(c)]);
    }
  }

  /// The part of a line of the side that is over the face.
  void side_on_face() {
    const Vector3d low = frustum_.farthest_of(0, -normal_), line = frustum_.farthest_of(1, -normal_) - low;
    double begin = 0.0, end = 1.0;
    std::uint32_t begins = lowest_of(0), ends = lowest_of(1);
    const Hull::Face& face = hull_.hull->faces[static_cast<std::size_t>(face_)];
    for (Index c = 0; c < face.count; ++c) {
      const Vector3d& from = corner(face, c);
      const Vector3d across = (corner(face, c + 1) - from).cross(normal_).normalized();
      const double beyond = across.dot(low - from), grows = across.dot(line);
      const std::uint32_t name = at_edge(hull_.hull->corner_edges[static_cast<std::size_t>(face.begin + c)], kCrosses);
      const bool begins_out = beyond > near_, ends_out = beyond + grows > near_;
      if (begins_out && ends_out) return;
      if (!begins_out && !ends_out) continue;
      const double t = -beyond / grows;
      if (begins_out && t > begin) begin = t, begins = name;
      if (ends_out && t < end) end = t, ends = name;
    }
    if (begin > end) return;
    for (const auto& [t, name] : {std::pair(begin, begins), std::pair(end, ends)}) {
      const Vector3d point = low + t * line;
      add_pair(point, on_face(point), name);
    }
  }
  [[nodiscard]] const Vector3d& corner(const Hull::Face& face, Index k) const {
    return hull_.vertex(hull_.hull->corners[static_cast<std::size_t>(face.begin + k % face.count)]);
  }

  /// Lines side by side, within 0.2 rad: the ends of their common length.
  void side_on_segment() {
    const Vector3d low = frustum_.farthest_of(0, -normal_), line = frustum_.farthest_of(1, -normal_) - low;
    const Vector3d from = hull_.vertex(0), side = hull_.vertex(1) - from;
    if (std::abs(line.dot(side)) < kPatchCosine * line.norm() * side.norm()) return;
    for (const int end : {0, 1}) {
      const Vector3d point = low + end * line;
      const double s = side.dot(point - from) / side.squaredNorm();
      if (s >= 0.0 && s <= 1.0) add_pair(point, from + s * side, lowest_of(end));
    }
    for (const Index v : {Index{0}, Index{1}}) {
      const double t = line.dot(hull_.vertex(v) - low) / line.squaredNorm();
      if (t > 0.0 && t < 1.0) add_pair(low + t * line, hull_.vertex(v), at_vertex(v));
    }
  }

  static constexpr int kEnters = 3, kCrosses = 5;  ///< places on an edge, see at_edge

  const FrustumFacing& facing_;
  const PlacedFrustum& frustum_;
  const PlacedHull& hull_;
  const Vector3d& normal_;
  Patch& patch_;
  double near_, least_ = std::numeric_limits<double>::infinity();
  Index face_;
};

}  // namespace

bool in_prism(const PlacedHull& hull, Index f, const Vector3d& direction, const Vector3d& x, double near) {
  const Hull::Face& face = hull.hull->faces[static_cast<std::size_t>(f)];
  const auto corner = [&](Index k) -> const Vector3d& {
    return hull.vertex(hull.hull->corners[static_cast<std::size_t>(face.begin + k % face.count)]);
  };
  for (Index c = 0; c < face.count; ++c) {
    if ((corner(c + 1) - corner(c)).cross(direction).normalized().dot(x - corner(c)) > near) return false;
  }
  return true;
}

void add_point(const FrustumFacing& facing, const Vector3d& on_frustum, const Vector3d& on_hull, std::uint32_t feature,
               Patch& patch) {
  const double gap = facing.normal.dot(on_frustum - on_hull), radius = facing.hull.radius;
  if (gap <= facing.reach)
    patch.add({facing.normal, on_frustum, on_hull + radius * facing.normal, gap - radius, feature});
}

double add_overlap(const FrustumFacing& facing, Patch& patch) { return FrustumPatch(facing, patch).add(); }

}  // namespace nonsmooth::narrow_phase
