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
    made.set_conveyor(in_space(second.skin.velocity));
    std::visit([&](const auto& own, const auto& its) { add(own, its, pair); }, first.geometry, second.geometry);
  }

 private:
  [[noreturn]] void refuse(const Pair& pair) const {
    throw InvalidArgument(
        "contacts as pairs: shapes",
        made.name_of(pair.first) + " on " + made.name_of(pair.second) + ", which have several closest points at once",
        "disks on any shape, all but height lines on half-planes; groups and masks leave out pairs "
        "that never touch");
  }
  /// A field of the plane, as one of space.
  [[nodiscard]] static SurfaceField in_space(
      const std::function<Eigen::Vector2d(const Eigen::Vector2d& point, double t)>& velocity) {
    if (!velocity) return {};
    return [velocity](const Eigen::Vector3d& point, double t) {
      const Eigen::Vector2d own = velocity(point.head<2>(), t);
      return Eigen::Vector3d(own.x(), own.y(), 0.0);
    };
  }
  [[nodiscard]] static Eigen::Vector3d center_of(const RoundedPolygon& disk) {
    const Eigen::Vector2d center = disk.polygon.middle + disk.polygon.vertices.front();
    return {center.x(), center.y(), 0.0};
  }
  /// Of a disk too, along zero.
  [[nodiscard]] static shape_pairs::Segment segment_of(const RoundedPolygon& own) {
    const auto& ends = own.polygon.vertices;
    const Eigen::Vector2d along = ends.back() - ends.front();
    return {center_of(own), {along.x(), along.y(), 0.0}, own.radius};
  }
  template <class Geometry>
  void add_relation(Geometry geometry, const Pair& pair, const std::string& name) const {
    using Made = shape_pairs::ContactRelation<Geometry, joints::PlaneBodies>;
    made.add(pair.first.body, pair.second.body,
             AnyRelation(std::make_shared<const Made>(std::move(geometry), pair.rows)), pair.law, name);
  }

  template <class One, class Other>
  void add(const One&, const Other&, const Pair& pair) const {
    refuse(pair);
  }
  void add(const RoundedPolygon& first, const RoundedPolygon& second, const Pair& pair) const {
    const bool disk_is_second = !first.is_point();
    const RoundedPolygon &disk = disk_is_second ? second : first, &other = disk_is_second ? first : second;
    if (!disk.is_point()) refuse(pair);
    if (other.num_vertices() <= 2)
      return add_relation(shape_pairs::SegmentPair{segment_of(first), segment_of(second)}, pair, pair.name);
    const Eigen::Vector2d& middle = other.polygon.middle;
    shape_pairs::RoundOnShape<shape_pairs::PolygonShape> geometry{
        center_of(disk), disk.radius, {other.polygon, other.radius}, {middle.x(), middle.y(), 0.0}};
    geometry.round_is_second = disk_is_second;
    add_relation(std::move(geometry), pair, pair.name);
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
  void add(const RoundedPolygon& first, const HeightGround& second, const Pair& pair) const {
    if (!first.is_point()) refuse(pair);
    std::vector<shape_pairs::HeightPart> parts = shape_pairs::height_parts(second.line->points());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      add_relation(
          shape_pairs::RoundOnShape<shape_pairs::HeightPart>{center_of(first), first.radius, std::move(parts[p])}, pair,
          parts.size() == 1 ? pair.name : pair.name + " on part " + std::to_string(p));
    }
  }
};

std::vector<Interaction> PlanarContacts::pairs(const NonSmoothDynamicalSystem& model) const {
  shape_pairs::ContactPairs made(model, *this);
  const PairMaker maker{*this, made};
  for_each_pair(*shapes_, [&maker](const auto& first, const auto& second) { maker.add(first, second); });
  return made.take();
}

}  // namespace nonsmooth
