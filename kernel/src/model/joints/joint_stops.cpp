// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relations/joint_stops.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <utility>

#include <internal/check.hpp>

#include "counted_relation.hpp"
#include "joint_quantities.hpp"
#include "joint_relation.hpp"

namespace nonsmooth {
namespace {

using joints::JointRelation;
using joints::Normals;
using joints::PlacedPair;
using joints::Scalar;
using joints::SpaceBodies;
using joints::Vector;

constexpr const char* kStoppedBodies = "a stop's bodies";

/// @throws InvalidArgument
double limit_of(const std::string& argument, double limit) {
  check::finite(argument, limit);
  if (!(limit > 0.0 && limit < std::numbers::pi))
    throw InvalidArgument(argument, check::text(limit), "an angle in (0, pi)");
  return limit;
}

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
  [[nodiscard]] static RowMeaning meaning(Index row) { return joints::contact_row(row); }
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
  double reference, offset, direction, radius, range = joints::kTurn;

  [[nodiscard]] Index count() const { return 2; }
  [[nodiscard]] static RowMeaning meaning(Index row) { return joints::contact_row(row); }
  [[nodiscard]] double scale() const { return radius * direction; }
  template <class Put>
  void operator()(const SpaceBodies& bodies, Put&& put) const {
    put(0, radius * gap_of(direction, turn_near(bodies, frames, reference, range), offset));
    put(1, way_of(bodies, frames));
  }
};

/// The turn on one pin, times a radius where the stop rubs, and then that on the other one.
struct PinRows {
  static constexpr Index kLeast = 1, kMost = 2;
  static constexpr const char* kName = kStoppedBodies;

  PlacedPair frames;
  Index pin;
  double reference, offset, direction, radius = 1.0, slip_radius = 0.0, range = joints::kTurn;

  [[nodiscard]] Index count() const { return slip_radius > 0.0 ? 2 : 1; }
  [[nodiscard]] RowMeaning meaning(Index row) const {
    return count() == 1 ? RowMeaning{RowKind::Coordinate} : joints::contact_row(row);
  }
  [[nodiscard]] double scale() const { return radius * direction; }
  template <class Put>
  void operator()(const SpaceBodies& bodies, Put&& put) const {
    Scalar turn = turn_on(bodies, pin);
    turn.value = reference + std::remainder(turn.value - reference, range);
    put(0, radius * gap_of(direction, std::move(turn), offset));
    if (slip_radius > 0.0) put(1, slip_radius * turn_on(bodies, 3 - pin));
  }

 private:
  [[nodiscard]] Scalar turn_on(const SpaceBodies& bodies, Index which) const {
    return which == 1 ? turn_on_first_pin(bodies, frames) : turn_on_second_pin(bodies, frames);
  }
};

struct SwingRow {
  static constexpr Index kLeast = 1, kMost = 2;
  static constexpr const char* kName = kStoppedBodies;

  PlacedPair frames;
  double limit;

  [[nodiscard]] Index count() const { return 1; }
  [[nodiscard]] static RowMeaning meaning(Index) { return {RowKind::Coordinate}; }
  template <class Put>
  void operator()(const SpaceBodies& bodies, Put&& put) const {
    put(0, 1.0 / std::sin(limit) * gap_of(1.0, cosine_of_swing(bodies, frames), std::cos(limit)));
  }
};

/// A stud, rho thick and touched at r along its axis a, on the rim of a socket with the axis b. Where it touches, at
/// the angle beta between them, the point is at r a + rho d from the ball's centre, d = (a cos beta - b) / sin beta,
/// the normal is -d and the slip along the rim
///     omega . ((r a + rho d) x (a x d)) = omega . (rho a - r d),
/// here with sin(limit) for sin(beta), which makes it smooth where the axes coincide.
struct RimRows {
  static constexpr Index kLeast = 1, kMost = 2;
  static constexpr const char* kName = kStoppedBodies;

  PlacedPair frames;
  double limit, radius, stud_radius;

  [[nodiscard]] Index count() const { return 2; }
  [[nodiscard]] static RowMeaning meaning(Index row) { return joints::contact_row(row); }
  [[nodiscard]] bool is_gradient(Index row) const { return row == 0; }  // the slip is the rate of no coordinate
  template <class Put>
  void operator()(const SpaceBodies& bodies, Put&& put) const {
    const Vector a = bodies.direction(0, frames.first.axes.col(2)), b = bodies.direction(1, frames.second.axes.col(2));
    const Vector spin = bodies.spin(0) - bodies.spin(1);
    const Scalar cosine = dot(a, b);
    const double per_sine = radius / std::sin(limit);
    put(0, per_sine * gap_of(1.0, cosine, std::cos(limit)));
    // omega . c, c = (rho - r cos(beta) / sin(limit)) a + r / sin(limit) b: its H is that of omega along c, its bias
    // what c turns by.
    const double along = stud_radius - per_sine * cosine.value;
    const Eigen::Vector3d c = along * a.value + per_sine * b.value;
    const Eigen::Vector3d turned = along * a.rate - per_sine * cosine.rate * a.value + per_sine * b.rate;
    put(1, Scalar{0.0, c.transpose().lazyProduct(spin.gradient), c.dot(spin.rate),
                  c.dot(spin.bias) + turned.dot(spin.rate),
                  c.norm() * spin.bias_terms + turned.norm() * spin.rate.norm()});
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
  const double range = joints::range_of("KeyStop", stop.reference, stop.offset, stop.turns, joints::kMostTurns);
  return joints::make_turning(KeyRows{joints::placed("KeyStop::frames", stop.frames, Normals::Both), stop.reference,
                                      stop.offset, joints::one_or_minus_one("KeyStop::direction", stop.direction),
                                      joints::positive("KeyStop::radius", stop.radius)},
                              range);
}

std::shared_ptr<const MechanicalRelation> make_relation(UniversalAngle stop) {
  check::within("UniversalAngle::pin", stop.pin, 1, 2);
  const double range = joints::range_of("UniversalAngle", stop.reference, stop.offset, stop.turns, 1);
  return joints::make_turning(
      PinRows{joints::placed("UniversalAngle::frames", stop.frames, Normals::Both), stop.pin, stop.reference,
              stop.offset, joints::one_or_minus_one("UniversalAngle::direction", stop.direction)},
      range);
}

std::shared_ptr<const MechanicalRelation> make_relation(CrossStop stop) {
  check::within("CrossStop::pin", stop.pin, 1, 2);
  const double range = joints::range_of("CrossStop", stop.reference, stop.offset, stop.turns, 1);
  return joints::make_turning(
      PinRows{joints::placed("CrossStop::frames", stop.frames, Normals::Both), stop.pin, stop.reference, stop.offset,
              joints::one_or_minus_one("CrossStop::direction", stop.direction),
              joints::positive("CrossStop::radius", stop.radius),
              joints::positive("CrossStop::slip_radius", stop.slip_radius)},
      range);
}

std::shared_ptr<const MechanicalRelation> make_relation(BallSwing stop) {
  return make_stop(SwingRow{joints::placed("BallSwing::frames", stop.frames, Normals::Any),
                            limit_of("BallSwing::limit", stop.limit)});
}

std::shared_ptr<const MechanicalRelation> make_relation(RimStop stop) {
  check::range("RimStop::stud_radius", stop.stud_radius, 0.0, std::numeric_limits<double>::max());
  return make_stop(RimRows{joints::placed("RimStop::frames", stop.frames, Normals::Any),
                           limit_of("RimStop::limit", stop.limit), joints::positive("RimStop::radius", stop.radius),
                           stop.stud_radius});
}

}  // namespace nonsmooth
