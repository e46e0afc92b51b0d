// SPDX-License-Identifier: Apache-2.0
#include "frustum_on_hull.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include <nonsmooth/numerics/error.hpp>

#include "frustum_distance.hpp"
#include "plane_pairs.hpp"
#include "rim_point.hpp"

namespace nonsmooth::shape_pairs {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using narrow_phase::PatchPoint;

constexpr double kHullTouches = 1e-8;  ///< radii apart below which both touch
constexpr double kOfFeature = 1e-9;    ///< rad: normals of sides and ends are told from others by it
constexpr double kAlongEdge = 1e-6;    ///< rad: the same of an end or a line of the side along an edge
constexpr double kTie = 1e-12;  ///< of the sizes: gaps that the narrow phase does not tell apart, some of its 1e-13
constexpr int kPolish = 3;      ///< steps of Newton's method from 1e-12 of the narrow phase

enum class FrustumFeature { Side, LowerEnd, UpperEnd, LowerCircle, UpperCircle };

/// That has the outward normal -n.
FrustumFeature feature_with(const MovingFrustum& solid, const Vector3d& n) {
  const double up = -n.dot(solid.axes.col(2));
  const bool along_axis = rotation::cross(n, solid.axes.col(2)).norm() <= kOfFeature;
  if (along_axis && solid.radius(up > 0.0 ? 1 : 0) > 0.0)
    return up > 0.0 ? FrustumFeature::UpperEnd : FrustumFeature::LowerEnd;
  if (std::abs(up - solid.sine) <= kOfFeature) return FrustumFeature::Side;
  return up > solid.sine ? FrustumFeature::UpperCircle : FrustumFeature::LowerCircle;
}
int end_with(FrustumFeature feature) {
  return feature == FrustumFeature::UpperEnd || feature == FrustumFeature::UpperCircle ? 1 : 0;
}
bool is_flat_end(FrustumFeature feature) {
  return feature == FrustumFeature::LowerEnd || feature == FrustumFeature::UpperEnd;
}

/// On a line, and how fast it moves along it.
struct PlaceOnLine {
  double value = 0.0, rate = 0.0;
};

/// One evaluation: both as they move. Results are from the hull, the second, to the frustum.
class FrustumContact {
 public:
  FrustumContact(const SpaceBodies& bodies, const FrustumOnHull& pair)
      : bodies_(bodies),
        pair_(pair),
        hull_body_(pair.hull_is_second ? 1 : 0),
        solid_(bodies, 1 - hull_body_, pair.frustum) {}

  [[nodiscard]] double sum() const { return solid_.sum() + bodies_.point(hull_body_, pair_.hull.position).value.sum(); }

  [[nodiscard]] Nearest find() const {
    const PatchPoint best = at(0.0);
    const auto kind = best.feature >> 20, number = best.feature & 0xfffffu;
    std::optional<Nearest> found = along_side(best.normal);
    if (found) return *found;
    if (kind == 0) found = on_face_or_beyond(best.normal, static_cast<int>(number));
    if (kind == 1) found = on_vertex(best, static_cast<Index>(number));
    if (kind == 2) found = on_edge(best, pair_.hull.edge >= 0 ? pair_.hull.edge : static_cast<Index>(number / 8));
    if (found) return *found;
    const double speed = std::max(solid_.speed(), hull_speed());
    Nearest result = nearest_by_differences([&](double time) { return at(time); }, speed, radius());
    result.several = touches(result);
    return result;
  }

 private:
  [[nodiscard]] const Hull& hull() const { return *pair_.hull.hull; }
  [[nodiscard]] const Hull::Edge& edge(Index e) const { return hull().edges[static_cast<std::size_t>(e)]; }
  [[nodiscard]] double radius() const { return pair_.frustum.largest_radius(); }
  [[nodiscard]] bool touches(const Nearest& nearest) const { return nearest.gap <= kHullTouches * radius(); }
  /// On the body.
  [[nodiscard]] Vector3d place_of(Index vertex) const {
    return pair_.hull.position + pair_.hull.turn * (hull().vertices[static_cast<std::size_t>(vertex)] - hull().middle);
  }
  [[nodiscard]] Moving vertex(Index v) const { return moving(bodies_.point(hull_body_, place_of(v))); }
  [[nodiscard]] MovingSegment line_of(Index e) const {
    const Vector3d from = place_of(edge(e).from);
    return {moving(bodies_.point(hull_body_, from)), moving(bodies_.direction(hull_body_, place_of(edge(e).to) - from)),
            0.0};
  }
  [[nodiscard]] double hull_speed() const {
    double most = moving(bodies_.point(hull_body_, pair_.hull.position)).rate.norm();
    for (Index k = 0; k < 3; ++k)
      most += hull().size * moving(bodies_.direction(hull_body_, Vector3d::Unit(k))).rate.norm();
    return most;
  }

  /// What the narrow phase says of both as they are `time` later.
  [[nodiscard]] PatchPoint at(double time) const {
    narrow_phase::PlacedHull placed;
    const auto later = [time](const Moving& point) { return Vector3d(point.value + time * point.rate); };
    if (pair_.hull.edge >= 0) {
      placed.place_segment(later(vertex(edge(pair_.hull.edge).from)), later(vertex(edge(pair_.hull.edge).to)));
    } else {
      Matrix3d axes;
      for (Index k = 0; k < 3; ++k)
        axes.col(k) = later(moving(bodies_.direction(hull_body_, pair_.hull.turn.col(k)))).normalized();
      placed.place(hull(), 0.0, axes, later(moving(bodies_.point(hull_body_, pair_.hull.position))));
    }
    return narrow_phase::closest_points(solid_.placed(time), placed);
  }

  /// The point of a circle, or the tip, that is lowest along n; its middle where they all are.
  [[nodiscard]] Moving lowest(int end, const Moving& n) const {
    const Moving c = solid_.middle_of(end);
    return lowest_of_rim(c, solid_.axis(), solid_.radius(end), n, kNoLowest).value_or(c);
  }

  /// A face separates as well as its edge, to what the narrow phase tells apart, on some 1e-6 radii beyond it.
  [[nodiscard]] std::optional<Nearest> on_face_or_beyond(const Vector3d& normal, int end) const {
    const Hull::Face* const face = face_with(normal);
    if (face == nullptr) return {};
    const Nearest on_it = on_face(*face, end);
    const Index e = solid_.radius(end) > 0.0 ? edge_before(*face, on_it.on_second.value) : -1;
    if (e < 0) return on_it;
    const std::optional<Nearest> on_its_edge = circle_on_edge(on_it.normal.value, line_of(e), end);
    return on_its_edge && are_equal(on_its_edge->gap, on_it.gap) ? *on_its_edge : on_it;
  }
  [[nodiscard]] const Hull::Face* face_with(const Vector3d& normal) const {
    const Hull::Face* face = nullptr;
    double most = -1.0;
    const Vector3d own = (bodies_.axes(hull_body_) * pair_.hull.turn).transpose() * normal;
    for (const Hull::Face& one : hull().faces) {
      if (one.normal.dot(own) > most) most = one.normal.dot(own), face = &one;
    }
    return face;
  }
  /// The edge of a face that a point of its plane is the farthest beyond; -1 inside.
  [[nodiscard]] Index edge_before(const Hull::Face& face, const Vector3d& point) const {
    const Vector3d n = bodies_.axes(hull_body_) * (pair_.hull.turn * face.normal);
    Index before = -1;
    double most = 0.0;
    for (Index k = face.begin; k < face.begin + face.count; ++k) {
      const Index e = hull().corner_edges[static_cast<std::size_t>(k)];
      const MovingSegment line = line_of(e);
      const bool turned = edge(e).from != hull().corners[static_cast<std::size_t>(k)];
      const Vector3d out = rotation::cross(turned ? Vector3d(-line.along.value) : line.along.value, n).normalized();
      const double beyond = out.dot(point - line.from.value);
      if (beyond > most) most = beyond, before = e;
    }
    return before;
  }
  [[nodiscard]] Nearest on_face(const Hull::Face& face, int end) const {
    const Moving n = moving(bodies_.direction(hull_body_, pair_.hull.turn * face.normal));
    const Moving surface =
        moving(bodies_.point(hull_body_, pair_.hull.position + pair_.hull.turn * (face.offset * face.normal)));
    const Moving p = lowest(end, n);
    const Vector3d between = p.value - surface.value;
    const double gap = n.value.dot(between);
    Moving foot = shifted(p, -gap, n);
    foot.rate -= (n.value.dot(p.rate - surface.rate) + n.rate.dot(between)) * n.value;
    return {gap, n, p, foot};
  }

  /// A point x of the hull: n and p are those of its distance. As the frustum sees x move at w, its direction m = -n
  /// turns by the distance's bend.
  [[nodiscard]] Nearest on_point(FrustumFeature feature, const Moving& x) const {
    const Matrix3d& axes = solid_.axes;
    const Vector3d from = axes.transpose() * (x.value - solid_.middle.value);
    const Frustum& own = solid_.frustum;
    const Distance at = feature == FrustumFeature::Side ? distance_of_side(own, from)
                        : is_flat_end(feature)          ? distance_of_end(own, end_with(feature), from)
                                                        : distance_to(own, from);
    const Vector3d w = x.rate - bodies_.carried(1 - hull_body_, x.value, Vector3d::Zero()).rate, m = axes * at.normal;
    const Vector3d turned = solid_.rates * at.normal + axes * (at.bend * (axes.transpose() * w));
    Nearest result{at.value, {-m, -turned}, {x.value - at.value * m, x.rate - m.dot(w) * m - at.value * turned}, x};
    const bool is_smooth = feature == FrustumFeature::Side || is_flat_end(feature);
    result.several = touches(result) && (!is_smooth || SharpFrustumShape{{pair_.frustum.frustum}}.at_corner(
                                                           from, kHullTouches * radius()));
    return result;
  }
  [[nodiscard]] Nearest on_vertex(const PatchPoint& best, Index v) const {
    const Index number = pair_.hull.edge < 0 ? v : (v == 0 ? edge(pair_.hull.edge).from : edge(pair_.hull.edge).to);
    return on_point(feature_with(solid_, best.normal), vertex(number));
  }
  /// An edge along a line of the side: the middle of what is beside the axis stands for all of it, whose ends are other
  /// contacts, of rims or vertices.
  [[nodiscard]] std::optional<Nearest> along_side(const Vector3d& normal) const {
    if (pair_.hull.edge < 0 || feature_with(solid_, normal) != FrustumFeature::Side) return {};
    const MovingSegment line = line_of(pair_.hull.edge), of_side = solid_.line({-normal, Vector3d::Zero()});
    double length = 0.0;
    const Moving a = unit_of(line.along, length);
    if (rotation::cross(a.value, of_side.along.value).norm() > kAlongEdge * of_side.along.value.norm()) return {};
    PlaceOnLine ends[2];
    for (const int end : {0, 1}) {
      const Moving c = solid_.middle_of(end);
      const Vector3d from = c.value - line.from.value;
      ends[end] = {a.value.dot(from), a.rate.dot(from) + a.value.dot(c.rate - line.from.rate)};
    }
    if (ends[0].value > ends[1].value) std::swap(ends[0], ends[1]);
    if (ends[0].value < 0.0) ends[0] = {};
    if (ends[1].value > length) ends[1] = {length, 0.0};
    if (ends[0].value >= ends[1].value) return {};
    const double s = 0.5 * (ends[0].value + ends[1].value), pace = 0.5 * (ends[0].rate + ends[1].rate);
    Moving x = shifted(line.from, s, a);
    x.rate += pace * a.value;
    return on_point(FrustumFeature::Side, x);
  }

  [[nodiscard]] std::optional<Nearest> on_edge(const PatchPoint& best, Index e) const {
    const MovingSegment line = line_of(e);
    const FrustumFeature feature = feature_with(solid_, best.normal);
    if (is_flat_end(feature)) return {};
    // Near where they are equal the narrow phase tells the side from a circle no better than their gaps.
    const std::optional<Nearest> on_side = side_on_edge(best.normal, line);
    if (on_side && (feature == FrustumFeature::Side || are_equal(on_side->gap, best.gap))) return on_side;
    if (feature == FrustumFeature::Side) return ends_on_edge(best.normal, line);
    return circle_on_edge(best.normal, line, end_with(feature));
  }
  [[nodiscard]] bool are_equal(double gap, double other) const {
    return std::abs(gap - other) <= kTie * (radius() + hull().size);
  }
  /// The nearer circle: the side, across an edge that it is nearly along, goes over to a circle with the same normal.
  [[nodiscard]] std::optional<Nearest> ends_on_edge(const Vector3d& normal, const MovingSegment& line) const {
    std::optional<Nearest> nearer;
    for (const int end : {0, 1}) {
      const std::optional<Nearest> own = circle_on_edge(normal, line, end);
      if (own && is_along(line, own->on_second.value) && !(nearer && nearer->gap <= own->gap)) nearer = own;
    }
    return nearer;
  }
  [[nodiscard]] static bool is_along(const MovingSegment& line, const Vector3d& point) {
    const double along = line.along.value.dot(point - line.from.value);
    return along > 0.0 && along < line.along.value.squaredNorm();
  }

  [[nodiscard]] std::optional<Nearest> side_on_edge(const Vector3d& normal, const MovingSegment& line) const {
    double length = 0.0;
    const Moving a = unit_of(line.along, length), u = solid_.axis();
    const double way = normal.dot(rotation::cross(u.value, a.value)) >= 0.0 ? 1.0 : -1.0;
    const std::optional<Moving> n = unit_between(u, -solid_.sine, a, 0.0, way);
    if (!n) return {};
    const MovingSegment of_side = solid_.line({-n->value, -n->rate});
    if (!cross_inside(of_side, line)) return {};
    Nearest result = nearest(of_side, line);
    result.normal = *n;
    result.gap = n->value.dot(result.on_first.value - result.on_second.value);
    return result;
  }

  /// n' = s b + what turns with the edge, b = a x n: the condition's derivative, linear in s, gives s; Newton's method
  /// turns n by as much about the edge, bodies at rest.
  [[nodiscard]] std::optional<Nearest> circle_on_edge(const Vector3d& normal, const MovingSegment& line,
                                                      int end) const {
    double length = 0.0, unused = 0.0;
    const Moving a = unit_of(line.along, length), x = line.from;
    Moving n = unit_of({normal - a.value.dot(normal) * a.value}, unused);
    const auto off = [&] { return rotation::cross(a.value, n.value).dot(lowest(end, n).value - x.value); };
    // (a' x n + a x n') . w + (a x n) . w', w = p - x.
    const auto rate_of = [&](const Moving& at, const Moving& of_a, const Moving& w) {
      return (rotation::cross(of_a.rate, at.value) + rotation::cross(of_a.value, at.rate)).dot(w.value) +
             rotation::cross(of_a.value, at.value).dot(w.rate);
    };
    const auto pace = [&] {  // of the condition, for s = 1 alone: d as it turns with n
      const Moving u = solid_.axis();
      const Vector3d b = rotation::cross(a.value, n.value), across = n.value - u.value.dot(n.value) * u.value;
      const double tilt = across.norm();
      if (!(tilt > kNoLowest)) return 0.0;
      const Vector3d d = across / tilt, turned = b - u.value.dot(b) * u.value;
      const Vector3d d_rate = (turned - d.dot(turned) * d) / tilt;
      const Vector3d w = lowest(end, n).value - x.value;
      return rotation::cross(a.value, b).dot(w) - solid_.radius(end) * b.dot(d_rate);
    };
    for (int step = 0; step < kPolish; ++step) {
      const double slope = pace();
      if (slope == 0.0) return {};
      n = unit_of({n.value - off() / slope * rotation::cross(a.value, n.value)}, unused);
    }
    const double slope = pace();
    if (slope == 0.0) return {};
    n.rate = -n.value.dot(a.rate) * a.value;
    const Moving still = lowest(end, n);
    const double s = -rate_of(n, a, {still.value - x.value, still.rate - x.rate}) / slope;
    n.rate += s * rotation::cross(a.value, n.value);
    const Moving p = lowest(end, n), w{p.value - x.value, p.rate - x.rate};
    const double along = a.value.dot(w.value), along_rate = a.rate.dot(w.value) + a.value.dot(w.rate);
    Moving foot = shifted(x, along, a);
    foot.rate += along_rate * a.value;
    Nearest result{n.value.dot(p.value - foot.value), n, p, foot};
    const double tilt = rotation::cross(n.value, solid_.axes.col(2)).norm();
    const double near = kHullTouches * radius();
    const bool at_vertex = along <= near || along >= length - near;
    result.several = touches(result) && (at_vertex || solid_.radius(end) == 0.0 || tilt <= kAlongEdge);
    return result;
  }

  const SpaceBodies& bodies_;
  const FrustumOnHull& pair_;
  Index hull_body_;
  MovingFrustum solid_;
};

}  // namespace

Nearest FrustumOnHull::operator()(const SpaceBodies& bodies) const {
  const FrustumContact contact(bodies, *this);
  if (const double sum = contact.sum(); !std::isfinite(sum)) return gap_alone(sum);
  Nearest result = contact.find();
  if (hull_is_second) return result;
  std::swap(result.on_first, result.on_second);
  result.normal = {-result.normal.value, -result.normal.rate};
  return result;
}

void FrustumOnHull::refuse_several() {
  throw InvalidArgument("a cylinder or cone on a box or polyhedron, or on an edge of a mesh or height field",
                        "a rim or tip on a vertex, a tip on an edge, or an edge along an end",
                        "rims on faces and across edges, sides across edges and on vertices");
}

FrustumOnBody cap_of(const FrustumOnBody& solid, int end) {
  const double half = 0.5 * solid.frustum->half, radius = solid.frustum->radii[static_cast<std::size_t>(end)];
  const Frustum cap{end == 0 ? std::array{radius, 0.0} : std::array{0.0, radius}, half, std::hypot(radius, half)};
  return {std::make_shared<const Frustum>(cap), solid.position + (end == 0 ? -half : half) * solid.turn.col(2),
          solid.turn};
}

FrustumOnBody with_ends_out(const FrustumOnBody& solid) {
  const auto& [low, high] = solid.frustum->radii;
  const double half = solid.frustum->half, slope = (high - low) / (2.0 * half);
  const double below = kOut * low, above = kOut * high;
  const Frustum longer{
      {low - slope * below, high + slope * above}, half + 0.5 * (below + above), solid.frustum->size + below + above};
  return {std::make_shared<const Frustum>(longer), solid.position + 0.5 * (above - below) * solid.turn.col(2),
          solid.turn};
}

}  // namespace nonsmooth::shape_pairs
