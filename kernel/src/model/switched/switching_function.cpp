// SPDX-License-Identifier: Apache-2.0
#include "switching_function.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "model/equations/time_differences.hpp"

namespace nonsmooth::switching {
namespace {

const double kCentralStep = std::cbrt(std::numeric_limits<double>::epsilon());

/// Kept by the thread, so that steps do not allocate.
Eigen::VectorXd& moved_point(Index n) {
  thread_local Eigen::VectorXd memory;
  if (memory.size() != n) memory.resize(n);
  return memory;
}

/// Returns what round-off of the values makes of it: eps (|c(x + h)| + |c(x - h)|) / h, of the worst entry.
double central_gradient(const SwitchingFunction& surface, double t, ConstVectorRef x, VectorRef result) {
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  double noise = 0.0;
  Eigen::VectorXd& at = moved_point(x.size());
  at = x;
  for (Index k = 0; k < x.size(); ++k) {
    const double step = kCentralStep * std::max(1.0, std::abs(x[k]));
    at[k] = x[k] + step;
    const double after = surface.value(t, at);
    at[k] = x[k] - step;
    const double before = surface.value(t, at);
    result[k] = (after - before) / (2.0 * step);
    noise = std::max(noise, kEps * (std::abs(after) + std::abs(before)) / step);
    at[k] = x[k];
  }
  return noise;
}

}  // namespace

void gradient(const SwitchingFunction& surface, double t, ConstVectorRef x, VectorRef result) {
  if (!surface.gradient) {
    central_gradient(surface, t, x, result);
    return;
  }
  result.setZero();
  surface.gradient(t, x, result);
}

double rate(const SwitchingFunction& surface, double t, ConstVectorRef x, double first, double last) {
  if (surface.rate) return surface.rate(t, x);
  const double s = std::min(std::max(1e-3, 1e-6 * std::abs(t)), (last - first) / 8.0);
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
  double c = 0.0, noise = 0.0;
  const std::string value = type + "value" + what;
  ask(value, [&] { c = surface.value(0.0, x); });
  check::finite(value.c_str(), c);
  if (!surface.gradient) return;
  Eigen::VectorXd given = Eigen::VectorXd::Zero(x.size()), differences = given;
  ask(type + "gradient" + what, [&] {
    gradient(surface, 0.0, x, given);
    noise = central_gradient(surface, 0.0, x, differences);
  });
  compare(type + "gradient" + what, given, differences, noise);
}

}  // namespace nonsmooth::switching
