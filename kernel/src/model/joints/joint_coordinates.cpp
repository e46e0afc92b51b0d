// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relations/joint_coordinates.hpp>

#include <limits>

#include <internal/check.hpp>

#include "counted_relation.hpp"
#include "joint_quantities.hpp"
#include "motor_relation.hpp"

namespace nonsmooth {
namespace {

using joints::one_or_minus_one;

struct AngleRows {
  static constexpr Index kLeast = 1, kMost = 2;
  static constexpr const char* kName = "a joint coordinate's bodies";

  joints::PlacedPair frames;
  double reference = 0.0, offset = 0.0, direction = 1.0, range = joints::kTurn;

  [[nodiscard]] Index count() const { return 1; }
  [[nodiscard]] static RowMeaning meaning(Index) { return {RowKind::Coordinate}; }
  [[nodiscard]] double scale() const { return direction; }
  template <class Put>
  void operator()(const joints::SpaceBodies& bodies, Put&& put) const {
    joints::Scalar angle = turn_near(bodies, frames, reference, range);
    angle.value -= offset;
    put(0, direction * angle);
  }
};

struct WayRows {
  static constexpr Index kLeast = 1, kMost = 2;
  static constexpr const char* kName = "a joint coordinate's bodies";

  joints::PlacedPair frames;
  double offset = 0.0, direction = 1.0;

  [[nodiscard]] Index count() const { return 1; }
  [[nodiscard]] static RowMeaning meaning(Index) { return {RowKind::Coordinate}; }
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
  const double range =
      joints::range_of("HingeAngle", coordinate.reference, coordinate.offset, coordinate.turns, joints::kMostTurns);
  return joints::make_turning(
      AngleRows{joints::placed("HingeAngle::frames", coordinate.frames, joints::Normals::Both), coordinate.reference,
                coordinate.offset, one_or_minus_one("HingeAngle::direction", coordinate.direction)},
      range);
}

std::shared_ptr<const MechanicalRelation> make_relation(SliderPosition coordinate) {
  check::finite("SliderPosition::offset", coordinate.offset);
  return std::make_shared<const joints::JointRelation<WayRows, joints::SpaceBodies>>(
      WayRows{joints::placed("SliderPosition::frames", coordinate.frames, joints::Normals::Any), coordinate.offset,
              one_or_minus_one("SliderPosition::direction", coordinate.direction)});
}

std::shared_ptr<const MechanicalRelation> make_relation(HingeMotor motor) {
  if (motor.reference) check::finite("HingeMotor::reference", *motor.reference);
  return std::make_shared<const joints::MotorRelation<AngleRows, joints::SpaceBodies>>(
      AngleRows{joints::placed("HingeMotor::frames", motor.frames, joints::Normals::Both)},
      sprung_drive_of("HingeMotor", "angle", motor, motor.angle), joints::kTurn, motor.reference);
}

std::shared_ptr<const MechanicalRelation> make_relation(SliderMotor motor) {
  return std::make_shared<const joints::MotorRelation<WayRows, joints::SpaceBodies>>(
      WayRows{joints::placed("SliderMotor::frames", motor.frames, joints::Normals::Any)},
      sprung_drive_of("SliderMotor", "position", motor, motor.position), std::numeric_limits<double>::infinity());
}

}  // namespace nonsmooth
