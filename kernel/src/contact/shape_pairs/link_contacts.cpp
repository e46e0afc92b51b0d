// SPDX-License-Identifier: Apache-2.0
// Contacts of sources as interactions: all pairs that may ever touch.
#include <nonsmooth/kernel/link_contacts.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <nonsmooth/kernel/body_contacts.hpp>
#include <nonsmooth/kernel/disk_contacts.hpp>
#include <nonsmooth/kernel/relations/shape_pairs.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "contact_pairs.hpp"
#include "segment_pair.hpp"
#include "sphere_on_hull.hpp"

namespace nonsmooth {
namespace {

enum class PartKind : unsigned char { Sphere, Capsule, Polyhedron };

PartKind kind_of(const Hull& hull) {
  if (hull.vertices.size() == 1) return PartKind::Sphere;
  return hull.faces.empty() ? PartKind::Capsule : PartKind::Polyhedron;
}

}  // namespace

/// The pairs of shapes in space.
struct BodyContacts::PairMaker {
  const BodyContacts& source;
  shape_pairs::ContactPairs& made;

  [[nodiscard]] std::string name_of(const Part& part) const {
    constexpr const char* hulls[]{"a sphere", "a capsule", "a box or polyhedron"};
    const char* const shape = part.surface   ? "a triangle mesh or height field"
                              : part.frustum ? "a cylinder or cone"
                              : part.hull    ? hulls[static_cast<std::size_t>(kind_of(*part.hull))]
                                             : "a half-space";
    return shape + (" of " + made.body_name(part.body));
  }

  /// Of a vertex, on the body.
  [[nodiscard]] static Eigen::Vector3d place_of(const Part& part, std::size_t vertex) {
    return part.position + part.turn * (part.hull->vertices[vertex] - part.hull->middle);
  }

  [[nodiscard]] AnyRelation relation_between(const Part& first, const Part& second, Index rows) const {
    const auto relation = [rows](auto geometry) {
      using Made = shape_pairs::ContactRelation<decltype(geometry), joints::SpaceBodies>;
      return AnyRelation(std::make_shared<const Made>(std::move(geometry), rows));
    };
    const bool hulls = first.hull && second.hull;
    const PartKind of_first = hulls ? kind_of(*first.hull) : PartKind::Polyhedron,
                   of_second = hulls ? kind_of(*second.hull) : PartKind::Polyhedron;
    if (of_first != PartKind::Polyhedron && of_second != PartKind::Polyhedron) {
      const auto segment = [](const Part& part) {
        const auto& vertices = part.hull->vertices;
        return shape_pairs::Segment{place_of(part, 0), part.turn * (vertices.back() - vertices.front()), part.radius};
      };
      return relation(shape_pairs::SegmentPair{segment(first), segment(second)});
    }
    if (of_first == PartKind::Sphere) {
      const Eigen::Vector3d origin = second.position - second.turn * second.hull->middle;
      return relation(shape_pairs::SphereOnHull{first.position, first.radius, second.hull, origin, second.turn});
    }
    throw InvalidArgument("contacts as pairs: shapes", name_of(first) + " on " + name_of(second),
                          "spheres and capsules on one another, spheres of bodies on boxes and polyhedra, all but "
                          "cylinders and cones on half-spaces; groups and masks leave out pairs that never touch");
  }

  void add_on_plane(const Part& part, const Part& plane, Index law, Index rows, const std::string& name) const {
    const std::size_t corners = part.hull->vertices.size();
    for (std::size_t v = 0; v < corners; ++v) {
      const SphereOnBody sphere{place_of(part, v), part.radius};
      made.add(part.body, plane.body, SphereOnHalfSpace{sphere, {plane.position, plane.offset}, rows}, law,
               corners == 1 ? name : name + " at " + (corners == 2 ? "end " : "vertex ") + std::to_string(v));
    }
  }

  void add(const Part& one, const Part& other) const {
    const Part *first = &one, *second = &other;
    const Index law = source.pairs_.law(first->material, second->material), rows = source.law_rows(law);
    if (second->surface_velocity || second->surface_spin)
      throw InvalidArgument("contacts as pairs: ShapeOnBody::surface_velocity", "a conveyor", "a ground that rests");
    const std::string name = made.name_of(first->place, second->place, second->body);
    const bool on_plane = !second->hull && !second->surface && !second->frustum;
    if (on_plane && first->hull) return add_on_plane(*first, *second, law, rows, name);
    // The ground is the second; of two bodies the one whose shape is simpler is the first.
    const bool hulls = first->hull && second->hull;
    if (hulls && second->body >= 0 && kind_of(*second->hull) < kind_of(*first->hull)) std::swap(first, second);
    made.add(first->body, second->body, relation_between(*first, *second, rows), law, name);
  }
};

std::vector<Interaction> BodyContacts::pairs(const NonSmoothDynamicalSystem& model) const {
  shape_pairs::ContactPairs made(model, *this);
  const PairMaker maker{*this, made};
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
      made.add(i, -1, DiskOnFloor{disk(i), floor_, rows_of(law)}, law, "floor");
    }
    for (Index j = i + 1; j < count; ++j) {
      const Index law = pairs_.law(material(i), material(j));
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
