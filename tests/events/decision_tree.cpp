// SPDX-License-Identifier: Apache-2.0
// The decision tree of event-driven simulation with one contact, leaf by leaf: a particle of mass 1 over a floor,
// qdd = f(t) + F, 0 <= q ⟂ F >= 0, u = qd, Gamma = qdd. Each force is a polynomial, so that motions are exact and the
// integrator (order 8) makes no error beyond round-off; times are compared at 1e-12, some hundred roundings.
//
// Which branch of the code each leaf is; a wrong one is often put right at the next instant, so tests count instants:
//   1.1      MechanicalPart::find_closed: y above the position's threshold is open
//   1.2      MechanicalImpacts::solve: u below minus the velocity's threshold is an impact; within it (1.3) there is
//   none 1.2.1    find_resting: u+ above the velocity's threshold is not in I_s, whatever the accelerations are
//   1.2.2.1, 1.3.1, 2.2.2   judge: lambda = 0 and w > 0 open
//   1.2.2.2, 1.3.2, 2.2.1   judge: lambda > 0 is held; of a contact that no guard brought, find_closed by y alone
//   1.2.2.3, 1.3.3, 2.2.3   judge: lambda = w = 0 is undecided, DecisionByFlow then tries open first, held second
//   1.4, 1.5                FirstCrossing::first: zeros inside a step, not the signs at its ends
//   2.1                     remove_drift: positions by move_positions, then velocities
//   2.2.2                   MechanicalGuards: the normal force of a closed contact is watched
//   Delassus                NextMode::solve: the complementarity problem, not forces of bilateral contacts
//   I_r, I_t (sticking, slipping)   find_slips: a slip above the velocity's threshold is in I_t; judge: w_T = 0 below
//                           the bound sticks, w_T != 0 slips, at the bound with w_T = 0 DecisionByFlow
//   each of friction, bounds, several contacts   enumerate_modes: every choice of every block
#include <cmath>

#include <Eigen/LU>

#include "event_log.hpp"
#include "impact/contact_modes.hpp"

namespace nonsmooth::decision_tree_test {
namespace {

using namespace event_log;

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

using Kinds = std::vector<EventKind>;

double q_of(const EventDriven& simulation) { return simulation.state().positions[0]; }
double v_of(const EventDriven& simulation) { return simulation.state().unknowns[0]; }
double force_of(const EventDriven& simulation) { return simulation.state().forces[0]; }

/// Of tests that put an instant where the contact is touched: events at the given time, and tolerances within which a
/// touch of third order, q = (1 - t)^3, does not count as one before: it does not fall below 1e-3 of the absolute one.
EventDrivenOptions with_instant(double t, double absolute_tolerance = 1e-12) {
  EventDrivenOptions options;
  options.absolute_tolerance = absolute_tolerance;
  options.events = {{.instants = {t}}};
  return options;
}

TEST(DecisionTree, Case11OpenContactStaysFree) {
  EventDriven simulation = particle({.force = [](double) { return 0.0; }, .q0 = 1.0, .v0 = -0.25});
  ASSERT_TRUE(simulation.advance_to(3.0));
  EXPECT_TRUE(simulation.events().empty());
  EXPECT_NEAR(q_of(simulation), 0.25, kExact);
}

TEST(DecisionTree, Case121ImpactThenFree) {
  // q = 1 - t^2 meets the floor at t = 1 with u = -2, back at e = 1/2: q = (t - 1) - (t - 1)^2. The force pushes it
  // down all the while, so that the problem of accelerations alone would close the contact.
  EventDriven simulation = particle({.force = [](double) { return -2.0; }, .q0 = 1.0, .restitution = 0.5});
  const auto report = simulation.advance_to(1.5);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(kinds_of(simulation), Kinds{EventKind::Impact});
  EXPECT_EQ(report.events, 1);
  EXPECT_NEAR(simulation.events().at(0).t, 1.0, kExact);
  EXPECT_NEAR(q_of(simulation), 0.25, kExact);
  EXPECT_NEAR(v_of(simulation), 0.0, kExact);
}

TEST(DecisionTree, Case1221PlasticImpactThenLiftedOff) {
  // q = 1 - t + t^2 / 5 meets the floor at t* with u+ = 0 and Gamma = 0.4 > 0: q = (t - t*)^2 / 5 from there.
  const double contact = (1.0 - std::sqrt(0.2)) / 0.4;
  EventDriven simulation = particle({.force = [](double) { return 0.4; }, .q0 = 1.0, .v0 = -1.0});
  const auto report = simulation.advance_to(3.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(kinds_of(simulation), Kinds{EventKind::Impact});
  EXPECT_EQ(report.events, 1);
  EXPECT_EQ(force_of(simulation), 0.0);
  EXPECT_NEAR(q_of(simulation), 0.2 * (3.0 - contact) * (3.0 - contact), kExact);
}

TEST(DecisionTree, Case1222PlasticImpactThenClosed) {
  EventDriven simulation = particle({.force = [](double) { return -2.0; }, .q0 = 1.0, .v0 = 0.0});
  const auto report = simulation.advance_to(3.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(kinds_of(simulation), Kinds{EventKind::Impact});
  EXPECT_EQ(report.events, 1);
  EXPECT_EQ(v_of(simulation), 0.0);
  EXPECT_NEAR(force_of(simulation), 2.0, kExact);
}

TEST(DecisionTree, Case1223PlasticImpactUndeterminedThenFree) {
  // f = c (t - 1), q0 = 1 + c / 3, v0 = -1: impact at t = 1 where f = 0; fdot = c > 0 lifts off, q = c (t - 1)^3 / 6.
  const double c = 0.6;
  EventDriven simulation =
      particle({.force = [c](double t) { return c * (t - 1.0); }, .q0 = 1.0 + c / 3.0, .v0 = -1.0});
  const auto report = simulation.advance_to(3.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(kinds_of(simulation), Kinds{EventKind::Impact});
  EXPECT_EQ(report.events, 1);
  EXPECT_EQ(force_of(simulation), 0.0);
  EXPECT_NEAR(q_of(simulation), c * 8.0 / 6.0, 1e-11);
}

TEST(DecisionTree, Case1223PlasticImpactUndeterminedThenClosed) {
  const double c = -0.6;
  EventDriven simulation =
      particle({.force = [c](double t) { return c * (t - 1.0); }, .q0 = 1.0 + c / 3.0, .v0 = -1.0});
  const auto report = simulation.advance_to(3.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(kinds_of(simulation), Kinds{EventKind::Impact});
  EXPECT_EQ(report.events, 1);
  EXPECT_EQ(v_of(simulation), 0.0);
  EXPECT_NEAR(force_of(simulation), 1.2, kExact);
}

TEST(DecisionTree, Case131GrazingThenFree) {
  // q = (t - 1)^2 / 2 touches at t = 1 with u = 0, Gamma = 1; the second time with an instant there, and with a speed
  // of 5e-13 left, half the absolute tolerance: no impact, and e = 1 would tell.
  for (const bool instant : {false, true}) {
    const double left = instant ? 5e-13 : 0.0;
    EventDriven simulation =
        particle({.force = [](double) { return 1.0; }, .q0 = 0.5 + left, .v0 = -1.0 - left, .restitution = 1.0},
                 instant ? with_instant(1.0) : EventDrivenOptions{});
    const auto report = simulation.advance_to(2.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(kinds_of(simulation), instant ? Kinds{EventKind::User} : Kinds{});
    EXPECT_EQ(report.events, instant ? 1 : 0);
    EXPECT_NEAR(q_of(simulation), 0.5, kExact);
    EXPECT_NEAR(v_of(simulation), 1.0, kExact);
  }
}

TEST(DecisionTree, Case132GrazingThenClosed) {
  // The same up to t = 1, where the force turns round.
  EventDriven simulation =
      particle({.force = [](double t) { return t < 1.0 ? 1.0 : -1.0; }, .q0 = 0.5, .v0 = -1.0}, with_instant(1.0));
  const auto report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(kinds_of(simulation), (Kinds{EventKind::User, EventKind::Closing}));
  EXPECT_EQ(report.events, 1);
  EXPECT_NEAR(q_of(simulation), 0.0, kExact);
  EXPECT_NEAR(force_of(simulation), 1.0, kExact);
}

TEST(DecisionTree, Case133GrazingUndeterminedThenClosed) {
  // q = (1 - t)^3 touches with u = 0 and Gamma = 0; then F = 6 (t - 1).
  EventDriven simulation =
      particle({.force = [](double t) { return 6.0 * (1.0 - t); }, .q0 = 1.0, .v0 = -3.0}, with_instant(1.0, 1e-6));
  const auto report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(kinds_of(simulation), (Kinds{EventKind::User, EventKind::Closing}));
  EXPECT_EQ(report.events, 1);
  EXPECT_NEAR(q_of(simulation), 0.0, kExact);
  EXPECT_NEAR(force_of(simulation), 6.0, kExact);
}

TEST(DecisionTree, Case133GrazingUndeterminedThenFree) {
  EventDriven simulation = particle({.force = [](double t) { return 6.0 * std::abs(1.0 - t); }, .q0 = 1.0, .v0 = -3.0},
                                    with_instant(1.0, 1e-6));
  const auto report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(kinds_of(simulation), Kinds{EventKind::User});
  EXPECT_EQ(report.events, 1);
  EXPECT_NEAR(q_of(simulation), 1.0, kExact);
}

TEST(DecisionTree, Case133GrazingOfThirdOrderIsSeenWhereRoundOffIs) {
  // Without an instant at t = 1 the zero of third order is met when q is at its round-off: 8 eps of its largest value,
  // t within (8 eps)^(1/3) of 1. What follows is the same.
  EventDriven simulation = particle({.force = [](double t) { return 6.0 * (1.0 - t); }, .q0 = 1.0, .v0 = -3.0});
  ASSERT_TRUE(simulation.advance_to(2.0));
  EXPECT_NEAR(simulation.events().at(0).t, 1.0, 2e-5);
  EXPECT_NEAR(q_of(simulation), 0.0, kExact);
  EXPECT_NEAR(force_of(simulation), 6.0, 1e-11);
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
  EventDriven simulation = particle({.force = [](double t) { return -2.0 - std::sin(t); }}, with_instant(10.0));
  const auto report = simulation.advance_to(20.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(kinds_of(simulation), (Kinds{EventKind::Closing, EventKind::User}));  // found closed at the start
  EXPECT_EQ(report.events, 1);
  EXPECT_EQ(q_of(simulation), 0.0);
  EXPECT_NEAR(force_of(simulation), 2.0 + std::sin(20.0), kExact);
}

TEST(DecisionTree, Case222OpensWhereTheForceVanishes) {
  EventDriven simulation = particle({.force = [](double t) { return t - 1.0; }});
  const auto report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(kinds_of(simulation), (Kinds{EventKind::Closing, EventKind::Opening}));
  EXPECT_EQ(report.events, 1);
  EXPECT_NEAR(simulation.events().at(1).t, 1.0, kExact);
  EXPECT_NEAR(q_of(simulation), 1.0 / 6.0, kExact);
}

TEST(DecisionTree, Case222OpensWhereTheForceJumps) {
  // Gamma = 1 > 0 at once, with no slope of the force to tell: what a contact that closed before does at an instant.
  EventDriven simulation = particle({.force = [](double t) { return t < 1.0 ? -1.0 : 1.0; }}, with_instant(1.0));
  const auto report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(kinds_of(simulation), (Kinds{EventKind::Closing, EventKind::User, EventKind::Opening}));
  EXPECT_EQ(report.events, 1);
  EXPECT_NEAR(q_of(simulation), 0.5, kExact);
}

TEST(DecisionTree, Case223TouchedZeroUndeterminedThenClosed) {
  // F = (t - 1)^2 touches zero and grows again; the second time with an instant there.
  for (const bool instant : {false, true}) {
    EventDriven simulation = particle({.force = [](double t) { return -(t - 1.0) * (t - 1.0); }},
                                      instant ? with_instant(1.0) : EventDrivenOptions{});
    const auto report = simulation.advance_to(2.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(kinds_of(simulation), instant ? (Kinds{EventKind::Closing, EventKind::User}) : Kinds{EventKind::Closing});
    EXPECT_EQ(report.events, instant ? 1 : 0);
    EXPECT_NEAR(q_of(simulation), 0.0, kExact);
    EXPECT_NEAR(force_of(simulation), 1.0, kExact);
  }
}

TEST(DecisionTree, Case223CrossedZeroUndeterminedThenFree) {
  // F = (1 - t)^3 passes zero with no slope and no curvature: q = (t - 1)^5 / 20.
  EventDriven simulation = particle({.force = [](double t) { return (t - 1.0) * (t - 1.0) * (t - 1.0); }});
  const auto report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  // The zero is seen where F is at round-off of its largest value 1: (64 eps)^(1/3) = 2e-5 early at most; q misses
  // 2e-5 of its own growth rate in time, q' = 1/4.
  EXPECT_EQ(kinds_of(simulation), (Kinds{EventKind::Closing, EventKind::Opening}));
  EXPECT_EQ(report.events, 1);
  EXPECT_NEAR(q_of(simulation), 0.05, 1e-5);
  EXPECT_EQ(force_of(simulation), 0.0);
}

/// A block of mass 1 and weight 2 on a floor of friction 1/2, in the plane or in space, and one on a relay of bounds
/// -1, 1: a force f along the floor is held up to 1.
enum class Holder { Plane, Space, Relay };

EventDriven block(Holder holder, const std::function<double(double)>& force, const EventDrivenOptions& options) {
  NonSmoothDynamicalSystem model;
  const Index n = holder == Holder::Relay ? 1 : holder == Holder::Plane ? 2 : 3;
  const auto body = model.add(LagrangianLinearSystem{.force =
                                                         [=](double t, VectorRef f) {
                                                           f[0] = force(t);
                                                           if (n > 1) f[n - 1] = -2.0;
                                                         },
                                                     .q0 = Eigen::VectorXd::Zero(n).eval()});
  if (holder == Holder::Relay) {
    model.link(body, LagrangianLinearRelation{.H = {{1.0}}}, RelayLaw{.lower = -1.0, .upper = 1.0});
  } else {
    model.link(body, on_floor(n), NewtonImpactFrictionLaw{.friction = 0.5, .dimension = static_cast<int>(n)});
  }
  return {model, options};
}

/// The events of contacts, and the instants handled.
void expect_course(EventDriven& simulation, const Kinds& expected, Index instants) {
  const auto report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  Kinds kinds = kinds_of(simulation);
  std::erase(kinds, EventKind::Closing);  // of a floor, at the start
  EXPECT_EQ(kinds, expected);
  EXPECT_EQ(report.events, instants);
}

TEST(DecisionTree, StickingHoldsUpToItsBound) {
  for (const Holder holder : {Holder::Plane, Holder::Space, Holder::Relay}) {
    EventDriven simulation = block(
        holder, [](double t) { return 0.45 * t; }, with_instant(1.0));
    expect_course(simulation, {EventKind::User}, 1);
    EXPECT_NEAR(simulation.state().positions[0], 0.0, kExact);
  }
}

TEST(DecisionTree, StickingEndsWhereItsBoundIsPassed) {
  // f = t: slips from t = 1, with an instant there or without: q = (t - 1)^3 / 6.
  for (const Holder holder : {Holder::Plane, Holder::Space, Holder::Relay}) {
    for (const bool instant : {false, true}) {
      EventDriven simulation = block(
          holder, [](double t) { return t; }, instant ? with_instant(1.0) : EventDrivenOptions{});
      expect_course(simulation, instant ? Kinds{EventKind::User, EventKind::Slip} : Kinds{EventKind::Slip}, 1);
      EXPECT_NEAR(simulation.events().back().t, 1.0, kExact);
      EXPECT_NEAR(simulation.state().positions[0], 1.0 / 6.0, kExact);
    }
  }
}

TEST(DecisionTree, StickingEndsAtOnceWhereTheForceJumpsAboveItsBound) {
  for (const Holder holder : {Holder::Plane, Holder::Space, Holder::Relay}) {
    EventDriven simulation = block(
        holder, [](double t) { return t < 1.0 ? 0.0 : 2.0; }, with_instant(1.0));
    expect_course(simulation, {EventKind::User, EventKind::Slip}, 1);
    EXPECT_NEAR(simulation.state().positions[0], 0.5, kExact);
  }
}

TEST(DecisionTree, StickingGoesOnWhereItsBoundIsTouched) {
  for (const Holder holder : {Holder::Plane, Holder::Space, Holder::Relay}) {
    EventDriven simulation = block(
        holder, [](double t) { return 1.0 - (t - 1.0) * (t - 1.0); }, with_instant(1.0));
    expect_course(simulation, {EventKind::User}, 1);
    EXPECT_NEAR(simulation.state().positions[0], 0.0, kExact);
  }
}

TEST(DecisionTree, SlippingEndsWhereItStopsAndIsHeld) {
  // Driven by 2 until t = 1/2, then left alone: v = 1/2 there, and decelerated by 1.
  for (const Holder holder : {Holder::Plane, Holder::Space, Holder::Relay}) {
    EventDriven simulation = block(
        holder, [](double t) { return t < 0.5 ? 2.0 : 0.0; }, with_instant(0.5));
    Kinds expected{EventKind::User, EventKind::Stick};
    if (holder == Holder::Relay) expected.insert(expected.begin(), EventKind::Slip);  // which holds before the start
    expect_course(simulation, expected, 2);
    EXPECT_NEAR(simulation.events().back().t, 1.0, kExact);
    EXPECT_NEAR(simulation.state().positions[0], 0.25, kExact);
  }
}

/// The corner of the floor n1 = (0, 1) and an overhanging wall n2 = (sqrt(3)/2, -1/2), force (5/sqrt(3), -1): kept as
/// bilateral, both multipliers are negative, (-2/3, -10/3); dropping both lets the particle fall through the floor.
TEST(DecisionTree, DelassusCornerSlidesAlongTheFloor) {
  const double r3 = std::sqrt(3.0);
  const Eigen::Matrix2d W{{1.0, -0.5}, {-0.5, 1.0}};
  const Eigen::Vector2d b(-1.0, 3.0), both = -W.inverse() * b;
  EXPECT_LT(both.maxCoeff(), 0.0);  // and what is left without either, b, has the particle fall through the floor
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
  const auto report = simulation.advance_to(1.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(kinds_of(simulation), Kinds{EventKind::Closing});  // of the floor; the wall is left at once
  EXPECT_EQ(report.events, 0);
  EXPECT_NEAR(simulation.state().positions[0], 2.5 / r3, kExact);
  EXPECT_NEAR(simulation.state().positions[1], 0.0, kExact);
  EXPECT_NEAR(simulation.state().y(wall)[0], 1.25, kExact);
}

/// Each mode of each kind of block is the only one for some data: an open, a sticking contact and one that slides to
/// either side (mu = 1/2); a multiplier at its lower bound, its upper one, between; an orthant open and closed.
TEST(DecisionTree, EveryModeOfABlockIsTried) {
  struct One {
    std::vector<double> b, lambda;
  };
  BlockSet contact, box, orthant;
  contact.kind = SetKind::Coulomb2D;
  contact.mu = 0.5;
  box.kind = SetKind::Box;
  box.lower = -1.0;
  box.upper = 2.0;
  orthant.kind = SetKind::Orthant;
  ProductSet sets;
  sets.push_back(contact, 2);
  sets.push_back(box, 1);
  sets.push_back(orthant, 1);
  const std::vector<One> of_contact = {
      {{1.0, 3.0}, {0.0, 0.0}}, {{-1.0, 2.0}, {1.0, -0.5}}, {{-1.0, -2.0}, {1.0, 0.5}}, {{-1.0, 0.3}, {1.0, -0.3}}};
  const std::vector<One> of_box = {{{3.0}, {-1.0}}, {{-5.0}, {2.0}}, {{0.5}, {-0.5}}};
  const std::vector<One> of_orthant = {{{1.0}, {0.0}}, {{-1.0}, {1.0}}};
  for (const One& first : of_contact) {
    for (const One& second : of_box) {
      for (const One& third : of_orthant) {
        const Eigen::Vector4d b(first.b[0], first.b[1], second.b[0], third.b[0]);
        const Eigen::Vector4d lambda(first.lambda[0], first.lambda[1], second.lambda[0], third.lambda[0]);
        const impacts::ContactAnswer answer = impacts::enumerate_modes(Eigen::Matrix4d::Identity(), b, sets);
        EXPECT_EQ(answer.status, Status::Solved) << b.transpose();
        EXPECT_EQ(answer.verdict, impacts::ContactAnswer::Verdict::Unique) << b.transpose();
        ASSERT_EQ(answer.lambda.size(), 4) << b.transpose();
        EXPECT_LE((answer.lambda - lambda).lpNorm<Eigen::Infinity>(), 1e-15) << b.transpose();
      }
    }
  }
}

}  // namespace
}  // namespace nonsmooth::decision_tree_test
