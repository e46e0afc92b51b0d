// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/planar_shapes.hpp>

#include "polygon.hpp"

namespace nonsmooth {

struct InPlane;
template <class Space>
struct ShapePart;
template <class Space>
class ShapeSearch;

/// All points within a radius of a point, a segment or a polygon, in the axes of the body.
struct RoundedPolygon {
  planar::Polygon polygon{};
  double radius = 0.0;

  static constexpr bool ground_alone = false;
  [[nodiscard]] bool is_bounded() const { return true; }
  [[nodiscard]] double width() const { return planar::least_width(polygon) + 2.0 * radius; }
  [[nodiscard]] Index num_numbers() const { return 1; }
  [[nodiscard]] const char* kind() const {
    return is_point() ? "a disk" : num_vertices() == 2 ? "a segment" : "a polygon";
  }

  [[nodiscard]] std::size_t num_vertices() const { return polygon.vertices.size(); }
  [[nodiscard]] bool is_point() const { return num_vertices() == 1; }
};

void make_part(const Disk& disk, ShapePart<InPlane>& part);
void make_part(const ConvexPolygon& polygon, ShapePart<InPlane>& part);
void make_part(const PlanarSegment& segment, ShapePart<InPlane>& part);

void meet(const RoundedPolygon& first, const RoundedPolygon& second, ShapeSearch<InPlane>& at);

}  // namespace nonsmooth
