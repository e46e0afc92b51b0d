// SPDX-License-Identifier: Apache-2.0
// Linkages of bodies in space, driven by a motor of bounded moment or free, that fall flat on a floor: some sixty
// redundant rows of friction beside a loop, where answers are known to some 1e-7 of velocities.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::driven_loops_in_contact_test {
namespace {

constexpr double kStep = 2e-3, kGravity = 9.81;

struct Linkage {
  double height = 0.06, tilt = 0.0, friction = 0.4;
  bool closed = true, driven = false;
};

/// Four bars with hinges about their common normal, three where the loop is open; a box of 2 kg comes down on driven
/// ones.
NonSmoothDynamicalSystem falling(const Linkage& linkage) {
  NonSmoothDynamicalSystem model;
  const Eigen::Vector3d gravity(0.0, 0.0, -kGravity), axis = Eigen::Vector3d(1.0, 0.3, 0.0).normalized();
  const Eigen::AngleAxisd tilt(linkage.tilt, axis);
  const std::array<Eigen::Vector3d, 4> corners{
      Eigen::Vector3d(0.0, 0.0, 0.0), {1.2, 0.0, 0.0}, {1.4, 0.9, 0.0}, {-0.2, 0.7, 0.0}};
  const Eigen::Vector3d up(0.0, 0.0, linkage.height + 1.2 * std::abs(std::sin(linkage.tilt)));
  std::vector<BodyShapes> shapes;
  std::vector<SystemHandle> bars;
  for (std::size_t i = 0; i < 4; ++i) {
    const Eigen::Vector3d along = corners[(i + 1) % 4] - corners[i], middle = (corners[i] + corners[(i + 1) % 4]) / 2.0;
    const double length = along.norm(), mass = 1.0 + 0.1 * static_cast<double>(i);
    const Eigen::Quaterniond turn(tilt * Eigen::AngleAxisd(std::atan2(along.y(), along.x()), Eigen::Vector3d::UnitZ()));
    const double across = 0.01 + length * length / 12.0;
    bars.push_back(model.add(RigidBody{.mass = mass,
                                       .inertia = mass * Eigen::Vector3d(0.01, across, across).asDiagonal(),
                                       .position = up + tilt * middle,
                                       .orientation = {turn.w(), turn.x(), turn.y(), turn.z()},
                                       .gravity = gravity,
                                       .name = "bar " + std::to_string(i)}));
    shapes.push_back({bars.back(), {{.shape = Box{{length / 2.0 - 0.03, 0.05, 0.05}}}}});
  }
  const State start = model.initial_state();
  for (std::size_t i = 0; i < (linkage.closed ? 4U : 3U); ++i) {
    const std::vector<SystemHandle> two{bars[i], bars[(i + 1) % 4]};
    const JointFrames frames = joint_between(start.q(two[0]), start.q(two[1]), up + tilt * corners[(i + 1) % 4],
                                             tilt * Eigen::Vector3d::UnitZ(), tilt * Eigen::Vector3d::UnitX());
    link_joint(model, two, HingeJoint{frames}, "hinge " + std::to_string(i));
    if (i == 0 && linkage.driven)
      model.link(two, HingeMotor{.frames = frames, .angle = [](double t) { return 0.4 * std::sin(3.0 * t); }},
                 SpringDamperLaw{.stiffness = 20.0, .damping = 1.0, .lower = -30.0, .upper = 30.0});
  }
  if (linkage.driven) {
    const SystemHandle box = model.add(RigidBody{.mass = 2.0,
                                                 .inertia = Eigen::Vector3d(0.02, 0.03, 0.04).asDiagonal(),
                                                 .position = {0.6, 0.4, linkage.height + 0.5},
                                                 .angular_velocity = {1.0, 2.0, 0.5},
                                                 .gravity = gravity,
                                                 .name = "box"});
    shapes.push_back({box, {{.shape = Box{{0.3, 0.2, 0.1}}}}});
  }
  BodyContacts source(shapes, {{.shape = HalfSpace{}}},
                      NewtonImpactFrictionLaw{.friction = linkage.friction, .dimension = 3});
  source.exclude_jointed(model);
  model.detect(std::make_shared<const BodyContacts>(source));
  return model;
}

/// Runs to T, each step within the tolerance of Newton's iteration or the solver's own.
void expect_to_end(const Linkage& linkage, const TimeSteppingOptions& options, double T) {
  TimeStepping simulation(falling(linkage), options);
  const RunReport report = simulation.advance_to(T);
  ASSERT_TRUE(report) << report.message();
  EXPECT_LE(report.worst_residual, options.newton.tolerance);
}

TEST(DrivenLoopsInContact, FourBarWithAMotorOfBoundedMomentLands) {
  expect_to_end({.height = 0.65, .tilt = 0.15, .friction = 0.5, .driven = true}, {.step = kStep}, 0.46);
}

TEST(DrivenLoopsInContact, OpenChainLandsAtLinearisedGaps) {
  expect_to_end({.closed = false}, {.integrator = StewartTrinkle{}, .step = kStep}, 0.05);
}

}  // namespace
}  // namespace nonsmooth::driven_loops_in_contact_test
