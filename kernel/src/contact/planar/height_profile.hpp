// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "polygon.hpp"

namespace nonsmooth::planar {

/// The pieces of a line through points of ascending x, with the solid below. Piece k goes from point k to point k + 1;
/// the first and the last have no end outwards.
///
/// A point of the solid's surface belongs to the inside of a piece, or is a ridge: a point between two pieces that turn
/// clockwise. What touches is then a vertex of a shape on a piece, or a ridge on a shape, where the normal is one of
/// those between its pieces'. The three regions of space about a ridge (before it, its own, behind it) are told apart
/// by the same two products everywhere, so that no place is in none.
class HeightProfile {
 public:
  /// @throws InvalidArgument: fewer than 2 points, one that is not finite, x that do not ascend.
  explicit HeightProfile(const std::vector<Eigen::Vector2d>& points);

  [[nodiscard]] Index num_pieces() const { return static_cast<Index>(along_.size()); }

  /// Calls add(piece, point) for what touches a shape within `reach`, in ascending order of (piece, meeting). Vertices
  /// of the first on pieces come under piece 0 whichever they are on, so that a contact keeps its name as it slides
  /// from one to the next; in a valley the second of a vertex has a name of its own. A ridge comes as vertex 0 of the
  /// second, under the piece behind it. `at`: the origin of the polygon's coordinates; those of the points too.
  template <class Add>
  void find_contacts(const PlacedPolygon& shape, const Eigen::Vector2d& at, double reach, Add add) const;

 private:
  /// Pieces that one vertex meets at the most, as names last no farther.
  static constexpr Index kMostAtOnce = 256;
  using Vector2d = Eigen::Vector2d;

  [[nodiscard]] const Vector2d& start(Index piece) const { return points_[static_cast<std::size_t>(piece)]; }
  [[nodiscard]] const Vector2d& along(Index piece) const { return along_[static_cast<std::size_t>(piece)]; }
  [[nodiscard]] Vector2d normal(Index piece) const { return {-along(piece).y(), along(piece).x()}; }
  [[nodiscard]] bool is_ridge(Index p) const {
    return p > 0 && p < num_pieces() && along(p - 1).x() * along(p).y() - along(p - 1).y() * along(p).x() < 0.0;
  }
  /// The piece under x.
  [[nodiscard]] Index piece_at(double x) const;
  /// What rounding moves a place by as seen from a piece, generously.
  [[nodiscard]] double rounding_at(const Vector2d& v, Index piece) const {
    return 4e-15 * (v.cwiseAbs().sum() + start(piece).cwiseAbs().sum());
  }
  /// Whether what is nearest to v on the piece's line lies on the piece. Of a point that is no ridge: the piece before.
  [[nodiscard]] bool faces(Index piece, const Vector2d& v) const;
  [[nodiscard]] double squared_distance(Index piece, const Vector2d& v) const;
  /// Pieces that hold a vertex inside the solid: the nearest, and those beside it whose lines it is under as well, as
  /// far as valleys go: what is free there is above all of them.
  struct Holding {
    Index first, last;  // none: first > last
  };
  [[nodiscard]] Holding holding_pieces(const Vector2d& v, Index low, Index high) const;
  /// How a ridge meets a shape. False: not within its own normals.
  [[nodiscard]] bool meet_ridge(Index ridge, const PlacedPolygon& shape, const Vector2d& at, PatchPoint& point) const;

  std::vector<Vector2d> points_, along_;  // unit directions
};

template <class Add>
void HeightProfile::find_contacts(const PlacedPolygon& shape, const Vector2d& at, double reach, Add add) const {
  double low_x = std::numeric_limits<double>::infinity(), high_x = -low_x;
  for (Index v = 0; v < shape.num_vertices; ++v) {
    low_x = std::min(low_x, shape.vertex(v).x());
    high_x = std::max(high_x, shape.vertex(v).x());
  }
  const double margin = shape.radius + reach;
  const Index low = piece_at(at.x() + low_x - margin), high = piece_at(at.x() + high_x + margin);

  for (Index v = 0; v < shape.num_vertices; ++v) {
    const Vector2d place = at + shape.vertex(v);
    const Index under = piece_at(place.x());
    const bool inside = normal(under).dot(place - start(under)) < 0.0;
    const Holding pieces = inside ? holding_pieces(place, low, high) : Holding{low, high};
    Index rank = 0;
    for (Index piece = pieces.first; piece <= pieces.last && rank < kMostAtOnce; ++piece) {
      const Vector2d up = normal(piece);
      const double height = up.dot(place - start(piece)), gap = height - shape.radius;
      if (gap > reach || (!inside && (height < -rounding_at(place, piece) || !faces(piece, place)))) continue;
      add(Index{0}, PatchPoint{up, shape.vertex(v) - shape.radius * up, shape.vertex(v) - height * up, gap,
                               vertex_of_first(kMostAtOnce * v + rank++)});
    }
  }
  for (Index piece = std::max(low, Index{1}); piece <= high; ++piece) {
    PatchPoint point;
    if (is_ridge(piece) && meet_ridge(piece, shape, at, point) && point.gap <= reach) add(piece, point);
  }
}

}  // namespace nonsmooth::planar
