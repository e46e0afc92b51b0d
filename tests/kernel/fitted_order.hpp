// SPDX-License-Identifier: Apache-2.0
// Measured orders of convergence.
#pragma once

#include <cmath>
#include <functional>

namespace nonsmooth {

/// Slope of log(error) over log(h) by least squares at h = first, first / 2, ... (halvings + 1 points).
inline double fitted_order(double first, int halvings, const std::function<double(double)>& error) {
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, h = first;
  const int n = halvings + 1;
  for (int i = 0; i < n; ++i, h *= 0.5) {
    const double x = std::log(h), y = std::log(error(h));
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace nonsmooth
