// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relations/frictional_joints.hpp>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include "joint_rows.hpp"

namespace nonsmooth {
namespace {

using joints::JointShape;
using joints::make_pair_joint;
using joints::Normals;
using joints::PairRows;
using joints::Scalar;
using joints::SpaceBodies;

Scalar turn_row(const PairRows& rows, const SpaceBodies& bodies) { return rows.radius * turn_of(bodies, rows.frames); }

template <Index axis>
Scalar way_row(const PairRows& rows, const SpaceBodies& bodies) {
  return way_of(bodies, rows.frames, axis);
}

template <Index axis>
Scalar spin_row(const PairRows&, const SpaceBodies& bodies) {
  return component(bodies.spin(0) - bodies.spin(1), axis);
}

/// Along the thread: (r^2 theta + p z) / sqrt(r^2 + p^2).
Scalar slip_row(const PairRows& rows, const SpaceBodies& bodies) {
  const double r = rows.radius, p = rows.advance;
  return 1.0 / std::hypot(r, p) * (r * r * turn_of(bodies, rows.frames) + p * way_of(bodies, rows.frames));
}

Scalar first_pin_row(const PairRows& rows, const SpaceBodies& bodies) { return turn_on_first_pin(bodies, rows.frames); }
Scalar second_pin_row(const PairRows& rows, const SpaceBodies& bodies) {
  return turn_on_second_pin(bodies, rows.frames);
}

constexpr JointShape kRubbingHinge{.offsets = {0, 1, 2},
                                   .num_offsets = 3,
                                   .crosses = {{{2, 0}, {2, 1}}},
                                   .num_crosses = 2,
                                   .freedoms = {turn_row},
                                   .num_freedoms = 1,
                                   .friction = "HingeFrictionLaw"};
constexpr JointShape kRubbingSlider{.offsets = {0, 1},
                                    .num_offsets = 2,
                                    .crosses = {{{0, 1}, {1, 2}, {2, 0}}},
                                    .num_crosses = 3,
                                    .freedoms = {way_row<2>},
                                    .num_freedoms = 1,
                                    .friction = "SliderFrictionLaw"};
constexpr JointShape kRubbingBall{.points = true,
                                  .freedoms = {spin_row<0>, spin_row<1>, spin_row<2>},
                                  .num_freedoms = 3,
                                  .has_spin = true,
                                  .friction = "BallFrictionLaw"};
constexpr JointShape kRubbingCylindrical{.offsets = {0, 1},
                                         .num_offsets = 2,
                                         .crosses = {{{2, 0}, {2, 1}}},
                                         .num_crosses = 2,
                                         .freedoms = {turn_row, way_row<2>},
                                         .num_freedoms = 2,
                                         .friction = "CylindricalFrictionLaw"};
constexpr JointShape kRubbingScrew{.offsets = {0, 1},
                                   .num_offsets = 2,
                                   .crosses = {{{2, 0}, {2, 1}}},
                                   .num_crosses = 2,
                                   .thread = true,
                                   .freedoms = {slip_row},
                                   .num_freedoms = 1,
                                   .friction = "ScrewFrictionLaw"};
constexpr JointShape kRubbingUniversal{.on_pins = true,
                                       .crosses = {{{2, 0}}},
                                       .num_crosses = 1,
                                       .freedoms = {first_pin_row, second_pin_row},
                                       .num_freedoms = 2,
                                       .friction = "UniversalFrictionLaw"};
constexpr JointShape kRubbingPlanar{.offsets = {2},
                                    .num_offsets = 1,
                                    .crosses = {{{2, 0}, {2, 1}}},
                                    .num_crosses = 2,
                                    .freedoms = {way_row<0>, way_row<1>, turn_row},
                                    .num_freedoms = 3,
                                    .friction = "PlanarJointFrictionLaw"};

}  // namespace

std::shared_ptr<const MechanicalRelation> make_relation(FrictionalHinge joint) {
  return make_pair_joint(kRubbingHinge, "FrictionalHinge", joint.frames, Normals::Both);
}
std::shared_ptr<const MechanicalRelation> make_relation(FrictionalSlider joint) {
  return make_pair_joint(kRubbingSlider, "FrictionalSlider", joint.frames, Normals::Both);
}
std::shared_ptr<const MechanicalRelation> make_relation(FrictionalBall joint) {
  return make_pair_joint(kRubbingBall, "FrictionalBall", joint.frames, Normals::Any);
}
std::shared_ptr<const MechanicalRelation> make_relation(FrictionalCylindrical joint) {
  return make_pair_joint({.shape = kRubbingCylindrical,
                          .frames = joints::placed("FrictionalCylindrical::frames", joint.frames, Normals::Both),
                          .radius = joints::positive("FrictionalCylindrical::radius", joint.radius)});
}
std::shared_ptr<const MechanicalRelation> make_relation(FrictionalScrew joint) {
  const double p = joints::not_zero("FrictionalScrew::pitch", joint.pitch) / (2.0 * std::numbers::pi);
  const double radius = joints::positive("FrictionalScrew::radius", joint.radius);
  return make_pair_joint({.shape = kRubbingScrew,
                          .frames = joints::placed("FrictionalScrew::frames", joint.frames, Normals::Both),
                          .advance = p,
                          .flank = radius / std::hypot(radius, p),
                          .radius = radius});
}
std::shared_ptr<const MechanicalRelation> make_relation(FrictionalUniversal joint) {
  return make_pair_joint(kRubbingUniversal, "FrictionalUniversal", joint.frames, Normals::Both);
}
std::shared_ptr<const MechanicalRelation> make_relation(FrictionalPlanar joint) {
  return make_pair_joint({.shape = kRubbingPlanar,
                          .frames = joints::placed("FrictionalPlanar::frames", joint.frames, Normals::Both),
                          .radius = joints::positive("FrictionalPlanar::radius", joint.radius)});
}
std::shared_ptr<const MechanicalRelation> make_relation(FrictionalGear joint) {
  return joints::make_gear("FrictionalGear", joint, true);
}
std::shared_ptr<const MechanicalRelation> make_relation(FrictionalRack joint) {
  return joints::make_rack("FrictionalRack", joint, true);
}

}  // namespace nonsmooth
