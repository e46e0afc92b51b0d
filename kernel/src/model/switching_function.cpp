// SPDX-License-Identifier: Apache-2.0
#include "switching_function.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "time_differences.hpp"

namespace nonsmooth::switching {
namespace {

const double kCentralStep = std::cbrt(std::numeric_limits<double>::epsilon());

/// Kept by the thread, so that steps do not allocate.
Eigen::VectorXd& moved_point(Index n) {
  thread_local Eigen::VectorXd memory;
  if (memory.size() != n) memory.resize(n);
  return memory;
}

void central_gradient(const SwitchingFunction& surface, double t, ConstVectorRef x, VectorRef result) {
  Eigen::VectorXd& at = moved_point(x.size());
  at = x;
  for (Index k = 0; k < x.size(); ++k) {
    const double step = kCentralStep * std::max(1.0, std::abs(x[k]));
    at[k] = x[k] + step;
    const double after = surface.value(t, at);
    at[k] = x[k] - step;
    result[k] = (after - surface.value(t, at)) / (2.0 * step);
    at[k] = x[k];
  }
}

}  // namespace

void gradient(const SwitchingFunction& surface, double t, ConstVectorRef x, VectorRef result) {
  if (!surface.gradient) return central_gradient(surface, t, x, result);
  result.setZero();
  surface.gradient(t, x, result);
}

double rate(const SwitchingFunction& surface, double t, ConstVectorRef x, double first, double last) {
  if (surface.rate) return surface.rate(t, x);
  const double s = std::min(1e-3 * std::max(1.0, std::abs(t)), (last - first) / 8.0);
  double shift = 0.0;  // the five places move inwards where the interval ends
  if (t - 2.0 * s < first) shift = std::min(2.0, (first - t) / s + 2.0);
  if (t + 2.0 * s > last) shift = std::max(-2.0, (last - t) / s - 2.0);
  const std::array<double, 5> weights = differences::slope_weights(shift, s);
  const double here = surface.value(t, x);
  double slope = 0.0;
  for (std::size_t k = 0; k < 5; ++k) {
    const double at = std::clamp(t + (static_cast<double>(k) - 2.0 + shift) * s, first, last);
    slope += weights[k] * (surface.value(at, x) - here);
  }
  return slope;
}

void check_at(const std::string& type, const std::string& what, const SwitchingFunction& surface, ConstVectorRef x) {
  double c = 0.0;
  const std::string value = type + "value" + what;
  ask(value, [&] { c = surface.value(0.0, x); });
  check::finite(value.c_str(), c);
  if (!surface.gradient) return;
  Eigen::VectorXd given = Eigen::VectorXd::Zero(x.size()), differences = given;
  ask(type + "gradient" + what, [&] {
    gradient(surface, 0.0, x, given);
    central_gradient(surface, 0.0, x, differences);
  });
  compare(type + "gradient" + what, given, differences);
}

}  // namespace nonsmooth::switching
