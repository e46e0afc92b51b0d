// SPDX-License-Identifier: Apache-2.0
// What the thresholds of events decide, and what they must not: the sequence of events, accumulations, chattering.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <string>

#include <support/parameter_name.hpp>

#include "scaled_problems.hpp"

namespace nonsmooth::sensitivity_test {
namespace {

using namespace scaled_problems;

EventThresholds scaled(double factor) {
  EventThresholds thresholds;
  thresholds.position *= factor;
  thresholds.velocity *= factor;
  thresholds.acceleration *= factor;
  thresholds.accumulation *= factor;
  return thresholds;
}

/// The events of thresholds times 1, 1e-2, 1e2, of which there have to be at least so many of each kind.
void expect_same_events(const NonSmoothDynamicalSystem& model, double T, std::size_t least,
                        const std::vector<EventKind>& among) {
  EventDriven reference(model);
  run_to(reference, T);
  for (const EventKind kind : among) {
    EXPECT_GE(events_of(reference, kind).size(), least) << "kind " << static_cast<int>(kind);
  }
  for (const double factor : {1e-2, 1e2}) {
    EventDriven other(model, {.thresholds = scaled(factor)});
    run_to(other, T);
    ASSERT_EQ(kinds_of(other), kinds_of(reference)) << factor;
    // The integration is the same but for what a threshold lets pass: 1e-7 of velocities at most.
    for (std::size_t k = 0; k < reference.events().size(); ++k) {
      EXPECT_NEAR(other.events()[k].t, reference.events()[k].t, 1e-7) << factor << ", number " << k;
    }
    EXPECT_NEAR((other.state().positions - reference.state().positions).norm(), 0.0, 1e-7) << factor;
  }
}

TEST(Thresholds, ParticleThatOpensAndLands) {
  NonSmoothDynamicalSystem model;
  const auto body =
      model.add(LagrangianLinearSystem{.force = [](double t, VectorRef f) { f[0] = std::cos(t) - 0.7; }, .q0 = {0.4}});
  model.link(body, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  expect_same_events(model, 40.0, 4, {EventKind::Impact, EventKind::Opening});
}

TEST(Thresholds, StickSlipOnABelt) {
  NonSmoothDynamicalSystem model;
  const auto block = model.add(LagrangianLinearSystem{
      .stiffness = Eigen::Vector2d(25.0, 0.0).asDiagonal(), .force = {0.0, -kGravity}, .q0 = {0.0, 0.0}});
  RheonomousRelation relation;
  relation.rows = 2;
  relation.h = [](double t, ConstVectorRef q, VectorRef y) { y << q[1], q[0] - 0.2 * t; };
  relation.H = [](double, ConstVectorRef, MatrixRef H) { H(0, 1) = H(1, 0) = 1.0; };
  relation.h_t = [](double, ConstVectorRef, VectorRef value) { value[1] = -0.2; };
  model.link(block, relation, StaticKineticFrictionLaw{.static_friction = 0.4, .kinetic_friction = 0.25});
  expect_same_events(model, 10.0, 4, {EventKind::Stick, EventKind::Slip});
}

TEST(Thresholds, DisksThatFallSlideAndRoll) {
  // Thrown with a spin, from two heights, so that their events interleave.
  NonSmoothDynamicalSystem model;
  for (const double height : {0.3, 0.8}) {
    const auto disk = model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, 0.5).asDiagonal(),
                                                       .force = {0.0, -kGravity, 0.0},
                                                       .q0 = {0.0, height, 0.0},
                                                       .v0 = {1.0, 0.0, 2.0}});
    model.link(disk, LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}, {1.0, 0.0, 1.0}}},
               NewtonImpactFrictionLaw{.friction = 0.1});
  }
  expect_same_events(model, 3.0, 2, {EventKind::Impact, EventKind::Stick});
}

class EachThreshold : public testing::TestWithParam<Problem> {};

TEST_P(EachThreshold, LeavesTheEventsAsTheyAre) {
  const Problem& problem = GetParam();
  const EventDriven reference = run(problem, Units{}, {});
  expect_kinds(problem, reference);
  const Eigen::VectorXd expected = state_of(reference);
  const auto expect_same = [&](const EventThresholds& thresholds, const std::string& which) {
    const EventDriven other = run(problem, Units{}, {.thresholds = thresholds});
    ASSERT_EQ(kinds_of(other), kinds_of(reference)) << which;
    // What the largest of them lets pass: 1e-7 of velocities, 1e-7 of the forces whose zero is an instant.
    for (std::size_t k = 0; k < reference.events().size(); ++k) {
      EXPECT_NEAR(other.events()[k].t, reference.events()[k].t, 1e-7 * problem.end) << which << ", number " << k;
    }
    EXPECT_LE((state_of(other) - expected).lpNorm<Eigen::Infinity>(), 1e-7 * (1.0 + expected.lpNorm<Eigen::Infinity>()))
        << which;
  };
  for (const double factor : {1e-2, 1e2}) {
    const std::string times = " times " + std::to_string(factor);
    EventThresholds position, velocity, acceleration;
    position.position *= factor;
    velocity.velocity *= factor;
    acceleration.acceleration *= factor;
    expect_same(position, "position" + times);
    expect_same(velocity, "velocity" + times);
    expect_same(acceleration, "acceleration" + times);
  }
  for (const Index count : {50, 1000}) {
    EventThresholds thresholds;
    thresholds.chattering_events = count;
    expect_same(thresholds, "chattering_events " + std::to_string(count));
  }
}

TEST_P(EachThreshold, OfAccumulationsMovesTheirLastImpactsOnly) {
  const Problem& problem = GetParam();
  // The events that are no impacts, and the end of the sequence for the instant from which its rest is left out.
  const auto others = [](const EventDriven& simulation) {
    std::vector<Event> events;
    for (const Event& event : simulation.events()) {
      if (event.kind == EventKind::Impact) continue;
      events.push_back(event);
      if (event.kind == EventKind::Accumulation) events.back().t = event.end;
    }
    return events;
  };
  const EventDriven reference = run(problem, Units{}, {});
  const std::vector<Event> expected = others(reference);
  const auto expect_same = [&](const EventThresholds& thresholds, const std::string& which) {
    const EventDriven simulation = run(problem, Units{}, {.thresholds = thresholds});
    const std::vector<Event> events = others(simulation);
    ASSERT_EQ(events.size(), expected.size()) << which;
    // A rise of 1e-10 of lengths of order one that is left out, against gravity: 5e-6 s, and velocities of 5e-5.
    for (std::size_t k = 0; k < events.size(); ++k) {
      EXPECT_EQ(events[k].kind, expected[k].kind) << which << ", number " << k;
      EXPECT_NEAR(events[k].t, expected[k].t, 1e-5) << which << ", number " << k;
    }
    EXPECT_LE((state_of(simulation) - state_of(reference)).lpNorm<Eigen::Infinity>(),
              1e-4 * (1.0 + state_of(reference).lpNorm<Eigen::Infinity>()))
        << which;
  };
  for (const double factor : {1e-2, 1e2}) {
    EventThresholds thresholds;
    thresholds.accumulation *= factor;
    expect_same(thresholds, "accumulation times " + std::to_string(factor));
  }
  for (const Index count : {5, 6, 8}) {
    EventThresholds thresholds;
    thresholds.accumulation_impacts = count;
    expect_same(thresholds, "accumulation_impacts " + std::to_string(count));
  }
}

/// Of both corners of a block the last impacts come one by one or together as thresholds have it.
bool is_in_sequence(const Problem& problem) { return problem.name != "dropped block"; }

std::vector<Problem> in_sequence() {
  std::vector<Problem> problems = mechanics();
  std::erase_if(problems, [](const Problem& problem) { return !is_in_sequence(problem); });
  return problems;
}

INSTANTIATE_TEST_SUITE_P(Mechanics, EachThreshold, testing::ValuesIn(in_sequence()), test::parameter_name);
INSTANTIATE_TEST_SUITE_P(Circuits, EachThreshold, testing::ValuesIn(circuits()), test::parameter_name);

TEST(Thresholds, OneByOneTheDroppedBlockComesToTheSameRest) {
  const std::vector<Problem> all = mechanics();
  const Problem& problem = *std::find_if_not(all.begin(), all.end(), is_in_sequence);
  const EventDriven reference = run(problem, Units{}, {});
  double EventThresholds::*const fields[] = {&EventThresholds::position, &EventThresholds::velocity,
                                             &EventThresholds::acceleration, &EventThresholds::accumulation};
  for (std::size_t field = 0; field < std::size(fields); ++field) {
    for (const double factor : {1e-2, 1e2}) {
      EventThresholds thresholds;
      thresholds.*fields[field] *= factor;
      const EventDriven other = run(problem, Units{}, {.thresholds = thresholds});
      EXPECT_FALSE(events_of(other, EventKind::Accumulation).empty()) << field << ", " << factor;
      // Gaps of 1e-8 and rises of 1e-10 at most are left out, the latter with velocities of 5e-5 for 1e-5 s.
      EXPECT_LE((state_of(other) - state_of(reference)).lpNorm<Eigen::Infinity>(), 1e-7) << field << ", " << factor;
      for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(other.events().at(k).t, reference.events().at(k).t, 1e-7) << k;
    }
  }
}

TEST(Accumulation, EndsWhereTheSeriesDoes) {
  // Rebounds of e from h = 1: impacts until the next one rises by 1e-12, then rest. The sequence ends at
  // t_1 (1 + e) / (1 - e), t_1 = sqrt(2 / g). An impact is located where the gap is within 8 roundings d of its largest
  // value, which changes u by g d / u, and the flights that follow by 2 d / (u (1 - e)); summed over the sequence,
  // 2 d / (u_n (1 - e)^2) with the last u_n, for the worst.
  for (const double e : {0.5, 0.9, 0.99}) {
    const double end = std::sqrt(2.0 / kGravity) * (1.0 + e) / (1.0 - e), last = std::sqrt(2e-12 * kGravity);
    const double tolerance = 16.0 * std::numeric_limits<double>::epsilon() / (last * (1.0 - e) * (1.0 - e));
    NonSmoothDynamicalSystem model;
    const auto ball = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {1.0}});
    const auto floor =
        model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = e}, "floor");
    EventDriven simulation(model);
    // Of the gap from the accumulation on: the bound that the event tells.
    double bound = -1.0, largest = 0.0;
    const auto report = simulation.advance_to(
        end + 1.0, EventDrivenObserver{.segment =
                                           [&](const SmoothSegment& segment) {
                                             if (bound < 0.0) return true;
                                             State state;
                                             segment.evaluate(0.5 * (segment.start() + segment.end()), state);
                                             largest = std::max(largest, std::abs(state.positions[0]));
                                             return true;
                                           },
                                       .instant =
                                           [&](const Instant& at) {
                                             for (const Event& event : at.events) {
                                               if (event.kind == EventKind::Accumulation) bound = event.value;
                                             }
                                             return true;
                                           }});
    ASSERT_TRUE(report) << e << ": " << report.message();
    const auto accumulations = events_of(simulation, EventKind::Accumulation);
    ASSERT_EQ(accumulations.size(), 1u) << e;
    EXPECT_EQ(accumulations[0].interaction, floor);
    EXPECT_NEAR(accumulations[0].end, end, tolerance) << e;
    EXPECT_LE(accumulations[0].value, 1e-12);
    EXPECT_GT(accumulations[0].value, 0.5e-12 * e * e);  // no earlier than at the threshold
    // What is left out: flights of rises of e^2 of the bound and less.
    EXPECT_LE(end - accumulations[0].t, 2.0 * last / kGravity / (1.0 - e) + tolerance) << e;
    // The gap is held; the ball's next rise, e^(2n), is the error and has to be what the event tells.
    const auto count = static_cast<double>(events_of(simulation, EventKind::Impact).size());
    const double rise = std::pow(e, 2.0 * count);
    EXPECT_LE(largest, 8.0 * std::numeric_limits<double>::epsilon());  // to which drift is removed
    EXPECT_NEAR(bound, rise, 1e-5 * rise) << e;  // roundings of up to 1400 impacts in a velocity of 4e-6
    EXPECT_EQ(simulation.state().v(ball)[0], 0.0);
    EXPECT_NEAR(simulation.state().force(floor)[0], kGravity, 1e-14 * kGravity);
    // As many impacts as rises e^(2k) above the threshold, one more or less.
    EXPECT_NEAR(static_cast<double>(events_of(simulation, EventKind::Impact).size()),
                std::log(1e-12) / (2.0 * std::log(e)), 1.5);
  }
}

TEST(Accumulation, RestingMayEndAgain) {
  // After its accumulation the ball lifts off when the force turns: at t = 4, force t - 4 from then.
  NonSmoothDynamicalSystem model;
  const auto ball =
      model.add(LagrangianLinearSystem{.force = [](double t, VectorRef f) { f[0] = t - 4.0; }, .q0 = {1.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.4});
  EventDriven simulation(model);
  run_to(simulation, 5.0);
  EXPECT_EQ(events_of(simulation, EventKind::Accumulation).size(), 1u);
  const auto openings = times_of(simulation, EventKind::Opening);
  ASSERT_FALSE(openings.empty());
  EXPECT_NEAR(openings.back(), 4.0, 1e-12);  // the slope of the force is one
  EXPECT_NEAR(simulation.state().q(ball)[0], 1.0 / 6.0, 1e-12);
}

TEST(Accumulation, ImpactsThatDoNotFallAreNotCarriedThrough) {
  // e = 1: as often as it likes.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {1.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 1.0});
  EventDriven simulation(model);
  const double first = std::sqrt(2.0 / kGravity);
  run_to(simulation, 200.0 * first);
  EXPECT_TRUE(events_of(simulation, EventKind::Accumulation).empty());
  // A hundred flights with some eps of t each.
  EXPECT_EQ(events_of(simulation, EventKind::Impact).size(), 100u);
  EXPECT_NEAR(simulation.state().q(ball)[0], 1.0, 1e-10);
}

TEST(Accumulation, ADroppedBlockComesToRestOnBothCorners) {
  // Half height a, half width b, dropped tilted: impacts of either corner accumulate, in turn and together, and end in
  // rest with half the weight on each corner. Without friction nothing moves its centre sideways.
  const double a = 0.5, b = 0.3, m = 3.0;
  for (const double mu : {0.0, 0.3}) {
    for (const double tilt : {0.0, 0.05, 0.3}) {
      NonSmoothDynamicalSystem model;
      const double c = std::cos(tilt), s = std::sin(tilt);
      const auto block =
          model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(m, m, m * (a * a + b * b) / 3.0).asDiagonal(),
                                           .force = {0.0, -m * kGravity, 0.0},
                                           .q0 = {0.0, s * b + c * a + 0.1, tilt}});
      for (const double side : {-b, b}) {
        ScleronomousRelation corner;
        corner.rows = 2;
        corner.h = [=](ConstVectorRef q, VectorRef y) {
          y[0] = q[1] + std::sin(q[2]) * side - std::cos(q[2]) * a;
          y[1] = q[0] + std::cos(q[2]) * side + std::sin(q[2]) * a;
        };
        corner.H = [=](ConstVectorRef q, MatrixRef H) {
          H(0, 1) = H(1, 0) = 1.0;
          H(0, 2) = std::cos(q[2]) * side + std::sin(q[2]) * a;
          H(1, 2) = -std::sin(q[2]) * side + std::cos(q[2]) * a;
        };
        model.link(block, corner, NewtonImpactFrictionLaw{.restitution = 0.5, .friction = mu});
      }
      EventDriven simulation(model);
      const auto report = simulation.advance_to(5.0, [&](const State& state) {
        EXPECT_GE(state.outputs[0], -1e-12);
        EXPECT_GE(state.outputs[2], -1e-12);
      });
      ASSERT_TRUE(report) << mu << ", " << tilt << ": " << report.message();
      EXPECT_FALSE(events_of(simulation, EventKind::Accumulation).empty());
      const State& state = simulation.state();
      EXPECT_NEAR(state.q(block)[1], a, 1e-12);
      EXPECT_NEAR(state.q(block)[2], 0.0, 1e-12);
      EXPECT_NEAR(state.v(block).norm(), 0.0, 1e-15) << mu << ", " << tilt;
      if (mu == 0.0) {
        EXPECT_NEAR(state.q(block)[0], 0.0, 1e-12);
      }
      EXPECT_NEAR(state.forces[0], 0.5 * m * kGravity, 1e-8);
      EXPECT_NEAR(state.forces[2], 0.5 * m * kGravity, 1e-8);
    }
  }
}

TEST(Chattering, OfAUsersActionEndsInAReport) {
  // A user's own bouncing ball: nobody knows of the floor, so its impacts accumulate and nothing carries them through.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {1.0}});
  EventDrivenOptions options;
  options.events = {{.name = "hand-made floor",
                     .guard = [ball](const State& state) { return state.q(ball)[0]; },
                     .direction = UserEvent::Direction::Falling,
                     .action = [ball](State& state) { state.v(ball)[0] *= -0.5; }}};
  EventDriven simulation(model, options);
  const double end = 3.0 * std::sqrt(2.0 / kGravity);
  const auto report = simulation.advance_to(10.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::Chattering) << report.message();
  EXPECT_NE(report.message().find("hand-made floor"), std::string::npos) << report.message();
  EXPECT_NEAR(report.t, end, 1e-6);
  EXPECT_LT(report.events, 1000);
}

TEST(Chattering, OfAnActionThatUndoesTheMotionEndsInAReport) {
  // The guard falls through zero at t = 101 and the action puts the state back above it by 5e-11: 5e-11 s a time, less
  // than the 1e-12 |t| that count as an advance.
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.q0 = {1.0}, .v0 = {-1.0}});
  EventDrivenOptions options;
  options.events = {{.name = "back",
                     .guard = [body](const State& state) { return state.q(body)[0]; },
                     .action = [body](State& state) { state.q(body)[0] = 5e-11; }}};
  EventDriven simulation(model, options, 100.0);
  const auto report = simulation.advance_to(103.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::Chattering) << report.message();
  EXPECT_NE(report.message().find("back"), std::string::npos) << report.message();
  EXPECT_NEAR(report.t, 101.0, 1e-7);
  EXPECT_LE(report.events, 2 * options.thresholds.chattering_events);
}

/// Undoes the motion by `back` at each passage of zero, from t = 101 on, while it is switched on.
EventDriven shuttle(double back, const std::shared_ptr<bool>& on, Index chattering_events) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.q0 = {1.0}, .v0 = {-1.0}});
  EventDrivenOptions options;
  options.thresholds.chattering_events = chattering_events;
  options.events = {{.name = "back",
                     .guard = [body](const State& state) { return state.q(body)[0]; },
                     .direction = UserEvent::Direction::Falling,
                     .action =
                         [body, back, on](State& state) {
                           if (*on) state.q(body)[0] = back;
                         }}};
  return {model, options, 100.0};
}

TEST(Chattering, AtASteadyPaceThatWouldNotEndIsReportedAndMayGoOn) {
  // 1e-8 s a time: a hundred times what counts as an advance, and 2e8 instants before t = 103. Two windows of 100
  // chattering_events instants tell; each call has one more.
  const auto on = std::make_shared<bool>(true);
  EventDriven simulation = shuttle(1e-8, on, 5);
  auto report = simulation.advance_to(103.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::Chattering) << report.message();
  EXPECT_NE(report.message().find("2e+08 more before t = 103"), std::string::npos) << report.message();
  EXPECT_NE(report.message().find("back"), std::string::npos) << report.message();
  EXPECT_EQ(report.events, 1500);                 // the windows hold 1001 instants
  EXPECT_NEAR(report.t, 101.0 + 1499e-8, 1e-10);  // each is located to 8 eps of the largest q and to eps of t, 2e-14
  report = simulation.advance_to(103.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::Chattering) << report.message();
  EXPECT_EQ(report.events, 500);
  // Calls that end sooner have less ahead of them.
  report = simulation.advance_to(report.t + 1e-5);
  EXPECT_TRUE(report) << report.message();
  EXPECT_NEAR(static_cast<double>(report.events), 1000.0, 2.0);
  *on = false;
  const double t = report.t;
  report = simulation.advance_to(103.0);
  EXPECT_TRUE(report) << report.message();
  EXPECT_EQ(report.events, 1);
  EXPECT_NEAR(simulation.state().positions[0], -(103.0 - t), 1.1e-8);
}

TEST(Chattering, ASteadyPaceThatEndsIsNone) {
  // The same at 1e-5 s: 2e5 instants at most, of which there are 2e3.
  const auto on = std::make_shared<bool>(true);
  EventDriven simulation = shuttle(1e-5, on, 5);
  const auto report = simulation.advance_to(101.02);
  EXPECT_TRUE(report) << report.message();
  EXPECT_GE(report.events, 1999);
}

TEST(Chattering, ImpactsThatAccumulateAreNone) {
  // The last of them follow one another within 2e-6 s, 5e11 of which would fill the call; they end before.
  const double e = 0.998;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {1.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = e});
  EventDrivenOptions options;
  options.thresholds.chattering_events = 2;
  EventDriven simulation(model, options);
  run_to(simulation, 1e6);
  EXPECT_EQ(events_of(simulation, EventKind::Accumulation).size(), 1u);
  EXPECT_GT(simulation.events().size(), 6000u);  // log(1e-12) / (2 log(e)) of them
}

TEST(Chattering, InstantsThatAScheduleTellsAreNone) {
  // A burst of 1000 at 1e-9 s before a call of 1 s is half over.
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.q0 = {1.0}, .v0 = {-1.0}});
  EventDrivenOptions options;
  options.thresholds.chattering_events = 2;
  UserEvent burst{.action = [body](State& state) { state.v(body)[0] *= -1.0; }};
  for (int k = 0; k < 1000; ++k) burst.instants.push_back(0.5 + 1e-9 * k);
  options.events = {burst};
  EventDriven simulation(model, options);
  run_to(simulation, 1.0);
  EXPECT_EQ(simulation.events().size(), 1000u);
  EXPECT_NEAR(simulation.state().positions[0], 1e-6, 1e-12);  // down for 0.5 s, to and fro, down for the rest
}

}  // namespace
}  // namespace nonsmooth::sensitivity_test
