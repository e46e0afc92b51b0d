// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "polygon.hpp"

namespace nonsmooth::planar {

/// How a shape moves: `lever` is where the middle of the polygon is from the centre of mass.
struct PlanarMotion {
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();  ///< of the centre of mass
  double spin = 0.0;
  Eigen::Vector2d lever = Eigen::Vector2d::Zero();
  double horizon = 0.0;  ///< how long it is looked ahead

  [[nodiscard]] Eigen::Vector2d at(const Eigen::Vector2d& vertex) const {
    const Eigen::Vector2d arm = lever + vertex;
    return velocity + spin * Eigen::Vector2d(-arm.y(), arm.x());
  }
};

/// The pieces of a line through points of ascending x, with the solid below. Piece k goes from point k to point k + 1;
/// the first and the last have no end outwards.
///
/// A point of the solid's surface belongs to the inside of a piece, or is a ridge: a point between two pieces that turn
/// clockwise. What touches is then a vertex of a shape on a piece that it faces now, or will where it touches it as it
/// moves, or a ridge on a shape, where the normal is one of those between its pieces'. The three regions of space about
/// a ridge (before it, its own, behind it) are told apart by the same two products of the same difference everywhere,
/// so that no place is in none.
class HeightProfile {
 public:
  /// Pieces that one vertex can touch at once: there are no more names.
  static constexpr Index most_at_once = 4096;

  /// @throws InvalidArgument: fewer than 2 points, one that is not finite, x that do not ascend.
  explicit HeightProfile(const std::vector<Eigen::Vector2d>& points);

  /// @throws InvalidArgument: what the constructor refuses.
  static void check_points(const std::vector<Eigen::Vector2d>& points);

  [[nodiscard]] const std::vector<Eigen::Vector2d>& points() const { return points_; }
  [[nodiscard]] Index num_pieces() const { return static_cast<Index>(along_.size()); }

  /// Calls add(piece, point) for what touches a shape within `reach`, in ascending order of (piece, feature). Vertices
  /// of the first on pieces come under piece 0 whichever they are on, so that a contact keeps its name as it slides
  /// from one to the next; where a vertex touches several, the later ones have names of their own. A ridge comes as
  /// vertex 0 of the second, under the piece behind it. `at`: the origin of the polygon's coordinates; those of the
  /// points too. Cost: O(log points + vertices pieces) of the pieces below, where one is as high as the shape.
  /// @throws InvalidArgument: a vertex that touches more than `most_at_once` pieces.
  template <class Add>
  void find_contacts(const PlacedPolygon& shape, const Eigen::Vector2d& at, const PlanarMotion& motion, double reach,
                     Add add) const;

 private:
  using Vector2d = Eigen::Vector2d;

  [[nodiscard]] const Vector2d& start(Index piece) const { return points_[static_cast<std::size_t>(piece)]; }
  [[nodiscard]] const Vector2d& along(Index piece) const { return along_[static_cast<std::size_t>(piece)]; }
  [[nodiscard]] Vector2d normal(Index piece) const { return {-along(piece).y(), along(piece).x()}; }
  /// Sine of the angle from one piece to another, counterclockwise.
  [[nodiscard]] double turn(Index from, Index to) const {
    return along(from).x() * along(to).y() - along(from).y() * along(to).x();
  }
  [[nodiscard]] bool is_ridge(Index p) const { return p > 0 && p < num_pieces() && turn(p - 1, p) < 0.0; }
  /// The piece under x.
  [[nodiscard]] Index piece_at(double x) const;
  /// The highest that it is from x to x.
  [[nodiscard]] double highest(double low_x, double high_x, Index low, Index high) const;
  /// What rounding moves a place by as seen from a piece, generously.
  [[nodiscard]] double rounding_at(const Vector2d& v, Index piece) const {
    return 4e-15 * (v.cwiseAbs().sum() + start(piece).cwiseAbs().sum());
  }
  /// Whether what is nearest to v on the piece's line lies on the piece, or as far beyond an end that is no ridge. With
  /// 0, such an end itself is of the piece before it.
  [[nodiscard]] bool faces(Index piece, const Vector2d& v, double beyond_valleys) const;
  /// Up to rounding.
  [[nodiscard]] bool of_one_line(Index piece, Index other) const;
  /// Whether a place outside, above the piece `under`, faces a piece that is `gap` away: where it touches it, if it
  /// does so within the horizon, or else now.
  [[nodiscard]] bool touches(Index piece, Index under, const Vector2d& v, const Vector2d& velocity, double gap,
                             double horizon) const;
  [[nodiscard]] double squared_distance(Index piece, const Vector2d& v) const;
  /// Pieces that hold a vertex inside the solid: the nearest, and those beside it whose lines it is under as well, as
  /// far as valleys go: what is free there is above all of them.
  struct Holding {
    Index first, last;
  };
  [[nodiscard]] Holding holding_pieces(const Vector2d& v, Index low, Index high) const;
  /// How a ridge meets a shape. False: not within its own normals.
  [[nodiscard]] bool meet_ridge(Index ridge, const PlacedPolygon& shape, const Vector2d& at, PatchPoint& point) const;
  [[noreturn]] static void refuse_too_many();

  std::vector<Vector2d> points_, along_;  // unit directions
};

template <class Add>
void HeightProfile::find_contacts(const PlacedPolygon& shape, const Vector2d& at, const PlanarMotion& motion,
                                  double reach, Add add) const {
  Vector2d low_corner = shape.vertex(0), high_corner = low_corner;
  for (Index v = 1; v < shape.num_vertices; ++v) {
    low_corner = low_corner.cwiseMin(shape.vertex(v));
    high_corner = high_corner.cwiseMax(shape.vertex(v));
  }
  const double margin = shape.radius + reach, low_x = at.x() + low_corner.x() - margin,
               high_x = at.x() + high_corner.x() + margin;
  const Index low = piece_at(low_x), high = piece_at(high_x);
  if (at.y() + low_corner.y() - margin > highest(low_x, high_x, low, high)) return;

  for (Index v = 0; v < shape.num_vertices; ++v) {
    const Vector2d place = at + shape.vertex(v), velocity = motion.at(shape.vertex(v));
    const Index under = piece_at(place.x());
    const bool inside = normal(under).dot(place - start(under)) < 0.0;
    const Holding pieces = inside ? holding_pieces(place, low, high) : Holding{low, high};
    Index rank = 0;
    for (Index piece = pieces.first; piece <= pieces.last; ++piece) {
      const Vector2d up = normal(piece);
      const double height = up.dot(place - start(piece)), gap = height - shape.radius;
      if (gap > reach) continue;
      if (!inside && (height < -rounding_at(place, piece) ||
                      !touches(piece, under, place, velocity, std::max(gap, 0.0), motion.horizon)))
        continue;
      if (rank == most_at_once) refuse_too_many();
      add(Index{0}, PatchPoint{up, shape.vertex(v) - shape.radius * up, shape.vertex(v) - height * up, gap,
                               vertex_of_first(most_at_once * v + rank++)});
    }
  }
  for (Index piece = std::max(low, Index{1}); piece <= high; ++piece) {
    PatchPoint point;
    if (is_ridge(piece) && meet_ridge(piece, shape, at, point) && point.gap <= reach) add(piece, point);
  }
}

}  // namespace nonsmooth::planar
