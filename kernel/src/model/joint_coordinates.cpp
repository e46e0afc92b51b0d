// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relations/joint_coordinates.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <internal/check.hpp>

#include "joint_quantities.hpp"
#include "motor_relation.hpp"

namespace nonsmooth {
namespace {

using joints::one_or_minus_one;

constexpr double kTurn = 2.0 * std::numbers::pi;

struct AngleRows {
  static constexpr Index kLeast = 1, kMost = 2;
  static constexpr const char* kName = "a joint coordinate's bodies";

  joints::PlacedPair frames;
  double reference = 0.0, offset = 0.0, direction = 1.0, range = kTurn;

  [[nodiscard]] Index count() const { return 1; }
  template <class Put>
  void operator()(const joints::SpaceBodies& bodies, Put&& put) const {
    joints::Scalar angle = turn_near(bodies, frames, reference, range);
    angle.value -= offset;
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
    joints::Scalar way = way_of(bodies, frames);
    way.value -= offset;
    put(0, direction * way);
  }
};

/// A motor that may give way. @throws InvalidArgument as drive_of; for its stiffness.
template <class Motor>
joints::Drive sprung_drive_of(const std::string& type, const std::string& position_name, Motor& motor,
                              joints::TimeFunction& position) {
  check::range(type + "::stiffness", motor.stiffness, 0.0, std::numeric_limits<double>::max());
  joints::Drive drive = joints::drive_of(type, position_name, motor, position);
  if (!drive.position && motor.stiffness > 0.0)
    throw InvalidArgument(type + "::stiffness", "one of a motor of a velocity", "its " + position_name + " as well");
  if (motor.stiffness > 0.0) drive.compliance = 1.0 / motor.stiffness;
  return drive;
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
  return std::make_shared<const joints::MotorRelation<AngleRows, joints::SpaceBodies>>(
      AngleRows{joints::placed("HingeMotor::frames", motor.frames, joints::Normals::Both)},
      sprung_drive_of("HingeMotor", "angle", motor, motor.angle), 2.0 * std::numbers::pi);
}

std::shared_ptr<const MechanicalRelation> make_relation(SliderMotor motor) {
  return std::make_shared<const joints::MotorRelation<WayRows, joints::SpaceBodies>>(
      WayRows{joints::placed("SliderMotor::frames", motor.frames, joints::Normals::Any)},
      sprung_drive_of("SliderMotor", "position", motor, motor.position), std::numeric_limits<double>::infinity());
}

}  // namespace nonsmooth
