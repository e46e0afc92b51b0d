// SPDX-License-Identifier: Apache-2.0
#include "instants.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace nonsmooth::instants {

std::string text(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9g", value);
  return digits;
}

double TimeWindow::inside(double t) const noexcept {
  constexpr double kMargin = 16.0 * std::numeric_limits<double>::epsilon();
  double size = std::abs(t);
  if (std::isfinite(first)) size = std::max(size, std::abs(first));
  if (std::isfinite(last)) size = std::max(size, std::abs(last));
  // At zero without any other time to compare with, the smallest number there is tells the sides apart.
  const double margin = std::max(kMargin * size, std::numeric_limits<double>::min());
  const double low = first + margin, high = last - margin;
  if (t < low && std::isfinite(first)) return low;
  if (t > high && std::isfinite(last)) return high;
  return t;
}

}  // namespace nonsmooth::instants
