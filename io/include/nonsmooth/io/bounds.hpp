// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace nonsmooth {

/// Figures of a run beside the bounds they must keep; prints nothing by itself.
///
///     Bounds bounds;
///     bounds.near("final height [m]", x.q(ball)[0], 0.0, 1e-3);
///     std::cout << bounds.report();
///     return bounds.hold() ? 0 : 1;
class Bounds {
 public:
  void near(std::string what, double value, double expected, double tolerance);  ///< |value - expected| <= tolerance
  void within(std::string what, double value, double low, double high);          ///< low <= value <= high

  [[nodiscard]] bool hold() const noexcept {
    return hold_;
  }                                          ///< true while every figure keeps its bounds; NaN never does
  [[nodiscard]] std::string report() const;  ///< a line a figure: value, bounds, "ok" or "OUTSIDE"

 private:
  struct Line {
    std::string what;
    double value, low, high;
  };
  std::vector<Line> lines_;
  bool hold_ = true;
};

}  // namespace nonsmooth
