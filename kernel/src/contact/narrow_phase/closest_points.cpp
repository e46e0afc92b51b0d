// SPDX-License-Identifier: Apache-2.0
// The closest points of two hulls that are apart, among their edges and vertices.
#include <cmath>

#include <Eigen/Geometry>

#include "closest_features.hpp"

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr int kMostCorners = 32;      ///< of the search for a direction; a box takes 3 to 6
constexpr double kBracketed = 1e-13;  ///< of the distance: bounds of it that are this near
constexpr double kOfHeights = 1e-14;  ///< of the sizes: what heights of vertices are known to

/// The distance is in [lower, upper], and planes across `normal` are `lower` apart with the hulls beyond them.
struct Bracket {
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  Vector3d normal = Vector3d::Zero();
};

/// Up to four differences y - x of vertices, and the point of what they span that is nearest to the origin. Source:
/// Gilbert, Johnson & Keerthi 1988; regions of a triangle: Ericson 2005, Real-Time Collision Detection, 5.1.5.
class Simplex {
 public:
  [[nodiscard]] const Vector3d& nearest() const { return nearest_; }

  /// Goes on with another corner; those that the nearest point does not need are dropped.
  void add(const Vector3d& corner) {
    corners_[count_++] = corner;
    if (count_ < 4) {
      const Part all = nearest_of(count_, corners_);
      return take(all);
    }
    // The origin is outside, and on the new corner's side of the others.
    Part best;
    for (const auto& [i, j] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)}) {
      const auto at = [this](int k) { return corners_[static_cast<std::size_t>(k)]; };
      const Part part = nearest_of(3, {at(i), at(j), corners_[3], Vector3d::Zero()});
      if (part.squared < best.squared) best = part;
    }
    take(best);
  }

 private:
  using Corners = std::array<Vector3d, 4>;
  struct Part {
    Corners corners;
    std::size_t count = 0;
    Vector3d nearest;
    double squared = std::numeric_limits<double>::infinity();
  };

  void take(const Part& part) {
    corners_ = part.corners;
    count_ = part.count;
    nearest_ = part.nearest;
  }
  static Part of_corner(const Vector3d& a) { return {{a}, 1, a, a.squaredNorm()}; }
  static Part of_side(const Vector3d& a, const Vector3d& b) {
    const Vector3d ab = b - a;
    const double along = -a.dot(ab), squared = ab.squaredNorm();
    if (!(along > 0.0)) return of_corner(a);
    if (!(along < squared)) return of_corner(b);
    const Vector3d nearest = a + (along / squared) * ab;
    return {{a, b}, 2, nearest, nearest.squaredNorm()};
  }
  static Part of_triangle(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
    const Vector3d ab = b - a, ac = c - a;
    const double ab_a = -ab.dot(a), ac_a = -ac.dot(a), ab_b = -ab.dot(b), ac_b = -ac.dot(b), ab_c = -ab.dot(c),
                 ac_c = -ac.dot(c);
    if (ab_a <= 0.0 && ac_a <= 0.0) return of_corner(a);
    if (ab_b >= 0.0 && ac_b <= ab_b) return of_corner(b);
    if (ac_c >= 0.0 && ab_c <= ac_c) return of_corner(c);
    if (ab_a * ac_b - ab_b * ac_a <= 0.0 && ab_a >= 0.0 && ab_b <= 0.0) return of_side(a, b);
    if (ab_c * ac_a - ab_a * ac_c <= 0.0 && ac_a >= 0.0 && ac_c <= 0.0) return of_side(a, c);
    if (ab_b * ac_c - ab_c * ac_b <= 0.0 && ac_b >= ab_b && ab_c >= ac_c) return of_side(b, c);
    const Vector3d across = ab.cross(ac);
    const Vector3d nearest = (across.dot(a) / across.squaredNorm()) * across;
    return {{a, b, c}, 3, nearest, nearest.squaredNorm()};
  }
  static Part nearest_of(std::size_t count, const Corners& corners) {
    if (count == 1) return of_corner(corners[0]);
    if (count == 2) return of_side(corners[0], corners[1]);
    return of_triangle(corners[0], corners[1], corners[2]);
  }

  Corners corners_;
  std::size_t count_ = 0;
  Vector3d nearest_ = Vector3d::Zero();
};

/// The vertex that is farthest along `direction`.
const Vector3d& supporting_vertex(const PlacedHull& hull, const Vector3d& direction) {
  Index best = 0;
  double most = direction.dot(hull.vertex(0));
  for (Index v = 1; v < hull.num_vertices(); ++v) {
    const double height = direction.dot(hull.vertex(v));
    if (height > most) most = height, best = v;
  }
  return hull.vertex(best);
}

/// Brackets the distance; `start`: where the second hull is, roughly.
Bracket bracket_of(const PlacedHull& first, const PlacedHull& second, const Vector3d& start) {
  Bracket result;
  Simplex simplex;
  simplex.add(supporting_vertex(second, -start) - supporting_vertex(first, start));
  for (int step = 0; step < kMostCorners; ++step) {
    const double distance = simplex.nearest().norm();
    if (!(distance < result.upper)) break;
    result.upper = distance;
    if (!(distance > 0.0)) break;
    const Vector3d normal = simplex.nearest() / distance;
    const Vector3d corner = supporting_vertex(second, -normal) - supporting_vertex(first, normal);
    const double apart = normal.dot(corner);
    if (apart > result.lower) result.lower = apart, result.normal = normal;
    if (!(result.upper - result.lower > kBracketed * result.upper)) break;
    simplex.add(corner);
  }
  return result;
}

/// The vertices of a hull that closest points may be between, and the edges between two of those.
struct NearVertices {
  std::array<Index, most_vertices> vertices;
  std::array<bool, most_vertices> is_near;
  Index num_vertices = 0;

  /// Those no lower than `depth` below the highest along `normal`.
  NearVertices(const PlacedHull& hull, const Vector3d& normal, double depth) {
    std::array<double, most_vertices> heights;
    double most = -std::numeric_limits<double>::infinity();
    for (Index v = 0; v < hull.num_vertices(); ++v)
      most = std::max(most, heights[static_cast<std::size_t>(v)] = normal.dot(hull.vertex(v)));
    for (Index v = 0; v < hull.num_vertices(); ++v) {
      const auto at = static_cast<std::size_t>(v);
      is_near[at] = !(heights[at] < most - depth);
      if (is_near[at]) vertices[static_cast<std::size_t>(num_vertices++)] = v;
    }
  }
  template <class Visit>
  void for_each_vertex(Visit visit) const {
    for (Index i = 0; i < num_vertices; ++i) visit(vertices[static_cast<std::size_t>(i)]);
  }
  template <class Visit>
  void for_each_edge(const PlacedHull& hull, Visit visit) const {
    const auto count = static_cast<Index>(num_vertices < 2 ? 0 : hull.hull->edges.size());
    for (Index e = 0; e < count; ++e) {
      const Hull::Edge& edge = hull.hull->edges[static_cast<std::size_t>(e)];
      if (!is_near[static_cast<std::size_t>(edge.from)] || !is_near[static_cast<std::size_t>(edge.to)]) continue;
      visit(e, hull.vertex(edge.from), Vector3d(hull.vertex(edge.to) - hull.vertex(edge.from)));
    }
  }
};

bool is_inside(double s) { return s > 0.0 && s < 1.0; }

}  // namespace

ClosestPoints closest_edges(const PlacedHull& first, const PlacedHull& second, const Vector3d& direction) {
  // Closest points x and y have n . (y - x) <= upper, so that each is at most upper - lower from where its hull ends
  // along n. Where one is within an edge, y - x is across the edge, and n at an angle of cosine lower / upper at most
  // to y - x, so that the ends of the edge are higher or lower by its length times that sine.
  const bool few = first.num_vertices() <= 2 && second.num_vertices() <= 2;
  const Bracket bracket = few ? Bracket{} : bracket_of(first, second, direction);
  const double size = first.size + second.size, rounding = kOfHeights * (size + bracket.upper);
  const double width = std::max(bracket.upper - bracket.lower, 0.0) + rounding;
  const double depth = bracket.lower > 0.0
                           ? width + 2.0 * std::max(first.size, second.size) *
                                         std::sqrt(width * (bracket.upper + bracket.lower)) / bracket.upper
                           : std::numeric_limits<double>::infinity();
  const NearVertices of_first(first, bracket.normal, depth), of_second(second, -bracket.normal, depth);
  ClosestPoints best;
  const auto offer = [&best](const Vector3d& on_first, const Vector3d& on_second, std::uint32_t feature, Index i,
                             Index j) {
    const double squared = (on_second - on_first).squaredNorm();
    if (squared < best.squared_distance) best = {squared, on_first, on_second, feature, i, j};
  };
  of_first.for_each_vertex([&](Index v) {
    const Vector3d& x = first.vertex(v);
    of_second.for_each_vertex([&](Index w) { offer(x, second.vertex(w), vertex_of_first(v), -1, -1); });
    of_second.for_each_edge(second, [&](Index e, const Vector3d& y, const Vector3d& b) {
      const double t = b.dot(x - y) / b.squaredNorm();
      if (is_inside(t)) offer(x, y + t * b, vertex_of_first(v), -1, e);
    });
  });
  of_first.for_each_edge(first, [&](Index i, const Vector3d& x, const Vector3d& a) {
    of_second.for_each_vertex([&](Index v) {
      const double s = a.dot(second.vertex(v) - x) / a.squaredNorm();
      if (is_inside(s)) offer(x + s * a, second.vertex(v), vertex_of_second(v), i, -1);
    });
    of_second.for_each_edge(second, [&](Index j, const Vector3d& y, const Vector3d& b) {
      double s = 0.0, t = 0.0;
      if (closest_on_lines(x, a, y, b, s, t) && is_inside(s) && is_inside(t))
        offer(x + s * a, y + t * b, crossing_edges(i, j), i, j);
    });
  });
  return best;
}

}  // namespace nonsmooth::narrow_phase
