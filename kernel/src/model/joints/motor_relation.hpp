// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <internal/check.hpp>

#include "counted_relation.hpp"
#include "joint_relation.hpp"

/// Coordinates of joints that a motor prescribes.
namespace nonsmooth::joints {

using TimeFunction = std::function<double(double t)>;

/// What a motor prescribes, with derivatives by differences where they are not given.
struct Drive {
  TimeFunction position, velocity, acceleration;
  double compliance = 0.0;  ///< 1 / stiffness; 0: rigid

  [[nodiscard]] double rate(double t) const { return velocity ? velocity(t) : centred(position, t); }
  [[nodiscard]] double second_rate(double t) const {
    if (acceleration) return acceleration(t);
    if (velocity) return centred(velocity, t);
    // s^2 against eps max(1, |t|) / s^2.
    const double s = std::sqrt(std::sqrt(round_off_at(t)));
    return (position(t + s) - 2.0 * position(t) + position(t - s)) / (s * s);
  }

 private:
  /// Of a function's value, and of the instant that it is asked at.
  static double round_off_at(double t) { return std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(t)); }
  /// s^2 against eps max(1, |t|) / s: steps do not grow with t as they would by its round-off alone.
  static double centred(const TimeFunction& f, double t) {
    const double s = std::cbrt(round_off_at(t));
    return (f(t + s) - f(t - s)) / (2.0 * s);
  }
};

template <class Rows, class Bodies>
class MotorRelation final : public JointRelation<Rows, Bodies> {
  using Base = JointRelation<Rows, Bodies>;

 public:
  /// `period`: of a coordinate that is known but for multiples of it, y is next to the one before; infinity: of one
  /// that is known. At first the coordinate is next to the reference, or without one to what is prescribed.
  MotorRelation(Rows rows, Drive drive, double period, std::optional<double> reference = {})
      : Base(std::move(rows)), drive_(std::move(drive)), period_(period), reference_(reference) {}

  [[nodiscard]] bool depends_on_time() const override { return true; }
  [[nodiscard]] bool follows_outputs() const override { return drive_.position && !std::isinf(period_); }
  [[nodiscard]] double follows_within() const override { return 0.5 * period_; }
  void h(double t, ConstVectorRef q, VectorRef y) const override {
    const double before = y[0];
    Base::h(t, q, y);
    if (!drive_.position) {
      y[0] = 0.0;
      return;
    }
    const double position = drive_.position(t), first = reference_ ? *reference_ - position : 0.0;
    y[0] = next_to(std::isnan(before) ? first : before, y[0] - position, period_);
  }
  void h_t(double t, ConstVectorRef, VectorRef value) const override { value[0] = -drive_.rate(t); }
  [[nodiscard]] bool is_gradient(Index) const override { return static_cast<bool>(drive_.position); }
  [[nodiscard]] RowMeaning row_meaning(Index) const override {
    return {drive_.position ? RowKind::Coordinate : RowKind::Rate};
  }
  [[nodiscard]] bool is_compliant() const override { return drive_.compliance > 0.0; }
  void compliant_h(double t, ConstVectorRef q, ConstVectorRef lambda, VectorRef y) const override {
    h(t, q, y);
    y[0] += drive_.compliance * lambda[0];
  }
  void compliance(double, ConstVectorRef, ConstVectorRef, MatrixRef D) const override { D(0, 0) = drive_.compliance; }
  void curvature(double t, ConstVectorRef q, ConstVectorRef v, VectorRef value) const override {
    Base::curvature(t, q, v, value);
    value[0] -= drive_.second_rate(t);
  }

 private:
  Drive drive_;
  double period_;
  std::optional<double> reference_;
};

/// Of a motor that may give way. @throws InvalidArgument for one without functions; for its stiffness.
template <class Motor>
Drive drive_of(const std::string& type, const std::string& position_name, Motor& motor, TimeFunction& position) {
  check::range(type + "::stiffness", motor.stiffness, 0.0, std::numeric_limits<double>::max());
  if (!position && !motor.velocity)
    throw InvalidArgument(type, "no function", "its " + position_name + " or its velocity");
  if (!position && motor.stiffness > 0.0)
    throw InvalidArgument(type + "::stiffness", "one of a motor of a velocity", "its " + position_name + " as well");
  return {std::move(position), std::move(motor.velocity), std::move(motor.acceleration),
          motor.stiffness > 0.0 ? 1.0 / motor.stiffness : 0.0};
}

}  // namespace nonsmooth::joints
