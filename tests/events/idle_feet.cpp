// SPDX-License-Identifier: Apache-2.0
// Contacts that others keep closed, without a force of their own; and many that are undecided at one instant.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "event_log.hpp"

namespace nonsmooth::idle_feet_test {
namespace {

using namespace event_log;

using Kinds = std::vector<EventKind>;
constexpr double kExact = 1e-12;  ///< to the absolute tolerance

/// The four feet of a table (x, z, roll, pitch) that moves along x, load of 1 at y = 3/4, x = -1/2: gap of foot i =
/// z + y_i roll - x_i pitch - floor(i, x). Foot 2 is closed without force on a floor that is the same for all.
struct Floor {
  std::function<double(double)> height, slope, curvature;
};

struct MovingTable {
  NonSmoothDynamicalSystem model;
  std::array<InteractionHandle, 4> feet;
  MovingTable(const std::array<Floor, 4>& floors, const Eigen::Vector4d& v0) {
    const auto body = model.add(LagrangianLinearSystem{.mass = Eigen::Vector4d(1.0, 1.0, 0.5, 0.5).asDiagonal(),
                                                       .force = {0.0, -1.0, -0.75, 0.5},
                                                       .q0 = {0.0, 0.0, 0.0, 0.0},
                                                       .v0 = v0});
    for (std::size_t i = 0; i < 4; ++i) {
      const double x = i == 0 || i == 3 ? 1.0 : -1.0, y = i < 2 ? 1.0 : -1.0;
      const Floor floor = floors[i];
      feet[i] = model.link(
          body,
          ScleronomousRelation{
              .rows = 1,
              .h = [=](ConstVectorRef q, VectorRef g) { g[0] = q[1] + y * q[2] - x * q[3] - floor.height(q[0]); },
              .H = [=](ConstVectorRef q, MatrixRef H) { H << -floor.slope(q[0]), 1.0, y, -x; },
              .curvature = [=](ConstVectorRef q, ConstVectorRef v,
                               VectorRef c) { c[0] = -floor.curvature(q[0]) * v[0] * v[0]; }},
          NewtonImpactLaw{});
    }
  }
};

TEST(IdleFoot, AFootThatDriftsWithTheOthers) {
  // On waves gaps are zero to the error of a step only, inside of it; the one that the others keep closed is no event.
  const Floor waves{.height = [](double x) { return 0.2 * std::sin(x); },
                    .slope = [](double x) { return 0.2 * std::cos(x); },
                    .curvature = [](double x) { return -0.2 * std::sin(x); }};
  const MovingTable table({waves, waves, waves, waves}, {1.0, 0.2, 0.0, 0.0});
  for (const SmoothIntegrator& integrator : {SmoothIntegrator(DormandPrince{}), SmoothIntegrator(RadauIIA{})}) {
    for (const double tolerance : {1e-12, 1e-10, 1e-8, 1e-6, 1e-4}) {
      EventDriven simulation(table.model, {.integrator = integrator, .relative_tolerance = tolerance});
      const auto report = simulation.advance_to(10.0);
      ASSERT_TRUE(report) << report.message();
      EXPECT_EQ(report.events, 0) << tolerance;
      EXPECT_EQ(kinds_of(simulation), Kinds(4, EventKind::Closing)) << tolerance;
      EXPECT_EQ(simulation.state().force(table.feet[2])[0], 0.0) << tolerance;
    }
  }
}

TEST(IdleFoot, AFootThatNoLongerDependsOnTheOthers) {
  // Under foot 2 the floor rises by (x - 1)^3 / 10 from x = 1 on: it is pushed up, which lifts foot 3 by as much. That
  // is seen where the rise is 1e-12, the absolute tolerance, s = 2.2e-4 later: contacts of that velocity 3 s^2 / 10
  // come after one another, which changes x by less than their impulses, 1e-8. x is slowed by at most
  // int lambda_2 3 s^2 / 10 dt <= 0.1 (lambda_2 <= 1).
  const Floor flat{.height = [](double) { return 0.0; },
                   .slope = [](double) { return 0.0; },
                   .curvature = [](double) { return 0.0; }};
  const auto beyond = [](double x) { return std::max(x - 1.0, 0.0); };
  const Floor rising{.height = [=](double x) { return 0.1 * std::pow(beyond(x), 3); },
                     .slope = [=](double x) { return 0.3 * std::pow(beyond(x), 2); },
                     .curvature = [=](double x) { return 0.6 * beyond(x); }};
  const MovingTable table({flat, flat, rising, flat}, {1.0, 0.0, 0.0, 0.0});
  EventDriven simulation(table.model);
  run_to(simulation, 2.0);
  const State& x = simulation.state();
  const double rise = rising.height(x.positions[0]);
  EXPECT_GT(rise, 0.07);
  for (const std::size_t i : {0, 1, 2}) EXPECT_NEAR(x.y(table.feet[i])[0], 0.0, kExact) << i;
  EXPECT_NEAR(x.y(table.feet[3])[0], rise, kExact);
  const auto openings = events_of(simulation, EventKind::Opening);
  ASSERT_FALSE(openings.empty());
  // By the threshold: 0.1 s^3 = 1e-12 (L is below 1e-2 here, so that position L adds less than as much again).
  EXPECT_NEAR(openings.front().t, 1.0 + std::cbrt(1e-11), 0.3 * std::cbrt(1e-11));
}

TEST(Undecided, AsManyAsThereAreWhereTheyDoNotActOnOneAnother) {
  // Force t - 1 on each of 40 bodies that lie on the floor: all open at t = 1, by the next derivative, and rise by
  // (t - 1)^3 / 6. Together they would have 2^40 ways to go on.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> bodies;
  for (int i = 0; i < 40; ++i) {
    bodies.push_back(
        model.add(LagrangianLinearSystem{.force = [](double t, VectorRef f) { f[0] = t - 1.0; }, .q0 = {0.0}}));
    model.link(bodies.back(), LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  }
  EventDriven simulation(model);
  run_to(simulation, 2.0);
  const auto openings = events_of(simulation, EventKind::Opening);
  ASSERT_EQ(openings.size(), bodies.size());
  // Where the force is zero to a thousandth of the threshold's acceleration, of 1.
  for (const Event& event : openings) EXPECT_NEAR(event.t, 1.0, 1e-9);
  for (const SystemHandle body : bodies) EXPECT_NEAR(simulation.state().q(body)[0], 1.0 / 6.0, 1e-9);
}

}  // namespace
}  // namespace nonsmooth::idle_feet_test
