// SPDX-License-Identifier: Apache-2.0
// Contact patches of two cylinders or cones: ends on ends, and lines of the side as segments.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "frustum_patch.hpp"
#include "root_of.hpp"

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kOnDisk = 1e-12;              ///< of the sizes: what is this near to a border is inside
constexpr int kOfSegment = 32, kOfDisks = 64;  ///< numbers of points in a patch begin there; see number_of

/// Of a point of a segment and a frustum: below 32.
int number_of(std::uint64_t feature) {
  if (feature < at_vertex(0)) return static_cast<int>(feature);
  if (feature < at_edge(0, 0)) return static_cast<int>(16 + (feature - at_vertex(0)));
  return static_cast<int>(18 + (feature - at_edge(0, 0)));
}

class PairPatch {
 public:
  PairPatch(const FrustaFacing& facing, Patch& patch)
      : first_(facing.first),
        second_(facing.second),
        normal_(facing.normal),
        reach_(facing.reach),
        near_(kOnDisk * (facing.first.frustum->size + facing.second.frustum->size)),
        patch_(patch) {}

  double add() {
    const bool side_of_first = side_faces(first_, -normal_), side_of_second = side_faces(second_, normal_);
    if (side_of_second) add_segment(first_, second_, normal_, true);
    if (side_of_first) add_segment(second_, first_, -normal_, !side_of_second);
    for (const int end : {0, 1}) {
      if (!end_faces(first_, end, -normal_)) continue;
      for (const int other : {0, 1}) {
        if (end_faces(second_, other, normal_)) disks(end, other);
      }
    }
    return least_;
  }

 private:
  [[nodiscard]] static bool side_faces(const PlacedFrustum& own, const Vector3d& direction) {
    return !own.is_along_axis(direction) && direction.dot(own.side_normal(direction)) > kPatchCosine;
  }
  [[nodiscard]] static bool end_faces(const PlacedFrustum& own, int end, const Vector3d& direction) {
    return own.radius(end) > 0.0 && direction.dot(own.out_of(end)) > kPatchCosine;
  }

  /// A line of the side of `other`, and an end or (with `sides`) a line of the side of `own`.
  void add_segment(const PlacedFrustum& own, const PlacedFrustum& other, const Vector3d& normal, bool sides) {
    PlacedHull segment;
    segment.place_segment(other.farthest_of(0, normal), other.farthest_of(1, normal));
    const std::size_t begin = patch_.size();
    least_ = std::min(least_, add_overlap(FrustumFacing{own, segment, normal, reach_, sides}, patch_));
    const bool swapped = &own != &first_;
    patch_.change_from(begin, [&](PatchPoint& point) {
      point.feature = in_patch(number_of(point.feature) + (swapped ? kOfSegment : 0));
      if (!swapped) return;
      point.normal = normal_;
      std::swap(point.on_first, point.on_second);
    });
  }

  void add_pair(const Vector3d& on_first, const Vector3d& on_second, int number) {
    const double gap = normal_.dot(on_first - on_second);
    least_ = std::min(least_, gap);
    if (gap <= reach_) patch_.add({normal_, on_first, on_second, gap, in_patch(kOfDisks + number)});
  }

  /// The point of an end's plane that x reaches along the normal.
  [[nodiscard]] Vector3d onto(const PlacedFrustum& own, int end, const Vector3d& x) const {
    const Vector3d out = own.out_of(end);
    return x + (out.dot(own.middle_of(end) - x) / out.dot(normal_)) * normal_;
  }
  [[nodiscard]] static Vector3d standing_point(const PlacedFrustum& own, int end, int k) {
    const Vector3d direction = (k < 2 ? 1.0 : -1.0) * (k % 2 == 0 ? own.x : own.y);
    return own.middle_of(end) + own.radius(end) * direction;
  }

  /// Numbers: 8 of a pair of ends for the points of the first, 8 of the second, 2 for crossings.
  void disks(int end, int other) {
    const Vector3d middle = first_.middle_of(end), middle_of_second = second_.middle_of(other);
    const double radius = first_.radius(end), radius_of_second = second_.radius(other);
    for (int k = 0; k < 4; ++k) {
      const Vector3d x = standing_point(first_, end, k), y = onto(second_, other, x);
      if ((y - middle_of_second).norm() <= radius_of_second + near_) add_pair(x, y, 4 * end + k);
    }
    for (int k = 0; k < 4; ++k) {
      const Vector3d y = standing_point(second_, other, k), x = onto(first_, end, y);
      if ((x - middle).norm() > radius + near_) continue;
      bool known = false;  // the same points of equal disks
      for (int i = 0; i < 4; ++i) known = known || (x - standing_point(first_, end, i)).norm() <= near_;
      if (!known) add_pair(x, y, 8 + 4 * other + k);
    }
    cross_circles(end, other);
  }
  /// Where the circle of an end of the first is over that of the second, on the two sides of the line between them.
  void cross_circles(int end, int other) {
    const Vector3d middle = first_.middle_of(end), middle_of_second = second_.middle_of(other);
    const double radius = second_.radius(other);
    const Vector3d between = middle_of_second - middle;
    const double toward = std::atan2(first_.y.dot(between), first_.x.dot(between));
    const auto point = [&](double angle) {
      return Vector3d(middle + first_.radius(end) * (std::cos(angle) * first_.x + std::sin(angle) * first_.y));
    };
    const auto beyond = [&](double angle) {
      return (onto(second_, other, point(angle)) - middle_of_second).norm() - radius;
    };
    if (!(beyond(toward) < -near_ && beyond(toward + std::numbers::pi) > near_)) return;
    for (const int side : {0, 1}) {
      const double turn = side == 0 ? 1.0 : -1.0;
      const Vector3d x =
          point(toward + turn * root_of(0.0, std::numbers::pi, [&](double s) { return beyond(toward + turn * s); }));
      add_pair(x, onto(second_, other, x), 16 + 4 * end + 2 * other + side);
    }
  }

  const PlacedFrustum &first_, &second_;
  const Vector3d& normal_;
  double reach_, near_, least_ = std::numeric_limits<double>::infinity();
  Patch& patch_;
};

}  // namespace

double add_overlap(const FrustaFacing& facing, Patch& patch) { return PairPatch(facing, patch).add(); }

}  // namespace nonsmooth::narrow_phase
