// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <internal/check.hpp>
#include <nonsmooth/kernel/shape_contacts.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "contact/thinness.hpp"

namespace nonsmooth {

/// A shape as contacts are found of it, in space (InSpace) or in the plane (InPlane).
///
/// `Space::Geometry` is a std::variant of what there is there, a file pair each. Of each kind is asked
///   ground_alone     whether no body has it;
///   is_bounded()     whether a ball about it finds it; else it is looked at beside each shape of a body;
///   width()          the least distance of two parallel planes (lines) with it between them, or less; infinity: none;
///   num_numbers()    how many numbers it takes in features: one for 2^22 of its own;
///   kind()           what it is called, "a sphere";
///   make_part()      of each shape that a user gives: an overload that writes the part;
///   meet()           with each kind that it may meet, the first one a body's: an overload that adds contacts.
template <class Space>
struct ShapePart {
  using Vector = Eigen::Matrix<double, Space::dimension, 1>;
  using Turn = Eigen::Matrix<double, Space::dimension, Space::dimension>;

  typename Space::Geometry geometry{};
  Vector position = Vector::Zero();  ///< on the body: of the shape's origin first, then of the middle of its ball
  Turn turn = Turn::Identity();      ///< shape to body
  double size = 0.0;                 ///< radius of a ball about it
  double farthest = 0.0;             ///< no point is farther from the body's centre [m]
  Index body = -1, place = 0, material = 0;
  Index number = 0;  ///< in features: the first of its own
  std::uint32_t groups = 1, mask = 1;
  typename Space::Skin skin{};  ///< its material's axes and motion

  [[nodiscard]] bool is_bounded() const {
    return std::visit([](const auto& own) { return own.is_bounded(); }, geometry);
  }
  [[nodiscard]] double width() const {
    return std::visit([](const auto& own) { return own.width(); }, geometry);
  }
  [[nodiscard]] Index num_numbers() const {
    return std::visit([](const auto& own) { return own.num_numbers(); }, geometry);
  }
  [[nodiscard]] const char* kind() const {
    return std::visit([](const auto& own) { return own.kind(); }, geometry);
  }

  /// Its ball; `middle`: from the shape's origin, in its axes.
  void enclose(const Vector& middle, double radius) {
    size = radius;
    position += turn * middle;
    farthest = position.norm() + size;
  }
  /// @throws InvalidArgument: a body has it.
  void require_ground(const char* name) const {
    if (body >= 0) throw InvalidArgument(Space::list_of_body, name, Space::shapes_of_bodies);
  }
};

/// The shapes of a source by their numbers: those of bodies, then of the ground, what is bounded first.
template <class Space>
struct ShapeList {
  using Part = ShapePart<Space>;

  std::vector<Part> parts{};
  Index moving = 0;                   ///< of bodies
  Index bounded = 0;                  ///< of bodies, and bounded ones of the ground
  double least_depth = 0.0;           ///< of a passage [m]
  std::vector<double> least_sizes{};  ///< by body: the radius of the ball about its smallest shape [m]

  [[nodiscard]] const Part& part(Index p) const { return parts[static_cast<std::size_t>(p)]; }
  [[nodiscard]] Index count() const { return static_cast<Index>(parts.size()); }

  /// ContactSource::passage_depth().
  [[nodiscard]] double passage_depth(const BodyView& bodies, double horizon) const {
    double way = 0.0;
    for (Index p = 0; p < moving; ++p) {
      const auto v = bodies.v.segment<Space::velocities>(Space::velocities * part(p).body);
      way = std::max(way, horizon * (Space::speed(v) + part(p).farthest * Space::spin(v)));
    }
    return passage_depth_on(way, least_depth);
  }
};

template <class Space>
std::shared_ptr<const ShapeList<Space>> ShapeContacts::take_shapes(
    const std::vector<typename Space::BodyShapes>& bodies, const std::vector<typename Space::Given>& ground) {
  using Part = ShapePart<Space>;
  const auto part_of = [this](const typename Space::Given& shape, Index body, std::size_t place) {
    Part part;
    part.body = body;
    part.place = static_cast<Index>(place);
    part.material = shape.material;
    part.groups = shape.groups;
    part.mask = shape.mask;
    try {
      Space::place(shape, part);
      std::visit([&part](const auto& given) { make_part(given, part); }, shape.shape);
    } catch (const InvalidArgument& refusal) {
      refuse_shape({part.body, part.place}, refusal);
    }
    return part;
  };
  ShapeList<Space> shapes;
  for (const auto& body : bodies) {
    const auto number = static_cast<Index>(bodies_.size());
    bodies_.push_back(body.body);
    for (std::size_t s = 0; s < body.shapes.size(); ++s) shapes.parts.push_back(part_of(body.shapes[s], number, s));
    for (const auto& shape : body.shapes) drawn_.push_back({body.body, shape});
  }
  shapes.moving = shapes.count();
  std::vector<Part> unbounded;
  for (std::size_t s = 0; s < ground.size(); ++s) {
    Part part = part_of(ground[s], -1, s);
    drawn_.push_back({{}, ground[s]});
    (part.is_bounded() ? shapes.parts : unbounded).push_back(std::move(part));
  }
  shapes.bounded = shapes.count();
  for (Part& part : unbounded) shapes.parts.push_back(std::move(part));

  std::vector<ShapeOfMaterial> kinds;
  for (const Part& part : shapes.parts) {
    has_conveyors_ = has_conveyors_ || part.skin.moves();
    kinds.push_back({{part.body, part.place}, part.material, part.groups, part.mask});
  }
  require_laws(kinds);
  Thinness thinness;
  shapes.least_sizes.assign(bodies_.size(), 0.0);
  for (Part& part : shapes.parts) {
    part.number = static_cast<Index>(places_.size());
    const auto numbers = static_cast<std::size_t>(part.num_numbers());
    places_.insert(places_.end(), numbers, {part.body, part.place});
    materials_.insert(materials_.end(), numbers, part.material);
    thinness.add(part.width(), part.size, part.body >= 0);
    if (part.body < 0) continue;
    double& least = shapes.least_sizes[static_cast<std::size_t>(part.body)];
    least = least > 0.0 ? std::min(least, part.size) : part.size;
  }
  check::within(std::string(name_) + Space::numbered, static_cast<Index>(places_.size()), 0, most_shapes - 1);
  shapes.least_depth = thinness.least_depth();
  Space::share(shapes.parts);
  return std::make_shared<const ShapeList<Space>>(std::move(shapes));
}

template <class Space, class Visit>
void ShapeContacts::for_each_pair(const ShapeList<Space>& shapes, Visit visit) const {
  for (Index p = 0; p < shapes.moving; ++p) {
    for (Index o = p + 1; o < shapes.count(); ++o) {
      if (may_touch(shapes.part(p), shapes.part(o))) visit(shapes.part(p), shapes.part(o));
    }
  }
}

}  // namespace nonsmooth
