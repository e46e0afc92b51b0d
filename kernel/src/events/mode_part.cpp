// SPDX-License-Identifier: Apache-2.0
#include "mode_part.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

namespace nonsmooth::events {

std::string text(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9g", value);
  return digits;
}

double TimeWindow::inside(double t) const noexcept {
  constexpr double kMargin = 16.0 * std::numeric_limits<double>::epsilon();
  const double low = first + kMargin * std::abs(first), high = last - kMargin * std::abs(last);
  if (t < low && std::isfinite(first)) return low;
  if (t > high && std::isfinite(last)) return high;
  return t;
}

}  // namespace nonsmooth::events
