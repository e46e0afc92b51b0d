// SPDX-License-Identifier: Apache-2.0
// Contacts of shapes in the plane as interactions: all pairs that may ever touch.
#include <algorithm>
#include <memory>
#include <string>

#include <nonsmooth/kernel/planar_contacts.hpp>
#include <nonsmooth/kernel/relations/shape_pairs.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "contact/planar/planar_parts.hpp"
#include "contact_pairs.hpp"
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
    if (second.surface_velocity || second.surface_spin)
      throw InvalidArgument("contacts as pairs: PlanarShapeOnBody::surface_velocity", "a conveyor",
                            "a ground that rests");
    const std::string name = made.name_of(first.place, second.place, second.body);
    const auto &corners = first.polygon.vertices, &others = second.polygon.vertices;
    if (second.plane) {
      for (std::size_t v = 0; v < corners.size(); ++v) {
        made.add(
            first.body, second.body,
            DiskOnHalfPlane{{first.polygon.middle + corners[v], first.radius}, {*second.plane, second.offset}, rows},
            law, corners.size() == 1 ? name : name + " at vertex " + std::to_string(v));
      }
      return;
    }
    if (second.line || std::min(corners.size(), others.size()) != 1 || std::max(corners.size(), others.size()) > 2) {
      throw InvalidArgument("contacts as pairs: shapes", name_of(first) + " on " + name_of(second),
                            "disks on disks and segments, all but height lines on half-planes; groups and masks leave "
                            "out pairs that never touch");
    }
    const auto segment = [](const Part& part) {
      const auto& ends = part.polygon.vertices;
      const Eigen::Vector2d from = part.polygon.middle + ends.front(), along = ends.back() - ends.front();
      return shape_pairs::Segment{{from.x(), from.y(), 0.0}, {along.x(), along.y(), 0.0}, part.radius};
    };
    using Made = shape_pairs::ContactRelation<shape_pairs::SegmentPair, joints::PlaneBodies>;
    made.add(first.body, second.body,
             std::make_shared<const Made>(shape_pairs::SegmentPair{segment(first), segment(second)}, rows), law, name);
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
