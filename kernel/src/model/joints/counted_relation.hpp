// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <utility>

#include <internal/check.hpp>

#include "joint_relation.hpp"

/// Relations whose first row is an angle, which has a range or counts its turns.
namespace nonsmooth::joints {

inline constexpr double kTurn = 2.0 * std::numbers::pi;
inline constexpr Index kMostTurns = 2;  ///< of a range about an axis: quaternions tell two apart

/// The one of `value` + k `period`, k whole, that is next to `before`: it depends on these two by k alone, and by no
/// rounding. As it is for a period of infinity.
inline double next_to(double before, double value, double period) {
  return std::isinf(period) ? value : value + period * std::round((before - value) / period);
}

/// The range of an angle about its reference: `turns` of 2 pi, 0 of one that is counted.
/// @throws InvalidArgument: turns not in 0 to `most`; a reference or an offset that is not finite; an offset outside.
inline double range_of(const std::string& type, double reference, double offset, Index turns, Index most) {
  check::within(type + "::turns", turns, 0, most);
  check::finite(type + "::reference", reference);
  check::finite(type + "::offset", offset);
  const double half_range = 0.5 * kTurn * static_cast<double>(turns);
  if (turns > 0) check::range(type + "::offset", offset, reference - half_range, reference + half_range);
  return 2.0 * half_range;
}

/// Row 0 of `Rows` is scale() (theta - offset), theta in reference +- pi; here theta is next to the one before, at
/// first to the reference.
template <class Rows>
class CountedRelation final : public JointRelation<Rows, SpaceBodies> {
  using Base = JointRelation<Rows, SpaceBodies>;

 public:
  explicit CountedRelation(Rows rows) : Base(std::move(rows)) {}

  [[nodiscard]] bool follows_outputs() const override { return true; }
  [[nodiscard]] double follows_within() const override { return 0.5 * kTurn * std::abs(this->rows_.scale()); }
  void h(double t, ConstVectorRef q, VectorRef y) const override {
    const Rows& rows = this->rows_;
    const double before = std::isnan(y[0]) ? rows.reference : rows.offset + y[0] / rows.scale();
    Base::h(t, q, y);
    y[0] = rows.scale() * (next_to(before, rows.offset + y[0] / rows.scale(), kTurn) - rows.offset);
  }
};

/// `rows` with a range of range_of(), which they have as their `range` where it is not 0.
template <class Rows>
std::shared_ptr<const MechanicalRelation> make_turning(Rows rows, double range) {
  if (range == 0.0) return std::make_shared<const CountedRelation<Rows>>(std::move(rows));
  rows.range = range;
  return std::make_shared<const JointRelation<Rows, SpaceBodies>>(std::move(rows));
}

}  // namespace nonsmooth::joints
