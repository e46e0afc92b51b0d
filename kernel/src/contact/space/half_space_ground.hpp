// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "frustum_solid.hpp"

namespace nonsmooth {

/// All points x of space with normal . x <= offset.
struct HalfSpaceGround {
  Eigen::Vector3d normal;  ///< unit
  double offset = 0.0;

  static constexpr bool ground_alone = true;
  [[nodiscard]] bool is_bounded() const { return false; }
  [[nodiscard]] double width() const { return std::numeric_limits<double>::infinity(); }
  [[nodiscard]] Index num_numbers() const { return 1; }
  [[nodiscard]] const char* kind() const { return "a half-space"; }
};

void make_part(const HalfSpace& half_space, ShapePart<InSpace>& part);

void meet(const RoundedHull& first, const HalfSpaceGround& second, ShapeSearch<InSpace>& at);
void meet(const FrustumSolid& first, const HalfSpaceGround& second, ShapeSearch<InSpace>& at);

}  // namespace nonsmooth
