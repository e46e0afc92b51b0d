// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "contact/narrow_phase/frustum.hpp"
#include "rounded_hull.hpp"

namespace nonsmooth {

/// A cylinder or cone.
struct FrustumSolid {
  std::shared_ptr<const Frustum> frustum{};

  static constexpr bool ground_alone = false;
  [[nodiscard]] bool is_bounded() const { return true; }
  [[nodiscard]] double width() const { return narrow_phase::least_width(*frustum); }
  [[nodiscard]] Index num_numbers() const { return 1; }
  [[nodiscard]] const char* kind() const { return "a cylinder or cone"; }

  /// `turn`: from the shape; `at`: where its middle is.
  [[nodiscard]] narrow_phase::PlacedFrustum placed(const Eigen::Matrix3d& turn, const Eigen::Vector3d& at) const {
    return {frustum.get(), at, turn.col(2), turn.col(0), turn.col(1)};
  }
};

void make_part(const Cylinder& cylinder, ShapePart<InSpace>& part);
void make_part(const Cone& cone, ShapePart<InSpace>& part);

void meet(const FrustumSolid& first, const FrustumSolid& second, ShapeSearch<InSpace>& at);
void meet(const FrustumSolid& first, const RoundedHull& second, ShapeSearch<InSpace>& at);
void meet(const RoundedHull& first, const FrustumSolid& second, ShapeSearch<InSpace>& at);

}  // namespace nonsmooth
