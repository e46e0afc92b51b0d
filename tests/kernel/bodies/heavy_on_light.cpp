// SPDX-License-Identifier: Apache-2.0
// Cubes that stand on each other by the contacts of their shapes: a heavy one on a light one, and a tower.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::heavy_on_light_test {
namespace {

constexpr double g = 9.81, kSide = 0.2, kTolerance = 1e-10;

const Box kCube{Eigen::Vector3d::Constant(0.5 * kSide)};

/// Cubes on z <= 0, each on the one before, some to the side of it.
struct Stack {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> cubes;

  Stack(const std::vector<double>& masses, double stagger) {
    std::vector<BodyShapes> shapes;
    for (std::size_t i = 0; i < masses.size(); ++i) {
      RigidBody cube;
      cube.mass = masses[i];
      cube.inertia = MassProperties::of_mass(kCube, masses[i]).inertia;
      cube.position = {stagger * static_cast<double>(i % 2), 0.5 * stagger * static_cast<double>(i % 3),
                       kSide * (static_cast<double>(i) + 0.5)};
      cube.gravity = {0.0, 0.0, -g};
      cubes.push_back(model.add(std::move(cube)));
      shapes.push_back({cubes.back(), {{.shape = kCube}}});
    }
    const std::vector<ShapeOnBody> ground{{.shape = HalfSpace{}}};
    model.detect(
        std::make_shared<const BodyContacts>(shapes, ground, NewtonImpactFrictionLaw{.friction = 0.5, .dimension = 3}));
  }
};

/// Runs to T; returns how far any coordinate ends from its start.
double drift(TimeStepping& simulation, double T) {
  const Eigen::VectorXd before = simulation.state().positions;
  const RunReport report = simulation.advance_to(T);
  EXPECT_TRUE(report) << report.message();
  return (simulation.state().positions - before).cwiseAbs().maxCoeff();
}

/// For T seconds, the second cube 0 or `stagger` aside.
void expect_rest(double ratio, double stagger, double T) {
  const double h = 1.0 / 240.0;
  const Stack stack({1.0, ratio}, stagger);
  TimeStepping simulation(stack.model, {.step = h, .solver = mixed::Automatic{.tolerance = kTolerance}});
  // Velocities of contact points are zero to the tolerance times |q| = g h, or to the rounding of W r, terms of
  // ratio g h; ten of them make a coordinate's.
  const double speed = 10.0 * (kTolerance + 64.0 * std::numeric_limits<double>::epsilon() * ratio) * g * h;
  EXPECT_LE(drift(simulation, T), T * speed) << ratio << ' ' << stagger;
  // What the four points below and the four between carry: 3 g h for every 3 kg, whatever the ratio.
  ASSERT_EQ(simulation.state().contacts.size(), 8u);
  double all = 0.0;
  for (const ContactMemory& contact : simulation.state().contacts) all += contact.impulse[0];
  EXPECT_NEAR(all, (1.0 + 2.0 * ratio) * g * h, 1e-6 * ratio * g * h) << ratio << ' ' << stagger;
}

TEST(HeavyOnLight, ACubeStandsOnOneAMillionTimesLighter) {
  for (double ratio = 1.0; ratio <= 1e6; ratio *= 10.0) expect_rest(ratio, 0.0, 0.5);
}

TEST(HeavyOnLight, ACubeStandsAsideOfOneAThousandTimesLighter) {
  for (const double ratio : {1.0, 10.0, 100.0, 1000.0}) expect_rest(ratio, 1e-3, 1.0);
}

TEST(HeavyOnLight, ATowerOfTenStandsHalfAMinute) {
  // A tower of ten sums the velocities of its joints: 100 of them where each turns the ones above.
  const double h = 1.0 / 100.0, T = 30.0;
  for (const double stagger : {0.0, 1e-3}) {
    const Stack stack(std::vector<double>(10, 1.0), stagger);
    TimeStepping simulation(stack.model, {.step = h, .solver = mixed::Automatic{.tolerance = kTolerance}});
    EXPECT_LE(drift(simulation, T), 100.0 * kTolerance * g * h * T) << stagger;
    ASSERT_EQ(simulation.state().contacts.size(), 40u);
    double all = 0.0;
    for (const ContactMemory& contact : simulation.state().contacts) all += contact.impulse[0];
    EXPECT_NEAR(all, 55.0 * g * h, 1e-6 * g * h);  // 10 + 9 + ... + 1 weights
  }
}

}  // namespace
}  // namespace nonsmooth::heavy_on_light_test
