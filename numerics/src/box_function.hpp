// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions of one row (z, w) within bounds whose zeros are the solutions of  -w in N_[l,u](z); what the semismooth
// Newton methods of relay and mcp solve.

#include <cmath>
#include <limits>

namespace nonsmooth::detail {

enum class BoxFunction : unsigned char {
  FischerBurmeister,  // phi(s (z - l), -phi(s (u - z), -w)),  phi(a, b) = a + b - sqrt(a^2 + b^2)
  Penalised,          // the same with weight phi(a, b) + (1 - weight) max(a, 0) max(b, 0) / unit
  Minimum,            // max(s (z - u), min(s (z - l), w))
};

/// A value with its derivatives with respect to s z and w.
struct BoxRow {
  double value, by_z, by_w;
};

/// How rows are measured: unit is a size of w, which the products of Penalised are divided by.
struct BoxMeasure {
  BoxFunction function = BoxFunction::FischerBurmeister;
  double weight = 1.0, unit = 1.0;
};

/// phi(a, b), without cancellation for a + b > 0, and its derivatives; at the kink those along (1, 1).
[[nodiscard]] inline BoxRow fischer_burmeister(double a, double b) {
  const double r = std::hypot(a, b);
  const double value = a + b > 0.0 ? 2.0 * (a / (r + a + b)) * b : a + b - r;
  if (!(r > 0.0)) return {0.0, 1.0 - std::sqrt(0.5), 1.0 - std::sqrt(0.5)};
  return {value, 1.0 - a / r, 1.0 - b / r};
}

/// phi of the measure, Penalised or plain.
[[nodiscard]] inline BoxRow complementarity_row(const BoxMeasure& measure, double a, double b) {
  BoxRow row = fischer_burmeister(a, b);
  if (measure.function != BoxFunction::Penalised) return row;
  row = {measure.weight * row.value, measure.weight * row.by_z, measure.weight * row.by_w};
  if (a > 0.0 && b > 0.0) {
    const double penalty = (1.0 - measure.weight) / measure.unit;
    row.value += penalty * a * b;
    row.by_z += penalty * b;
    row.by_w += penalty * a;
  }
  return row;
}

/// The row of z within [lower, upper]; terms of infinite bounds drop out.
[[nodiscard]] inline BoxRow box_row(const BoxMeasure& measure, double s, double z, double w, double lower,
                                    double upper) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  BoxRow row{w, 0.0, 1.0};
  if (measure.function == BoxFunction::Minimum) {
    if (lower > -infinity && s * (z - lower) < row.value) row = {s * (z - lower), 1.0, 0.0};
    if (upper < infinity && s * (z - upper) > row.value) row = {s * (z - upper), 1.0, 0.0};
    return row;
  }
  if (upper < infinity) {
    const BoxRow inner = complementarity_row(measure, s * (upper - z), -w);
    row = {-inner.value, inner.by_z, inner.by_w};
  }
  if (lower > -infinity) {
    const BoxRow outer = complementarity_row(measure, s * (z - lower), row.value);
    row = {outer.value, outer.by_z + outer.by_w * row.by_z, outer.by_w * row.by_w};
  }
  return row;
}

}  // namespace nonsmooth::detail
