// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "contact/narrow_phase/frustum.hpp"
#include "round_on_shape.hpp"

namespace nonsmooth::shape_pairs {

/// A cylinder or cone: side, ends, circles and tip.
struct FrustumShape {
  static constexpr bool kOfGround = false;
  std::shared_ptr<const Frustum> frustum;

  [[nodiscard]] Distance distance(const Eigen::Vector3d& x) const;
  [[nodiscard]] double size() const { return frustum->size; }
  /// The middle between the ends, or the axis, or before them: from there on another place is nearer.
  [[nodiscard]] double depth_behind() const { return 0.5 * narrow_phase::least_width(*frustum); }
};

}  // namespace nonsmooth::shape_pairs
