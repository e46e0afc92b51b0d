// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of mechanical models: measured orders of convergence.
#pragma once

#include <cmath>
#include <functional>

namespace nonsmooth::mechanics {

/// Slope of log(error) over log(h) by least squares, h = first, first / 2, ... (halvings + 1 points).
inline double fitted_order(double first, int halvings, const std::function<double(double)>& error) {
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, h = first;
  const int n = halvings + 1;
  for (int i = 0; i < n; ++i, h *= 0.5) {
    const double x = std::log(h), y = std::log(error(h));
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/// Of the smooth runs: error = c h^p (1 + a h + ...) with |a h| <= 0.1 at the largest step. The logarithms leave a line
/// by at most log 1.1 = 0.095, at the coarse end; over five points (a spread of 4 log 2) the slope moves by at most
/// 0.095 * 2 / (10 log 2) = 0.03. Twice that is taken.
constexpr double kSmooth = 0.06;

}  // namespace nonsmooth::mechanics
