// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

namespace nonsmooth {

/// From which depth on shapes may let go of one another on the other side: half of what both measure along the normal.
class Thinness {
 public:
  /// `width`: the least distance of two parallel planes with the shape between them, or less. A body that is thinner
  /// than a hundredth of its size (radius of a ball about it) counts as so thick: it is looked at no earlier.
  void add(double width, double size, bool moves) {
    if (moves) {
      moving_ = std::min(moving_, std::max(width, 0.01 * size));
    } else {
      resting_ = std::min(resting_, width);
    }
  }
  /// Of bodies on one another and on what rests, or less; infinity: there are no bodies.
  [[nodiscard]] double least_depth() const { return 0.5 * (moving_ + std::min(moving_, resting_)); }

 private:
  double moving_ = std::numeric_limits<double>::infinity(), resting_ = moving_;
};

/// ContactSource::passage_depth() of bodies none of which moves by more than `way`.
[[nodiscard]] inline double passage_depth_on(double way, double least_depth) {
  return 2.0 * way > least_depth ? least_depth : std::numeric_limits<double>::infinity();
}

}  // namespace nonsmooth
