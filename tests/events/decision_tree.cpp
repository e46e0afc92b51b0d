// SPDX-License-Identifier: Apache-2.0
// The decision tree of event-driven simulation with one contact, leaf by leaf: a particle of mass 1 over a floor,
// qdd = f(t) + F, 0 <= q ⟂ F >= 0, u = qd, Gamma = qdd. Each force is a polynomial, so that motions are exact and the
// integrator (order 8) makes no error beyond round-off; times are compared at 1e-12, some hundred roundings.
#include <gtest/gtest.h>

#include <cmath>
#include <nonsmooth/kernel.hpp>

namespace nonsmooth {
namespace {

constexpr double kExact = 1e-12;

struct Particle {
  std::function<double(double)> force;
  double q0 = 0.0, v0 = 0.0, restitution = 0.0;
};

EventDriven particle(const Particle& description, EventDrivenOptions options = {}) {
  NonSmoothDynamicalSystem model;
  const auto force = description.force;
  const auto body = model.add(LagrangianLinearSystem{
      .force = [force](double t, VectorRef F) { F[0] = force(t); }, .q0 = {description.q0}, .v0 = {description.v0}});
  model.link(body, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = description.restitution});
  return EventDriven(std::move(model), std::move(options));
}

std::vector<double> times_of(const EventDriven& simulation, EventKind kind) {
  std::vector<double> times;
  for (const Event& event : simulation.events()) {
    if (event.kind == kind) times.push_back(event.t);
  }
  return times;
}

double q_of(const EventDriven& simulation) { return simulation.state().positions[0]; }
double v_of(const EventDriven& simulation) { return simulation.state().unknowns[0]; }
double force_of(const EventDriven& simulation) { return simulation.state().forces[0]; }

TEST(DecisionTree, Case11OpenContactStaysFree) {
  EventDriven simulation = particle({.force = [](double) { return 0.0; }, .q0 = 1.0, .v0 = -0.25});
  ASSERT_TRUE(simulation.advance_to(3.0));
  EXPECT_TRUE(simulation.events().empty());
  EXPECT_NEAR(q_of(simulation), 0.25, kExact);
}

TEST(DecisionTree, Case121ImpactThenFree) {
  // q = 1 - t: impact at t = 1, back at e = 1/2.
  EventDriven simulation = particle({.force = [](double) { return 0.0; }, .q0 = 1.0, .v0 = -1.0, .restitution = 0.5});
  ASSERT_TRUE(simulation.advance_to(3.0));
  const auto impacts = times_of(simulation, EventKind::Impact);
  ASSERT_EQ(impacts.size(), 1u);
  EXPECT_NEAR(impacts[0], 1.0, kExact);
  EXPECT_NEAR(q_of(simulation), 1.0, kExact);
  EXPECT_NEAR(v_of(simulation), 0.5, kExact);
}

TEST(DecisionTree, Case1221PlasticImpactThenLiftedOff) {
  // q = 1 - t + t^2 / 5 meets the floor at t* with u+ = 0 and Gamma = 0.4 > 0: q = (t - t*)^2 / 5 from there.
  const double contact = (1.0 - std::sqrt(0.2)) / 0.4;
  EventDriven simulation = particle({.force = [](double) { return 0.4; }, .q0 = 1.0, .v0 = -1.0});
  ASSERT_TRUE(simulation.advance_to(3.0));
  EXPECT_EQ(times_of(simulation, EventKind::Impact).size(), 1u);
  EXPECT_EQ(force_of(simulation), 0.0);
  EXPECT_NEAR(q_of(simulation), 0.2 * (3.0 - contact) * (3.0 - contact), kExact);
}

TEST(DecisionTree, Case1222PlasticImpactThenClosed) {
  EventDriven simulation = particle({.force = [](double) { return -2.0; }, .q0 = 1.0, .v0 = 0.0});
  ASSERT_TRUE(simulation.advance_to(3.0));
  EXPECT_EQ(times_of(simulation, EventKind::Impact).size(), 1u);
  EXPECT_EQ(v_of(simulation), 0.0);
  EXPECT_NEAR(force_of(simulation), 2.0, kExact);
}

TEST(DecisionTree, Case1223PlasticImpactUndeterminedThenFree) {
  // f = c (t - 1), q0 = 1 + c / 3, v0 = -1: impact at t = 1 where f = 0; fdot = c > 0 lifts off, q = c (t - 1)^3 / 6.
  const double c = 0.6;
  EventDriven simulation =
      particle({.force = [c](double t) { return c * (t - 1.0); }, .q0 = 1.0 + c / 3.0, .v0 = -1.0});
  ASSERT_TRUE(simulation.advance_to(3.0));
  EXPECT_EQ(times_of(simulation, EventKind::Impact).size(), 1u);
  EXPECT_EQ(force_of(simulation), 0.0);
  EXPECT_NEAR(q_of(simulation), c * 8.0 / 6.0, 1e-11);
}

TEST(DecisionTree, Case1223PlasticImpactUndeterminedThenClosed) {
  const double c = -0.6;
  EventDriven simulation =
      particle({.force = [c](double t) { return c * (t - 1.0); }, .q0 = 1.0 + c / 3.0, .v0 = -1.0});
  ASSERT_TRUE(simulation.advance_to(3.0));
  EXPECT_EQ(v_of(simulation), 0.0);
  EXPECT_NEAR(force_of(simulation), 1.2, kExact);
}

TEST(DecisionTree, Case131GrazingThenFree) {
  // q = (t - 1)^2 / 2 touches at t = 1 with u = 0, Gamma = 1.
  EventDriven simulation = particle({.force = [](double) { return 1.0; }, .q0 = 0.5, .v0 = -1.0, .restitution = 1.0});
  ASSERT_TRUE(simulation.advance_to(2.0));
  EXPECT_NEAR(q_of(simulation), 0.5, kExact);
  EXPECT_NEAR(v_of(simulation), 1.0, kExact);
}

TEST(DecisionTree, Case132GrazingThenClosed) {
  // The same up to t = 1, where the force turns round.
  EventDrivenOptions options;
  options.events = {{.instants = {1.0}}};
  EventDriven simulation =
      particle({.force = [](double t) { return t < 1.0 ? 1.0 : -1.0; }, .q0 = 0.5, .v0 = -1.0}, options);
  ASSERT_TRUE(simulation.advance_to(2.0));
  EXPECT_TRUE(times_of(simulation, EventKind::Impact).empty());
  EXPECT_NEAR(q_of(simulation), 0.0, kExact);
  EXPECT_NEAR(force_of(simulation), 1.0, kExact);
}

TEST(DecisionTree, Case133GrazingUndeterminedThenClosed) {
  // q = (1 - t)^3 touches with u = 0 and Gamma = 0; then F = 6 (t - 1).
  EventDriven simulation = particle({.force = [](double t) { return 6.0 * (1.0 - t); }, .q0 = 1.0, .v0 = -3.0});
  ASSERT_TRUE(simulation.advance_to(2.0));
  // A zero of third order is seen when q is at its round-off: t within (8 eps)^(1/3) of 1, and q with it.
  EXPECT_NEAR(q_of(simulation), 0.0, kExact);
  EXPECT_NEAR(force_of(simulation), 6.0, 1e-11);
}

TEST(DecisionTree, Case133GrazingUndeterminedThenFree) {
  EventDrivenOptions options;
  options.events = {{.instants = {1.0}}};
  EventDriven simulation =
      particle({.force = [](double t) { return 6.0 * std::abs(1.0 - t); }, .q0 = 1.0, .v0 = -3.0}, options);
  ASSERT_TRUE(simulation.advance_to(2.0));
  EXPECT_NEAR(q_of(simulation), 1.0, 1e-11);
}

TEST(DecisionTree, Case14ClosingThatEndsWithTheStep) {
  // q = (t - 1/2)(t - 1): both zeros in one step of length 1, the second at its very end with u = 1/2 > 0. e = 1 sends
  // the particle back at t = 1/2 with u = 1/2: q(1) = 1/4 + 1/4.
  EventDriven simulation =
      particle({.force = [](double) { return 2.0; }, .q0 = 0.5, .v0 = -1.5, .restitution = 1.0}, {.step = 1.0});
  ASSERT_TRUE(simulation.advance_to(1.0));
  const auto impacts = times_of(simulation, EventKind::Impact);
  ASSERT_EQ(impacts.size(), 1u);
  EXPECT_NEAR(impacts[0], 0.5, kExact);
  EXPECT_NEAR(q_of(simulation), 0.5, kExact);
}

TEST(DecisionTree, Case15DipWithinAStep) {
  // q = (t - 1/2)^2 - 1e-8: below zero for 2e-4 of a step of length 1, positive at both of its ends.
  EventDriven simulation =
      particle({.force = [](double) { return 2.0; }, .q0 = 0.25 - 1e-8, .v0 = -1.0, .restitution = 1.0}, {.step = 1.0});
  ASSERT_TRUE(simulation.advance_to(1.0));
  const auto impacts = times_of(simulation, EventKind::Impact);
  ASSERT_EQ(impacts.size(), 1u);
  // u = -2e-4 at the zero: a rounding of q, 1e-16, moves it by 5e-13.
  EXPECT_NEAR(impacts[0], 0.5 - 1e-4, 1e-11);
}

TEST(DecisionTree, Case21DriftIsRemoved) {
  // A bead on a circle, rotating for 100 s at a coarse tolerance: without projection |q|^2 - 1 is far above it.
  NonSmoothDynamicalSystem model;
  const auto bead = model.add(LagrangianLinearSystem{.force = {0.0, -9.81}, .q0 = {1.0, 0.0}, .v0 = {0.0, 7.0}});
  model.link(bead,
             ScleronomousRelation{
                 .h = [](ConstVectorRef q, VectorRef y) { y[0] = q.squaredNorm() - 1.0; },
                 .H = [](ConstVectorRef q, MatrixRef H) { H = 2.0 * q.transpose(); },
                 .curvature = [](ConstVectorRef, ConstVectorRef v, VectorRef c) { c[0] = 2.0 * v.squaredNorm(); }},
             EqualityLaw{});
  EventDriven simulation(model, {.relative_tolerance = 1e-4, .absolute_tolerance = 1e-4});
  ASSERT_TRUE(simulation.advance_to(100.0));
  const Eigen::Vector2d q = simulation.state().positions, v = simulation.state().unknowns;
  EXPECT_NEAR(q.squaredNorm(), 1.0, 1e-14);
  EXPECT_NEAR(q.dot(v), 0.0, 1e-13);
}

TEST(DecisionTree, Case221StaysClosed) {
  EventDriven simulation = particle({.force = [](double t) { return -2.0 - std::sin(t); }});
  ASSERT_TRUE(simulation.advance_to(20.0));
  EXPECT_EQ(simulation.events().size(), 1u);  // the contact is found closed at the start
  EXPECT_EQ(q_of(simulation), 0.0);
  EXPECT_NEAR(force_of(simulation), 2.0 + std::sin(20.0), kExact);
}

TEST(DecisionTree, Case222OpensWhereTheForceVanishes) {
  EventDriven simulation = particle({.force = [](double t) { return t - 1.0; }});
  ASSERT_TRUE(simulation.advance_to(2.0));
  const auto openings = times_of(simulation, EventKind::Opening);
  ASSERT_EQ(openings.size(), 1u);
  EXPECT_NEAR(openings[0], 1.0, kExact);
  EXPECT_NEAR(q_of(simulation), 1.0 / 6.0, kExact);
}

TEST(DecisionTree, Case223TouchedZeroUndeterminedThenClosed) {
  // F = (t - 1)^2 touches zero and grows again.
  EventDriven simulation = particle({.force = [](double t) { return -(t - 1.0) * (t - 1.0); }});
  ASSERT_TRUE(simulation.advance_to(2.0));
  EXPECT_NEAR(q_of(simulation), 0.0, kExact);
  EXPECT_NEAR(force_of(simulation), 1.0, kExact);
}

TEST(DecisionTree, Case223CrossedZeroUndeterminedThenFree) {
  // F = (1 - t)^3 passes zero with no slope and no curvature: q = (t - 1)^5 / 20.
  EventDriven simulation = particle({.force = [](double t) { return (t - 1.0) * (t - 1.0) * (t - 1.0); }});
  const auto report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  // The zero is seen where F is at round-off of its largest value 1: (64 eps)^(1/3) = 2e-5 early at most; q misses
  // 2e-5 of its own growth rate in time, q' = 1/4.
  EXPECT_NEAR(q_of(simulation), 0.05, 1e-5);
  EXPECT_EQ(force_of(simulation), 0.0);
}

/// The corner of the floor n1 = (0, 1) and an overhanging wall n2 = (sqrt(3)/2, -1/2), force (5/sqrt(3), -1): kept as
/// bilateral, both multipliers are negative, (-2/3, -10/3); dropping both lets the particle fall through the floor.
TEST(DecisionTree, DelassusCornerSlidesAlongTheFloor) {
  const double r3 = std::sqrt(3.0);
  NonSmoothDynamicalSystem model;
  const auto particle =
      model.add(LagrangianLinearSystem{.force = {5.0 / r3, -1.0}, .q0 = {0.0, 0.0}, .v0 = {0.0, 0.0}});
  const auto floor =
      model.link(particle, LagrangianLinearRelation{.H = {{0.0, 1.0}}}, NewtonImpactLaw{.restitution = 0.5}, "floor");
  const auto wall = model.link(particle, LagrangianLinearRelation{.H = {{0.5 * r3, -0.5}}},
                               NewtonImpactLaw{.restitution = 0.5}, "wall");
  EventDriven simulation(model, {});
  EXPECT_NEAR(simulation.state().force(floor)[0], 1.0, kExact);
  EXPECT_NEAR(simulation.state().force(wall)[0], 0.0, kExact);
  ASSERT_TRUE(simulation.advance_to(1.0));
  EXPECT_NEAR(simulation.state().positions[0], 2.5 / r3, kExact);
  EXPECT_NEAR(simulation.state().positions[1], 0.0, kExact);
  EXPECT_NEAR(simulation.state().y(wall)[0], 1.25, kExact);
}

}  // namespace
}  // namespace nonsmooth
