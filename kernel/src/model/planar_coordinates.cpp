// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relations/planar_coordinates.hpp>

#include <limits>

#include <internal/check.hpp>

#include "joint_quantities.hpp"
#include "motor_relation.hpp"
#include "plane_frames.hpp"

namespace nonsmooth {
namespace {

using joints::PlaneBodies;
using joints::PlanePair;

constexpr double kNoPeriod = std::numeric_limits<double>::infinity();

/// What `measure` says of the first body as the second sees it: an angle or a way.
template <joints::Scalar (*measure)(const PlaneBodies& bodies, Index first, Index second, const PlanePair& frames)>
struct PlaneCoordinateRows {
  static constexpr Index kLeast = 1, kMost = 2;
  static constexpr const char* kName = "a planar joint coordinate's bodies";

  PlanePair frames;
  double offset = 0.0, direction = 1.0;

  [[nodiscard]] Index count() const { return 1; }
  template <class Put>
  void operator()(const PlaneBodies& bodies, Put&& put) const {
    joints::Scalar y = measure(bodies, 0, 1, frames);
    y.value -= offset;
    put(0, direction * y);
  }
};
using PlaneAngleRows = PlaneCoordinateRows<&joints::turned>;
using PlaneWayRows = PlaneCoordinateRows<&joints::way_along>;

/// Wheels 0 and 1 on a carrier, 2.
struct PlaneGearRows {
  static constexpr Index kLeast = 2, kMost = 3;
  static constexpr const char* kName = "PlanarGear's bodies";

  PlanePair first, second;
  double ratio;

  [[nodiscard]] Index count() const { return 1; }
  template <class Put>
  void operator()(const PlaneBodies& bodies, Put&& put) const {
    put(0, turned(bodies, 0, 2, first) + ratio * turned(bodies, 1, 2, second));
  }
};

/// A pinion 0 and a rack 1 on a carrier, 2.
struct PlaneRackRows {
  static constexpr Index kLeast = 2, kMost = 3;
  static constexpr const char* kName = "PlanarRack's bodies";

  PlanePair pinion, rack;
  double radius;

  [[nodiscard]] Index count() const { return 1; }
  template <class Put>
  void operator()(const PlaneBodies& bodies, Put&& put) const {
    put(0, way_along(bodies, 1, 2, rack) - radius * turned(bodies, 0, 2, pinion));
  }
};

template <class Rows>
std::shared_ptr<const MechanicalRelation> make_plane_relation(Rows rows) {
  return std::make_shared<const joints::JointRelation<Rows, PlaneBodies>>(std::move(rows));
}

template <class Rows>
std::shared_ptr<const MechanicalRelation> make_plane_motor(Rows rows, joints::Drive drive) {
  return std::make_shared<const joints::MotorRelation<Rows, PlaneBodies>>(std::move(rows), std::move(drive), kNoPeriod);
}

}  // namespace

std::shared_ptr<const MechanicalRelation> make_relation(PlanarAngle coordinate) {
  check::finite("PlanarAngle::offset", coordinate.offset);
  return make_plane_relation(PlaneAngleRows{{"PlanarAngle::frames", coordinate.frames},
                                            coordinate.offset,
                                            joints::one_or_minus_one("PlanarAngle::direction", coordinate.direction)});
}

std::shared_ptr<const MechanicalRelation> make_relation(PlanarPosition coordinate) {
  check::finite("PlanarPosition::offset", coordinate.offset);
  return make_plane_relation(PlaneWayRows{{"PlanarPosition::frames", coordinate.frames},
                                          coordinate.offset,
                                          joints::one_or_minus_one("PlanarPosition::direction", coordinate.direction)});
}

std::shared_ptr<const MechanicalRelation> make_relation(PlanarHingeMotor motor) {
  return make_plane_motor(PlaneAngleRows{{"PlanarHingeMotor::frames", motor.frames}},
                          joints::drive_of("PlanarHingeMotor", "angle", motor, motor.angle));
}

std::shared_ptr<const MechanicalRelation> make_relation(PlanarSliderMotor motor) {
  return make_plane_motor(PlaneWayRows{{"PlanarSliderMotor::frames", motor.frames}},
                          joints::drive_of("PlanarSliderMotor", "position", motor, motor.position));
}

std::shared_ptr<const MechanicalRelation> make_relation(PlanarGear joint) {
  return make_plane_relation(PlaneGearRows{{"PlanarGear::first", joint.first},
                                           {"PlanarGear::second", joint.second},
                                           joints::not_zero("PlanarGear::ratio", joint.ratio)});
}

std::shared_ptr<const MechanicalRelation> make_relation(PlanarRack joint) {
  return make_plane_relation(PlaneRackRows{{"PlanarRack::pinion", joint.pinion},
                                           {"PlanarRack::rack", joint.rack},
                                           joints::not_zero("PlanarRack::radius", joint.radius)});
}

}  // namespace nonsmooth
