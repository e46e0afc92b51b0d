// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relations/joints.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <internal/check.hpp>

#include "joint_relation.hpp"

namespace nonsmooth {
namespace {

using joints::Normals;
using joints::not_zero;
using joints::PlacedPair;
using joints::Scalar;
using joints::SpaceBodies;

/// 2 s sin(z / (2 s) - alpha), alpha the half of an angle: about z - s angle near zero, the same for each turn.
Scalar rolling(double s, const Scalar& z, const Scalar& alpha) {
  return 2.0 * s * joints::sine(1.0 / (2.0 * s) * z - alpha);
}

/// Which rows a joint of two frames has, in this order.
struct JointShape {
  bool points = false;                           ///< the points coincide, 3 rows
  std::array<int, 3> offsets{};                  ///< the offset of the points along axes of the second frame
  std::size_t num_offsets = 0;                   ///< that many of them
  std::array<std::pair<int, int>, 3> crosses{};  ///< axes of the first and of the second that are perpendicular
  std::size_t num_crosses = 0;
  bool thread = false;
  bool turn = false, way = false;  ///< the rotation about the axis; the way along it
  bool spins = false;              ///< the angular velocity, 3 rows
};

constexpr JointShape kFixed{.points = true, .crosses = {{{0, 1}, {1, 2}, {2, 0}}}, .num_crosses = 3};
constexpr JointShape kBall{.points = true};
constexpr JointShape kHinge{.points = true, .crosses = {{{2, 0}, {2, 1}}}, .num_crosses = 2};
constexpr JointShape kSlider{
    .offsets = {0, 1}, .num_offsets = 2, .crosses = {{{0, 1}, {1, 2}, {2, 0}}}, .num_crosses = 3};
constexpr JointShape kCylindrical{.offsets = {0, 1}, .num_offsets = 2, .crosses = {{{2, 0}, {2, 1}}}, .num_crosses = 2};
constexpr JointShape kUniversal{.points = true, .crosses = {{{2, 0}}}, .num_crosses = 1};
constexpr JointShape kPlanar{.offsets = {2}, .num_offsets = 1, .crosses = {{{2, 0}, {2, 1}}}, .num_crosses = 2};
constexpr JointShape kScrew{
    .offsets = {0, 1}, .num_offsets = 2, .crosses = {{{2, 0}, {2, 1}}}, .num_crosses = 2, .thread = true};
constexpr JointShape kFrictionalHinge{
    .offsets = {0, 1, 2}, .num_offsets = 3, .crosses = {{{2, 0}, {2, 1}}}, .num_crosses = 2, .turn = true};
constexpr JointShape kFrictionalSlider{
    .offsets = {0, 1}, .num_offsets = 2, .crosses = {{{0, 1}, {1, 2}, {2, 0}}}, .num_crosses = 3, .way = true};
constexpr JointShape kFrictionalBall{.points = true, .spins = true};
constexpr JointShape kFrictionalCylindrical{
    .offsets = {0, 1}, .num_offsets = 2, .crosses = {{{2, 0}, {2, 1}}}, .num_crosses = 2, .turn = true, .way = true};

struct PairRows {
  static constexpr Index kLeast = 1, kMost = 2;
  static constexpr const char* kName = "a joint's bodies";

  JointShape shape;
  PlacedPair frames;
  double advance = 0.0;  ///< of a thread, along the axis by radian [m]; of a turn, the unit of its row [m] or 1

  [[nodiscard]] Index count() const {
    return (shape.points ? 3 : 0) + static_cast<Index>(shape.num_offsets + shape.num_crosses) + (shape.thread ? 1 : 0) +
           (shape.turn ? 1 : 0) + (shape.way ? 1 : 0) + (shape.spins ? 3 : 0);
  }

  template <class Put>
  void operator()(const SpaceBodies& bodies, Put&& put) const {
    const joints::Vector offset = bodies.point(0, frames.first.point) - bodies.point(1, frames.second.point);
    Index row = 0;
    if (shape.points) {
      for (; row < 3; ++row) put(row, component(offset, row));
    }
    for (std::size_t i = 0; i < shape.num_offsets; ++i) {
      put(row++, dot(bodies.direction(1, frames.second.axes.col(shape.offsets[i])), offset));
    }
    for (std::size_t i = 0; i < shape.num_crosses; ++i) {
      const auto& [of_first, of_second] = shape.crosses[i];
      put(row++, dot(bodies.direction(0, frames.first.axes.col(of_first)),
                     bodies.direction(1, frames.second.axes.col(of_second))));
    }
    if (shape.turn) {
      Scalar angle = 2.0 * bodies.half_angle(0, 1, frames);
      angle.value = std::remainder(angle.value, 2.0 * std::numbers::pi);
      put(row++, advance * angle);
    }
    if (shape.spins) {
      const joints::Vector spin = bodies.spin(0) - bodies.spin(1);
      for (Index i = 0; i < 3; ++i) put(row++, component(spin, i));
    }
    if (!shape.thread && !shape.way) return;
    const Scalar way = dot(bodies.direction(1, frames.second.axes.col(2)), offset);
    if (shape.way) return put(row, way);
    put(row, rolling(advance, way, bodies.half_angle(0, 1, frames)));
  }
};

std::shared_ptr<const MechanicalRelation> make_pair_joint(const JointShape& shape, const std::string& name,
                                                          const JointFrames& frames, Normals normals,
                                                          double advance = 1.0) {
  return std::make_shared<const joints::JointRelation<PairRows, SpaceBodies>>(
      PairRows{shape, joints::placed(name + "::frames", frames, normals), advance});
}

/// Wheels 0 and 1 on a carrier, 2.
struct GearRows {
  static constexpr Index kLeast = 2, kMost = 3;
  static constexpr const char* kName = "GearJoint's bodies";

  PlacedPair first, second;
  double teeth_first, teeth_second;

  [[nodiscard]] Index count() const { return 1; }
  template <class Put>
  void operator()(const SpaceBodies& bodies, Put&& put) const {
    const Scalar turned_first = bodies.half_angle(0, 2, first);
    const Scalar turned_second = bodies.half_angle(1, 2, second);
    put(0, 2.0 / teeth_first * joints::sine(teeth_first * turned_first + teeth_second * turned_second));
  }
};

/// A pinion 0 and a rack 1 on a carrier, 2.
struct RackRows {
  static constexpr Index kLeast = 2, kMost = 3;
  static constexpr const char* kName = "RackJoint's bodies";

  PlacedPair pinion, rack;
  double radius;

  [[nodiscard]] Index count() const { return 1; }
  template <class Put>
  void operator()(const SpaceBodies& bodies, Put&& put) const {
    const joints::Vector offset = bodies.point(1, rack.first.point) - bodies.point(2, rack.second.point);
    const Scalar way = dot(bodies.direction(2, rack.second.axes.col(2)), offset);
    put(0, rolling(radius, way, bodies.half_angle(0, 2, pinion)));
  }
};

double number_of_teeth(const std::string& argument, Index teeth) {
  check::within(argument, teeth, -1'000'000, 1'000'000);
  return not_zero(argument, static_cast<double>(teeth));
}

}  // namespace

std::shared_ptr<const MechanicalRelation> make_relation(FixedJoint joint) {
  return make_pair_joint(kFixed, "FixedJoint", joint.frames, Normals::Both);
}
std::shared_ptr<const MechanicalRelation> make_relation(BallJoint joint) {
  return make_pair_joint(kBall, "BallJoint", joint.frames, Normals::Any);
}
std::shared_ptr<const MechanicalRelation> make_relation(HingeJoint joint) {
  return make_pair_joint(kHinge, "HingeJoint", joint.frames, Normals::Any);
}
std::shared_ptr<const MechanicalRelation> make_relation(SliderJoint joint) {
  return make_pair_joint(kSlider, "SliderJoint", joint.frames, Normals::Both);
}
std::shared_ptr<const MechanicalRelation> make_relation(CylindricalJoint joint) {
  return make_pair_joint(kCylindrical, "CylindricalJoint", joint.frames, Normals::Any);
}
std::shared_ptr<const MechanicalRelation> make_relation(UniversalJoint joint) {
  return make_pair_joint(kUniversal, "UniversalJoint", joint.frames, Normals::Second);
}
std::shared_ptr<const MechanicalRelation> make_relation(PlanarJoint joint) {
  return make_pair_joint(kPlanar, "PlanarJoint", joint.frames, Normals::Any);
}
std::shared_ptr<const MechanicalRelation> make_relation(ScrewJoint joint) {
  const double advance = not_zero("ScrewJoint::pitch", joint.pitch) / (2.0 * std::numbers::pi);
  return make_pair_joint(kScrew, "ScrewJoint", joint.frames, Normals::Both, advance);
}
std::shared_ptr<const MechanicalRelation> make_relation(FrictionalHinge joint) {
  return make_pair_joint(kFrictionalHinge, "FrictionalHinge", joint.frames, Normals::Both);
}
std::shared_ptr<const MechanicalRelation> make_relation(FrictionalSlider joint) {
  return make_pair_joint(kFrictionalSlider, "FrictionalSlider", joint.frames, Normals::Both);
}

std::shared_ptr<const MechanicalRelation> make_relation(FrictionalBall joint) {
  return make_pair_joint(kFrictionalBall, "FrictionalBall", joint.frames, Normals::Any);
}
std::shared_ptr<const MechanicalRelation> make_relation(FrictionalCylindrical joint) {
  check::positive("FrictionalCylindrical::radius", joint.radius);
  return make_pair_joint(kFrictionalCylindrical, "FrictionalCylindrical", joint.frames, Normals::Both, joint.radius);
}

std::shared_ptr<const MechanicalRelation> make_relation(GearJoint joint) {
  return std::make_shared<const joints::JointRelation<GearRows, SpaceBodies>>(
      GearRows{joints::placed("GearJoint::first", joint.first, Normals::Both),
               joints::placed("GearJoint::second", joint.second, Normals::Both),
               number_of_teeth("GearJoint::teeth_first", joint.teeth_first),
               number_of_teeth("GearJoint::teeth_second", joint.teeth_second)});
}

std::shared_ptr<const MechanicalRelation> make_relation(RackJoint joint) {
  return std::make_shared<const joints::JointRelation<RackRows, SpaceBodies>>(RackRows{
      joints::placed("RackJoint::pinion", joint.pinion, Normals::Both),
      joints::placed("RackJoint::rack", joint.rack, Normals::Any), not_zero("RackJoint::radius", joint.radius)});
}

}  // namespace nonsmooth
