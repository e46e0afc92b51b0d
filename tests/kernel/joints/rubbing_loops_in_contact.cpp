// SPDX-License-Identifier: Apache-2.0
// A four-bar whose hinges rub, driven by a motor, that falls onto a floor beside a box and a cylinder: contacts with
// friction have several answers for the same bounds in the hinges, among which the search of the bounds must not jump.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::rubbing_loops_in_contact_test {
namespace {

constexpr double kStep = 2e-3, kEnd = 1.5, kGravity = 9.81, kFriction = 0.2, kRadius = 0.02, kBearing = 0.1;
constexpr double kMass = 7.1;     ///< of all
constexpr double kMoment = 30.0;  ///< the motor's largest
constexpr double kRate = 1.2;     ///< of the angle that it follows [rad/s]

/// All lengths times `length`, and gravity with it: in exact arithmetic motions are those of length 1, times length.
struct Scene {
  explicit Scene(double length);
  NonSmoothDynamicalSystem model;
  std::vector<InteractionHandle> hinges;
  InteractionHandle motor;
  double length;

  /// By how much friction in a hinge exceeds its bound, as an impulse across the pin.
  [[nodiscard]] double excess(const State& state, InteractionHandle hinge) const {
    const auto p = state.impulse(hinge);
    const Eigen::Vector2d across = p.head<2>(), turning = 2.0 / (kBearing * length) * p.segment<2>(3);
    const double carried = 0.5 * ((across + turning).norm() + (across - turning).norm());
    return std::abs(p[5]) / (kFriction * kRadius * length) - carried;
  }
};

Scene::Scene(double size) : length(size) {
  const double inertia = size * size, moment = size * size;
  const Eigen::Vector3d gravity(0.0, 0.0, -kGravity * size);
  const std::array<Eigen::Vector3d, 4> corners{
      Eigen::Vector3d(0.0, 0.0, 1.0), {1.2, 0.0, 1.0}, {1.4, 0.9, 1.0}, {-0.2, 0.7, 1.0}};
  std::vector<SystemHandle> bars;
  std::vector<BodyShapes> shapes;
  for (std::size_t i = 0; i < 4; ++i) {
    const Eigen::Vector3d along = corners[(i + 1) % 4] - corners[i];
    const double l = along.norm(), mass = 1.0 + 0.1 * static_cast<double>(i), across = 0.01 + l * l / 12.0;
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(std::atan2(along.y(), along.x()), Eigen::Vector3d::UnitZ()));
    bars.push_back(model.add(RigidBody{.mass = mass,
                                       .inertia = mass * inertia * Eigen::Vector3d(0.01, across, across).asDiagonal(),
                                       .position = size * (corners[i] + corners[(i + 1) % 4]) / 2.0,
                                       .orientation = {turn.w(), turn.x(), turn.y(), turn.z()},
                                       .gravity = gravity,
                                       .name = "bar " + std::to_string(i)}));
    shapes.push_back({bars.back(), {{.shape = Box{size * Eigen::Vector3d(l / 2.0 - 0.03, 0.05, 0.05)}}}});
  }
  const State start = model.initial_state();
  for (std::size_t i = 0; i < 4; ++i) {
    const std::vector<SystemHandle> two{bars[i], bars[(i + 1) % 4]};
    const JointFrames frames = joint_between(start.q(two[0]), start.q(two[1]), size * corners[(i + 1) % 4],
                                             Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitX());
    hinges.push_back(
        link_joint(model, two, FrictionalHinge{frames},
                   HingeFrictionLaw{.friction = kFriction, .radius = kRadius * size, .bearing_length = kBearing * size},
                   "hinge " + std::to_string(i)));
    if (i == 0)
      motor = model.link(
          two, HingeMotor{.frames = frames, .angle = [](double t) { return 0.4 * std::sin(3.0 * t); }},
          SpringDamperLaw{
              .stiffness = 20.0 * moment, .damping = moment, .lower = -kMoment * moment, .upper = kMoment * moment});
  }
  const SystemHandle box = model.add(RigidBody{.mass = 2.0,
                                               .inertia = inertia * Eigen::Vector3d(0.02, 0.03, 0.04).asDiagonal(),
                                               .position = size * Eigen::Vector3d(0.6, 0.4, 1.5),
                                               .angular_velocity = {1.0, 2.0, 0.5},
                                               .gravity = gravity,
                                               .name = "box"});
  const SystemHandle roll = model.add(RigidBody{.mass = 0.5,
                                                .inertia = inertia * Eigen::Vector3d(0.01, 0.01, 0.005).asDiagonal(),
                                                .position = size * Eigen::Vector3d(0.3, -0.1, 1.9),
                                                .velocity = size * Eigen::Vector3d(0.3, 0.2, 0.0),
                                                .angular_velocity = {3.0, -1.0, 0.5},
                                                .gravity = gravity,
                                                .name = "roll"});
  shapes.push_back({box, {{.shape = Box{size * Eigen::Vector3d(0.3, 0.2, 0.1)}}}});
  shapes.push_back({roll, {{.shape = Cylinder{0.15 * size, 0.2 * size}}}});
  BodyContacts source(shapes, {{.shape = HalfSpace{}}}, NewtonImpactFrictionLaw{.friction = 0.4, .dimension = 3});
  source.exclude_jointed(model);
  model.detect(std::make_shared<const BodyContacts>(source));
}

class RubbingLoops : public testing::TestWithParam<std::tuple<double, Projection>> {};

TEST_P(RubbingLoops, LandBesideABoxAndARoll) {
  const auto [length, projection] = GetParam();
  const Scene scene(length);
  const TimeSteppingOptions options{
      .step = kStep,
      .projection = {.kind = projection, .unilateral_tolerance = 1e-8 * length, .bilateral_tolerance = 1e-8}};
  TimeStepping simulation(scene.model, options);
  Ledger ledger(simulation);
  const double before = ledger.record(simulation.state()).energy();
  double excess = 0.0, made = 0.0, speed = 0.0;
  const RunReport report = simulation.advance_to(kEnd, [&](const State& state) {
    const LedgerEntry& step = ledger.record(state);
    const double last = std::exchange(speed, std::abs(state.u(scene.motor)[0]));
    const double given = std::abs(state.impulse(scene.motor)[0]) * (std::max(last, speed) + kRate);
    made = std::max(made, step.contact + step.friction + step.constraint - given);
    for (const InteractionHandle hinge : scene.hinges) excess = std::max(excess, scene.excess(state, hinge));
  });
  ASSERT_TRUE(report) << report.message();
  EXPECT_LE(report.worst_residual, options.newton.tolerance);
  // Impulses are known to the tolerance of the momentum that the ground takes after a fall of 1 m.
  const double landing = std::sqrt(2.0 * kGravity) * length;
  EXPECT_LE(excess, options.newton.tolerance * kMass * landing);
  // p (u+ + u-) / 2 = p u+ - p W p / 2 in all, where p u+ <= 0 without restitution: they take what the motor does not
  // give, to the tolerance.
  EXPECT_LE(made, options.newton.tolerance * before);
  // Turns of some 10 rad/s are of order 2; a projection lifts what has entered by v h / 2 at most, in a few landings.
  const double lifted = projection == Projection::All ? 4.0 * kMass * kGravity * length * landing * kStep / 2.0 : 0.0;
  EXPECT_LE(std::abs(ledger.total().numerical), 100.0 * kStep * kStep * before + lifted);
  EXPECT_LT(ledger.last().energy(), 0.2 * before);
  EXPECT_LT(ledger.total().friction, 0.0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, RubbingLoops,
                         testing::Combine(testing::Values(0.25, 1.0, 4.0),
                                          testing::Values(Projection::None, Projection::All)));

}  // namespace
}  // namespace nonsmooth::rubbing_loops_in_contact_test
