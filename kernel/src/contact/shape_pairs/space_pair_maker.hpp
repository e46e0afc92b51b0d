// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include <nonsmooth/kernel/body_contacts.hpp>
#include <nonsmooth/kernel/relations/shape_pairs.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "contact/space/in_space.hpp"
#include "contact_pairs.hpp"
#include "frustum_on_hull.hpp"
#include "plane_pairs.hpp"
#include "round_on_shape.hpp"
#include "surface_distance.hpp"
#include "surface_features.hpp"

namespace nonsmooth {

/// What contacts with a surface are made of, once a surface.
struct SurfacePairs {
  std::shared_ptr<const shape_pairs::SurfaceParts> parts, faces;  ///< for what is round; for what is sharp
  shape_pairs::SurfaceFeatures features;
};

/// The pairs of shapes in space: an overload of add() for those that have contacts as pairs. Those of bodies are in
/// space_pairs.cpp, those with the ground alone in ground_pairs.cpp.
struct BodyContacts::PairMaker {
  using Part = ShapePart<InSpace>;
  using Pair = shape_pairs::PartPair<InSpace>;

  const BodyContacts& source;
  shape_pairs::ContactPairs& made;
  std::map<Index, SurfacePairs> surfaces{};  ///< by the place of the ground's shape

  void add(const Part& one, const Part& other);

 private:
  [[noreturn]] void refuse(const Pair& pair, const std::string& reason) const {
    throw InvalidArgument(
        "contacts as pairs: shapes",
        made.name_of(pair.first) + " on " + made.name_of(pair.second) + ", which have " + reason,
        "spheres and capsules on any shape, boxes, polyhedra, cylinders and cones on one another and on the ground; "
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
  [[nodiscard]] static std::string name_of_vertex(std::size_t v) { return " at vertex " + std::to_string(v); }
  [[nodiscard]] static std::string name_of_edge(std::size_t e) { return " at edge " + std::to_string(e); }
  [[nodiscard]] static std::string name_of_ridge(std::size_t k) { return " on ridge " + std::to_string(k); }
  [[nodiscard]] static std::string name_of_corner(std::int32_t v) { return " on corner " + std::to_string(v); }
  [[nodiscard]] static std::string name_of_end(int end) { return " at end " + std::to_string(end); }
  [[nodiscard]] static std::string name_of_standing_point(int k) { return ", standing on point " + std::to_string(k); }
  void add_capsule(const RoundedHull& capsule, const FrustumSolid& solid, bool capsule_is_second,
                   const Pair& pair) const;
  void add_capsule(const RoundedHull& capsule, const std::shared_ptr<const Hull>& hull, bool capsule_is_second,
                   const Pair& pair) const;
  void add_polyhedra(const RoundedHull& first, const RoundedHull& second, const Pair& pair) const;
  void add_on_frustum(const RoundedHull& hull, const FrustumSolid& solid, bool hull_is_second, const Pair& pair) const;
  void add_polyhedron(const RoundedHull& hull, const FrustumSolid& solid, bool hull_is_second, const Pair& pair) const;
  void add_on_vertex(const FrustumSolid& solid, const Part& own, const Eigen::Vector3d& vertex, bool vertex_is_second,
                     const Pair& pair, const std::string& place) const;
  void add_round(const RoundedHull& ball_or_capsule, const SurfacePairs& surface, const Pair& pair) const;
  void add_sharp(const RoundedHull& polyhedron, const SurfacePairs& surface, const Pair& pair) const;
  const SurfacePairs& pairs_with(const Part& ground, const SurfaceGround& surface);

  template <class One, class Other>
  void add(const One&, const Other&, const Pair& pair) const {
    refuse(pair, "nothing that moves between them");
  }
  void add(const RoundedHull& first, const RoundedHull& second, const Pair& pair) const;
  void add(const RoundedHull& first, const FrustumSolid& second, const Pair& pair) const;
  void add(const FrustumSolid& first, const RoundedHull& second, const Pair& pair) const;
  void add(const FrustumSolid& first, const FrustumSolid& second, const Pair& pair) const;
  void add(const RoundedHull& first, const SurfaceGround& second, const Pair& pair);
  void add(const FrustumSolid& first, const SurfaceGround& second, const Pair& pair);
  void add(const RoundedHull& first, const HalfSpaceGround& second, const Pair& pair) const;
  void add(const FrustumSolid& first, const HalfSpaceGround& second, const Pair& pair) const;
};

}  // namespace nonsmooth
