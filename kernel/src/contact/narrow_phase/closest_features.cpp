// SPDX-License-Identifier: Apache-2.0
// Separating axes of two hulls.
#include "closest_features.hpp"

#include <cmath>

#include <Eigen/Geometry>

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

const Hull::Edge& edge(const PlacedHull& hull, Index e) { return hull.hull->edges[static_cast<std::size_t>(e)]; }

Vector3d along(const PlacedHull& hull, const Hull::Edge& edge) { return hull.vertex(edge.to) - hull.vertex(edge.from); }

/// True where the arc of normals of an edge crosses the arc of opposite normals of the other: their product supports
/// both hulls. `first` and `second`: directions of the edges. Source: Gregorius 2013, GDC (arcs on the Gauss map).
bool arcs_cross(const PlacedHull& A, const Hull::Edge& of_A, const Vector3d& first, const PlacedHull& B,
                const Hull::Edge& of_B, const Vector3d& second) {
  const bool circle_A = of_A.left < 0, circle_B = of_B.left < 0;  // of a segment, all normals across it
  double c = 0.0, d = 0.0, a = 0.0, b = 0.0;
  if (!circle_B) {
    c = -B.normal(of_B.left).dot(first);
    d = -B.normal(of_B.right).dot(first);
    if (!(c * d < 0.0)) return false;
  }
  if (!circle_A) {
    a = A.normal(of_A.left).dot(second);
    b = A.normal(of_A.right).dot(second);
    if (!(a * b < 0.0)) return false;
  }
  return circle_A || circle_B || c * b > 0.0;  // the arcs themselves, not one and the opposite of the other
}

}  // namespace

bool closest_on_lines(const Vector3d& x, const Vector3d& a, const Vector3d& y, const Vector3d& b, double& s,
                      double& t) {
  const double aa = a.squaredNorm(), bb = b.squaredNorm(), ab = a.dot(b);
  const double area = a.cross(b).squaredNorm();  // aa bb - ab^2 without cancellation
  if (!(area > kParallel * aa * bb)) return false;
  const Vector3d between = y - x;
  const double p = a.dot(between), q = b.dot(between);
  s = (p * bb - q * ab) / area;
  t = b.dot(s * a - between) / bb;  // from s: where lines are nearly parallel, errors of the two must be the same
  return true;
}

SeparatingAxis most_separating_face(const PlacedHull& owner, const PlacedHull& other, double limit) {
  SeparatingAxis best;
  for (Index f = 0; f < owner.num_faces(); ++f) {
    const Vector3d& normal = owner.normal(f);
    const double offset = owner.offset(f);
    const double bound = normal.dot(other.centre) - offset + other.hull->size;
    if (bound <= best.separation) continue;  // no vertex is farther out
    double least = normal.dot(other.vertex(0));
    for (Index v = 1; v < other.num_vertices(); ++v) least = std::min(least, normal.dot(other.vertex(v)));
    if (!(least - offset > best.separation)) continue;
    best.separation = least - offset;
    best.direction = normal;
    best.face = f;
    if (best.separation > limit) break;
  }
  return best;
}

SeparatingAxis most_separating_edges(const PlacedHull& first, const PlacedHull& second) {
  SeparatingAxis best;
  const auto count_first = static_cast<Index>(first.hull->edges.size());
  const auto count_second = static_cast<Index>(second.hull->edges.size());
  for (Index i = 0; i < count_first; ++i) {
    const Hull::Edge& one = edge(first, i);
    const Vector3d a = along(first, one);
    for (Index j = 0; j < count_second; ++j) {
      const Hull::Edge& other = edge(second, j);
      const Vector3d b = along(second, other);
      if (!arcs_cross(first, one, a, second, other, b)) continue;
      const Vector3d& x = first.vertex(one.from);
      const Vector3d& y = second.vertex(other.from);
      double s = 0.0, t = 0.0;
      if (!closest_on_lines(x, a, y, b, s, t)) continue;
      Vector3d direction = a.cross(b).normalized();
      const double outward = one.left >= 0 ? direction.dot(first.normal(one.left) + first.normal(one.right))
                                           : -direction.dot(second.normal(other.left) + second.normal(other.right));
      if (outward < 0.0) direction = -direction;
      // At these points an error of the direction counts by its square.
      const Vector3d on_first = x + s * a, on_second = y + t * b;
      const double separation = direction.dot(on_second - on_first);
      if (separation > best.separation) best = {separation, direction, -1, false, i, j, on_first, on_second};
    }
  }
  return best;
}

}  // namespace nonsmooth::narrow_phase
