// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>

#include "height_profile.hpp"
#include "rounded_polygon.hpp"

namespace nonsmooth {

/// All points on or below a line of heights.
struct HeightGround {
  std::shared_ptr<const planar::HeightProfile> line{};

  static constexpr bool ground_alone = true;
  [[nodiscard]] bool is_bounded() const { return false; }
  [[nodiscard]] double width() const { return std::numeric_limits<double>::infinity(); }
  [[nodiscard]] Index num_numbers() const { return line->num_pieces(); }
  [[nodiscard]] const char* kind() const { return "a height line"; }
};

void make_part(const HeightLine& line, ShapePart<InPlane>& part);

void meet(const RoundedPolygon& first, const HeightGround& second, ShapeSearch<InPlane>& at);

}  // namespace nonsmooth
