// SPDX-License-Identifier: Apache-2.0
// Same input, same bits: for any number of threads, and for a copied state in a fresh workspace.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <problems/models.hpp>

namespace nonsmooth::determinism_test {
namespace {

struct Field {
  NonSmoothDynamicalSystem model;
  TimeSteppingOptions options;
};

/// `count` disks in three layers above a sine floor; explicit seed.
Field field(int count, int threads) {
  Field result;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<SystemHandle> disks;
  std::vector<double> radii;
  const int columns = count / 3 + 1;
  for (int i = 0; i < count; ++i) {
    const double r = 0.06 + 0.03 * uniform(random), m = r * r;
    disks.push_back(result.model.add(LagrangianLinearSystem{
        .mass = Eigen::Vector3d(m, m, 0.5 * m * r * r).asDiagonal(),
        .force = {0.0, -9.81 * m, 0.0},
        .q0 = {0.24 * (i % columns) + 0.02 * uniform(random), 0.25 + 0.22 * (i / columns), 0.0}}));
    radii.push_back(r);
  }
  const double a = 0.05, k = 2.0;
  result.model.detect(std::make_shared<DiskContacts>(
      disks, radii, NewtonImpactFrictionLaw{.restitution = 0.4, .friction = 0.5},
      FloorProfile{[=](double x) { return a * std::sin(k * x); }, [=](double x) { return a * k * std::cos(k * x); },
                   [=](double x) { return -a * k * k * std::sin(k * x); }}));
  result.options = {
      .step = 2e-3, .solver = mixed::Automatic{.tolerance = 1e-3}, .on_failure = OnFailure::Accept, .threads = threads};
  return result;
}

TEST(Determinism, ThreadsDoNotChangeABit) {
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 4}) {
    const Field disks = field(2000, threads);
    TimeStepping simulation(disks.model, disks.options);
    ASSERT_TRUE(simulation.advance_to(0.35));
    ASSERT_GT(simulation.state().contacts.size(), 300u) << "too few contacts to tell anything";
    if (threads == 1) expected = hash_of(simulation.state());
    EXPECT_EQ(hash_of(simulation.state()), expected) << threads << " threads";
  }
}

/// 100 steps of the running simulation, and of a copy of its state in a fresh one.
void expect_copy_agrees(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, int before) {
  TimeStepping simulation(model, options);
  for (int k = 0; k < before; ++k) (void)simulation.step();
  State copy = simulation.state();
  Workspace fresh;
  for (int k = 0; k < 100; ++k) {
    (void)simulation.step();
    (void)step(simulation.model(), options, options.step, copy, fresh);
    ASSERT_EQ(hash_of(simulation.state()), hash_of(copy)) << "step " << k << " after the copy";
  }
}

TEST(Determinism, CopiedStatesInAFreshWorkspace) {
  const auto ball = problems::bouncing_ball(0.5);
  expect_copy_agrees(ball.system, ball.options, 60);
  const auto bridge = problems::diode_bridge();
  expect_copy_agrees(bridge.system, bridge.options, 250);
  const auto filter = problems::diode_bridge_filter();  // lambda is not unique while all diodes block
  expect_copy_agrees(filter.system, filter.options, 500);
  const auto converter = problems::resonant_converter();
  expect_copy_agrees(converter.system, converter.options, 150);
  const auto relay = problems::simple_relay();
  expect_copy_agrees(relay.system, relay.options, 450);
  const auto disk = problems::bouncing_disk();
  expect_copy_agrees(disk.system, disk.options, 80);
  const Field disks = field(40, 1);
  expect_copy_agrees(disks.model, disks.options, 250);
  const Field many = field(600, 1);
  expect_copy_agrees(many.model, many.options, 150);
}

}  // namespace
}  // namespace nonsmooth::determinism_test
