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
      joints::drive_of("HingeMotor", "angle", motor, motor.angle), joints::kTurn, motor.reference);
}

std::shared_ptr<const MechanicalRelation> make_relation(SliderMotor motor) {
  return std::make_shared<const joints::MotorRelation<WayRows, joints::SpaceBodies>>(
      WayRows{joints::placed("SliderMotor::frames", motor.frames, joints::Normals::Any)},
      joints::drive_of("SliderMotor", "position", motor, motor.position), std::numeric_limits<double>::infinity());
}

}  // namespace nonsmooth
