// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <nonsmooth/kernel/planar_contacts.hpp>

#include "height_profile.hpp"
#include "polygon.hpp"

namespace nonsmooth {

/// Shapes by their numbers: those of bodies, then of the ground, the bounded ones before half-planes. Pieces of height
/// lines have the numbers behind them.
struct PlanarContacts::Shapes {
  struct Part {
    planar::Polygon polygon{};               ///< in the axes of the body, or
    std::optional<Eigen::Vector2d> plane{};  ///< the normal of a half-plane and
    double offset = 0.0;                     ///< where it is, or
    std::optional<planar::HeightProfile> line{};
    double radius = 0.0;    ///< of the rounding
    double farthest = 0.0;  ///< no point is farther from the body's centre [m]
    Index body = -1, place = 0, material = 0, number = 0;
    std::uint32_t groups = 1, mask = 1;
    std::function<Eigen::Vector2d(const Eigen::Vector2d&, double)> surface_velocity{};
    std::function<double(const Eigen::Vector2d&, double)> surface_spin{};

    [[nodiscard]] bool is_bounded() const { return !plane && !line; }
    [[nodiscard]] bool is_conveyor() const { return surface_velocity || surface_spin; }
    /// The least distance of two parallel lines with the shape between them.
    [[nodiscard]] double width() const { return planar::least_width(polygon) + 2.0 * radius; }
  };

  std::vector<Part> parts;
  Index moving = 0, bounded = 0;
  double least_depth = 0.0;  ///< of a passage [m]

  [[nodiscard]] static bool may_touch(const PlanarContacts& source, const Part& one, const Part& other) {
    return one.body != other.body && (one.groups & other.mask) != 0 && (other.groups & one.mask) != 0 &&
           !source.is_excluded(one.body, other.body);
  }
  static Part part_of(const PlanarShapeOnBody& shape, Index body, Index place);
};

}  // namespace nonsmooth
