// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relations/joint_coordinates.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <internal/check.hpp>

#include "joint_relation.hpp"

namespace nonsmooth {
namespace {

using TimeFunction = std::function<double(double t)>;

constexpr double kTurn = 2.0 * std::numbers::pi;

struct AngleRows {
  static constexpr Index kLeast = 1, kMost = 2;
  static constexpr const char* kName = "a joint coordinate's bodies";

  joints::PlacedPair frames;
  double reference = 0.0, offset = 0.0, direction = 1.0, range = kTurn;

  [[nodiscard]] Index count() const { return 1; }
  template <class Put>
  void operator()(const joints::SpaceBodies& bodies, Put&& put) const {
    joints::Scalar angle = 2.0 * bodies.half_angle(0, 1, frames);
    angle.value = reference - offset + std::remainder(angle.value - reference, range);
    put(0, direction * angle);
  }
};

/// The rotation with its turns: the value nearest to the one before, at first to the reference.
class CountedAngle final : public joints::JointRelation<AngleRows, joints::SpaceBodies> {
 public:
  explicit CountedAngle(AngleRows rows) : JointRelation(std::move(rows)) {}

  [[nodiscard]] bool follows_outputs() const override { return true; }
  void h(double t, ConstVectorRef q, VectorRef y) const override {
    const double before = std::isnan(y[0]) ? rows_.reference : rows_.offset + rows_.direction * y[0];
    JointRelation::h(t, q, y);
    const double angle = rows_.offset + rows_.direction * y[0];
    // Turns are whole numbers: y depends on them and on q, by no rounding of the y before.
    y[0] = rows_.direction * (angle - rows_.offset + kTurn * std::round((before - angle) / kTurn));
  }
};

struct WayRows {
  static constexpr Index kLeast = 1, kMost = 2;
  static constexpr const char* kName = "a joint coordinate's bodies";

  joints::PlacedPair frames;
  double offset = 0.0, direction = 1.0;

  [[nodiscard]] Index count() const { return 1; }
  template <class Put>
  void operator()(const joints::SpaceBodies& bodies, Put&& put) const {
    const joints::Vector between = bodies.point(0, frames.first.point) - bodies.point(1, frames.second.point);
    joints::Scalar way = dot(bodies.direction(1, frames.second.axes.col(2)), between);
    way.value -= offset;
    put(0, direction * way);
  }
};

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

template <class Rows>
class MotorRelation final : public joints::JointRelation<Rows, joints::SpaceBodies> {
  using Base = joints::JointRelation<Rows, joints::SpaceBodies>;

 public:
  /// `period`: y is brought into half of it to either side; infinity: as it is.
  MotorRelation(Rows rows, Drive drive, double period)
      : Base(std::move(rows)), drive_(std::move(drive)), period_(period) {}

  [[nodiscard]] bool depends_on_time() const override { return true; }
  void h(double t, ConstVectorRef q, VectorRef y) const override {
    Base::h(t, q, y);
    y[0] = drive_.position ? std::remainder(y[0] - drive_.position(t), period_) : 0.0;
  }
  void h_t(double t, ConstVectorRef, VectorRef value) const override { value[0] = -drive_.rate(t); }
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
};

double one_or_minus_one(const std::string& argument, double direction) {
  if (direction != 1.0 && direction != -1.0) {
    throw InvalidArgument(argument, check::text(direction), "1 or -1");
  }
  return direction;
}

template <class Motor>
Drive drive_of(const std::string& type, const std::string& position_name, Motor& motor, TimeFunction& position) {
  if (!position && !motor.velocity) {
    throw InvalidArgument(type, "no function", "its " + position_name + " or its velocity");
  }
  check::range(type + "::stiffness", motor.stiffness, 0.0, std::numeric_limits<double>::max());
  if (!position && motor.stiffness > 0.0) {
    throw InvalidArgument(type + "::stiffness", "one of a motor of a velocity", "its " + position_name + " as well");
  }
  return {std::move(position), std::move(motor.velocity), std::move(motor.acceleration),
          motor.stiffness > 0.0 ? 1.0 / motor.stiffness : 0.0};
}

}  // namespace

std::shared_ptr<const MechanicalRelation> make_relation(HingeAngle coordinate) {
  check::within("HingeAngle::turns", coordinate.turns, 0, 2);
  check::finite("HingeAngle::reference", coordinate.reference);
  check::finite("HingeAngle::offset", coordinate.offset);
  if (coordinate.turns == 0) {
    return std::make_shared<const CountedAngle>(
        AngleRows{joints::placed("HingeAngle::frames", coordinate.frames, joints::Normals::Both), coordinate.reference,
                  coordinate.offset, one_or_minus_one("HingeAngle::direction", coordinate.direction)});
  }
  const double half_range = std::numbers::pi * static_cast<double>(coordinate.turns);
  check::range("HingeAngle::offset", coordinate.offset, coordinate.reference - half_range,
               coordinate.reference + half_range);
  return std::make_shared<const joints::JointRelation<AngleRows, joints::SpaceBodies>>(
      AngleRows{joints::placed("HingeAngle::frames", coordinate.frames, joints::Normals::Both), coordinate.reference,
                coordinate.offset, one_or_minus_one("HingeAngle::direction", coordinate.direction), 2.0 * half_range});
}

std::shared_ptr<const MechanicalRelation> make_relation(SliderPosition coordinate) {
  check::finite("SliderPosition::offset", coordinate.offset);
  return std::make_shared<const joints::JointRelation<WayRows, joints::SpaceBodies>>(
      WayRows{joints::placed("SliderPosition::frames", coordinate.frames, joints::Normals::Any), coordinate.offset,
              one_or_minus_one("SliderPosition::direction", coordinate.direction)});
}

std::shared_ptr<const MechanicalRelation> make_relation(HingeMotor motor) {
  return std::make_shared<const MotorRelation<AngleRows>>(
      AngleRows{joints::placed("HingeMotor::frames", motor.frames, joints::Normals::Both)},
      drive_of("HingeMotor", "angle", motor, motor.angle), 2.0 * std::numbers::pi);
}

std::shared_ptr<const MechanicalRelation> make_relation(SliderMotor motor) {
  return std::make_shared<const MotorRelation<WayRows>>(
      WayRows{joints::placed("SliderMotor::frames", motor.frames, joints::Normals::Any)},
      drive_of("SliderMotor", "position", motor, motor.position), std::numeric_limits<double>::infinity());
}

}  // namespace nonsmooth
