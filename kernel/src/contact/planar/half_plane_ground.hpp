// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "rounded_polygon.hpp"

namespace nonsmooth {

/// All points x of the plane with normal . x <= offset.
struct HalfPlaneGround {
  Eigen::Vector2d normal;  ///< unit
  double offset = 0.0;

  static constexpr bool ground_alone = true;
  [[nodiscard]] bool is_bounded() const { return false; }
  [[nodiscard]] double width() const { return std::numeric_limits<double>::infinity(); }
  [[nodiscard]] Index num_numbers() const { return 1; }
  [[nodiscard]] const char* kind() const { return "a half-plane"; }
};

void make_part(const HalfPlane& half_plane, ShapePart<InPlane>& part);

void meet(const RoundedPolygon& first, const HalfPlaneGround& second, ShapeSearch<InPlane>& at);

}  // namespace nonsmooth
