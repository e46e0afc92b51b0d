// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relations/planar_coordinates.hpp>

#include <limits>
#include <string>

#include <internal/check.hpp>
#include <nonsmooth/kernel/relations/frictional_joints.hpp>

#include "joint_quantities.hpp"
#include "model/bodies/plane_frames.hpp"
#include "motor_relation.hpp"

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
  [[nodiscard]] static RowMeaning meaning(Index) { return {RowKind::Coordinate}; }
  template <class Put>
  void operator()(const PlaneBodies& bodies, Put&& put) const {
    joints::Scalar y = measure(bodies, 0, 1, frames);
    y.value -= offset;
    put(0, direction * y);
  }
};
using PlaneAngleRows = PlaneCoordinateRows<&joints::turned>;
using PlaneWayRows = PlaneCoordinateRows<&joints::way_along>;

/// Wheels 0 and 1 on a carrier, 2; the rotation of the first behind the row where it rubs.
struct PlaneGearRows {
  static constexpr Index kLeast = 2, kMost = 3;
  static constexpr const char* kName = "PlanarGear's bodies";

  PlanePair first, second;
  double ratio;
  bool rubs = false;

  [[nodiscard]] Index count() const { return rubs ? 2 : 1; }
  [[nodiscard]] static RowMeaning meaning(Index row) { return joints::meshing_row(row); }
  template <class Put>
  void operator()(const PlaneBodies& bodies, Put&& put) const {
    const joints::Scalar turn = turned(bodies, 0, 2, first);
    put(0, turn + ratio * turned(bodies, 1, 2, second));
    if (rubs) put(1, turn);
  }
};

/// A pinion 0 and a rack 1 on a carrier, 2; the way of the rack behind the row where it rubs.
struct PlaneRackRows {
  static constexpr Index kLeast = 2, kMost = 3;
  static constexpr const char* kName = "PlanarRack's bodies";

  PlanePair pinion, rack;
  double radius;
  bool rubs = false;

  [[nodiscard]] Index count() const { return rubs ? 2 : 1; }
  [[nodiscard]] static RowMeaning meaning(Index row) { return joints::meshing_row(row); }
  template <class Put>
  void operator()(const PlaneBodies& bodies, Put&& put) const {
    const joints::Scalar way = way_along(bodies, 1, 2, rack);
    put(0, way - radius * turned(bodies, 0, 2, pinion));
    if (rubs) put(1, way);
  }
};

template <class Rows>
std::shared_ptr<const MechanicalRelation> make_plane_relation(Rows rows) {
  return std::make_shared<const joints::JointRelation<Rows, PlaneBodies>>(std::move(rows));
}

template <class Gear>
std::shared_ptr<const MechanicalRelation> make_plane_gear(const std::string& name, const Gear& joint, bool rubs) {
  return make_plane_relation(PlaneGearRows{{name + "::first", joint.first},
                                           {name + "::second", joint.second},
                                           joints::not_zero(name + "::ratio", joint.ratio),
                                           rubs});
}

template <class Rack>
std::shared_ptr<const MechanicalRelation> make_plane_rack(const std::string& name, const Rack& joint, bool rubs) {
  return make_plane_relation(PlaneRackRows{{name + "::pinion", joint.pinion},
                                           {name + "::rack", joint.rack},
                                           joints::not_zero(name + "::radius", joint.radius),
                                           rubs});
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
  return make_plane_gear("PlanarGear", joint, false);
}

std::shared_ptr<const MechanicalRelation> make_relation(PlanarRack joint) {
  return make_plane_rack("PlanarRack", joint, false);
}

std::shared_ptr<const MechanicalRelation> make_relation(PlanarFrictionalGear joint) {
  return make_plane_gear("PlanarFrictionalGear", joint, true);
}

std::shared_ptr<const MechanicalRelation> make_relation(PlanarFrictionalRack joint) {
  return make_plane_rack("PlanarFrictionalRack", joint, true);
}

}  // namespace nonsmooth
