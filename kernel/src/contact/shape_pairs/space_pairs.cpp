// SPDX-License-Identifier: Apache-2.0
// Contacts of shapes in space as interactions: all pairs that may ever touch.
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <nonsmooth/kernel/body_contacts.hpp>
#include <nonsmooth/kernel/relations/shape_pairs.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "capsule_on_shape.hpp"
#include "contact/space/in_space.hpp"
#include "contact_pairs.hpp"
#include "edge_pair.hpp"
#include "frustum_distance.hpp"
#include "frustum_on_hull.hpp"
#include "hull_distance.hpp"
#include "plane_pairs.hpp"
#include "segment_pair.hpp"
#include "side_pair.hpp"
#include "surface_distance.hpp"

namespace nonsmooth {

/// The pairs of shapes in space: an overload of add() for those that have contacts as pairs.
struct BodyContacts::PairMaker {
  using Part = ShapePart<InSpace>;
  using Pair = shape_pairs::PartPair<InSpace>;

  const BodyContacts& source;
  shape_pairs::ContactPairs& made;
  std::map<Index, std::shared_ptr<const shape_pairs::SurfaceParts>> surfaces{};  ///< by the place of the ground's shape

  void add(const Part& one, const Part& other) {
    const Part *first = &one, *second = &other;
    const Index law = source.pairs_.law(one.material, other.material);
    std::string name = made.begin<InSpace>(one, other);
    // The ground is the second; of two bodies the one whose shape is simpler is the first.
    if (other.body >= 0 && rank_of(other) < rank_of(one)) std::swap(first, second);
    const Pair pair{*first, *second, law, source.law_rows(law), std::move(name)};
    std::visit([&](const auto& own, const auto& its) { add(own, its, pair); }, first->geometry, second->geometry);
  }

 private:
  [[nodiscard]] static std::size_t rank_of(const Part& part) {
    const auto* const hull = std::get_if<RoundedHull>(&part.geometry);
    return hull ? std::min<std::size_t>(hull->hull->vertices.size(), 3) : 3 + part.geometry.index();
  }
  [[noreturn]] void refuse(const Pair& pair, const std::string& reason = "several closest points at once") const {
    throw InvalidArgument(
        "contacts as pairs: shapes",
        made.name_of(pair.first) + " on " + made.name_of(pair.second) + ", which have " + reason,
        "spheres and capsules on any shape, boxes, polyhedra, cylinders and cones on one another and on half-spaces; "
        "groups and masks leave out pairs that never touch");
  }

  /// Of a vertex, on the body.
  [[nodiscard]] static Eigen::Vector3d place_of(const Part& part, const Hull& hull, std::size_t vertex) {
    return part.position + part.turn * (hull.vertices[vertex] - hull.middle);
  }
  /// Of a sphere too, along zero.
  [[nodiscard]] static shape_pairs::Segment segment_of(const Part& part, const RoundedHull& own) {
    const auto& vertices = own.hull->vertices;
    return {place_of(part, *own.hull, 0), part.turn * (vertices.back() - vertices.front()), own.radius};
  }
  template <class Geometry>
  void add_relation(Geometry geometry, const Pair& pair, const std::string& place = "") const {
    using Made = shape_pairs::ContactRelation<Geometry, joints::SpaceBodies>;
    made.add(pair.first.body, pair.second.body,
             AnyRelation(std::make_shared<const Made>(std::move(geometry), pair.rows)), pair.law, pair.name + place);
  }
  template <class Shape>
  void add_ball(const RoundedHull& ball, Shape shape, bool ball_is_second, const Pair& pair) const {
    const Part &own = ball_is_second ? pair.second : pair.first, &other = ball_is_second ? pair.first : pair.second;
    add_relation(shape_pairs::RoundOnShape<Shape>{own.position, ball.radius, std::move(shape), other.position,
                                                  other.turn, ball_is_second},
                 pair);
  }
  void add_capsule(const RoundedHull& capsule, const FrustumSolid& solid, bool capsule_is_second,
                   const Pair& pair) const {
    using OnFrustum = shape_pairs::CapsuleOnShape<shape_pairs::FrustumShape>;
    const Part &own = capsule_is_second ? pair.second : pair.first,
               &other = capsule_is_second ? pair.first : pair.second;
    const shape_pairs::Segment axis = segment_of(own, capsule);
    add_relation(
        OnFrustum{{axis.from, axis.radius, {solid.frustum}, other.position, other.turn, capsule_is_second}, axis.along},
        pair);
  }
  /// Apart, an end of the axis is nearest to the polyhedron, or an edge of this to the axis: along a face both are.
  void add_capsule(const RoundedHull& capsule, const std::shared_ptr<const Hull>& hull, bool capsule_is_second,
                   const Pair& pair) const {
    const Part &own = capsule_is_second ? pair.second : pair.first,
               &other = capsule_is_second ? pair.first : pair.second;
    const shape_pairs::Segment axis = segment_of(own, capsule);
    for (const int end : {0, 1}) {
      add_relation(
          shape_pairs::RoundOnShape<shape_pairs::HullShape>{
              axis.from + end * axis.along, axis.radius, {hull}, other.position, other.turn, capsule_is_second},
          pair, " at end " + std::to_string(end));
    }
    for (std::size_t e = 0; e < hull->edges.size(); ++e) {
      const auto &from = hull->vertices[static_cast<std::size_t>(hull->edges[e].from)],
                 &to = hull->vertices[static_cast<std::size_t>(hull->edges[e].to)];
      const shape_pairs::Segment edge{other.position + other.turn * (from - hull->middle), other.turn * (to - from)};
      add_relation(capsule_is_second ? shape_pairs::SegmentPair{edge, axis} : shape_pairs::SegmentPair{axis, edge},
                   pair, " at edge " + std::to_string(e));
    }
  }
  /// Apart, a corner of one is nearest to the other, or an edge to an edge of this; so are all corners of the patch
  /// where faces lie on one another.
  void add_polyhedra(const RoundedHull& first, const RoundedHull& second, const Pair& pair) const {
    for (const bool of_second : {false, true}) {
      const Part &own = of_second ? pair.second : pair.first, &other = of_second ? pair.first : pair.second;
      const RoundedHull &corners = of_second ? second : first, &shape = of_second ? first : second;
      for (std::size_t v = 0; v < corners.hull->vertices.size(); ++v) {
        add_relation(
            shape_pairs::RoundOnShape<shape_pairs::SharpHullShape>{
                place_of(own, *corners.hull, v), 0.0, {{shape.hull}}, other.position, other.turn, of_second},
            pair, " at vertex " + std::to_string(v) + (of_second ? " of the second" : " of the first"));
      }
    }
    for (std::size_t i = 0; i < first.hull->edges.size(); ++i) {
      const shape_pairs::EdgePair::Edge one(first.hull, pair.first.position, pair.first.turn, i);
      for (std::size_t j = 0; j < second.hull->edges.size(); ++j) {
        add_relation(shape_pairs::EdgePair{one, {second.hull, pair.second.position, pair.second.turn, j}}, pair,
                     " at edges " + std::to_string(i) + " and " + std::to_string(j));
      }
    }
  }
  void add_on_frustum(const RoundedHull& hull, const FrustumSolid& solid, bool hull_is_second, const Pair& pair) const {
    if (hull.is_point()) return add_ball(hull, shape_pairs::FrustumShape{solid.frustum}, hull_is_second, pair);
    if (hull.is_segment()) return add_capsule(hull, solid, hull_is_second, pair);
    add_polyhedron(hull, solid, hull_is_second, pair);
  }
  /// One of the four points that an end with this rim stands on.
  [[nodiscard]] static Eigen::Vector3d standing_point(const Part& part, const RimOnBody& rim, int end, int k) {
    const double out = end == 0 ? -shape_pairs::kOut : shape_pairs::kOut;
    const double aside = k < 2 ? shape_pairs::kInside : -shape_pairs::kInside;
    return rim.center + rim.radius * (out * rim.axis + aside * part.turn.col(k % 2));
  }
  [[nodiscard]] static RimOnBody rim_of(const Part& part, const Frustum& frustum, int end) {
    const Eigen::Vector3d axis = part.turn.col(2);
    return {part.position + (end == 0 ? -frustum.half : frustum.half) * axis, axis,
            frustum.radii[static_cast<std::size_t>(end)]};
  }
  [[nodiscard]] static std::string name_of_end(int end) { return " at end " + std::to_string(end); }
  [[nodiscard]] static std::string name_of_standing_point(int k) { return ", standing on point " + std::to_string(k); }
  /// Apart, a rim or tip is nearest to the polyhedron, or an edge of this to the cylinder or cone. What stands on an
  /// end, either of both, does so on points beside the rim and on vertices.
  void add_polyhedron(const RoundedHull& hull, const FrustumSolid& solid, bool hull_is_second, const Pair& pair) const {
    const Part &own = hull_is_second ? pair.first : pair.second, &other = hull_is_second ? pair.second : pair.first;
    const shape_pairs::FrustumOnBody frustum{solid.frustum, own.position, own.turn};
    const shape_pairs::HullOnBody polyhedron{hull.hull, other.position, other.turn};
    const auto add_point = [&](const Eigen::Vector3d& point, const std::string& place) {
      add_relation(
          shape_pairs::RoundOnShape<shape_pairs::HullUnderFrustum>{
              point, 0.0, {{{hull.hull}}}, other.position, other.turn, !hull_is_second},
          pair, place);
    };
    for (const int end : {0, 1}) {
      const RimOnBody rim = rim_of(own, *solid.frustum, end);
      if (rim.radius == 0.0) {
        add_point(rim.center, name_of_end(end));
        continue;
      }
      add_relation(shape_pairs::FrustumOnHull{cap_of(frustum, end), polyhedron, hull_is_second}, pair,
                   name_of_end(end));
      for (int k = 0; k < 4; ++k)
        add_point(standing_point(own, rim, end, k), name_of_end(end) + name_of_standing_point(k));
    }
    const shape_pairs::FrustumOnBody out = with_ends_out(frustum);
    for (std::size_t v = 0; v < hull.hull->vertices.size(); ++v) {
      add_relation(
          shape_pairs::RoundOnShape<shape_pairs::SharpFrustumShape>{
              place_of(other, *hull.hull, v), 0.0, {{out.frustum}}, out.position, out.turn, hull_is_second},
          pair, " at vertex " + std::to_string(v));
    }
    for (std::size_t e = 0; e < hull.hull->edges.size(); ++e) {
      shape_pairs::HullOnBody edge = polyhedron;
      edge.edge = static_cast<Index>(e);
      add_relation(shape_pairs::FrustumOnHull{frustum, edge, hull_is_second}, pair, " at edge " + std::to_string(e));
    }
  }

  template <class One, class Other>
  void add(const One&, const Other&, const Pair& pair) const {
    refuse(pair);
  }
  void add(const RoundedHull& first, const RoundedHull& second, const Pair& pair) const {
    const auto is_round = [](const RoundedHull& hull) { return hull.is_point() || hull.is_segment(); };
    if (is_round(first) && is_round(second)) {
      return add_relation(shape_pairs::SegmentPair{segment_of(pair.first, first), segment_of(pair.second, second)},
                          pair);
    }
    if (first.is_point()) return add_ball(first, shape_pairs::HullShape{second.hull}, false, pair);
    if (second.is_point()) return add_ball(second, shape_pairs::HullShape{first.hull}, true, pair);
    if (first.is_segment()) return add_capsule(first, second.hull, false, pair);
    if (second.is_segment()) return add_capsule(second, first.hull, true, pair);
    add_polyhedra(first, second, pair);
  }
  void add(const RoundedHull& first, const FrustumSolid& second, const Pair& pair) const {
    add_on_frustum(first, second, false, pair);
  }
  void add(const FrustumSolid& first, const RoundedHull& second, const Pair& pair) const {
    add_on_frustum(second, first, true, pair);
  }
  void add(const FrustumSolid& first, const FrustumSolid& second, const Pair& pair) const {
    add_relation(shape_pairs::SidePair{{first.frustum, pair.first.position, pair.first.turn},
                                       {second.frustum, pair.second.position, pair.second.turn}},
                 pair);
  }
  /// A capsule over a face has an end that is as near to this as all of it: its ends are nearest to the surface, or an
  /// edge of this to its axis, one that has normals of its own.
  void add(const RoundedHull& first, const SurfaceGround& second, const Pair& pair) {
    if (!first.is_point() && !first.is_segment()) refuse(pair);
    auto& parts = surfaces[pair.second.place];
    if (!parts) parts = shape_pairs::surface_parts(second.surface);
    if (!parts->refused.empty()) refuse(pair, parts->refused);
    const Part& ground = pair.second;
    const shape_pairs::Segment axis = segment_of(pair.first, first);
    for (int end = 0; end < (first.is_segment() ? 2 : 1); ++end) {
      const std::string place = first.is_segment() ? " at end " + std::to_string(end) : "";
      for (std::int32_t part = 0; part < parts->count; ++part) {
        add_relation(shape_pairs::RoundOnShape<shape_pairs::SurfaceShape>{axis.from + end * axis.along,
                                                                          axis.radius,
                                                                          {parts, part, axis.radius},
                                                                          ground.position,
                                                                          ground.turn,
                                                                          false},
                     pair, place + (parts->count > 1 ? " on part " + std::to_string(part) : ""));
      }
    }
    if (!first.is_segment()) return;
    for (std::size_t e = 0; e < second.surface->edges.size(); ++e) {
      const Surface::Edge& edge = second.surface->edges[e];
      if (!edge.convex) continue;
      const Eigen::Vector3d &from = second.surface->vertex(edge.from), &to = second.surface->vertex(edge.to);
      add_relation(shape_pairs::SegmentPair{axis, {ground.position + ground.turn * from, ground.turn * (to - from)}},
                   pair, " at edge " + std::to_string(e));
    }
  }
  void add(const RoundedHull& first, const HalfSpaceGround& second, const Pair& pair) const {
    const HalfSpace half_space{second.normal, second.offset};
    const std::size_t corners = first.hull->vertices.size();
    for (std::size_t v = 0; v < corners; ++v) {
      const SphereOnBody sphere{place_of(pair.first, *first.hull, v), first.radius};
      made.add(pair.first.body, pair.second.body, SphereOnHalfSpace{sphere, half_space, pair.rows}, pair.law,
               corners == 1 ? pair.name : pair.name + " at " + (corners == 2 ? "end " : "vertex ") + std::to_string(v));
    }
  }
  void add(const FrustumSolid& first, const HalfSpaceGround& second, const Pair& pair) const {
    const HalfSpace half_space{second.normal, second.offset};
    const Part& part = pair.first;
    const auto add = [&](AnyRelation relation, const std::string& name) {
      made.add(part.body, pair.second.body, std::move(relation), pair.law, pair.name + name);
    };
    for (const int end : {0, 1}) {
      const RimOnBody rim = rim_of(part, *first.frustum, end);
      add(shape_pairs::rim_of_end({rim, half_space, pair.rows}), name_of_end(end));
      for (int k = 0; k < 4 && rim.radius > 0.0; ++k) {
        add(SphereOnHalfSpace{{standing_point(part, rim, end, k)}, half_space, pair.rows},
            name_of_end(end) + name_of_standing_point(k));
      }
    }
  }
};

std::vector<Interaction> BodyContacts::pairs(const NonSmoothDynamicalSystem& model) const {
  shape_pairs::ContactPairs made(model, *this);
  PairMaker maker{*this, made};
  for_each_pair(*shapes_, [&maker](const auto& first, const auto& second) { maker.add(first, second); });
  return made.take();
}

}  // namespace nonsmooth
