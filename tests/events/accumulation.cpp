// SPDX-License-Identifier: Apache-2.0
// Which sequences of impacts are taken for geometric ones that end, and carried through: thresholds are so large here
// that only the sequence itself decides.
#include <cmath>
#include <stdexcept>

#include "event_log.hpp"

namespace nonsmooth::accumulation_test {
namespace {

using namespace event_log;

constexpr double kAny = 1.0;  ///< EventThresholds::accumulation: every height is low enough

/// A ball of 1 kg dropped from y = 1 m under force(t).
NonSmoothDynamicalSystem ball_under(const std::function<double(double)>& force, double restitution) {
  NonSmoothDynamicalSystem model;
  const auto ball =
      model.add(LagrangianLinearSystem{.force = [force](double t, VectorRef f) { f[0] = force(t); }, .q0 = {1.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = restitution}, "floor");
  return model;
}

TEST(AccumulationSequence, ConstantRatiosAreRecognisedAtTheFifthImpact) {
  // g = 2: impacts at 1, 2, 2.5, 2.75, 2.875..., end at 3. Four impacts have two equal ratios of intervals.
  EventDriven simulation(ball_under([](double) { return -2.0; }, 0.5), {.thresholds = {.accumulation = kAny}});
  run_to(simulation, 4.0);
  EXPECT_EQ(events_of(simulation, EventKind::Impact).size(), 5u);
  const auto carried = events_of(simulation, EventKind::Accumulation);
  ASSERT_EQ(carried.size(), 1u);
  EXPECT_NEAR(carried[0].t, 2.875, 1e-13);
  EXPECT_NEAR(carried[0].end, 3.0, 1e-13);
  EXPECT_NEAR(carried[0].value, std::pow(0.5, 10), 1e-15);  // the fifth rise, e^(2 5)
  EXPECT_NEAR(simulation.state().positions[0], 0.0,
              8.0 * std::numeric_limits<double>::epsilon());  // as drift is removed
}

TEST(AccumulationSequence, BodiesApartHaveTheirOwn) {
  // Another ball lands at 2.875, faster than the first one bounces there.
  NonSmoothDynamicalSystem model = ball_under([](double) { return -2.0; }, 0.5);
  const double landing = 2.875;
  const auto other = model.add(LagrangianLinearSystem{.force = {-2.0}, .q0 = {landing * landing}});
  model.link(other, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.9}, "other");
  EventDriven simulation(model, {.thresholds = {.accumulation = kAny}});
  run_to(simulation, 3.5);
  const auto carried = events_of(simulation, EventKind::Accumulation);
  ASSERT_EQ(carried.size(), 1u);
  EXPECT_NEAR(carried[0].t, landing, 1e-13);
  EXPECT_NEAR(carried[0].end, 3.0, 1e-13);
}

TEST(AccumulationSequence, AsManyImpactsAsAskedFor) {
  for (const Index least : {Index{6}, Index{10}}) {
    EventDriven simulation(ball_under([](double) { return -2.0; }, 0.5),
                           {.thresholds = {.accumulation = kAny, .accumulation_impacts = least}});
    run_to(simulation, 4.0);
    EXPECT_EQ(events_of(simulation, EventKind::Impact).size(), static_cast<std::size_t>(least) + 1);
    EXPECT_EQ(events_of(simulation, EventKind::Accumulation).size(), 1u);
  }
}

TEST(AccumulationSequence, IntervalsThatFallForEverHaveNoEnd) {
  // Without loss under a force that grows, intervals fall impact by impact, slower and slower, and so do rises: the
  // sum of neither ends.
  EventDriven simulation(ball_under([](double t) { return -2.0 - t; }, 1.0), {.thresholds = {.accumulation = kAny}});
  run_to(simulation, 60.0);
  const auto times = times_of(simulation, EventKind::Impact);
  ASSERT_GT(times.size(), 40u);
  for (std::size_t k = 3; k < times.size(); ++k) EXPECT_LT(times[k] - times[k - 1], times[k - 1] - times[k - 2]);
  EXPECT_TRUE(events_of(simulation, EventKind::Accumulation).empty());
}

TEST(AccumulationSequence, WhatItsIntervalsPromiseIsTriedByTimeStepping) {
  // The force turns at t = 2.90625, when the fifth flight is at its peak: no further impact, though five had constant
  // ratios. Held closed from the fifth, the ball would leave the floor only then, 2^-10 below.
  constexpr double kTurn = 2.90625;
  const auto force = [](double t) { return 2.0 * std::tanh((t - kTurn) / 1e-3); };
  EventDriven reference(ball_under(force, 0.5));
  EventDriven simulation(ball_under(force, 0.5), {.thresholds = {.accumulation = kAny}});
  run_to(reference, 3.0);
  run_to(simulation, 3.0);
  EXPECT_TRUE(events_of(simulation, EventKind::Accumulation).empty());
  EXPECT_EQ(events_of(simulation, EventKind::Impact).size(), 5u);
  EXPECT_NEAR(simulation.state().positions[0], reference.state().positions[0], 1e-15);
  // y = 2^-10 + (t - kTurn)^2, and the width of the turn changes it by some (1e-3)^2.
  EXPECT_NEAR(simulation.state().positions[0], std::pow(0.5, 10) + std::pow(3.0 - kTurn, 2), 1e-5);
}

TEST(AccumulationSequence, EveryLawOfImpactsIsTriedByTimeStepping) {
  // Of one contact all laws have Newton's sequence, sideways motion or not: W has no coupling here. Time-stepping,
  // which ends bounces of Poisson's and Liu, Zhao and Brogliato's early, takes Newton's for them; motions of first
  // order stay apart.
  const double e = 0.5;
  const std::vector<std::pair<Index, Law>> laws = {
      {1, NewtonImpactLaw{.restitution = e}},
      {1, PoissonImpactLaw{.restitution = e}},
      {1, LiuZhaoBrogliatoImpactLaw{.restitution = e}},
      {2, NewtonImpactFrictionLaw{.restitution = e, .friction = 0.1}},
      {2, PoissonImpactLaw{.restitution = e, .friction = 0.1, .dimension = 2}},
      {2, StaticKineticFrictionLaw{.restitution = e, .static_friction = 0.2, .kinetic_friction = 0.1}}};
  // x = 10 - t is linear, which the integrator carries to round-off of 10 a step, of fewer than 1000.
  constexpr double kDecay = 1000.0 * 10.0 * std::numeric_limits<double>::epsilon();
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const auto& [rows, law] = laws[k];
    NonSmoothDynamicalSystem model;
    const auto decay = model.add(FirstOrderLinearSystem{.x0 = {10.0}});
    model.link(decay, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, RelayLaw{});
    const auto ball = model.add(LagrangianLinearSystem{.force = {0.0, -2.0}, .q0 = {0.0, 1.0}, .v0 = {9.0, 0.0}});
    Eigen::MatrixXd H(rows, 2);
    H.row(0) << 0.0, 1.0;
    if (rows > 1) H.row(1) << 1.0, 0.0;
    model.link(ball, LagrangianLinearRelation{.H = H}, law);
    EventDriven simulation(model, {.thresholds = {.accumulation = kAny}});
    run_to(simulation, 4.0);
    const auto carried = events_of(simulation, EventKind::Accumulation);
    ASSERT_EQ(carried.size(), 1u) << "law " << k;
    // Liu, Zhao and Brogliato's law keeps energies to 1e-9 of that before: u+ = e u- to 1e-9 / (2 e^2) of itself, once
    // more at each impact. Flights take u+, 2 e^k s after k impacts: the sum of 2 k e^k is 4.
    const double tolerance = k == 2 ? 4.0 * 1e-9 / (2.0 * e * e) : 1e-12;
    EXPECT_NEAR(carried[0].t, 2.875, tolerance) << "law " << k;
    EXPECT_NEAR(carried[0].end, 3.0, tolerance) << "law " << k;
    EXPECT_NEAR(carried[0].value, std::pow(0.5, 10), tolerance) << "law " << k;  // the fifth rise is the highest
    EXPECT_NEAR(simulation.state().x(decay)[0], 6.0, kDecay) << "law " << k;
  }
}

TEST(AccumulationSequence, ReplacedLawsBounceAsTheyHaveShown) {
  // W = [[1, -1/2], [-1/2, 1]], M^-1 F = (-2, 0.8): the contact sticks. From u- = (-a, 0.8 a), as after each flight,
  // Poisson's compression has p = (0.8, -0.4) a, its expansion p_N = 0.4 a, and p_T = 0.2 a holds u_T = 0: u_N+ = 0.3
  // a, not e a = 0.5 a. The first fall ends at t = 1 with u- = (-2, 0.8), and leaves with u_N+ = 0.8. Flights take 0.8,
  // 0.24, ... s, the fifth impact comes at 2.1336, and all end at 1 + 0.8 / 0.7.
  NonSmoothDynamicalSystem model;
  const auto body =
      model.add(LagrangianLinearSystem{.mass = {{4.0 / 3.0, 2.0 / 3.0}, {2.0 / 3.0, 4.0 / 3.0}},
                                       .force = {(-2.0 * 4.0 + 0.8 * 2.0) / 3.0, (-2.0 * 2.0 + 0.8 * 4.0) / 3.0},
                                       .q0 = {1.0, 0.0}});
  model.link(body, LagrangianLinearRelation{.H = {{1.0, 0.0}, {0.0, 1.0}}},
             PoissonImpactLaw{.restitution = 0.5, .friction = 1.0, .dimension = 2});
  EventDriven simulation(model, {.thresholds = {.accumulation = kAny}});
  run_to(simulation, 4.0);
  EXPECT_EQ(events_of(simulation, EventKind::Impact).size(), 5u);
  const auto carried = events_of(simulation, EventKind::Accumulation);
  ASSERT_EQ(carried.size(), 1u);
  // Two problems an impact, each solved to a residual of 1e-11 (solve_impact) of velocities of 2 m/s at most.
  constexpr double kImpacts = 5.0 * 2.0 * 2.0 * 1e-11;
  EXPECT_NEAR(carried[0].t, 2.1336, kImpacts);
  EXPECT_NEAR(carried[0].end, 1.0 + 0.8 / 0.7, kImpacts);
  EXPECT_NEAR(carried[0].value, std::pow(0.8 * std::pow(0.3, 4), 2) / 4.0, kImpacts);  // the fifth rise, u^2 / (2 g)
}

TEST(AccumulationSequence, ContactsThatRestBesideStayClosed) {
  // A bar of 1 kg, I = 1/3 kg m^2, on two ends 1 m from its middle: W = [[4, -2], [-2, 4]]. One end rests, the other
  // falls from 1 m; held so, it falls with 3/2 g = 2 m/s^2. From u- = (0, -a) compression holds both, p_c = (1/6, 1/3)
  // a, and e p_c leave with (0, e a): the end that rests is hit each time and does not move, impacts are at 1, 2, 2.5,
  // 2.75, 2.875... with p = 2 (1 + e) / 3 at first, and end at 3.
  NonSmoothDynamicalSystem model;
  const auto bar = model.add(
      LagrangianLinearSystem{.mass = {{1.0, 0.0}, {0.0, 1.0 / 3.0}}, .force = {-4.0 / 3.0, 0.0}, .q0 = {0.5, -0.5}});
  const PoissonImpactLaw law{.restitution = 0.5};
  const auto resting = model.link(bar, LagrangianLinearRelation{.H = {{1.0, 1.0}}}, law);
  const auto falling = model.link(bar, LagrangianLinearRelation{.H = {{1.0, -1.0}}}, law);
  EventDriven simulation(model, {.thresholds = {.accumulation = kAny}});
  run_to(simulation, 4.0);
  EXPECT_EQ(events_of(simulation, EventKind::Impact).size(), 10u);  // five at each end
  EXPECT_TRUE(events_of(simulation, EventKind::Opening).empty());
  const auto carried = events_of(simulation, EventKind::Accumulation);
  ASSERT_EQ(carried.size(), 1u);
  EXPECT_EQ(carried[0].interaction, falling);
  // Two problems an impact, each solved to a residual of 1e-11 (solve_impact) of velocities of 2 m/s at most.
  constexpr double kImpacts = 5.0 * 2.0 * 2.0 * 1e-11;
  EXPECT_NEAR(carried[0].t, 2.875, kImpacts);
  EXPECT_NEAR(carried[0].end, 3.0, kImpacts);
  // 1 kg at rest on both: 2/3 N each, as (4/3) / 2; forces are of loads found to 1e-11 of them.
  EXPECT_NEAR(simulation.state().force(resting)[0], 2.0 / 3.0, 1e-10);
  EXPECT_NEAR(simulation.state().force(falling)[0], 2.0 / 3.0, 1e-10);
  EXPECT_NEAR(simulation.state().positions[0], 0.0, kImpacts);
  EXPECT_NEAR(simulation.state().positions[1], 0.0, kImpacts);
}

TEST(AccumulationSequence, BoxesComeToRestUnderPoissonsLaw) {
  // On both lower corners in turn and together, sliding or not: a box of 2 kg that falls ends flat on the plane.
  for (const double friction : {0.0, 0.3}) {
    for (const double restitution : {0.2, 0.5, 0.8}) {
      NonSmoothDynamicalSystem model;
      const auto box = model.add(PlanarBody{.mass = 2.0,
                                            .inertia = 0.03,
                                            .position = {0.0, 0.6},
                                            .angle = 0.1,
                                            .velocity = {0.3, 0.0},
                                            .angular_velocity = 0.5,
                                            .gravity = {0.0, -9.81}});
      const PlanarShape shape = ConvexPolygon{{{-0.2, -0.1}, {0.2, -0.1}, {0.2, 0.1}, {-0.2, 0.1}}};
      model.detect(PlanarContacts({{box, {{.shape = shape}}}}, {{.shape = HalfPlane{}}},
                                  PoissonImpactLaw{.restitution = restitution, .friction = friction, .dimension = 2}));
      EventDriven simulation(model);
      run_to(simulation, 3.0);
      // Gaps of both corners, and their error that was left out, are below EventThresholds' 1e-10 and 1e-12 of 0.6 m.
      EXPECT_NEAR(simulation.state().q(box)[1], 0.1, 1e-10) << restitution << ", " << friction;
      EXPECT_NEAR(std::abs(std::sin(simulation.state().q(box)[2])), 0.0, 1e-9) << restitution << ", " << friction;
      EXPECT_NEAR(simulation.state().v(box)[2], 0.0, 1e-9) << restitution << ", " << friction;
    }
  }
}

TEST(AccumulationSequence, OtherBodiesDoNotTakePart) {
  // The steps to the end at 3 do not ask for the force on a body that is elsewhere, which is none from 2.9 on.
  NonSmoothDynamicalSystem model = ball_under([](double) { return -2.0; }, 0.5);
  const auto elsewhere = [](double t, VectorRef f) {
    if (t > 2.9) throw std::runtime_error("no such time");
    f[0] = 0.0;
  };
  model.add(LagrangianLinearSystem{.force = elsewhere, .q0 = {0.0}});
  EventDriven simulation(model, {.thresholds = {.accumulation = kAny}});
  run_to(simulation, 2.89);
  const auto carried = events_of(simulation, EventKind::Accumulation);
  ASSERT_EQ(carried.size(), 1u);
  EXPECT_NEAR(carried[0].t, 2.875, 1e-13);
}

TEST(AccumulationSequence, AnImpulseOnTheWayIsSeen) {
  // At t = 2.95, in the flight after the sixth impact, the ball is thrown up: neither the fifth impact nor the sixth is
  // the beginning of a rest. Held from the fifth on, it would be thrown from the floor, 2^-12 lower, at another speed.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(
      LagrangianLinearSystem{.force = {-2.0}, .q0 = {1.0}, .impulses = {{.instant = 2.95, .impulse = {1.0}}}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5}, "floor");
  EventDriven simulation(model, {.thresholds = {.accumulation = kAny}});
  run_to(simulation, 3.5);
  EXPECT_TRUE(events_of(simulation, EventKind::Accumulation).empty());
  EXPECT_EQ(events_of(simulation, EventKind::Impact).size(), 6u);
  // The sixth flight begins at 2.9375 with u = 2^-5: y(t) = u s - s^2, and from 2.95 on 1 N s / 1 kg more.
  const double s = 3.5 - 2.9375;
  EXPECT_NEAR(simulation.state().positions[0], s / 32.0 - s * s + (3.5 - 2.95), 1e-12);
}

TEST(AccumulationSequence, TheBoundHoldsOfWhatIsLeftOut) {
  // A force that wavers: followed down to 1e-12, and carried through from 1e-4 on, the gap differs by the bound at most
  // from the accumulation on, and by nothing before.
  const auto force = [](double t) { return -2.0 - 0.3 * std::sin(9.0 * t); };
  EventDriven reference(ball_under(force, 0.8));
  EventDriven simulation(ball_under(force, 0.8), {.thresholds = {.accumulation = 1e-4}});
  double largest = 0.0;
  State other = reference.state();
  const auto report = reference.advance_to(
      12.0, {.segment = [&](const SmoothSegment& segment) {
        for (const double part : {0.25, 0.5, 0.75}) {
          const double t = segment.start() + part * (segment.end() - segment.start());
          segment.evaluate(t, other);
          EXPECT_TRUE(simulation.advance_to(t));
          largest = std::max(largest, std::abs(other.positions[0] - simulation.state().positions[0]));
        }
        return true;
      }});
  ASSERT_TRUE(report) << report.message();
  const auto carried = events_of(simulation, EventKind::Accumulation);
  const auto followed = events_of(reference, EventKind::Accumulation);
  ASSERT_EQ(carried.size(), 1u);
  ASSERT_EQ(followed.size(), 1u);
  EXPECT_LE(carried[0].value, 1e-4);
  EXPECT_LE(largest, carried[0].value);
  EXPECT_GT(largest, 0.5 * carried[0].value);  // of flights at whose peak it was looked
  // Its end is where the sequence ends: the force changes by a hundredth over the flights that are left, 0.02 s each.
  EXPECT_NEAR(carried[0].end, followed[0].end, 0.05 * (followed[0].end - carried[0].t));
}

}  // namespace
}  // namespace nonsmooth::accumulation_test
