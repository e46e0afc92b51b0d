// SPDX-License-Identifier: Apache-2.0
// Contacts of shapes in the plane as interactions: all pairs that may ever touch.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/planar_contacts.hpp>
#include <nonsmooth/kernel/relations/shape_pairs.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "contact/planar/in_plane.hpp"
#include "contact_pairs.hpp"
#include "polygon_distance.hpp"
#include "segment_pair.hpp"

namespace nonsmooth {

/// The pairs of shapes in the plane: an overload of add() for those that have contacts as pairs.
struct PlanarContacts::PairMaker {
  using Part = ShapePart<InPlane>;
  using Pair = shape_pairs::PartPair<InPlane>;

  const PlanarContacts& source;
  shape_pairs::ContactPairs& made;

  void add(const Part& first, const Part& second) const {
    const Index law = source.pairs_.law(first.material, second.material);
    const Pair pair{first, second, law, source.law_rows(law), made.begin<InPlane>(first, second)};
    const auto& own = std::get<RoundedPolygon>(first.geometry);  // the ground is the second
    std::visit([&](const auto& its) { add(own, its, pair); }, second.geometry);
  }

 private:
  /// Of a segment as of a point nothing is inside, and no gap is below zero, but by a rounding.
  void require_rounding(const RoundedPolygon& own, double other_radius, const Pair& pair) const {
    if (own.num_vertices() != 2 || own.radius + other_radius > 0.0) return;
    throw InvalidArgument("contacts as pairs: shapes",
                          made.name_of(pair.first) + " on " + made.name_of(pair.second) + ", both without a rounding",
                          "a rounding of the segment or of the other (PlanarSegment::rounding, "
                          "ConvexPolygon::rounding); groups and masks leave out pairs that never touch");
  }
  [[nodiscard]] static Eigen::Vector3d on_body(const Eigen::Vector2d& place) { return {place.x(), place.y(), 0.0}; }
  [[nodiscard]] static Eigen::Vector3d vertex_of(const RoundedPolygon& own, std::size_t vertex) {
    return on_body(own.polygon.middle + own.polygon.vertices[vertex]);
  }
  /// Of a disk too, along zero.
  [[nodiscard]] static shape_pairs::Segment segment_of(const RoundedPolygon& own) {
    const auto& ends = own.polygon.vertices;
    const Eigen::Vector2d along = ends.back() - ends.front();
    return {vertex_of(own, 0), on_body(along), own.radius};
  }
  template <class Geometry>
  void add_relation(Geometry geometry, const Pair& pair, const std::string& name) const {
    using Made = shape_pairs::ContactRelation<Geometry, joints::PlaneBodies>;
    made.add(pair.first.body, pair.second.body,
             AnyRelation(std::make_shared<const Made>(std::move(geometry), pair.rows)), pair.law, name);
  }

  /// A vertex of one, with its rounding, on the other.
  void add_vertex(const Eigen::Vector3d& vertex, double radius, const RoundedPolygon& other, bool vertex_is_second,
                  const Pair& pair, const std::string& name) const {
    if (other.num_vertices() <= 2) {
      shape_pairs::SegmentPair geometry{{vertex, Eigen::Vector3d::Zero(), radius}, segment_of(other)};
      if (vertex_is_second) std::swap(geometry.first, geometry.second);
      return add_relation(geometry, pair, name);
    }
    shape_pairs::RoundOnShape<shape_pairs::PolygonShape> geometry{
        vertex, radius, {other.polygon, other.radius}, on_body(other.polygon.middle)};
    geometry.round_is_second = vertex_is_second;
    add_relation(std::move(geometry), pair, name);
  }
  /// Of two shapes apart a vertex of one is nearest to the other: the least of the gaps of all is theirs.
  void add(const RoundedPolygon& first, const RoundedPolygon& second, const Pair& pair) const {
    if (first.is_point()) return add_vertex(vertex_of(first, 0), first.radius, second, false, pair, pair.name);
    if (second.is_point()) return add_vertex(vertex_of(second, 0), second.radius, first, true, pair, pair.name);
    require_rounding(first, second.radius, pair);
    require_rounding(second, first.radius, pair);
    for (const bool of_second : {false, true}) {
      const RoundedPolygon &own = of_second ? second : first, &other = of_second ? first : second;
      for (std::size_t v = 0; v < own.num_vertices(); ++v) {
        add_vertex(vertex_of(own, v), own.radius, other, of_second, pair,
                   pair.name + " at vertex " + std::to_string(v) + (of_second ? " of the second" : " of the first"));
      }
    }
  }
  void add(const RoundedPolygon& first, const HalfPlaneGround& second, const Pair& pair) const {
    const auto& corners = first.polygon.vertices;
    for (std::size_t v = 0; v < corners.size(); ++v) {
      made.add(
          pair.first.body, pair.second.body,
          DiskOnHalfPlane{{first.polygon.middle + corners[v], first.radius}, {second.normal, second.offset}, pair.rows},
          pair.law, corners.size() == 1 ? pair.name : pair.name + " at vertex " + std::to_string(v));
    }
  }
  /// Vertices on the parts between valleys, and ridges on the shape.
  void add(const RoundedPolygon& first, const HeightGround& second, const Pair& pair) const {
    require_rounding(first, 0.0, pair);
    const auto& points = second.line->points();
    const std::vector<shape_pairs::HeightPart> parts = shape_pairs::height_parts(points);
    for (std::size_t v = 0; v < first.num_vertices(); ++v) {
      const std::string name = first.is_point() ? pair.name : pair.name + " at vertex " + std::to_string(v);
      for (std::size_t p = 0; p < parts.size(); ++p) {
        add_relation(shape_pairs::RoundOnShape<shape_pairs::HeightPart>{vertex_of(first, v), first.radius, parts[p]},
                     pair, parts.size() == 1 ? name : name + " on part " + std::to_string(p));
      }
    }
    if (first.is_point()) return;  // whose centre is nearest to a ridge by its part
    const std::vector<Eigen::Vector2d> ridges = shape_pairs::ridges(points);
    for (std::size_t r = 0; r < ridges.size(); ++r)
      add_vertex(on_body(ridges[r]), 0.0, first, true, pair, pair.name + " at ridge " + std::to_string(r));
  }
};

std::vector<Interaction> PlanarContacts::pairs(const NonSmoothDynamicalSystem& model) const {
  shape_pairs::ContactPairs made(model, *this);
  const PairMaker maker{*this, made};
  for_each_pair(*shapes_, [&maker](const auto& first, const auto& second) { maker.add(first, second); });
  return made.take();
}

}  // namespace nonsmooth
