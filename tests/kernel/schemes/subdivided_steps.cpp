// SPDX-License-Identifier: Apache-2.0
// Steps that are subdivided: impulses of the whole step are the sums over its parts.
#include <cmath>
#include <memory>
#include <vector>

#include <nonsmooth/kernel/disk_contacts.hpp>
#include <nonsmooth/kernel/ledger.hpp>
#include <nonsmooth/kernel/reaction_wrench.hpp>

#include <gtest/gtest.h>

#include "kernel/closed_forms.hpp"

namespace nonsmooth::subdivided_steps_test {
namespace {

using namespace closed_forms;

constexpr double kStep = 0.5, kMass = 2.0, kRadius = 0.1, kSpring = 50.0, kWeight = kMass * kGravity;

/// v' = v^2, backward Euler: v+ = v + h v+^2 has a solution where 4 h v <= 1 only. From 0.6 a step of 0.5 s takes two
/// parts; from 0.9 a half (to 1.37) and two quarters.
LagrangianSystem runaway(double v0) {
  LagrangianSystem system;
  system.force = [](double, ConstVectorRef, ConstVectorRef v, VectorRef F) { F[0] = v[0] * v[0]; };
  system.force_dv = [](double, ConstVectorRef, ConstVectorRef v, MatrixRef J) { J(0, 0) = 2.0 * v[0]; };
  system.q0 = {0.0};
  system.v0 = {v0};
  return system;
}

LagrangianLinearSystem disk(double x, double y, double v) {
  return {.mass = Eigen::Vector3d(kMass, kMass, 0.5 * kMass * kRadius * kRadius).asDiagonal(),
          .force = {0.0, -kWeight, 0.0},
          .q0 = {x, y, 0.0},
          .v0 = {0.0, v, 0.0}};
}

/// What sums over parts, beside a system that needs parts: a mass at rest, one that lands in the first part, one that
/// lands in a later one; a disk at rest and one that lands, detected; a spring; a first-order constraint.
struct Bodies {
  NonSmoothDynamicalSystem model;
  InteractionHandle rests, lands, lands_later, spring, holds;
  SystemHandle hangs;

  explicit Bodies(double v0) {
    const LagrangianLinearRelation floor{.H = {{1.0}}};
    model.add(runaway(v0));
    rests = model.link(model.add(mass_point(kMass, -kWeight, 0.0, 0.0)), floor, NewtonImpactLaw{});
    lands = model.link(model.add(mass_point(kMass, -kWeight, 0.0, -1.0)), floor, NewtonImpactLaw{});
    lands_later = model.link(model.add(mass_point(kMass, -kWeight, 0.2, -1.0)), floor, NewtonImpactLaw{});
    hangs = model.add(mass_point(kMass, -kWeight, -0.01, 0.0));
    spring = model.link(hangs, LagrangianLinearRelation{.H = {{1.0}}, .compliance = {{1.0 / kSpring}}},
                        ComplementarityLaw{});
    const auto x = model.add(
        FirstOrderLinearSystem{.b = VectorData::Function([](double t, VectorRef b) { b[0] = t; }), .x0 = {0.0}});
    holds = model.link(x, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, EqualityLaw{});
    FloorProfile ground;
    ground.height = ground.slope = ground.curvature = [](double) { return 0.0; };
    model.detect(std::make_shared<DiskContacts>(
        std::vector<SystemHandle>{model.add(disk(0.0, kRadius, 0.0)), model.add(disk(1.0, kRadius, -1.0))},
        std::vector<double>(2, kRadius), NewtonImpactFrictionLaw{.friction = 0.3}, ground));
  }
};

TEST(SubdividedSteps, SumImpulsesPercussionsAndWorksOverTheParts) {
  for (const double v0 : {0.6, 0.9}) {
    Bodies bodies(v0);
    TimeSteppingOptions options = moreau_jean(kStep, 1.0);
    options.on_failure = OnFailure::Subdivide;
    TimeStepping run(bodies.model, options);
    const auto report = run.step();
    ASSERT_TRUE(report) << report.message();
    ASSERT_EQ(report.subdivisions, v0 == 0.6 ? 1 : 2);
    const State& state = run.state();
    EXPECT_EQ(state.t, kStep);
    EXPECT_EQ(state.last_step, kStep);

    // Each problem is solved to 1e-10 of its size; three parts, forces up to m g and percussions of a few N s.
    const double tolerance = 1e-8;
    EXPECT_NEAR(state.impulse(bodies.rests)[0], kWeight * kStep, tolerance);
    EXPECT_EQ(state.percussion(bodies.rests)[0], 0.0);
    EXPECT_NEAR(state.force(bodies.rests)[0], kWeight, tolerance);

    // The first part of 0.25 s stops it, the rest of the step holds it: the mean force over the step is half of m g.
    const double landing = kMass * (1.0 + 0.25 * kGravity);
    EXPECT_NEAR(state.percussion(bodies.lands)[0], landing, tolerance);
    EXPECT_NEAR(state.impulse(bodies.lands)[0], landing + 0.25 * kWeight, tolerance);
    EXPECT_NEAR(state.force(bodies.lands)[0], 0.5 * kWeight, tolerance);

    // Falls freely for 0.25 s, to 0.2 - 0.25 (1 + 0.25 g) < 0; what is left of the step stops and holds it.
    EXPECT_NEAR(state.impulse(bodies.lands_later)[0], kMass * (1.0 + kStep * kGravity), tolerance);
    const double part = v0 == 0.6 ? 0.25 : 0.125;
    EXPECT_NEAR(state.percussion(bodies.lands_later)[0], kMass * (1.0 + (0.25 + part) * kGravity), tolerance);

    // A compliant contact's force is that of its spring at the end of the step, as of a whole step.
    const double force = -kSpring * state.q(bodies.hangs)[0];
    EXPECT_NEAR(state.force(bodies.spring)[0], force, tolerance);
    EXPECT_NEAR(state.impulse(bodies.spring)[0], kStep * force, tolerance);
    State again = state;
    update_outputs(run.model(), again);
    EXPECT_NEAR(again.y(bodies.spring)[0], 0.0, tolerance);

    // x = 0 under b = t: lambda = -b, at theta = 1/2 of the mean over the last part.
    EXPECT_NEAR(state.lambda(bodies.holds)[0], -(kStep - 0.5 * part), tolerance);

    ASSERT_EQ(state.contacts.size(), 2u);
    EXPECT_NEAR(state.contacts[0].impulse[0], kWeight * kStep, tolerance);
    EXPECT_NEAR(state.contacts[0].work_normal, 0.0, tolerance);
    EXPECT_NEAR(state.contacts[1].impulse[0], landing + 0.25 * kWeight, tolerance);
    EXPECT_NEAR(state.contacts[1].work_normal, -0.5 * landing, tolerance);
    EXPECT_NEAR(state.contacts[1].gap, 0.0, tolerance);
  }
}

// The whole step of 0.5 s fails at Newton's limit, and so, from 0.9 m/s, does its second half: what is seen is the
// problem of each, in this order, and no step that only looks.
TEST(SubdividedSteps, ShowTheProblemOfEachPart) {
  for (const double v0 : {0.6, 0.9}) {
    NonSmoothDynamicalSystem model;
    model.add(runaway(v0));
    model.link(model.add(mass_point(kMass, -kWeight, 0.0, 0.0)), LagrangianLinearRelation{.H = {{1.0}}},
               NewtonImpactLaw{});
    TimeSteppingOptions options = moreau_jean(kStep, 1.0);
    options.on_failure = OnFailure::Subdivide;
    options.verify = 1;
    TimeStepping run(model, options);
    std::vector<double> ends, lengths, free;
    auto watch = run.watch_problems([&](const OneStepNSProblem& problem, double t, double length) {
      ends.push_back(t);
      lengths.push_back(length);
      free.push_back(problem.reduced.q[0]);
    });
    ASSERT_TRUE(run.step());
    const bool twice = v0 == 0.9;
    EXPECT_EQ(ends, twice ? (std::vector<double>{0.5, 0.25, 0.5, 0.375, 0.5}) : (std::vector<double>{0.5, 0.25, 0.5}));
    EXPECT_EQ(lengths,
              twice ? (std::vector<double>{0.5, 0.25, 0.25, 0.125, 0.125}) : (std::vector<double>{0.5, 0.25, 0.25}));
    // The mass rests: without the floor it would have -g h.
    for (std::size_t k = 0; k < free.size(); ++k) EXPECT_NEAR(free[k], -kGravity * lengths[k], 1e-14);
    watch.reset();
    const std::size_t seen = ends.size();
    (void)run.step();
    EXPECT_EQ(ends.size(), seen);
    EXPECT_THROW((void)run.watch_problems({}), InvalidArgument);
  }
}

TEST(SubdividedSteps, ReactionsOfContactsAreThoseOfTheWholeStep) {
  // A disk at rest carries m g h whatever the parts; one that lands, in the first of them, its percussion as well.
  for (const double v0 : {0.6, 0.9}) {
    NonSmoothDynamicalSystem model;
    model.add(runaway(v0));
    const auto flat = [](double y, double v) {
      return PlanarBody{.mass = kMass,
                        .inertia = 0.5 * kMass * kRadius * kRadius,
                        .position = {0.0, y},
                        .velocity = {0.0, v},
                        .gravity = {0.0, -kGravity}};
    };
    const auto rests = model.add(flat(kRadius, 0.0)), lands = model.add(flat(kRadius, -1.0));
    FloorProfile ground;
    ground.height = ground.slope = ground.curvature = [](double) { return 0.0; };
    for (const SystemHandle disk : {rests, lands}) {
      model.detect(std::make_shared<DiskContacts>(std::vector<SystemHandle>{disk}, std::vector<double>{kRadius},
                                                  NewtonImpactFrictionLaw{.friction = 0.3}, ground));
    }
    TimeSteppingOptions options = moreau_jean(kStep, 1.0);
    options.on_failure = OnFailure::Subdivide;
    TimeStepping run(model, options);
    ASSERT_EQ(run.step().subdivisions, v0 == 0.6 ? 1 : 2);
    for (const SystemHandle disk : {rests, lands}) {
      const auto contacts = contact_reactions(run, disk);
      ASSERT_EQ(contacts.size(), 1U);
      // Impulses of some 12 N s from problems that are solved to 1e-10 of that.
      EXPECT_NEAR(contacts[0].impulse.force[1], kMass * kGravity * kStep + (disk == lands ? kMass : 0.0), 1e-8) << v0;
      EXPECT_NEAR(contacts[0].impulse.force[0], 0.0, 1e-8);
    }
  }
}

TEST(SubdividedSteps, TheNextStepGoesOnFromTheForceAtTheEnd) {
  // A mass on an elastic spring under a ramp, as a plasticity that does not yield: its law starts from the stress at
  // t_k. A run whose first step was subdivided, for its neighbour's sake, goes on as one that was made of two
  // steps.
  const double stiffness = 100.0;
  const auto build = [&](NonSmoothDynamicalSystem& model) {
    const auto body = model.add(LagrangianLinearSystem{
        .mass = {{1.0}}, .force = VectorData::Function([](double t, VectorRef f) { f[0] = t; }), .q0 = {0.0}});
    return model.link(
        body, LagrangianLinearRelation{.H = {{-1.0}, {0.0}}, .compliance = {{1.0 / stiffness, 0.0}, {0.0, 1.0}}},
        PlasticityLaw{.yield = 1e3, .rows = 2});
  };
  NonSmoothDynamicalSystem subdivided, alone;
  subdivided.add(runaway(0.6));
  const auto spring = build(subdivided), same = build(alone);
  TimeSteppingOptions options = moreau_jean(kStep, 1.0);
  options.on_failure = OnFailure::Subdivide;
  TimeStepping run(subdivided, options);
  ASSERT_TRUE(run.step());
  Workspace workspace;
  State state = alone.initial_state();
  for (const double h : {0.25, 0.25}) ASSERT_TRUE(step(alone, options, h, state, workspace));
  EXPECT_NEAR(run.state().force(spring)[0], state.force(same)[0], 1e-9);
  State on = run.state();
  TimeSteppingOptions accept = options;
  accept.on_failure = OnFailure::Accept;
  Workspace other;
  (void)step(subdivided, accept, 0.1, on, other);
  ASSERT_TRUE(step(alone, options, 0.1, state, workspace));
  EXPECT_NEAR(on.force(spring)[0], state.force(same)[0], 1e-9);
  EXPECT_NEAR(on.positions[1], state.positions[0], 1e-9);
}

}  // namespace
}  // namespace nonsmooth::subdivided_steps_test
