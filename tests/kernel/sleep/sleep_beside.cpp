// SPDX-License-Identifier: Apache-2.0
// Islands that sleep beside what else a step may have: the global form, projections, laws whose impact is a problem of
// its own, matrices of coefficients, steps that fail; and the energy that falling asleep takes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"
#include "sleep.hpp"

namespace nonsmooth::sleep_beside_test {
namespace {

using namespace sleep_tests;

constexpr double kEps = std::numeric_limits<double>::epsilon();

/// A stack that is hit by a ball in step 117, after it fell asleep, moves as one that never slept, with these options,
/// as long as round-off does not decide which of the redundant contacts of tipping boxes act.
void expect_the_motion_of_those_awake(const TimeSteppingOptions& options, Index steps) {
  const Bowling scene;
  TimeSteppingOptions never = options;
  never.sleep = {};
  TimeStepping asleep(scene.model, options), awake(scene.model, never);
  Index slept = 0, woken = 0;
  double apart = 0.0;
  Eigen::VectorXd before;
  for (Index k = 0; k < steps; ++k) {
    const bool sleeps = std::as_const(asleep).state().is_asleep(scene.stack[1]);
    if (sleeps) before = std::as_const(asleep).state().q(scene.stack[1]);
    const StepReport report = asleep.step(), other = awake.step();
    ASSERT_TRUE(report && other) << report.message() << other.message();
    woken += report.woken;
    if (report.asleep == 2 && sleeps) {
      ++slept;
      EXPECT_EQ(std::as_const(asleep).state().q(scene.stack[1]), before);  // bit by bit
    }
    apart = std::max(
        apart,
        (std::as_const(asleep).state().positions - std::as_const(awake).state().positions).lpNorm<Eigen::Infinity>());
  }
  EXPECT_GT(slept, 50);
  EXPECT_EQ(woken, 2);
  // While they slept at most rest h g of speed was neglected, for so many steps; projections leave 1e-8 m each.
  EXPECT_LE(apart, kFall * static_cast<double>(slept) * kStep + 4e-8);
}

TEST(SleepBeside, TheGlobalForm) {
  TimeSteppingOptions options = sleeping();
  options.form = Form::Global;
  expect_the_motion_of_those_awake(options, 155);
}

TEST(SleepBeside, Projections) {
  for (const Projection kind : {Projection::Direct, Projection::Combined}) {
    TimeSteppingOptions options = sleeping();
    options.projection.kind = kind;
    expect_the_motion_of_those_awake(options, kind == Projection::Direct ? 155 : 117);
  }
}

/// Masses of 1 kg on a line, the first two on a floor and on each other, the third 0.3 m above them; q = height.
struct Tower {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> masses;
  std::vector<InteractionHandle> contacts;

  explicit Tower(const Law& law) {
    for (const double height : {0.0, 0.0, 0.3})
      masses.push_back(model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {height}}));
    contacts.push_back(model.link(masses[0], LagrangianLinearRelation{.H = {{1.0}}}, law));
    for (std::size_t i = 1; i < 3; ++i)
      contacts.push_back(model.link({masses[i - 1], masses[i]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, law));
  }
};

/// The two sleep before the third falls on them, wake by it, and go on as those that never slept.
void expect_a_tower_that_wakes(const Tower& tower) {
  TimeStepping asleep(tower.model, sleeping()), awake(tower.model, sleeping(0.0));
  Index most = 0, woken = 0;
  double apart = 0.0;
  for (Index k = 0; k < 400; ++k) {
    const StepReport report = asleep.step(), other = awake.step();
    ASSERT_TRUE(report && other) << report.message() << other.message();
    woken += report.woken;
    if (woken == 0) most = std::max(most, report.asleep);
    apart = std::max(
        apart,
        (std::as_const(asleep).state().positions - std::as_const(awake).state().positions).lpNorm<Eigen::Infinity>());
  }
  EXPECT_EQ(most, 2);
  EXPECT_GE(woken, 2);
  // They were at rest but for the 1e-12 that the problem leaves of speeds up to 2.5 m/s, over 400 steps; round-off of
  // an impact's integration, of relative tolerance 1e-10 or less, at those speeds, for 0.2 s behind it.
  EXPECT_LE(apart, 1e-9);
}

TEST(SleepBeside, ProjectionsOfAllDoNotPushWhoSleeps) {
  // What lands comes in by part of h |v|, 2.4 mm, in the step in which its gap is not forecast to close: the projection
  // moves it out again, and not those on which it lands. From other heights, so that it comes in more or less.
  double least = 1.0;
  for (int k = 0; k < 12; ++k) {
    NonSmoothDynamicalSystem model;
    std::vector<SystemHandle> masses;
    for (const double height : {0.0, 0.0, 0.3 + 2e-4 * k})
      masses.push_back(model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {height}}));
    model.link(masses[0], LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
    for (std::size_t i = 1; i < 3; ++i)
      model.link({masses[i - 1], masses[i]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, NewtonImpactLaw{});
    TimeSteppingOptions options = sleeping();
    options.projection.kind = Projection::All;
    TimeStepping simulation(model, options);
    bool slept = false;
    for (int step = 0; step < 400; ++step) {
      const State before = std::as_const(simulation).state();
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << report.message();
      const State& state = std::as_const(simulation).state();
      for (std::size_t i = 0; i < 2; ++i) {
        if (!before.is_asleep(masses[i]) || !state.is_asleep(masses[i])) continue;
        slept = true;
        EXPECT_EQ(state.q(masses[i])[0], before.q(masses[i])[0]) << k << ", step " << step;
      }
      least = std::min(least, state.positions[2] - state.positions[1]);
    }
    EXPECT_TRUE(slept);
  }
  EXPECT_GE(least, -1e-8);  // ProjectionOptions::unilateral_tolerance
}

TEST(SleepBeside, ImpactsThatAreProblemsOfTheirOwn) {
  expect_a_tower_that_wakes(Tower(PoissonImpactLaw{.restitution = 0.5}));
  expect_a_tower_that_wakes(Tower(LiuZhaoBrogliatoImpactLaw{.restitution = 0.5}));
}

TEST(SleepBeside, AMatrixOfCoefficientsWakesWhatItTies) {
  // Two masses on floors, which a matrix ties: the impact of the second lifts the first, u+ = E u-, from its sleep.
  NonSmoothDynamicalSystem model;
  const auto resting = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {0.0}});
  const auto falling = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {0.05}});
  const LagrangianLinearRelation floor{.H = {{1.0}}};
  const auto first = model.link(resting, floor, NewtonImpactLaw{}),
             second = model.link(falling, floor, NewtonImpactLaw{});
  model.add(
      GeneralisedNewtonImpact{.contacts = {first, second}, .restitution = Eigen::MatrixXd{{0.0, 0.4}, {0.0, 0.0}}});
  TimeStepping asleep(model, sleeping()), awake(model, sleeping(0.0));
  Index fell_asleep = 0, woken = 0;
  for (Index k = 0; k < 300; ++k) {
    const StepReport report = asleep.step();
    ASSERT_TRUE(report && awake.step()) << report.message();
    if (woken == 0 && report.woken > 0) {
      // It fell for some 100 steps: v = -(2 g 0.05)^(1/2) but for a step's way, of which 0.4 comes out.
      EXPECT_NEAR(std::as_const(asleep).state().v(resting)[0], 0.4 * std::sqrt(2.0 * kGravity * 0.05),
                  2.0 * kGravity * kStep);
    }
    fell_asleep += report.fell_asleep;
    woken += report.woken;
    EXPECT_NEAR(std::as_const(asleep).state().q(resting)[0], std::as_const(awake).state().q(resting)[0], 1e-12);
  }
  // The first by the second's impact, then the second, asleep meanwhile, by the first's landing; then they are one
  // island.
  EXPECT_EQ(woken, 2);
  EXPECT_EQ(fell_asleep, 4);
}

/// A mass at rest on a floor, and one with v' = 40 v^2 between two times: v+ = v + h 40 v+^2 has a solution where
/// 160 h v <= 1, from v = 10 in parts of kStep alone.
struct Failing {
  NonSmoothDynamicalSystem model;
  SystemHandle resting;
  InteractionHandle floor;

  Failing(double from, double to) {
    resting = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {0.0}});
    floor = model.link(resting, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
    LagrangianSystem other;
    const auto factor = [=](double t) { return t > from && t < to ? 40.0 : 0.0; };
    other.force = [=](double t, ConstVectorRef, ConstVectorRef v, VectorRef F) { F[0] = factor(t) * v[0] * v[0]; };
    other.force_dv = [=](double t, ConstVectorRef, ConstVectorRef v, MatrixRef J) { J(0, 0) = 2.0 * factor(t) * v[0]; };
    other.q0 = {0.0};
    other.v0 = {10.0};
    model.add(other);
  }
};

TimeSteppingOptions failing(OnFailure on_failure) {
  TimeSteppingOptions options = sleeping();
  options.integrator = MoreauJean{.theta = 1.0};
  options.on_failure = on_failure;
  return options;
}

TEST(SleepBeside, AStepThatFailsLeavesThemAsleep) {
  const Failing scene(30.2 * kStep, 1.0);
  TimeStepping simulation(scene.model, failing(OnFailure::Stop));
  EXPECT_EQ(steps_until(simulation, 1, 25), kSteps);
  for (Index k = kSteps; k < 30; ++k) ASSERT_TRUE(simulation.step());
  const std::uint64_t before = hash_of(std::as_const(simulation).state());
  const StepReport report = simulation.step();
  EXPECT_FALSE(report.taken);
  EXPECT_EQ(hash_of(std::as_const(simulation).state()), before);
  EXPECT_TRUE(std::as_const(simulation).state().is_asleep(scene.resting));
}

TEST(SleepBeside, ASubdividedStepAddsUpWhatTheyPressWith) {
  const Failing scene(30.2 * kStep, 31.5 * kStep);
  TimeStepping simulation(scene.model, failing(OnFailure::Subdivide));
  Index subdivided = 0;
  for (Index k = 0; k < 40; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    subdivided += report.subdivisions > 0 ? 1 : 0;
    EXPECT_EQ(report.asleep, k + 1 < kSteps ? 0 : 1) << k;
    // Sums of parts, each a power of 1/2 of the whole.
    EXPECT_NEAR(std::as_const(simulation).state().impulse(scene.floor)[0], kGravity * kStep, 1e-12 * kGravity * kStep);
  }
  EXPECT_GE(subdivided, 1);
}

TEST(SleepBeside, StepsAcceptedAsTheyAreSayNothingOfRest) {
  // Step 11 is accepted: 20 steps at rest begin anew.
  const Failing scene(10.2 * kStep, 11.5 * kStep);
  TimeStepping simulation(scene.model, failing(OnFailure::Accept));
  Index fell = 0;
  for (Index k = 1; k <= 40; ++k) {
    const StepReport report = simulation.step();
    EXPECT_EQ(report.ok(), k != 11) << k;
    if (report.fell_asleep > 0) fell = k;
  }
  EXPECT_EQ(fell, 11 + kSteps);
}

TEST(SleepBeside, SchemesUnderWhichNobodySleepsAreRefused) {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {0.0}});
  model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {0.0}});
  TimeSteppingOptions options = sleeping();
  for (const auto& [scheme, name] : {std::pair{Integrator(StewartTrinkle{}), "StewartTrinkle"},
                                     std::pair{Integrator(SchatzmanPaoli{}), "SchatzmanPaoli"}}) {
    options.integrator = scheme;
    bad_input::expect_refused([&] { TimeStepping simulation(model, options); }, {"SleepOptions::rest", name});
  }
  options.integrator = StewartTrinkle{};
  options.integrators = {{mass, MoreauJean{}}};  // one of them may
  EXPECT_NO_THROW(TimeStepping(model, options));
}

TEST(SleepBeside, ALedgerCountsWhatFallingAsleepTakes) {
  // theta = 1/2: each step's balance closes to rounding of its terms. A disk that rolls on a floor that is found, one
  // that slides without friction on a linked one, and a mass that swings out on a spring and dashpot, whose force works
  // in the step in which it falls asleep too. With h^2 k / m = 0.01 and a damping of 0.3 m / h a step it is at rest
  // soon.
  const double m = 3.0, r = 0.2, speed = 0.5 * kFall;
  NonSmoothDynamicalSystem model;
  const auto disk = model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(m, m, 0.5 * m * r * r).asDiagonal(),
                                                     .force = {0.0, -m * kGravity, 0.0},
                                                     .q0 = {0.0, r, 0.0},
                                                     .v0 = {speed, 0.0, -speed / r}});
  model.detect(DiskContacts({disk}, {r}, NewtonImpactFrictionLaw{.friction = 0.5},
                            {.height = [](double) { return 0.0; },
                             .slope = [](double) { return 0.0; },
                             .curvature = [](double) { return 0.0; }}));
  const auto slides = model.add(LagrangianLinearSystem{.mass = Eigen::Matrix2d(m * Eigen::Matrix2d::Identity()),
                                                       .force = {0.0, -m * kGravity},
                                                       .q0 = {0.0, 0.0},
                                                       .v0 = {speed, 0.0}});
  model.link(slides, LagrangianLinearRelation{.H = {{0.0, 1.0}}}, NewtonImpactLaw{});
  const auto swings = model.add(LagrangianLinearSystem{.mass = {{m}}, .force = {-m * kGravity}, .q0 = {0.0}});
  model.link(swings, LagrangianLinearRelation{.H = {{1.0}}},
             SpringDashpotLaw{.stiffness = 0.01 * m / (kStep * kStep), .damping = 0.3 * m / kStep});
  TimeStepping simulation(model, sleeping());
  Ledger ledger(simulation);
  Index fell_asleep = 0;
  double taken = 0.0;
  for (Index k = 0; k < 400; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    const LedgerEntry& entry = ledger.record(std::as_const(simulation).state());
    EXPECT_NEAR(entry.sleep, -report.energy_taken, 4.0 * kEps * report.energy_taken) << k;
    // Terms of m g r = 6 J at most, some tens of roundings; the problem's 1e-12 of m g h times speeds of 1e-2.
    EXPECT_NEAR(entry.numerical, 0.0, 64.0 * kEps * m * kGravity * r) << k;
    fell_asleep += report.fell_asleep;
    taken += report.energy_taken;
  }
  EXPECT_EQ(fell_asleep, 3);
  EXPECT_GT(taken, 0.0);
  EXPECT_NEAR(ledger.total().sleep, -taken, 1e-12 * taken);
}

}  // namespace
}  // namespace nonsmooth::sleep_beside_test
