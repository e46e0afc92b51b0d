// SPDX-License-Identifier: Apache-2.0
// Positions moved back out of contacts after each step: penetration, contacts that join, bits, what cannot be had.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "kernel/projection.hpp"

#ifndef NONSMOOTH_REFERENCE_DATA
#define NONSMOOTH_REFERENCE_DATA ""
#endif

namespace nonsmooth::projection_contacts_test {
namespace {

using projecting::distance;
using projecting::kEps;
using projecting::kGravity;
using projecting::point;

TEST(Projection, ReproducesABouncingBallOfAnotherCode) {
  const std::string root = NONSMOOTH_REFERENCE_DATA;
  if (root.empty()) GTEST_SKIP() << "no reference data (NONSMOOTH_REFERENCE_DATA)";
  const std::string name = "BouncingBallTS-MoreauJeanDirectProjectionOSI";
  std::ifstream file(root + "/validation/" + name + "/" + name + ".ref.txt");
  ASSERT_TRUE(file) << name;
  std::string line;
  std::getline(file, line);  // t q0 v0 p1_0 lambda1 p0_0 lambda0

  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{
      .mass = Eigen::Vector3d(1.0, 1.0, 0.004).asDiagonal(), .force = {-kGravity, 0.0, 0.0}, .q0 = {1.0, 0.0, 0.0}});
  const auto floor =
      model.link(ball, LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}}}, NewtonImpactLaw{.restitution = 0.9});
  TimeSteppingOptions options = projecting::options(Projection::Direct, 5e-3);
  options.projection.bilateral_tolerance = 1e-4;
  TimeStepping simulation(model, options);
  Index rows = 0;
  double moved = 0.0;
  for (; std::getline(file, line); ++rows) {
    std::istringstream entries(line);
    double t = 0.0, q = 0.0, v = 0.0, p1 = 0.0, lambda1 = 0.0, p0 = 0.0, lambda0 = 0.0;
    ASSERT_TRUE(entries >> t >> q >> v >> p1 >> lambda1 >> p0 >> lambda0);
    while (simulation.state().t < t - 1e-6) {
      ASSERT_TRUE(simulation.step());
    }
    const State& state = simulation.state();
    // What the card proposes; both codes round otherwise.
    ASSERT_NEAR(state.q(ball)[0], q, 1e-8) << t;
    ASSERT_NEAR(state.v(ball)[0], v, 1e-8) << t;
    ASSERT_NEAR(state.impulse(floor)[0], lambda1, 1e-6) << t;
    ASSERT_NEAR(state.projection(floor)[0], lambda0, 1e-6) << t;
    moved = std::max(moved, state.projection(floor)[0]);
  }
  EXPECT_EQ(rows, 1001);
  EXPECT_GT(moved, 1e-3);
}

/// A ball above the floor.
struct Ball {
  NonSmoothDynamicalSystem model;
  SystemHandle ball;
  InteractionHandle floor;

  explicit Ball(double restitution, double q0 = 1.0) {
    ball = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {q0}});
    floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = restitution});
  }
};

TEST(Projection, ABallDoesNotPenetrate) {
  const double h = 5e-3, tolerance = 1e-8;
  const double T = 6.0;  // bounces of e = 1/2 end at sqrt(2 / g) (1 + e) / (1 - e) = 1.35 s
  for (const auto kind : {Projection::None, Projection::Direct, Projection::Combined}) {
    const Ball model(0.5);
    TimeStepping simulation(model.model, projecting::options(kind, h, 0.5, tolerance));
    double deepest = 0.0, deepest_active = 0.0;
    const auto report = simulation.advance_to(T, [&](const State& state) {
      const double y = state.y(model.floor)[0];
      deepest = std::max(deepest, -y);
      if (state.impulse(model.floor)[0] > 0.0) deepest_active = std::max(deepest_active, -y);
      EXPECT_GE(state.projection(model.floor)[0], 0.0);
    });
    ASSERT_TRUE(report) << report.message();
    if (kind == Projection::None) {
      EXPECT_GT(deepest_active, 100.0 * tolerance);
    } else {
      EXPECT_LE(deepest_active, tolerance);
    }
    const double q = simulation.state().q(model.ball)[0], v = simulation.state().v(model.ball)[0];
    if (kind == Projection::Direct) {
      // A ball that enters the floor in a step which its forecast took for free is left alone: h |u| / 2 at most.
      EXPECT_GT(deepest, tolerance);
      EXPECT_LE(deepest, 0.5 * h * std::sqrt(2.0 * kGravity) + 0.5 * h * h * kGravity);
      // It ends in a cycle of two steps: up from the floor with a = e (h g - a), which the weight turns into a - h g.
      const double a = h * kGravity / 3.0;
      const bool up = v > 0.0;
      EXPECT_NEAR(v, up ? a : a - h * kGravity, 1e-9);
      EXPECT_NEAR(q, up ? 0.0 : h * (a - 0.5 * h * kGravity), 1e-9);
    }
    if (kind == Projection::Combined) {
      // At rest where it was when the contact joined: above the floor by less than one step of free fall.
      EXPECT_NEAR(v, 0.0, 1e-10);
      EXPECT_GE(q, -tolerance);
      EXPECT_LE(q, 0.5 * h * h * kGravity);
    }
    EXPECT_TRUE(kind != Projection::Combined || deepest <= tolerance) << deepest;
  }
}

TEST(Projection, CombinedSolvesTheVelocitiesAgainWithTheContactThatJoins) {
  // y = 0.03, u = -4, h = 0.01: the forecast 0.03 - 0.02 is open, the end of a free step, 0.03 - 0.04, is not. With the
  // contact in: v+ = e 4 and q+ = 0.03 + h (v+ - 4) / 2.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.q0 = {0.03}, .v0 = {-4.0}});
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5});
  TimeStepping direct(model, projecting::options(Projection::Direct, 0.01));
  ASSERT_TRUE(direct.step());
  EXPECT_NEAR(direct.state().q(ball)[0], -0.01, 8.0 * kEps);
  TimeStepping combined(model, projecting::options(Projection::Combined, 0.01));
  const StepReport report = combined.step();
  ASSERT_TRUE(report);
  EXPECT_EQ(report.projections, 1);  // the one that found the contact
  EXPECT_NEAR(combined.state().v(ball)[0], 2.0, 16.0 * kEps);
  EXPECT_NEAR(combined.state().q(ball)[0], 0.02, 16.0 * kEps);
  EXPECT_NEAR(combined.state().impulse(floor)[0], 6.0, 32.0 * kEps);
  EXPECT_EQ(combined.state().projection(floor)[0], 0.0);
}

TEST(Projection, AllMovesWhatJoinedAndLeavesItsVelocityToTheNextStep) {
  // The same ball: at the end of the free step it is lifted from -0.01 to the floor, still at -4. The next step takes
  // it for closed: v+ = e 4, q+ = h (v+ - 4) / 2, which is below the floor and moved back to it.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.q0 = {0.03}, .v0 = {-4.0}});
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5});
  TimeStepping run(model, projecting::options(Projection::All, 0.01));
  const StepReport report = run.step();
  ASSERT_TRUE(report);
  EXPECT_EQ(report.projections, 1);
  EXPECT_NEAR(run.state().q(ball)[0], 0.0, 8.0 * kEps);
  EXPECT_EQ(run.state().v(ball)[0], -4.0);
  EXPECT_NEAR(run.state().projection(floor)[0], 0.01, 8.0 * kEps);
  ASSERT_TRUE(run.step());
  EXPECT_NEAR(run.state().v(ball)[0], 2.0, 16.0 * kEps);
  EXPECT_NEAR(run.state().q(ball)[0], 0.0, 16.0 * kEps);
  EXPECT_NEAR(run.state().impulse(floor)[0], 6.0, 32.0 * kEps);
}

TEST(Projection, ABallInABowl) {
  // y = 1 - |q| >= 0, curved: an iteration leaves about half the square of what it moves.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(point({0.9, 0.3}));
  const auto bowl = model.link(ball, distance(1.0, -1.0), NewtonImpactLaw{.restitution = 0.3});
  TimeStepping simulation(model, projecting::options(Projection::Combined, 1e-2, 0.5, 1e-12));
  Index most = 0;
  for (int k = 0; k < 1'000; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    most = std::max(most, report.projections);
    ASSERT_GE(simulation.state().y(bowl)[0], -1e-12);
  }
  EXPECT_GE(most, 2);
}

/// Twenty disks that fall on a floor and each other.
struct Heap {
  NonSmoothDynamicalSystem model;
  std::shared_ptr<const DiskContacts> contacts;
  std::vector<SystemHandle> disks;

  Heap() {
    const double radius = 0.1;
    std::vector<double> radii;
    for (int i = 0; i < 20; ++i) {
      const double x = 0.21 * (i % 5) + 0.013 * (i / 5), y = 0.12 + 0.22 * (i / 5);
      disks.push_back(
          model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, 0.5 * radius * radius).asDiagonal(),
                                           .force = {0.0, -kGravity, 0.0},
                                           .q0 = {x, y, 0.0},
                                           .v0 = {0.3 * ((i % 3) - 1), -1.0, 0.0}}));
      radii.push_back(radius);
    }
    contacts =
        std::make_shared<const DiskContacts>(disks, radii, NewtonImpactFrictionLaw{.restitution = 0.2, .friction = 0.4},
                                             FloorProfile{.height = [](double) { return 0.0; },
                                                          .slope = [](double) { return 0.0; },
                                                          .curvature = [](double) { return 0.0; }});
    model.detect(contacts);
  }
  [[nodiscard]] double penetration(const State& state) const {
    double deepest = 0.0;
    for (const ContactBatch& batch : contacts_at(state, *contacts)) {
      for (const DetectedContact& contact : batch.contacts) deepest = std::max(deepest, -contact.gap);
    }
    return deepest;
  }
};

TEST(Projection, DetectedContactsDoNotPenetrate) {
  const double h = 5e-3, tolerance = 1e-9;
  const Heap heap;
  double without = 0.0;
  TimeStepping plain(heap.model, projecting::options(Projection::None, h));
  TimeStepping held(heap.model, projecting::options(Projection::Combined, h, 0.5, tolerance));
  TimeStepping moved(heap.model, projecting::options(Projection::All, h, 0.5, tolerance));
  for (int k = 0; k < 300; ++k) {
    ASSERT_TRUE(plain.step());
    without = std::max(without, heap.penetration(plain.state()));
    for (TimeStepping* const run : {&held, &moved}) {
      const StepReport report = run->step();
      ASSERT_TRUE(report) << k << ": " << report.message();
      ASSERT_LE(heap.penetration(run->state()), tolerance) << k;
    }
  }
  EXPECT_GT(without, 1e-4);
}

TEST(Projection, BitsDependOnNeitherThreadsNorWorkspaces) {
  const Heap heap;
  const double h = 5e-3;
  for (const Projection kind : {Projection::Combined, Projection::All}) {
    std::uint64_t expected = 0;
    for (const int threads : {1, 2, 4}) {
      TimeSteppingOptions options = projecting::options(kind, h);
      options.threads = threads;
      TimeStepping simulation(heap.model, options);
      for (int k = 0; k < 80; ++k) ASSERT_TRUE(simulation.step());
      State copy = simulation.state();
      Workspace fresh(threads);
      for (int k = 0; k < 20; ++k) {
        ASSERT_TRUE(simulation.step());
        ASSERT_TRUE(step(heap.model, options, h, copy, fresh));
        ASSERT_EQ(hash_of(copy), hash_of(simulation.state())) << k;
      }
      if (threads == 1) expected = hash_of(simulation.state());
      EXPECT_EQ(hash_of(simulation.state()), expected) << threads << " threads";
    }
  }
}

TEST(Projection, ContradictoryPositionsAreTold) {
  // q = 0 held, q >= 1 asked: velocities have an answer, positions have none.
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.force = {-1.0}, .q0 = {0.0}});
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, EqualityLaw{});
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}, .b = {-1.0}}, NewtonImpactLaw{});
  TimeStepping simulation(model, projecting::options(Projection::Direct, 1e-2));
  const std::uint64_t before = hash_of(simulation.state());
  const StepReport report = simulation.step();
  EXPECT_EQ(report.outcome, StepReport::Outcome::ProjectionLimit);
  EXPECT_FALSE(report.taken);
  EXPECT_NE(report.message().find("projections"), std::string::npos);
  EXPECT_EQ(hash_of(simulation.state()), before);

  TimeSteppingOptions accept = projecting::options(Projection::Direct, 1e-2);
  accept.on_failure = OnFailure::Accept;
  TimeStepping accepting(model, accept);
  const StepReport accepted = accepting.step();
  EXPECT_EQ(accepted.outcome, StepReport::Outcome::ProjectionLimit);
  EXPECT_TRUE(accepted.taken);
}

}  // namespace
}  // namespace nonsmooth::projection_contacts_test
