// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relations/joint_stops.hpp>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>

#include <internal/check.hpp>

#include "joint_quantities.hpp"
#include "joint_relation.hpp"

namespace nonsmooth {
namespace {

using joints::JointRelation;
using joints::Normals;
using joints::PlacedPair;
using joints::Scalar;
using joints::SpaceBodies;

constexpr const char* kStoppedBodies = "a stop's bodies";

/// direction (coordinate - offset).
Scalar gap_of(double direction, Scalar coordinate, double offset) {
  coordinate.value -= offset;
  return direction * coordinate;
}

struct CollarRows {
  static constexpr Index kLeast = 1, kMost = 2;
  static constexpr const char* kName = kStoppedBodies;

  PlacedPair frames;
  double offset, direction, radius;

  [[nodiscard]] Index count() const { return 2; }
  template <class Put>
  void operator()(const SpaceBodies& bodies, Put&& put) const {
    put(0, gap_of(direction, way_of(bodies, frames), offset));
    put(1, radius * turn_of(bodies, frames));
  }
};

struct KeyRows {
  static constexpr Index kLeast = 1, kMost = 2;
  static constexpr const char* kName = kStoppedBodies;

  PlacedPair frames;
  double reference, offset, direction, radius;

  [[nodiscard]] Index count() const { return 2; }
  template <class Put>
  void operator()(const SpaceBodies& bodies, Put&& put) const {
    put(0, radius * gap_of(direction, turn_near(bodies, frames, reference, 2.0 * std::numbers::pi), offset));
    put(1, way_of(bodies, frames));
  }
};

struct PinAngleRow {
  static constexpr Index kLeast = 1, kMost = 2;
  static constexpr const char* kName = kStoppedBodies;

  PlacedPair frames;
  bool first;
  double offset, direction;

  [[nodiscard]] Index count() const { return 1; }
  template <class Put>
  void operator()(const SpaceBodies& bodies, Put&& put) const {
    put(0, gap_of(direction, first ? turn_on_first_pin(bodies, frames) : turn_on_second_pin(bodies, frames), offset));
  }
};

struct SwingRow {
  static constexpr Index kLeast = 1, kMost = 2;
  static constexpr const char* kName = kStoppedBodies;

  PlacedPair frames;
  double limit;

  [[nodiscard]] Index count() const { return 1; }
  template <class Put>
  void operator()(const SpaceBodies& bodies, Put&& put) const {
    put(0, 1.0 / std::sin(limit) * gap_of(1.0, cosine_of_swing(bodies, frames), std::cos(limit)));
  }
};

template <class Rows>
std::shared_ptr<const MechanicalRelation> make_stop(Rows rows) {
  return std::make_shared<const JointRelation<Rows, SpaceBodies>>(std::move(rows));
}

}  // namespace

std::shared_ptr<const MechanicalRelation> make_relation(CollarStop stop) {
  check::finite("CollarStop::offset", stop.offset);
  return make_stop(CollarRows{joints::placed("CollarStop::frames", stop.frames, Normals::Both), stop.offset,
                              joints::one_or_minus_one("CollarStop::direction", stop.direction),
                              joints::positive("CollarStop::radius", stop.radius)});
}

std::shared_ptr<const MechanicalRelation> make_relation(KeyStop stop) {
  check::finite("KeyStop::reference", stop.reference);
  check::range("KeyStop::offset", stop.offset, stop.reference - std::numbers::pi, stop.reference + std::numbers::pi);
  return make_stop(KeyRows{joints::placed("KeyStop::frames", stop.frames, Normals::Both), stop.reference, stop.offset,
                           joints::one_or_minus_one("KeyStop::direction", stop.direction),
                           joints::positive("KeyStop::radius", stop.radius)});
}

std::shared_ptr<const MechanicalRelation> make_relation(UniversalAngle stop) {
  check::within("UniversalAngle::pin", stop.pin, 1, 2);
  check::range("UniversalAngle::offset", stop.offset, -std::numbers::pi, std::numbers::pi);
  return make_stop(PinAngleRow{joints::placed("UniversalAngle::frames", stop.frames, Normals::Both), stop.pin == 1,
                               stop.offset, joints::one_or_minus_one("UniversalAngle::direction", stop.direction)});
}

std::shared_ptr<const MechanicalRelation> make_relation(BallSwing stop) {
  check::finite("BallSwing::limit", stop.limit);
  if (!(stop.limit > 0.0 && stop.limit < std::numbers::pi))
    throw InvalidArgument("BallSwing::limit", check::text(stop.limit), "an angle in (0, pi)");
  return make_stop(SwingRow{joints::placed("BallSwing::frames", stop.frames, Normals::Any), stop.limit});
}

}  // namespace nonsmooth
