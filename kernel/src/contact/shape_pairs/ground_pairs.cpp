// SPDX-License-Identifier: Apache-2.0
// Contacts as interactions with what only the ground is: half-spaces, triangle meshes and height fields.
#include "edge_pair.hpp"
#include "frustum_distance.hpp"
#include "hull_distance.hpp"
#include "rim_on_surface.hpp"
#include "segment_pair.hpp"
#include "space_pair_maker.hpp"

namespace nonsmooth {
namespace {

/// A place on a surface, and of its axes, in those of the ground.
Eigen::Vector3d on_ground(const ShapePart<InSpace>& ground, const Eigen::Vector3d& x) {
  return ground.position + ground.turn * x;
}

/// What is behind a ridge, as a polyhedron of the ground of which only edge 0 is met.
shape_pairs::HullOnBody wedge_on_ground(const ShapePart<InSpace>& ground, const shape_pairs::SurfaceRidge& ridge) {
  return {ridge.wedge, on_ground(ground, ridge.wedge->middle), ground.turn, 0};
}

std::string name_of_face(const SurfacePairs& surface, std::int32_t face) {
  return surface.faces->count > 1 ? " on face " + std::to_string(face) : "";
}

}  // namespace

const SurfacePairs& BodyContacts::PairMaker::pairs_with(const Part& ground, const SurfaceGround& surface) {
  SurfacePairs& pairs = surfaces[ground.place];
  if (!pairs.parts) {
    pairs = {shape_pairs::surface_parts(surface.surface), shape_pairs::surface_faces(surface.surface),
             shape_pairs::surface_features(*surface.surface)};
  }
  return pairs;
}

void BodyContacts::PairMaker::add(const RoundedHull& first, const SurfaceGround& second, const Pair& pair) {
  const SurfacePairs& surface = pairs_with(pair.second, second);
  if (first.is_point() || first.is_segment()) return add_round(first, surface, pair);
  add_sharp(first, surface, pair);
}

/// A capsule over a face has an end that is as near to this as all of it: its ends are nearest to the surface, or a
/// ridge of this to its axis.
void BodyContacts::PairMaker::add_round(const RoundedHull& first, const SurfacePairs& surface, const Pair& pair) const {
  const auto& parts = surface.parts;
  if (!parts->refused.empty()) refuse(pair, parts->refused);
  const Part& ground = pair.second;
  const shape_pairs::Segment axis = segment_of(pair.first, first);
  for (int end = 0; end < (first.is_segment() ? 2 : 1); ++end) {
    const std::string place = first.is_segment() ? name_of_end(end) : "";
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
  for (std::size_t k = 0; k < surface.features.ridges.size(); ++k) {
    const shape_pairs::SurfaceRidge& ridge = surface.features.ridges[k];
    const shape_pairs::Segment line{on_ground(ground, ridge.from), ground.turn * (ridge.to - ridge.from)};
    add_relation(shape_pairs::SegmentPair{axis, line}, pair, name_of_ridge(k));
  }
}

/// A vertex is nearest to a face, an edge to a ridge, a corner of the surface to a face.
void BodyContacts::PairMaker::add_sharp(const RoundedHull& first, const SurfacePairs& surface, const Pair& pair) const {
  const Part& ground = pair.second;
  const Hull& hull = *first.hull;
  const double depth = narrow_phase::least_width(hull);
  for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
    for (std::int32_t face = 0; face < surface.faces->count; ++face) {
      add_relation(
          shape_pairs::RoundOnShape<shape_pairs::SurfaceFace>{
              place_of(pair.first, hull, v), 0.0, {surface.faces, face, depth}, ground.position, ground.turn, false},
          pair, name_of_vertex(v) + name_of_face(surface, face));
    }
  }
  for (std::size_t k = 0; k < surface.features.ridges.size(); ++k) {
    const shape_pairs::HullOnBody wedge = wedge_on_ground(ground, surface.features.ridges[k]);
    shape_pairs::EdgePair::Edge ridge(wedge.hull, wedge.position, wedge.turn, 0);
    ridge.width = shape_pairs::kDepthUnknown;
    for (std::size_t e = 0; e < hull.edges.size(); ++e) {
      const shape_pairs::EdgePair::Edge edge(first.hull, pair.first.position, pair.first.turn, e);
      add_relation(shape_pairs::EdgePair{edge, ridge}, pair, name_of_edge(e) + name_of_ridge(k));
    }
  }
  for (const std::int32_t corner : surface.features.corners) {
    const Eigen::Vector3d place = on_ground(ground, surface.faces->surface->vertex(corner));
    add_relation(
        shape_pairs::RoundOnShape<shape_pairs::SharpHullShape>{
            place, 0.0, {{first.hull}}, pair.first.position, pair.first.turn, true},
        pair, name_of_corner(corner));
  }
}

/// As on a polyhedron, with its faces one by one.
void BodyContacts::PairMaker::add(const FrustumSolid& first, const SurfaceGround& second, const Pair& pair) {
  using shape_pairs::SurfaceFaceUnderFrustum;
  const SurfacePairs& surface = pairs_with(pair.second, second);
  const Part &own = pair.first, &ground = pair.second;
  const double depth = narrow_phase::least_width(*first.frustum);
  for (std::int32_t face = 0; face < surface.faces->count; ++face) {
    const SurfaceFaceUnderFrustum plane{{surface.faces, face, depth}};
    const auto add_point = [&](const Eigen::Vector3d& point, const std::string& place) {
      add_relation(
          shape_pairs::RoundOnShape<SurfaceFaceUnderFrustum>{point, 0.0, plane, ground.position, ground.turn, false},
          pair, place + name_of_face(surface, face));
    };
    for (const int end : {0, 1}) {
      const RimOnBody rim = rim_of(own, *first.frustum, end);
      if (rim.radius == 0.0) {
        add_point(rim.center, name_of_end(end));
        continue;
      }
      add_relation(shape_pairs::RimOnSurface(rim, plane, ground.position, ground.turn), pair,
                   name_of_end(end) + name_of_face(surface, face));
      for (int k = 0; k < 4; ++k)
        add_point(standing_point(own, rim, end, k), name_of_end(end) + name_of_standing_point(k));
    }
  }
  for (std::size_t k = 0; k < surface.features.ridges.size(); ++k) {
    add_relation(
        shape_pairs::FrustumOnHull{
            {first.frustum, own.position, own.turn}, wedge_on_ground(ground, surface.features.ridges[k]), true},
        pair, name_of_ridge(k));
  }
  for (const std::int32_t corner : surface.features.corners)
    add_on_vertex(first, own, on_ground(ground, surface.faces->surface->vertex(corner)), true, pair,
                  name_of_corner(corner));
}

void BodyContacts::PairMaker::add(const RoundedHull& first, const HalfSpaceGround& second, const Pair& pair) const {
  const HalfSpace half_space{second.normal, second.offset};
  const std::size_t corners = first.hull->vertices.size();
  for (std::size_t v = 0; v < corners; ++v) {
    const SphereOnBody sphere{place_of(pair.first, *first.hull, v), first.radius};
    made.add(pair.first.body, pair.second.body, SphereOnHalfSpace{sphere, half_space, pair.rows}, pair.law,
             corners == 1 ? pair.name : pair.name + " at " + (corners == 2 ? "end " : "vertex ") + std::to_string(v));
  }
}

void BodyContacts::PairMaker::add(const FrustumSolid& first, const HalfSpaceGround& second, const Pair& pair) const {
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

}  // namespace nonsmooth
