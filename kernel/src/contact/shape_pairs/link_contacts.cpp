// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/link_contacts.hpp>

#include <string>
#include <utility>

#include <nonsmooth/kernel/relations/shape_pairs.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/prepared_law.hpp"
#include "segment_pair.hpp"
#include "sphere_on_hull.hpp"

namespace nonsmooth {

/// The interactions to link, made and checked before the first is.
struct ContactLinks {
  using Part = BodyContacts::Part;
  NonSmoothDynamicalSystem& model;
  const ContactSource& source;
  std::vector<std::pair<Interaction, LinkedContact>> pending{};

  [[nodiscard]] std::string body_name(Index body) const {
    if (body < 0) return "the ground";
    const SystemHandle handle = source.bodies()[static_cast<std::size_t>(body)];
    return handle.slot < model.systems().size() ? model.systems()[handle.slot].name : "a body of another model";
  }

  void refuse_laws() const {
    for (const Law& law : source.laws()) {
      const PreparedLaw own = describe::prepare_law(law.pointer(), {});
      const BlockSet& set = own.parts.front().set;
      if (set.kind != SetKind::Rolling && !(set.mu_2 >= 0.0)) continue;
      throw InvalidArgument("link_contacts: laws",
                            own.law->name() + (set.kind == SetKind::Rolling ? " of rolling" : " of elliptic friction"),
                            "friction of contacts that slide, the same in all directions");
    }
  }

  void add(Index first, Index second, AnyRelation relation, Index law, std::string name) {
    std::vector<SystemHandle> systems{source.bodies()[static_cast<std::size_t>(first)]};
    if (second >= 0) systems.push_back(source.bodies()[static_cast<std::size_t>(second)]);
    pending.push_back(
        {{std::move(systems), std::move(relation), source.laws()[static_cast<std::size_t>(law)], std::move(name)},
         {{}, first, second}});
  }

  std::vector<LinkedContact> link() {
    std::vector<LinkedContact> linked;
    try {
      for (auto& [interaction, contact] : pending) {
        linked.push_back(contact);
        linked.back().interaction = model.add(std::move(interaction));
      }
    } catch (...) {
      linked.pop_back();
      for (const LinkedContact& contact : linked) model.remove(contact.interaction);
      throw;
    }
    return linked;
  }

  void pair_bodies(const BodyContacts& of);
  void pair_with_plane(const Part& part, const Part& plane, Index law, Index rows, const std::string& name);
  [[nodiscard]] AnyRelation relation_between(const Part& first, const Part& second, Index rows) const;
  void pair_disks(const DiskContacts& of);
  /// Of a vertex, on the body.
  [[nodiscard]] static Eigen::Vector3d place_of(const Part& part, std::size_t vertex) {
    return part.position + part.turn * (part.hull->vertices[vertex] - part.hull->middle);
  }
};

namespace {

enum class PartKind : unsigned char { Sphere, Capsule, Polyhedron };

PartKind kind_of(const Hull& hull) {
  if (hull.vertices.size() == 1) return PartKind::Sphere;
  return hull.faces.empty() ? PartKind::Capsule : PartKind::Polyhedron;
}

}  // namespace

AnyRelation ContactLinks::relation_between(const Part& first, const Part& second, Index rows) const {
  const PartKind of_first = kind_of(*first.hull), of_second = kind_of(*second.hull);
  const auto made = [&](auto geometry) {
    using Made = shape_pairs::ContactRelation<decltype(geometry), joints::SpaceBodies>;
    return AnyRelation(std::make_shared<const Made>(std::move(geometry), rows));
  };
  if (of_first != PartKind::Polyhedron && of_second != PartKind::Polyhedron) {
    const auto segment = [](const Part& part) {
      const auto& vertices = part.hull->vertices;
      return shape_pairs::Segment{place_of(part, 0), part.turn * (vertices.back() - vertices.front()), part.radius};
    };
    return made(shape_pairs::SegmentPair{segment(first), segment(second)});
  }
  if (of_first == PartKind::Sphere) {
    const Eigen::Vector3d origin = second.position - second.turn * second.hull->middle;
    return made(shape_pairs::SphereOnHull{first.position, first.radius, second.hull, origin, second.turn});
  }
  const auto name_of = [&](PartKind kind, const Part& part) {
    constexpr const char* shapes[]{"a sphere", "a capsule", "a box or polyhedron"};
    return shapes[static_cast<std::size_t>(kind)] + (" of " + body_name(part.body));
  };
  throw InvalidArgument("link_contacts: shapes", name_of(of_first, first) + " on " + name_of(of_second, second),
                        "spheres and capsules on one another, spheres of bodies on boxes and polyhedra; groups and "
                        "masks leave out pairs that never touch");
}

void ContactLinks::pair_with_plane(const Part& part, const Part& plane, Index law, Index rows,
                                   const std::string& name) {
  const std::size_t corners = part.hull->vertices.size();
  for (std::size_t v = 0; v < corners; ++v) {
    const SphereOnBody sphere{place_of(part, v), part.radius};
    add(part.body, plane.body, SphereOnHalfSpace{sphere, {plane.position, plane.offset}, rows}, law,
        corners == 1 ? name : name + " at " + (corners == 2 ? "end " : "vertex ") + std::to_string(v));
  }
}

void ContactLinks::pair_bodies(const BodyContacts& of) {
  const auto count = static_cast<Index>(of.parts_.size());
  for (Index p = 0; p < of.moving_; ++p) {
    for (Index o = p + 1; o < count; ++o) {
      if (!of.may_touch(p, o)) continue;
      const Part *first = &of.parts_[static_cast<std::size_t>(p)], *second = &of.parts_[static_cast<std::size_t>(o)];
      const Index law = of.pairs_.law(first->material, second->material);
      const Index rows = of.law_rows(law);
      if (second->surface_velocity || second->surface_spin)
        throw InvalidArgument("link_contacts: ShapeOnBody::surface_velocity", "a conveyor", "a ground that rests");
      if (second->surface || first->frustum || second->frustum) {
        throw InvalidArgument("link_contacts: shapes", "a triangle mesh, a height field, a cylinder or a cone",
                              "half-spaces, spheres, capsules, boxes and polyhedra");
      }
      const std::string name = "shape " + std::to_string(first->place) + " with shape " +
                               std::to_string(second->place) + " of " + body_name(second->body);
      if (!second->hull) {
        pair_with_plane(*first, *second, law, rows, name);
        continue;
      }
      // The ground is the second; of two bodies the one whose shape is simpler is the first.
      if (second->body >= 0 && kind_of(*second->hull) < kind_of(*first->hull)) std::swap(first, second);
      add(first->body, second->body, relation_between(*first, *second, rows), law, name);
    }
  }
}

void ContactLinks::pair_disks(const DiskContacts& of) {
  const auto count = static_cast<Index>(of.disks_.size());
  const auto disk = [&](Index i) { return DiskOnBody{.radius = of.radii_[static_cast<std::size_t>(i)]}; };
  const auto material = [&](Index i) { return of.materials_[static_cast<std::size_t>(i)]; };
  const auto rows_of = [&](Index law) { return static_cast<Index>(of.rows_[static_cast<std::size_t>(law)]); };
  for (Index i = 0; i < count; ++i) {
    if (of.floor_.height) {
      const Index law = of.pairs_.law(material(i), of.floor_.material);
      add(i, -1, DiskOnFloor{disk(i), of.floor_, rows_of(law)}, law, "floor");
    }
    for (Index j = i + 1; j < count; ++j) {
      const Index law = of.pairs_.law(material(i), material(j));
      add(i, j, DiskPair{disk(i), disk(j), rows_of(law)}, law, "contact");
    }
  }
}

std::vector<LinkedContact> link_contacts(NonSmoothDynamicalSystem& model, const BodyContacts& source) {
  ContactLinks links{model, source};
  links.refuse_laws();
  links.pair_bodies(source);
  return links.link();
}

std::vector<LinkedContact> link_contacts(NonSmoothDynamicalSystem& model, const DiskContacts& source) {
  ContactLinks links{model, source};
  links.refuse_laws();
  links.pair_disks(source);
  return links.link();
}

}  // namespace nonsmooth
