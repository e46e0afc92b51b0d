// SPDX-License-Identifier: Apache-2.0
// Cylinders and cones with each other: the closest points, or the direction that separates the most.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "closest_features.hpp"
#include "frustum.hpp"
#include "frustum_patch.hpp"
#include "root_of.hpp"

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kSame = 1e-13;       ///< of the sizes: distances that differ by less are equal, and the first counts
constexpr double kTouching = 1e-9;    ///< of the sizes: below, closest points have no direction between them
constexpr double kMovedApart = 1e-3;  ///< of the sizes: how far apart what overlaps is moved to find its direction
constexpr double kRounding = 1e-15;   ///< of the sizes
constexpr double kSameDirection = 1e-12;           ///< rad
constexpr int kFewAngles = 24, kManyAngles = 192;  ///< of a circle, between which minima are looked for
constexpr int kMostMoves = 60;
constexpr std::size_t kStarts = 3;

/// Two points of two frusta and the direction from the second to the first; on which of their parts the points are.
struct PointPair {
  double gap = 0.0;
  Vector3d normal, on_first, on_second;
  PairParts parts;
};

class FrustumPair {
 public:
  FrustumPair(const PlacedFrustum& first, const PlacedFrustum& second)
      : first_(first), second_(second), size_(first.frustum->size + second.frustum->size) {}

  /// How far a direction from the second to the first separates them: no more than their distance.
  [[nodiscard]] double separation(const Vector3d& normal) const {
    return -first_.height(-normal) - second_.height(normal);
  }

  [[nodiscard]] PointPair find() {
    if (find_closest()) return best_;
    const PointPair closest = best_;
    best_.gap = -std::numeric_limits<double>::infinity();
    separate_by_ends();
    along_side(true);
    along_side(false);
    for_each_side_normal([&](const Vector3d& normal) { separate({normal, {kSide, kSide}}); });
    climb();
    if (closest.gap > 0.0 && closest.gap <= kTouching * size_) climb_from(closest.normal);
    return best_;
  }

  /// The closest points of two that are apart by more than what leaves a direction between them; else false.
  [[nodiscard]] bool find_closest() {
    for (const int angles : {kFewAngles, kManyAngles}) {
      best_.gap = std::numeric_limits<double>::infinity();
      for (const int end : {0, 1}) {
        take_end(true, end);
        take_end(false, end);
      }
      take_sides();
      for (const int end : {0, 1}) {
        take_circle(true, end, angles);
        take_circle(false, end, angles);
      }
      if (!(best_.gap > kTouching * size_)) return false;
      if (separation(best_.normal) > best_.gap - kTouching * size_) return true;
      if (axis_enters(first_, second_) || axis_enters(second_, first_)) return false;
    }
    return false;
  }

 private:
  struct Direction {
    Vector3d normal;
    PairParts parts;
  };

  [[nodiscard]] static int farthest_end(const PlacedFrustum& own, const Vector3d& direction) {
    return own.height_of(0, direction) >= own.height_of(1, direction) ? 0 : 1;
  }

  void offer(const PointPair& pair) {
    if (pair.gap < best_.gap - kSame * size_) best_ = pair;
  }
  /// x is of the one, its distance from the other is `found`.
  void offer(bool of_first, int part, const Vector3d& x, const FrustumDistance& found) {
    if (!(found.distance < best_.gap - kSame * size_)) return;
    const PlacedFrustum &own = of_first ? first_ : second_, &other = of_first ? second_ : first_;
    const Vector3d normal = across(own, part, x, other, found);
    int part_of_other = kSide;
    if (found.circle >= 0) {
      part_of_other = circle_part(found.circle);
    } else if (found.normal == other.axis) {
      part_of_other = end_part(1);
    } else if (found.normal == -other.axis) {
      part_of_other = end_part(0);
    }
    const Vector3d beside = x - found.distance * normal;
    offer(of_first ? PointPair{found.distance, normal, x, beside, {part, part_of_other}}
                   : PointPair{found.distance, -normal, beside, x, {part_of_other, part}});
  }
  /// Across both circles where the points are on such: without the noise of their difference.
  [[nodiscard]] Vector3d across(const PlacedFrustum& own, int part, const Vector3d& x, const PlacedFrustum& other,
                                const FrustumDistance& found) const {
    if (found.circle < 0 || own.radius(part) == 0.0 || other.radius(found.circle) == 0.0) return found.normal;
    const Vector3d of_own = own.axis.cross(x - own.centre).normalized(),
                   of_other = other.axis.cross(x - found.distance * found.normal - other.centre).normalized();
    const Vector3d normal = of_own.cross(of_other);
    const double sine = normal.norm();
    if (!(sine * size_ > found.distance)) return found.normal;
    return (normal.dot(found.normal) < 0.0 ? -1.0 / sine : 1.0 / sine) * normal;
  }

  void take_circle(bool of_first, int end, int angles) {
    const PlacedFrustum &own = of_first ? first_ : second_, &other = of_first ? second_ : first_;
    const Vector3d middle = own.middle_of(end);
    const double radius = own.radius(end);
    const auto point = [&](double angle) {
      return Vector3d(middle + radius * (std::cos(angle) * own.x + std::sin(angle) * own.y));
    };
    if (radius == 0.0) return offer(of_first, circle_part(end), middle, distance_from(other, middle));
    const auto rises = [&](double angle) {
      return distance_from(other, point(angle)).normal.dot(std::cos(angle) * own.y - std::sin(angle) * own.x);
    };
    const double turn = 2.0 * std::numbers::pi / angles;
    double last_distance = 0.0, last_rise = 0.0, least = std::numeric_limits<double>::infinity(), least_at = 0.0;
    bool found = false;
    for (int k = 0; k <= angles; ++k) {
      const double angle = (k + 0.5) * turn;
      const Vector3d x = point(angle);
      const FrustumDistance here = distance_from(other, x);
      const double rise = here.normal.dot(std::cos(angle) * own.y - std::sin(angle) * own.x);
      if (here.distance < least) least = here.distance, least_at = angle;
      if (k > 0 && last_rise <= 0.0 && rise > 0.0) {
        found = true;
        // A distance grows no faster than 1.
        if (0.5 * (last_distance + here.distance - radius * turn) < best_.gap) {
          const Vector3d lowest = point(root_by_secants(angle - turn, angle, rises));
          offer(of_first, circle_part(end), lowest, distance_from(other, lowest));
        }
      }
      last_distance = here.distance;
      last_rise = rise;
    }
    if (found) return;
    const Vector3d lowest = point(least_at);
    offer(of_first, circle_part(end), lowest, distance_from(other, lowest));
  }

  /// Over an end of one: the point of the other that is nearest to its plane.
  void take_end(bool of_first, int end) {
    const PlacedFrustum &own = of_first ? first_ : second_, &other = of_first ? second_ : first_;
    const double radius = own.radius(end);
    if (radius == 0.0) return;
    const Vector3d out = own.out_of(end), middle = own.middle_of(end);
    const int low = farthest_end(other, -out);
    const double gap = -other.height_of(low, -out) - out.dot(middle);
    if (!(gap > 0.0)) return;
    Vector3d x = other.farthest_of(low, -out);
    const auto from_axis = [&](const Vector3d& y) { return Vector3d(y - middle - out * out.dot(y - middle)); };
    if (other.is_along_axis(out)) {  // two disks side by side: a point that both have
      const Vector3d aside = from_axis(x);
      const double length = aside.norm();
      if (length > radius + other.radius(low)) return;
      if (length > radius) x -= ((length - radius) / length) * aside;
    } else if (from_axis(x).norm() > radius) {
      return;
    }
    const Vector3d below = x - gap * out;
    const int of_other = circle_part(low);
    offer(of_first ? PointPair{gap, -out, below, x, {end_part(end), of_other}}
                   : PointPair{gap, out, x, below, {of_other, end_part(end)}});
  }

  /// Directions n into the side of the first and out of that of the second: n . axes are known.
  template <class Visit>
  void for_each_side_normal(Visit visit) const {
    const auto sine = [](const PlacedFrustum& own) {
      const double rise = own.radius(0) - own.radius(1);
      return rise / std::hypot(2.0 * own.frustum->half, rise);
    };
    const double on_first = -sine(first_), on_second = sine(second_), cosine = first_.axis.dot(second_.axis);
    const Vector3d product = first_.axis.cross(second_.axis);
    const double area = product.squaredNorm();
    if (area > kParallel) {
      const double a = (on_first - cosine * on_second) / area, b = (on_second - cosine * on_first) / area;
      const double rest = 1.0 - (a * on_first + b * on_second);
      if (!(rest >= 0.0)) return;
      for (const double sign : {-1.0, 1.0})
        visit(Vector3d(a * first_.axis + b * second_.axis + sign * std::sqrt(rest / area) * product).normalized());
      return;
    }
    if (std::abs(on_second - cosine * on_first) > std::sqrt(kParallel)) return;
    Vector3d aside = first_.centre - second_.centre;
    aside -= first_.axis * first_.axis.dot(aside);
    const double length = aside.norm();
    if (length > 0.0)
      visit(Vector3d(std::sqrt(1.0 - on_first * on_first) / length * aside + on_first * first_.axis).normalized());
  }
  /// Points of the two lines of the sides that look at each other; false where the closest are beyond their ends.
  [[nodiscard]] bool on_sides(const Vector3d& normal, Vector3d& x, Vector3d& y) const {
    const Vector3d low = first_.farthest_of(0, -normal), up = first_.farthest_of(1, -normal) - low,
                   begin = second_.farthest_of(0, normal), line = second_.farthest_of(1, normal) - begin;
    double s = 0.0, t = 0.0;
    bool within = true;
    if (closest_on_lines(low, up, begin, line, s, t)) {
      within = s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0;
      s = std::clamp(s, 0.0, 1.0);
      t = std::clamp(t, 0.0, 1.0);
    } else {  // side by side: the middle of what they have in common
      const double from = up.dot(begin - low) / up.squaredNorm(), to = from + up.dot(line) / up.squaredNorm();
      const double least = std::max(0.0, std::min(from, to)), most = std::min(1.0, std::max(from, to));
      within = least <= most;
      s = std::clamp(0.5 * (least + most), 0.0, 1.0);
      t = std::clamp(line.dot(low + s * up - begin) / line.squaredNorm(), 0.0, 1.0);
    }
    x = low + s * up;
    y = begin + t * line;
    return within;
  }
  void take_sides() {
    for_each_side_normal([&](const Vector3d& normal) {
      PointPair pair{0.0, normal, {}, {}, {kSide, kSide}};
      if (!on_sides(normal, pair.on_first, pair.on_second)) return;
      pair.gap = normal.dot(pair.on_first - pair.on_second);
      if (pair.gap > 0.0) offer(pair);
    });
  }

  /// True where a point of the axis of one is in the other. The distance along the axis is convex.
  [[nodiscard]] static bool axis_enters(const PlacedFrustum& own, const PlacedFrustum& other) {
    const Vector3d from = own.middle_of(0), line = own.middle_of(1) - from;
    const double t =
        root_of(0.0, 1.0, [&](double s) { return distance_from(other, from + s * line).normal.dot(line); });
    return distance_from(other, from + t * line).distance < 0.0;
  }

  void separate(const Direction& direction) {
    const Vector3d& normal = direction.normal;
    const double gap = separation(normal);
    if (!(gap > best_.gap + kSame * size_)) return;
    const auto [of_first, of_second] = direction.parts;
    PointPair pair{gap, normal, {}, {}, direction.parts};
    if (is_circle(of_first)) {
      pair.on_first = first_.farthest_of(of_first, -normal);
      pair.on_second = pair.on_first - gap * normal;
    } else if (is_circle(of_second)) {
      pair.on_second = second_.farthest_of(of_second, normal);
      pair.on_first = pair.on_second + gap * normal;
    } else {
      (void)on_sides(normal, pair.on_first, pair.on_second);
      pair.on_second = pair.on_first - gap * normal;
    }
    best_ = pair;
  }
  void separate_by_ends() {
    for (const int end : {0, 1}) {
      if (first_.radius(end) > 0.0) {
        const Vector3d normal = -first_.out_of(end);
        separate({normal, {end_part(end), circle_part(farthest_end(second_, normal))}});
      }
      if (second_.radius(end) > 0.0) {
        const Vector3d normal = second_.out_of(end);
        separate({normal, {circle_part(farthest_end(first_, -normal)), end_part(end)}});
      }
    }
  }
  /// Normals of the side of one, around its axis, where the separation is largest.
  void along_side(bool of_first) {
    const PlacedFrustum &own = of_first ? first_ : second_, &other = of_first ? second_ : first_;
    const double rise = own.radius(0) - own.radius(1), length = std::hypot(2.0 * own.frustum->half, rise);
    const double c = 2.0 * own.frustum->half / length, s = rise / length;
    const auto out = [&](double angle) {
      return Vector3d(c * (std::cos(angle) * own.x + std::sin(angle) * own.y) + s * own.axis);
    };
    // Minus the derivative of the separation: how the point of the other that is deepest moves out.
    const auto falls = [&](double angle) {
      const Vector3d direction = -out(angle);
      const Vector3d deepest = other.farthest_of(farthest_end(other, direction), direction);
      return (own.centre - deepest).dot(std::cos(angle) * own.y - std::sin(angle) * own.x);
    };
    const double turn = 2.0 * std::numbers::pi / kFewAngles;
    double before = falls(0.5 * turn);
    for (int k = 1; k <= kFewAngles; ++k) {
      const double angle = (k + 0.5) * turn, last = before;
      before = falls(angle);
      if (!(last <= 0.0 && before > 0.0)) continue;
      const Vector3d direction = out(root_by_secants(angle - turn, angle, falls)), inward = -direction;
      const bool line = std::abs(other.height_of(0, inward) - other.height_of(1, inward)) <= kTouching * size_;
      const int of_other = line ? kSide : circle_part(farthest_end(other, inward));
      separate(of_first ? Direction{inward, {kSide, of_other}} : Direction{direction, {of_other, kSide}});
    }
  }

  /// From the best so far and, where they are deep in each other, from the best of directions all around.
  void climb() {
    climb_from(best_.normal);
    if (best_.gap > -kMovedApart * size_) return;
    std::array<double, kStarts> most;
    std::array<Vector3d, kStarts> starts;
    most.fill(-std::numeric_limits<double>::infinity());
    const auto take = [&](const Vector3d& normal) {
      double value = separation(normal);
      Vector3d own = normal;
      for (std::size_t i = 0; i < kStarts; ++i) {
        if (!(value > most[i])) continue;
        std::swap(value, most[i]);
        std::swap(own, starts[i]);
      }
    };
    for (int code = 0; code < 27; ++code) {
      const Vector3d normal(code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1);
      if (code != 13) take(normal.normalized());
    }
    const Vector3d between = first_.centre - second_.centre;
    if (between.norm() > kTouching * size_) take(between.normalized());
    for (std::size_t i = 0; i < kStarts; ++i) climb_from(starts[i]);
  }
  /// Moved apart along a direction n by d - s(n), two have a closest direction m. As the separation of the moved is
  /// s(m) + (d - s(n)) n . m >= d, s(m) >= s(n): this climbs to where n is the direction itself, linearly, and faster
  /// by a step of Aitken's where that separates more.
  void climb_from(Vector3d normal) {
    double most = separation(normal), last = 0.0;
    PlacedFrustum moved = first_;
    FrustumPair apart(moved, second_);
    PairParts parts{-1, -1};
    for (int k = 0; k < kMostMoves; ++k) {
      moved.centre = first_.centre + (kMovedApart * size_ - most) * normal;
      if (!apart.find_closest()) break;
      Vector3d next = apart.best_.normal;
      const double length = (next - normal).norm(), ratio = last > 0.0 ? length / last : 1.0;
      last = length;
      if (ratio < 1.0) {
        const Vector3d beyond = (normal + (next - normal) / (1.0 - ratio)).normalized();
        if (separation(beyond) > separation(next)) next = beyond, last = 0.0;
      }
      const double value = separation(next);
      if (!(value > most - kRounding * size_)) break;
      most = std::max(most, value);
      normal = next;
      parts = apart.best_.parts;
      if (length <= kSameDirection) break;
    }
    if (parts.of_first >= 0) separate({normal, parts});
  }

  const PlacedFrustum &first_, &second_;
  double size_;
  PointPair best_;
};

}  // namespace

void find_contacts(const PlacedFrustum& first, const PlacedFrustum& second, double reach, Patch& patch) {
  patch.clear();
  FrustumPair pair(first, second);
  const Vector3d between = first.centre - second.centre;
  for (const Vector3d& direction : {between, first.axis, second.axis, Vector3d(-first.axis), Vector3d(-second.axis)}) {
    const double length = direction.norm();
    if (length > 0.0 && pair.separation(direction / length) > reach) return;
  }
  const PointPair best = pair.find();
  if (best.gap > reach) return;
  const double least = add_overlap(FrustaFacing{first, second, best.normal, reach}, patch);
  const double as_good = kSame * (first.frustum->size + second.frustum->size);
  if (patch.size() == 0 || least > best.gap + 10.0 * as_good)
    patch.add({best.normal, best.on_first, best.on_second, best.gap, meeting(best.parts)});
  patch.sort();
}

}  // namespace nonsmooth::narrow_phase
