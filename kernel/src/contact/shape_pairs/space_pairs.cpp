// SPDX-License-Identifier: Apache-2.0
// Contacts of shapes in space as interactions: all pairs that may ever touch.
#include "space_pair_maker.hpp"

#include "capsule_on_shape.hpp"
#include "edge_pair.hpp"
#include "frustum_distance.hpp"
#include "hull_distance.hpp"
#include "segment_pair.hpp"
#include "side_pair.hpp"

namespace nonsmooth {

void BodyContacts::PairMaker::add(const Part& one, const Part& other) {
  const Part *first = &one, *second = &other;
  const Index law = source.pairs_.law(one.material, other.material);
  std::string name = made.begin<InSpace>(one, other);
  // The ground is the second; of two bodies the one whose shape is simpler is the first.
  const auto rank_of = [](const Part& part) {
    const auto* const hull = std::get_if<RoundedHull>(&part.geometry);
    return hull ? std::min<std::size_t>(hull->hull->vertices.size(), 3) : 3 + part.geometry.index();
  };
  if (other.body >= 0 && rank_of(other) < rank_of(one)) std::swap(first, second);
  const Pair pair{*first, *second, law, source.law_rows(law), std::move(name)};
  std::visit([&](const auto& own, const auto& its) { add(own, its, pair); }, first->geometry, second->geometry);
}

void BodyContacts::PairMaker::add_capsule(const RoundedHull& capsule, const FrustumSolid& solid, bool capsule_is_second,
                                          const Pair& pair) const {
  using OnFrustum = shape_pairs::CapsuleOnShape<shape_pairs::FrustumShape>;
  const Part &own = capsule_is_second ? pair.second : pair.first, &other = capsule_is_second ? pair.first : pair.second;
  const shape_pairs::Segment axis = segment_of(own, capsule);
  add_relation(
      OnFrustum{{axis.from, axis.radius, {solid.frustum}, other.position, other.turn, capsule_is_second}, axis.along},
      pair);
}

/// Apart, an end of the axis is nearest to the polyhedron, or an edge of this to the axis: along a face both are.
void BodyContacts::PairMaker::add_capsule(const RoundedHull& capsule, const std::shared_ptr<const Hull>& hull,
                                          bool capsule_is_second, const Pair& pair) const {
  const Part &own = capsule_is_second ? pair.second : pair.first, &other = capsule_is_second ? pair.first : pair.second;
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
    add_relation(capsule_is_second ? shape_pairs::SegmentPair{edge, axis} : shape_pairs::SegmentPair{axis, edge}, pair,
                 " at edge " + std::to_string(e));
  }
}

/// Apart, a corner of one is nearest to the other, or an edge to an edge of this; so are all corners of the patch
/// where faces lie on one another.
void BodyContacts::PairMaker::add_polyhedra(const RoundedHull& first, const RoundedHull& second,
                                            const Pair& pair) const {
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

void BodyContacts::PairMaker::add_on_frustum(const RoundedHull& hull, const FrustumSolid& solid, bool hull_is_second,
                                             const Pair& pair) const {
  if (hull.is_point()) return add_ball(hull, shape_pairs::FrustumShape{solid.frustum}, hull_is_second, pair);
  if (hull.is_segment()) return add_capsule(hull, solid, hull_is_second, pair);
  add_polyhedron(hull, solid, hull_is_second, pair);
}

/// A vertex of the other body: on the side, and where an end stands on it.
void BodyContacts::PairMaker::add_on_vertex(const FrustumSolid& solid, const Part& own, const Eigen::Vector3d& vertex,
                                            bool vertex_is_second, const Pair& pair, const std::string& place) const {
  const shape_pairs::FrustumOnBody out = shape_pairs::with_ends_out({solid.frustum, own.position, own.turn});
  add_relation(
      shape_pairs::RoundOnShape<shape_pairs::SharpFrustumShape>{
          vertex, 0.0, {{out.frustum}}, out.position, out.turn, vertex_is_second},
      pair, place);
}

/// Apart, a rim or tip is nearest to the polyhedron, or an edge of this to the cylinder or cone. What stands on an
/// end, either of both, does so on points beside the rim and on vertices.
void BodyContacts::PairMaker::add_polyhedron(const RoundedHull& hull, const FrustumSolid& solid, bool hull_is_second,
                                             const Pair& pair) const {
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
    add_relation(shape_pairs::FrustumOnHull{cap_of(frustum, end), polyhedron, hull_is_second}, pair, name_of_end(end));
    for (int k = 0; k < 4; ++k)
      add_point(standing_point(own, rim, end, k), name_of_end(end) + name_of_standing_point(k));
  }
  for (std::size_t v = 0; v < hull.hull->vertices.size(); ++v) {
    add_on_vertex(solid, own, place_of(other, *hull.hull, v), hull_is_second, pair, " at vertex " + std::to_string(v));
  }
  for (std::size_t e = 0; e < hull.hull->edges.size(); ++e) {
    shape_pairs::HullOnBody edge = polyhedron;
    edge.edge = static_cast<Index>(e);
    add_relation(shape_pairs::FrustumOnHull{frustum, edge, hull_is_second}, pair, " at edge " + std::to_string(e));
  }
}

void BodyContacts::PairMaker::add(const RoundedHull& first, const RoundedHull& second, const Pair& pair) const {
  const auto is_round = [](const RoundedHull& hull) { return hull.is_point() || hull.is_segment(); };
  if (is_round(first) && is_round(second)) {
    return add_relation(shape_pairs::SegmentPair{segment_of(pair.first, first), segment_of(pair.second, second)}, pair);
  }
  if (first.is_point()) return add_ball(first, shape_pairs::HullShape{second.hull}, false, pair);
  if (second.is_point()) return add_ball(second, shape_pairs::HullShape{first.hull}, true, pair);
  if (first.is_segment()) return add_capsule(first, second.hull, false, pair);
  if (second.is_segment()) return add_capsule(second, first.hull, true, pair);
  add_polyhedra(first, second, pair);
}

void BodyContacts::PairMaker::add(const RoundedHull& first, const FrustumSolid& second, const Pair& pair) const {
  add_on_frustum(first, second, false, pair);
}

void BodyContacts::PairMaker::add(const FrustumSolid& first, const RoundedHull& second, const Pair& pair) const {
  add_on_frustum(second, first, true, pair);
}

void BodyContacts::PairMaker::add(const FrustumSolid& first, const FrustumSolid& second, const Pair& pair) const {
  add_relation(shape_pairs::SidePair{{first.frustum, pair.first.position, pair.first.turn},
                                     {second.frustum, pair.second.position, pair.second.turn}},
               pair);
}

std::vector<Interaction> BodyContacts::pairs(const NonSmoothDynamicalSystem& model) const {
  shape_pairs::ContactPairs made(model, *this);
  PairMaker maker{*this, made};
  for_each_pair(*shapes_, [&maker](const auto& first, const auto& second) { maker.add(first, second); });
  return made.take();
}

}  // namespace nonsmooth
