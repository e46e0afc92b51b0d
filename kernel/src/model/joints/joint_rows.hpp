// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <internal/check.hpp>

#include "joint_quantities.hpp"
#include "joint_relation.hpp"

/// Joints of two frames in space: what holds, from a table of rows, and the rates of freedoms behind it.
namespace nonsmooth::joints {

struct PairRows;
/// One freedom, a coordinate or the rate of none: a row behind those that hold.
using Freedom = Scalar (*)(const PairRows& rows, const SpaceBodies& bodies);

/// Which rows a joint of two frames has, in this order.
struct JointShape {
  bool points = false;                           ///< the points coincide, 3 rows in the axes of space
  bool on_pins = false;                          ///< the same along the pins of a cross and across both
  std::array<int, 3> offsets{};                  ///< the offset of the points along axes of the second frame
  std::size_t num_offsets = 0;                   ///< that many of them
  std::array<std::pair<int, int>, 3> crosses{};  ///< axes of the first and of the second that are perpendicular
  std::size_t num_crosses = 0;
  bool thread = false;
  std::array<Freedom, 3> freedoms{};
  std::size_t num_freedoms = 0;
  bool has_spin = false;      ///< the freedoms are rates alone, of no coordinate
  const char* friction = "";  ///< the name of the law for them
};

struct PairRows {
  static constexpr Index kLeast = 1, kMost = 2;
  static constexpr const char* kName = "a joint's bodies";

  JointShape shape;
  PlacedPair frames;
  double advance = 0.0;  ///< of a thread, along the axis by radian [m]
  double flank = 1.0;    ///< of a thread: what its row is multiplied by [-]
  double radius = 1.0;   ///< of a rotation that is measured in [m]; 1: in [rad]

  [[nodiscard]] Index count() const {
    return (shape.points || shape.on_pins ? 3 : 0) +
           static_cast<Index>(shape.num_offsets + shape.num_crosses + shape.num_freedoms) + (shape.thread ? 1 : 0);
  }

  [[nodiscard]] bool is_held(Index row) const { return row < count() - static_cast<Index>(shape.num_freedoms); }
  [[nodiscard]] bool is_gradient(Index row) const { return !shape.has_spin || is_held(row); }
  [[nodiscard]] RowMeaning meaning(Index row) const { return is_held(row) ? kHeldRow : rubbing_row(shape.friction); }

  template <class Put>
  void operator()(const SpaceBodies& bodies, Put&& put) const {
    const Vector offset = offset_of(bodies, frames);
    Index row = 0;
    if (shape.points) {
      for (; row < 3; ++row) put(row, component(offset, row));
    }
    if (shape.on_pins) {
      const Vector a = bodies.direction(0, frames.first.axes.col(2)),
                   n = bodies.direction(1, frames.second.axes.col(0));
      put(row++, dot(a, offset));
      put(row++, dot(n, offset));
      put(row++, dot(cross(a, n), offset));
    }
    for (std::size_t i = 0; i < shape.num_offsets; ++i) put(row++, along(offset, bodies, frames, shape.offsets[i]));
    for (std::size_t i = 0; i < shape.num_crosses; ++i) {
      const auto& [of_first, of_second] = shape.crosses[i];
      put(row++, dot(bodies.direction(0, frames.first.axes.col(of_first)),
                     bodies.direction(1, frames.second.axes.col(of_second))));
    }
    if (shape.thread) {
      const Scalar way = along(offset, bodies, frames, 2);
      put(row++, flank * rolling(advance, way, bodies.half_angle(0, 1, frames)));
    }
    for (std::size_t i = 0; i < shape.num_freedoms; ++i) put(row++, shape.freedoms[i](*this, bodies));
  }
};

inline std::shared_ptr<const MechanicalRelation> make_pair_joint(PairRows rows) {
  return std::make_shared<const JointRelation<PairRows, SpaceBodies>>(std::move(rows));
}
inline std::shared_ptr<const MechanicalRelation> make_pair_joint(const JointShape& shape, const std::string& name,
                                                                 const JointFrames& frames, Normals normals) {
  return make_pair_joint({.shape = shape, .frames = placed(name + "::frames", frames, normals)});
}

/// Wheels 0 and 1 on a carrier, 2; the rotation of the first behind the row where it rubs.
struct GearRows {
  static constexpr Index kLeast = 2, kMost = 3;
  static constexpr const char* kName = "GearJoint's bodies";

  PlacedPair first, second;
  double teeth_first, teeth_second;
  bool rubs = false;

  [[nodiscard]] Index count() const { return rubs ? 2 : 1; }
  [[nodiscard]] static RowMeaning meaning(Index row) { return meshing_row(row); }
  template <class Put>
  void operator()(const SpaceBodies& bodies, Put&& put) const {
    const Scalar turned_first = bodies.half_angle(0, 2, first);
    const Scalar turned_second = bodies.half_angle(1, 2, second);
    put(0, 2.0 / teeth_first * sine(teeth_first * turned_first + teeth_second * turned_second));
    if (rubs) put(1, turn_of(bodies, first, 0, 2));
  }
};

/// A pinion 0 and a rack 1 on a carrier, 2; the way of the rack behind the row where it rubs.
struct RackRows {
  static constexpr Index kLeast = 2, kMost = 3;
  static constexpr const char* kName = "RackJoint's bodies";

  PlacedPair pinion, rack;
  double radius;
  bool rubs = false;

  [[nodiscard]] Index count() const { return rubs ? 2 : 1; }
  [[nodiscard]] static RowMeaning meaning(Index row) { return meshing_row(row); }
  template <class Put>
  void operator()(const SpaceBodies& bodies, Put&& put) const {
    const Scalar way = way_of(bodies, rack, 2, 1, 2);
    put(0, rolling(radius, way, bodies.half_angle(0, 2, pinion)));
    if (rubs) put(1, way);
  }
};

inline double number_of_teeth(const std::string& argument, Index teeth) {
  check::within(argument, teeth, -1'000'000, 1'000'000);
  return not_zero(argument, static_cast<double>(teeth));
}

template <class Gear>
std::shared_ptr<const MechanicalRelation> make_gear(const std::string& name, const Gear& joint, bool rubs) {
  return std::make_shared<const JointRelation<GearRows, SpaceBodies>>(GearRows{
      placed(name + "::first", joint.first, Normals::Both), placed(name + "::second", joint.second, Normals::Both),
      number_of_teeth(name + "::teeth_first", joint.teeth_first),
      number_of_teeth(name + "::teeth_second", joint.teeth_second), rubs});
}

template <class Rack>
std::shared_ptr<const MechanicalRelation> make_rack(const std::string& name, const Rack& joint, bool rubs) {
  return std::make_shared<const JointRelation<RackRows, SpaceBodies>>(
      RackRows{placed(name + "::pinion", joint.pinion, Normals::Both),
               placed(name + "::rack", joint.rack, Normals::Any), not_zero(name + "::radius", joint.radius), rubs});
}

}  // namespace nonsmooth::joints
