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

#include "contact/planar/planar_parts.hpp"
#include "contact_pairs.hpp"
#include "polygon_distance.hpp"
#include "segment_pair.hpp"

namespace nonsmooth {

/// The pairs of shapes in the plane.
struct PlanarContacts::PairMaker {
  using Part = Shapes::Part;

  const PlanarContacts& source;
  shape_pairs::ContactPairs& made;

  [[nodiscard]] std::string name_of(const Part& part) const {
    const std::size_t vertices = part.polygon.vertices.size();
    const char* const shape = part.plane      ? "a half-plane"
                              : part.line     ? "a height line"
                              : vertices == 1 ? "a disk"
                              : vertices == 2 ? "a segment"
                                              : "a polygon";
    return shape + (" of " + made.body_name(part.body));
  }

  void add(const Part& first, const Part& second) const {
    const Index law = source.pairs_.law(first.material, second.material), rows = source.law_rows(law);
    if ((first.body >= 0 && first.is_conveyor()) || (second.body >= 0 && second.is_conveyor()))
      throw InvalidArgument("contacts as pairs: PlanarShapeOnBody::surface_velocity", "a conveyor on a body",
                            "surfaces that rest on their bodies, or conveyors of the ground");
    made.set_conveyor(in_space(second.surface_velocity));
    const std::string name = made.name_of(first.place, second.place, second.body);
    made.begin({{ShapePlace{first.body, first.place}, ShapePlace{second.body, second.place}},
                {first.material, second.material}});
    const auto& corners = first.polygon.vertices;
    if (second.plane) {
      for (std::size_t v = 0; v < corners.size(); ++v) {
        made.add(
            first.body, second.body,
            DiskOnHalfPlane{{first.polygon.middle + corners[v], first.radius}, {*second.plane, second.offset}, rows},
            law, corners.size() == 1 ? name : name + " at vertex " + std::to_string(v));
      }
      return;
    }
    const bool disk_is_second = corners.size() > 1;
    const Part &disk = disk_is_second ? second : first, &other = disk_is_second ? first : second;
    if (disk.polygon.vertices.size() != 1) refuse(first, second);
    if (other.line) return add_on_line(disk, other, law, rows, name);
    if (other.polygon.vertices.size() > 2) {
      const Eigen::Vector2d& middle = other.polygon.middle;
      shape_pairs::RoundOnShape<shape_pairs::PolygonShape> geometry{
          center_of(disk), disk.radius, {other.polygon, other.radius}, {middle.x(), middle.y(), 0.0}};
      geometry.round_is_second = disk_is_second;
      return made.add(first.body, second.body, relation(std::move(geometry), rows), law, name);
    }
    made.add(first.body, second.body, relation(shape_pairs::SegmentPair{segment_of(first), segment_of(second)}, rows),
             law, name);
  }

 private:
  [[noreturn]] void refuse(const Part& first, const Part& second) const {
    throw InvalidArgument("contacts as pairs: shapes",
                          name_of(first) + " on " + name_of(second) + ", which have several closest points at once",
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
  [[nodiscard]] static Eigen::Vector3d center_of(const Part& disk) {
    const Eigen::Vector2d center = disk.polygon.middle + disk.polygon.vertices.front();
    return {center.x(), center.y(), 0.0};
  }
  /// Of a disk too, along zero.
  [[nodiscard]] static shape_pairs::Segment segment_of(const Part& part) {
    const auto& ends = part.polygon.vertices;
    const Eigen::Vector2d along = ends.back() - ends.front();
    return {center_of(part), {along.x(), along.y(), 0.0}, part.radius};
  }
  template <class Geometry>
  [[nodiscard]] static AnyRelation relation(Geometry geometry, Index rows) {
    using Made = shape_pairs::ContactRelation<Geometry, joints::PlaneBodies>;
    return AnyRelation(std::make_shared<const Made>(std::move(geometry), rows));
  }
  void add_on_line(const Part& disk, const Part& ground, Index law, Index rows, const std::string& name) const {
    std::vector<shape_pairs::HeightPart> parts = shape_pairs::height_parts(ground.line->points());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      shape_pairs::RoundOnShape<shape_pairs::HeightPart> geometry{center_of(disk), disk.radius, std::move(parts[p])};
      made.add(disk.body, ground.body, relation(std::move(geometry), rows), law,
               parts.size() == 1 ? name : name + " on part " + std::to_string(p));
    }
  }
};

std::vector<Interaction> PlanarContacts::pairs(const NonSmoothDynamicalSystem& model) const {
  shape_pairs::ContactPairs made(model, *this);
  const PairMaker maker{*this, made};
  for (auto first = shapes_->parts.begin(); first != shapes_->parts.begin() + shapes_->moving; ++first) {
    for (auto second = first + 1; second != shapes_->parts.end(); ++second) {
      if (Shapes::may_touch(*this, *first, *second)) maker.add(*first, *second);
    }
  }
  return made.take();
}

}  // namespace nonsmooth
