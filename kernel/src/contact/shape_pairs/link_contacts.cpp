// SPDX-License-Identifier: Apache-2.0
// Contacts of sources as interactions: all pairs that may ever touch.
#include <nonsmooth/kernel/link_contacts.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <nonsmooth/kernel/body_contacts.hpp>
#include <nonsmooth/kernel/disk_contacts.hpp>
#include <nonsmooth/kernel/relations/shape_pairs.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "capsule_on_shape.hpp"
#include "contact_pairs.hpp"
#include "cylinder_pair.hpp"
#include "frustum_distance.hpp"
#include "hull_distance.hpp"
#include "plane_pairs.hpp"
#include "segment_pair.hpp"
#include "surface_distance.hpp"

namespace nonsmooth {
namespace {

/// The simpler one is the first of two bodies.
enum class PartKind : unsigned char { Sphere, Capsule, Polyhedron, Frustum };

PartKind kind_of(const Hull* hull) {
  if (hull == nullptr) return PartKind::Frustum;
  if (hull->vertices.size() == 1) return PartKind::Sphere;
  return hull->faces.empty() ? PartKind::Capsule : PartKind::Polyhedron;
}

}  // namespace

/// The pairs of shapes in space.
struct BodyContacts::PairMaker {
  const BodyContacts& source;
  shape_pairs::ContactPairs& made;
  std::map<Index, std::shared_ptr<const shape_pairs::SurfaceParts>> surfaces{};  ///< by the place of the ground's shape

  [[nodiscard]] std::string name_of(const Part& part) const {
    constexpr const char* bounded[]{"a sphere", "a capsule", "a box or polyhedron", "a cylinder or cone"};
    const char* const shape = part.surface                ? "a triangle mesh or height field"
                              : part.hull || part.frustum ? bounded[static_cast<std::size_t>(kind_of(part.hull.get()))]
                                                          : "a half-space";
    return shape + (" of " + made.body_name(part.body));
  }
  [[noreturn]] void refuse(const Part& first, const Part& second, const std::string& reason) const {
    throw InvalidArgument(
        "contacts as pairs: shapes", name_of(first) + " on " + name_of(second) + ", which have " + reason,
        "spheres on any shape, capsules on capsules, cylinders and cones, cylinders on cylinders, all on "
        "half-spaces; groups and masks leave out pairs that never touch");
  }

  /// Of a vertex, on the body.
  [[nodiscard]] static Eigen::Vector3d place_of(const Part& part, std::size_t vertex) {
    return part.position + part.turn * (part.hull->vertices[vertex] - part.hull->middle);
  }
  [[nodiscard]] static bool is_segment(const Part& part) {
    return part.hull && kind_of(part.hull.get()) <= PartKind::Capsule;
  }
  [[nodiscard]] static shape_pairs::Segment segment_of(const Part& part) {
    const auto& vertices = part.hull->vertices;
    return {place_of(part, 0), part.turn * (vertices.back() - vertices.front()), part.radius};
  }
  [[nodiscard]] static bool is_cylinder(const Part& part) {
    return part.frustum && part.frustum->radii[0] == part.frustum->radii[1];
  }
  template <class Geometry>
  [[nodiscard]] static AnyRelation relation(Geometry geometry, Index rows) {
    using Made = shape_pairs::ContactRelation<Geometry, joints::SpaceBodies>;
    return AnyRelation(std::make_shared<const Made>(std::move(geometry), rows));
  }
  template <class Shape>
  [[nodiscard]] static AnyRelation ball_on(const Part& ball, const Part& other, Shape shape, bool ball_is_second,
                                           Index rows) {
    return relation(shape_pairs::RoundOnShape<Shape>{ball.position, ball.radius, std::move(shape), other.position,
                                                     other.turn, ball_is_second},
                    rows);
  }

  /// On a cylinder or cone.
  [[nodiscard]] static AnyRelation capsule_on(const Part& capsule, const Part& other, bool capsule_is_second,
                                              Index rows) {
    using OnFrustum = shape_pairs::CapsuleOnShape<shape_pairs::FrustumShape>;
    const shape_pairs::Segment axis = segment_of(capsule);
    return relation(
        OnFrustum{{axis.from, axis.radius, {other.frustum}, other.position, other.turn, capsule_is_second}, axis.along},
        rows);
  }

  void add_on_plane(const Part& part, const Part& plane, Index law, Index rows, const std::string& name) const {
    const HalfSpace half_space{plane.position, plane.offset};
    if (part.frustum) {
      for (const int end : {0, 1}) {
        const Eigen::Vector3d axis = part.turn.col(2);
        const RimOnBody rim{part.position + (end == 0 ? -part.frustum->half : part.frustum->half) * axis, axis,
                            part.frustum->radii[static_cast<std::size_t>(end)]};
        const std::string place = name + " at end " + std::to_string(end);
        made.add(part.body, plane.body, shape_pairs::rim_of_end({rim, half_space, rows}), law, place);
        if (rim.radius == 0.0) continue;
        const Eigen::Vector3d out = (end == 0 ? -shape_pairs::kOut : shape_pairs::kOut) * rim.radius * axis;
        for (int k = 0; k < 4; ++k) {
          const Eigen::Vector3d aside =
              (k < 2 ? shape_pairs::kInside : -shape_pairs::kInside) * rim.radius * part.turn.col(k % 2);
          made.add(part.body, plane.body, SphereOnHalfSpace{{rim.center + out + aside}, half_space, rows}, law,
                   place + ", standing on point " + std::to_string(k));
        }
      }
      return;
    }
    const std::size_t corners = part.hull->vertices.size();
    for (std::size_t v = 0; v < corners; ++v) {
      const SphereOnBody sphere{place_of(part, v), part.radius};
      made.add(part.body, plane.body, SphereOnHalfSpace{sphere, half_space, rows}, law,
               corners == 1 ? name : name + " at " + (corners == 2 ? "end " : "vertex ") + std::to_string(v));
    }
  }

  void add_on_surface(const Part& ball, const Part& ground, Index law, Index rows, const std::string& name) {
    auto& parts = surfaces[ground.place];
    if (!parts) parts = shape_pairs::surface_parts(ground.surface);
    if (!parts->refused.empty()) refuse(ball, ground, parts->refused);
    for (std::int32_t part = 0; part < parts->count; ++part) {
      made.add(ball.body, ground.body,
               ball_on(ball, ground, shape_pairs::SurfaceShape{parts, part, ball.radius}, false, rows), law,
               parts->count == 1 ? name : name + " on part " + std::to_string(part));
    }
  }

  void add(const Part& one, const Part& other) {
    const Part *first = &one, *second = &other;
    const Index law = source.pairs_.law(first->material, second->material), rows = source.law_rows(law);
    if ((first->body >= 0 && first->is_conveyor()) || (second->body >= 0 && second->is_conveyor()))
      throw InvalidArgument("contacts as pairs: ShapeOnBody::surface_velocity", "a conveyor on a body",
                            "surfaces that rest on their bodies, or conveyors of the ground");
    made.set_conveyor(second->surface_velocity);
    const std::string name = made.name_of(first->place, second->place, second->body);
    made.begin({{ShapePlace{first->body, first->place}, ShapePlace{second->body, second->place}},
                {first->material, second->material}});
    const bool on_plane = !second->hull && !second->surface && !second->frustum;
    if (on_plane) return add_on_plane(*first, *second, law, rows, name);
    // The ground is the second; of two bodies the one whose shape is simpler is the first.
    if (second->body >= 0 && kind_of(second->hull.get()) < kind_of(first->hull.get())) std::swap(first, second);
    const auto add_relation = [&](AnyRelation made_of) {
      made.add(first->body, second->body, std::move(made_of), law, name);
    };
    if (is_segment(*first) && is_segment(*second))
      return add_relation(relation(shape_pairs::SegmentPair{segment_of(*first), segment_of(*second)}, rows));
    if (is_cylinder(*first) && is_cylinder(*second))
      return add_relation(relation(shape_pairs::CylinderPair{{first->frustum, first->position, first->turn},
                                                             {second->frustum, second->position, second->turn}},
                                   rows));
    if (is_segment(*first) && second->frustum && first->hull->vertices.size() > 1)
      return add_relation(capsule_on(*first, *second, false, rows));
    if (first->frustum && second->hull && kind_of(second->hull.get()) == PartKind::Capsule)
      return add_relation(capsule_on(*second, *first, true, rows));
    const auto is_ball = [](const Part& part) { return part.hull && kind_of(part.hull.get()) == PartKind::Sphere; };
    const bool ball_is_second = !is_ball(*first);
    const Part &ball = ball_is_second ? *second : *first, &shape = ball_is_second ? *first : *second;
    if (!is_ball(ball)) refuse(*first, *second, "several closest points at once");
    if (shape.surface) return add_on_surface(ball, shape, law, rows, name);
    if (shape.frustum)
      return add_relation(ball_on(ball, shape, shape_pairs::FrustumShape{shape.frustum}, ball_is_second, rows));
    add_relation(ball_on(ball, shape, shape_pairs::HullShape{shape.hull}, ball_is_second, rows));
  }
};

std::vector<Interaction> BodyContacts::pairs(const NonSmoothDynamicalSystem& model) const {
  shape_pairs::ContactPairs made(model, *this);
  PairMaker maker{*this, made};
  const auto count = static_cast<Index>(parts_.size());
  for (Index p = 0; p < moving_; ++p) {
    for (Index o = p + 1; o < count; ++o) {
      if (may_touch(p, o)) maker.add(parts_[static_cast<std::size_t>(p)], parts_[static_cast<std::size_t>(o)]);
    }
  }
  return made.take();
}

std::vector<Interaction> DiskContacts::pairs(const NonSmoothDynamicalSystem& model) const {
  shape_pairs::ContactPairs made(model, *this);
  const auto count = static_cast<Index>(disks_.size());
  const auto disk = [&](Index i) { return DiskOnBody{.radius = radii_[static_cast<std::size_t>(i)]}; };
  const auto material = [&](Index i) { return materials_[static_cast<std::size_t>(i)]; };
  const auto rows_of = [&](Index law) { return static_cast<Index>(rows_[static_cast<std::size_t>(law)]); };
  for (Index i = 0; i < count; ++i) {
    if (floor_.height) {
      const Index law = pairs_.law(material(i), floor_.material);
      made.begin({{ShapePlace{i, 0}, ShapePlace{}}, {material(i), floor_.material}});
      made.add(i, -1, DiskOnFloor{disk(i), floor_, rows_of(law)}, law, "floor");
    }
    for (Index j = i + 1; j < count; ++j) {
      const Index law = pairs_.law(material(i), material(j));
      made.begin({{ShapePlace{i, 0}, ShapePlace{j, 0}}, {material(i), material(j)}});
      made.add(i, j, DiskPair{disk(i), disk(j), rows_of(law)}, law, "contact");
    }
  }
  return made.take();
}

std::vector<LinkedContact> link_contacts(NonSmoothDynamicalSystem& model, const ContactSource& source) {
  const std::vector<SystemHandle>& bodies = source.bodies();
  const auto number_of = [&](SystemHandle body) {
    return static_cast<Index>(std::find(bodies.begin(), bodies.end(), body) - bodies.begin());
  };
  std::vector<LinkedContact> linked;
  try {
    for (Interaction& pair : source.pairs(model)) {
      LinkedContact contact;
      contact.first = number_of(pair.systems.front());
      if (pair.systems.size() > 1) contact.second = number_of(pair.systems.back());
      contact.interaction = model.add(std::move(pair));
      linked.push_back(contact);
    }
  } catch (...) {
    for (const LinkedContact& contact : linked) model.remove(contact.interaction);
    throw;
  }
  return linked;
}

}  // namespace nonsmooth
