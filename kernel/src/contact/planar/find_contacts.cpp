// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "polygon.hpp"

namespace nonsmooth::planar {
namespace {

using Eigen::Vector2d;

constexpr double kTouch = 1e-14;  ///< of the sizes: closer points have no direction between them
constexpr double kTie = 1e-9;     ///< of the sizes: ends of two sides that lie so near are one, of the first shape
constexpr double kNearlyParallel = 0.98;  ///< cosine of 0.2 rad
constexpr double kUpright = 1e-6;         ///< cosine: sides along the direction share nothing across it

/// Two shapes, the direction from the first to the second, and how far their surfaces may be apart.
struct Facing {
  const PlacedPolygon& first;
  const PlacedPolygon& second;
  Vector2d direction;
  double reach;

  /// Returns the gap.
  double add(const Vector2d& on_first, const Vector2d& on_second, std::uint32_t feature, Patch& patch) const {
    const double gap = direction.dot(on_second - on_first) - first.radius - second.radius;
    if (gap <= reach)
      patch.add({-direction, on_first + first.radius * direction, on_second - second.radius * direction, gap, feature});
    return gap;
  }
};

/// How far the side of one shape that separates the other the most does: below 0, by how much they overlap.
struct Separation {
  double distance = -std::numeric_limits<double>::infinity();
  Index side = -1, vertex = -1;  ///< the vertex of the other
  bool of_second = false;        ///< the side
};

void separate_by_sides(const PlacedPolygon& owner, const PlacedPolygon& other, bool of_second, Separation& best) {
  for (Index side = 0; side < owner.num_sides; ++side) {
    Separation own{
        .distance = std::numeric_limits<double>::infinity(), .side = side, .vertex = -1, .of_second = of_second};
    for (Index v = 0; v < other.num_vertices; ++v) {
      const double height = owner.normal(side).dot(other.vertex(v) - owner.vertex(side));
      if (height < own.distance) own.distance = height, own.vertex = v;
      if (own.distance < best.distance) break;
    }
    if (own.distance > best.distance) best = own;
  }
}

/// A vertex of one shape and what is closest to it on the other.
struct Closest {
  double squared = std::numeric_limits<double>::infinity();
  Vector2d vertex_point, other_point;
  Index vertex = -1, side = -1;  ///< side: of the other, where the point is inside it
  bool of_second = false;        ///< the vertex
};

void compare_vertices(const PlacedPolygon& owner, const PlacedPolygon& other, bool of_second, Closest& best) {
  for (Index v = 0; v < owner.num_vertices; ++v) {
    const Vector2d& p = owner.vertex(v);
    const auto offer = [&](const Vector2d& on_other, Index side) {
      const double squared = (on_other - p).squaredNorm();
      if (squared < best.squared) best = {squared, p, on_other, v, side, of_second};
    };
    if (other.num_sides == 0) offer(other.vertex(0), -1);
    for (Index side = 0; side < other.num_sides; ++side) {
      const Vector2d &from = other.vertex(side), along = other.next_vertex(side) - from;
      const double s = along.dot(p - from) / along.squaredNorm();
      const bool inside = s > 0.0 && s < 1.0;
      offer(from + std::clamp(s, 0.0, 1.0) * along, inside ? side : -1);
    }
  }
}

/// The side that looks most along a direction.
Index facing_side(const PlacedPolygon& polygon, const Vector2d& direction) {
  Index best = 0;
  for (Index side = 1; side < polygon.num_sides; ++side) {
    if (polygon.normal(side).dot(direction) > polygon.normal(best).dot(direction)) best = side;
  }
  return best;
}

/// A side as seen along the direction: its ends, the lower one first, and where they are across it.
struct Shadow {
  Index low_vertex, high_vertex;
  Vector2d low_point, high_point;
  double low, high;

  Shadow(const PlacedPolygon& polygon, Index side, const Vector2d& across)
      : low_vertex(side),
        high_vertex(side + 1 < polygon.num_vertices ? side + 1 : 0),
        low_point(polygon.vertex(low_vertex)),
        high_point(polygon.vertex(high_vertex)),
        low(across.dot(low_point)),
        high(across.dot(high_point)) {
    if (low <= high) return;
    std::swap(low_vertex, high_vertex);
    std::swap(low_point, high_point);
    std::swap(low, high);
  }
  [[nodiscard]] Vector2d at(double place) const {
    return low_point + ((place - low) / (high - low)) * (high_point - low_point);
  }
};

/// Both ends of what the sides share that face each other. Returns the smaller gap; infinite where they share nothing.
double add_shared_ends(const Facing& facing, Patch& patch) {
  const auto& [first, second, direction, reach] = facing;
  constexpr double none = std::numeric_limits<double>::infinity();
  if (first.num_sides == 0 || second.num_sides == 0) return none;
  const Index of_first = facing_side(first, direction), of_second = facing_side(second, -direction);
  const double cosine_first = first.normal(of_first).dot(direction),
               cosine_second = -second.normal(of_second).dot(direction);
  if (std::max(cosine_first, cosine_second) < kNearlyParallel || std::min(cosine_first, cosine_second) < kUpright)
    return none;
  const Vector2d across(-direction.y(), direction.x());
  const Shadow one(first, of_first, across), other(second, of_second, across);
  if (std::max(one.low, other.low) > std::min(one.high, other.high)) return none;
  const double tie = kTie * (first.size + second.size);
  const double at_low = one.low >= other.low - tie
                            ? facing.add(one.low_point, other.at(one.low), vertex_of_first(one.low_vertex), patch)
                            : facing.add(one.at(other.low), other.low_point, vertex_of_second(other.low_vertex), patch);
  const double at_high =
      one.high <= other.high + tie
          ? facing.add(one.high_point, other.at(one.high), vertex_of_first(one.high_vertex), patch)
          : facing.add(one.at(other.high), other.high_point, vertex_of_second(other.high_vertex), patch);
  return std::min(at_low, at_high);
}

/// The shared ends, and the closest points where these are closer.
void add_all(const Facing& facing, const Vector2d& on_first, const Vector2d& on_second, std::uint32_t feature,
             Patch& patch) {
  const double least = facing.direction.dot(on_second - on_first) - facing.first.radius - facing.second.radius;
  if (add_shared_ends(facing, patch) > least + kTouch * (facing.first.size + facing.second.size))
    facing.add(on_first, on_second, feature, patch);
}

/// The direction between the closest points: along a side's normal where one is inside a side.
Vector2d direction_of(const Closest& closest, const PlacedPolygon& first, const PlacedPolygon& second) {
  const Vector2d between = closest.of_second ? Vector2d(closest.vertex_point - closest.other_point)
                                             : Vector2d(closest.other_point - closest.vertex_point);
  if (closest.side < 0) return between / std::sqrt(closest.squared);
  const Vector2d& normal = (closest.of_second ? first : second).normal(closest.side);
  return normal.dot(between) > 0.0 ? normal : Vector2d(-normal);
}

}  // namespace

void find_contacts(const PlacedPolygon& first, const PlacedPolygon& second, double reach, Patch& patch) {
  patch.clear();
  const double touch = kTouch * (first.size + second.size);
  Separation separation;
  separate_by_sides(first, second, false, separation);
  separate_by_sides(second, first, true, separation);
  if (separation.distance - first.radius - second.radius > reach) return;

  if (separation.side < 0 || separation.distance > -touch) {
    Closest closest;
    compare_vertices(first, second, false, closest);
    compare_vertices(second, first, true, closest);
    if (closest.squared > touch * touch || separation.side < 0) {  // apart, or two points
      const bool coincide = !(closest.squared > 0.0);              // any direction separates them
      const Facing facing{first, second, coincide ? Vector2d::UnitY() : direction_of(closest, first, second), reach};
      const auto feature = closest.of_second ? vertex_of_second(closest.vertex) : vertex_of_first(closest.vertex);
      add_all(facing, closest.of_second ? closest.other_point : closest.vertex_point,
              closest.of_second ? closest.vertex_point : closest.other_point, feature, patch);
      return;
    }
  }
  // They touch or overlap: the vertex that is deepest behind the side that separates the most.
  const PlacedPolygon& owner = separation.of_second ? second : first;
  const Vector2d& normal = owner.normal(separation.side);
  const Vector2d& vertex = (separation.of_second ? first : second).vertex(separation.vertex);
  const Vector2d on_side = vertex - separation.distance * normal;
  const Facing facing{first, second, separation.of_second ? Vector2d(-normal) : normal, reach};
  const auto feature = separation.of_second ? vertex_of_first(separation.vertex) : vertex_of_second(separation.vertex);
  add_all(facing, separation.of_second ? vertex : on_side, separation.of_second ? on_side : vertex, feature, patch);
}

}  // namespace nonsmooth::planar
