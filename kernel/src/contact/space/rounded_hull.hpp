// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/shapes.hpp>

#include "contact/narrow_phase/hull.hpp"

namespace nonsmooth {

struct InSpace;
template <class Space>
struct ShapePart;
template <class Space>
class ShapeSearch;

/// All points within a radius of a hull, in the shape's axes: spheres, capsules, boxes, polyhedra.
struct RoundedHull {
  std::shared_ptr<const Hull> hull{};
  double radius = 0.0;

  static constexpr bool ground_alone = false;
  [[nodiscard]] bool is_bounded() const { return true; }
  [[nodiscard]] double width() const { return narrow_phase::least_width(*hull) + 2.0 * radius; }
  [[nodiscard]] Index num_numbers() const { return 1; }
  [[nodiscard]] const char* kind() const {
    return is_point() ? "a sphere" : is_segment() ? "a capsule" : "a box or polyhedron";
  }

  [[nodiscard]] bool is_point() const { return hull->vertices.size() == 1; }
  [[nodiscard]] bool is_segment() const { return hull->vertices.size() == 2; }
};

void make_part(const Sphere& sphere, ShapePart<InSpace>& part);
void make_part(const Box& box, ShapePart<InSpace>& part);
void make_part(const Capsule& capsule, ShapePart<InSpace>& part);
void make_part(const ConvexPolyhedron& polyhedron, ShapePart<InSpace>& part);

void meet(const RoundedHull& first, const RoundedHull& second, ShapeSearch<InSpace>& at);

}  // namespace nonsmooth
