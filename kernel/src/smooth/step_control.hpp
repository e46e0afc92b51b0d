// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <nonsmooth/numerics/types.hpp>

#include "stepper.hpp"

/// What the one-step methods share: lengths of steps, the norm of errors, the first step.
namespace nonsmooth::smooth {

/// Of an error that is to be met by the next step, and how far one step may grow or shrink another.
inline constexpr double kSafety = 0.9, kLargestGrowth = 8.0, kLargestCut = 0.2;

/// Steps below it are given up: 16 eps |t|, as then the stages' times are rounded off.
[[nodiscard]] inline double smallest_step(double t) noexcept {
  constexpr double near_zero = 1e-300;  // at t = 0 every length can be represented
  return std::max(16.0 * std::numeric_limits<double>::epsilon() * std::abs(t), near_zero);
}

/// The end of a step of about h from t and the length that is its distance from t in floating point.
struct StepSpan {
  double end = 0.0, h = 0.0;
};

/// Ends at t_limit to the bit where that is nearer than 1.1 h, so that no sliver is left.
[[nodiscard]] inline StepSpan step_span(double t, double h, double t_limit) noexcept {
  const double end = t_limit - t <= 1.1 * h ? t_limit : t + h;
  return {end, end - t};
}

/// Below this size plain loops are faster than Eigen's packets, which wait for entries stored one by one.
inline constexpr Index kSmallSize = 32;

/// Sum over i of (x_i / (absolute + relative max(|z_i|, |next_i|)))^2.
[[nodiscard]] inline double weighted_square_sum(const Eigen::VectorXd& x, const Eigen::VectorXd& z,
                                                const Eigen::VectorXd& next, double relative, double absolute) {
  if (x.size() >= kSmallSize) {
    return (x.array() / (absolute + relative * z.array().abs().max(next.array().abs()))).square().sum();
  }
  double sum = 0.0;
  for (Index i = 0; i < x.size(); ++i) {
    const double ratio = x[i] / (absolute + relative * std::max(std::abs(z[i]), std::abs(next[i])));
    sum += ratio * ratio;
  }
  return sum;
}

/// The root mean square of the same.
[[nodiscard]] inline double weighted_norm(const Eigen::VectorXd& x, const Eigen::VectorXd& z,
                                          const Eigen::VectorXd& next, double relative, double absolute) {
  return std::sqrt(weighted_square_sum(x, z, next, relative, absolute) /
                   static_cast<double>(std::max<Index>(x.size(), 1)));
}

/// The first entry of x that is not finite, or that of the largest |x_i| / (absolute + relative max(|z_i|, |next_i|)).
[[nodiscard]] inline Index worst_entry(const Eigen::VectorXd& x, const Eigen::VectorXd& z, const Eigen::VectorXd& next,
                                       const ErrorControl& control) {
  Index worst = -1;
  double largest = -1.0;
  for (Index i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) return i;
    const double scale = control.absolute + control.relative * std::max(std::abs(z[i]), std::abs(next[i]));
    if (!(std::abs(x[i]) > largest * scale)) continue;
    largest = std::abs(x[i]) / scale;
    worst = i;
  }
  return worst;
}

/// Length of a first step from the sizes of z, zdot and, by an explicit Euler step, of the second derivative, such that
/// h^(order + 1) max(|zdot|, |zddot|) = 0.01 in the norm of the tolerances. One evaluation of f. Source: Hairer,
/// Norsett, Wanner 1993, section II.4 [hairer1993]. `stage` and `slope` are scratch.
[[nodiscard]] double first_step(RightHandSide& f, double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot,
                                double longest, const ErrorControl& control, int order, Eigen::VectorXd& stage,
                                Eigen::VectorXd& slope);

/// @throws InvalidArgument for tolerances or lengths that are negative or not finite, and for absolute = 0.
void check_control(const ErrorControl& control);

/// The length that a step is begun with: the fixed one, that of the step before (0: none), the one asked for, or what
/// `guess` finds.
template <class Guess>
[[nodiscard]] double proposed_length(const ErrorControl& control, double before, Guess&& guess) {
  if (control.fixed_step > 0.0) return control.fixed_step;
  if (before != 0.0) return before;
  return control.initial_step != 0.0 ? control.initial_step : guess();
}

}  // namespace nonsmooth::smooth
