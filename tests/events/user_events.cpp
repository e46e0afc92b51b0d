// SPDX-License-Identifier: Apache-2.0
// Events of users, prescribed impulses and velocities, and what is refused.
#include <cmath>
#include <functional>
#include <string>

#include "../kernel/bad_input.hpp"
#include "event_log.hpp"

namespace nonsmooth::user_events_test {
namespace {

using namespace event_log;
using bad_input::expect_contains;
using bad_input::expect_refused;
using Direction = UserEvent::Direction;

/// Motions are polynomials of degree two: some hundred roundings.
constexpr double kExact = 1e-12;

struct Ball {
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  Ball(double force, double q0, double v0) {
    body = model.add(LagrangianLinearSystem{.force = {force}, .q0 = {q0}, .v0 = {v0}});
  }
  EventDriven run(std::vector<UserEvent> events) const {
    EventDrivenOptions options;
    options.events = std::move(events);
    return EventDriven(model, options);
  }
};

TEST(UserEvents, InstantsAndPeriods) {
  const Ball ball(0.0, 0.0, 1.0);
  std::vector<double> seen;
  EventDriven simulation =
      ball.run({{.instants = {2.5, 0.75, 1.0 / 3.0}}, {.first = 0.5, .period = 0.7, .action = [&](State& state) {
                                                         seen.push_back(state.t);
                                                         EXPECT_NEAR(state.positions[0], state.t, kExact);
                                                       }}});
  run_to(simulation, 3.0);
  std::vector<double> single, periodic;
  for (const Event& event : events_of(simulation, EventKind::User))
    (event.row == 0 ? single : periodic).push_back(event.t);
  expect_times(single, {1.0 / 3.0, 0.75, 2.5}, 0.0);
  expect_times(periodic, {0.5, 1.2, 1.9, 2.6}, 1e-15);
  EXPECT_EQ(seen, periodic);
}

TEST(UserEvents, RightHandSidesMayJumpAtInstants) {
  // 1 up to t = 1, -3 from then on: q = 1 / 2 + (t - 1) - 3 (t - 1)^2 / 2, for every integrator without a trace of it.
  for (const SmoothIntegrator& integrator :
       {SmoothIntegrator{DormandPrince{5}}, SmoothIntegrator{DormandPrince{8}}, SmoothIntegrator{RadauIIA{}}}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(
        LagrangianLinearSystem{.force = [](double t, VectorRef f) { f[0] = t < 1.0 ? 1.0 : -3.0; }, .q0 = {0.0}});
    EventDrivenOptions options;
    options.integrator = integrator;
    options.events = {{.instants = {1.0}}};
    EventDriven simulation(model, options);
    run_to(simulation, 2.0);
    EXPECT_NEAR(simulation.state().q(body)[0], 0.0, kExact);
    EXPECT_NEAR(simulation.state().v(body)[0], -2.0, kExact);
  }
}

TEST(UserEvents, GuardsRiseAndFall) {
  // q = 3 t - t^2 passes 2 upwards at t = 1 and downwards at t = 2.
  for (const auto& [direction, expected] : {std::pair{Direction::Rising, std::vector{1.0}},
                                            {Direction::Falling, std::vector{2.0}},
                                            {Direction::Both, std::vector{1.0, 2.0}}}) {
    const Ball ball(-2.0, 0.0, 3.0);
    EventDriven simulation =
        ball.run({{.guard = [&](const State& state) { return state.q(ball.body)[0] - 2.0; }, .direction = direction}});
    run_to(simulation, 3.0);
    expect_times(times_of(simulation, EventKind::User), expected, kExact);
  }
}

TEST(UserEvents, AGuardOfTimeAndOneThatStartsAtZero) {
  // q = sin t: cos(3 t) at six instants in (0, 2 pi), q itself, which leaves zero at the start, at pi only before 6.
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.stiffness = {{1.0}}, .q0 = {0.0}, .v0 = {1.0}});
  EventDrivenOptions options;
  options.events = {{.guard = [](const State& state) { return std::cos(3.0 * state.t); }},
                    {.guard = [body](const State& state) { return state.q(body)[0]; }}};
  EventDriven simulation(model, options);
  run_to(simulation, 6.0);
  std::vector<double> of_time, of_state, expected;
  for (const Event& event : events_of(simulation, EventKind::User)) {
    (event.row == 0 ? of_time : of_state).push_back(event.t);
  }
  for (int k = 0; k < 6; ++k) expected.push_back((k + 0.5) * kPi / 3.0);
  expect_times(of_time, expected, kExact);
  expect_times(of_state, {kPi}, 1e-9);  // integrated, 1e-10 a step
}

TEST(UserEvents, ATerminalOneStopsTheRun) {
  const Ball ball(-2.0, 0.0, 3.0);
  EventDriven simulation = ball.run({{.name = "top",
                                      .guard = [&](const State& state) { return state.v(ball.body)[0]; },
                                      .direction = Direction::Falling,
                                      .terminal = true}});
  const auto report = simulation.advance_to(3.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::StoppedByEvent);
  EXPECT_NEAR(report.t, 1.5, kExact);
  EXPECT_NEAR(simulation.state().q(ball.body)[0], 2.25, kExact);
  // Called again, it goes on from there.
  run_to(simulation, 3.0);
  EXPECT_NEAR(simulation.state().q(ball.body)[0], 0.0, kExact);
}

TEST(UserEvents, AnActionChangesTheVelocity) {
  // Kicked by +2 whenever it falls below q = 0: a periodic flight of 2 from the first one on, g = 1... v = -1 -> 1.
  const Ball ball(-1.0, 0.5, 0.0);
  EventDriven simulation = ball.run({{.guard = [&](const State& state) { return state.q(ball.body)[0]; },
                                      .direction = Direction::Falling,
                                      .action = [&](State& state) { state.v(ball.body)[0] += 2.0; }}});
  run_to(simulation, 10.0);
  expect_times(times_of(simulation, EventKind::User), {1.0, 3.0, 5.0, 7.0, 9.0}, kExact);
  EXPECT_NEAR(simulation.state().q(ball.body)[0], 0.5, kExact);
}

TEST(Prescribed, ImpulsesActAtTheirInstant) {
  // Free: v jumps by impulse / m. On a floor, pressed into it: the floor answers with Newton's law.
  NonSmoothDynamicalSystem free, floor;
  const auto a = free.add(
      LagrangianLinearSystem{.mass = {{2.0}},
                             .q0 = {0.0},
                             .impulses = {{.instant = 0.3, .impulse = {4.0}}, {.instant = 0.8, .impulse = {-1.0}}}});
  EventDriven first(free);
  run_to(first, 1.0);
  expect_times(times_of(first, EventKind::Impulse), {0.3, 0.8}, 0.0);
  EXPECT_NEAR(first.state().q(a)[0], 2.0 * 0.5 + 1.5 * 0.2, kExact);

  const double e = 0.5, kick = 3.0, flight = 2.0 * e * kick / kGravity;
  const auto b = floor.add(
      LagrangianLinearSystem{.force = {-kGravity}, .q0 = {0.0}, .impulses = {{.instant = 0.5, .impulse = {-kick}}}});
  const auto contact = floor.link(b, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = e});
  EventDriven second(floor);
  run_to(second, 0.5);
  EXPECT_NEAR(second.state().v(b)[0], e * kick, kExact);
  EXPECT_NEAR(second.state().percussion(contact)[0], (1.0 + e) * kick, kExact);
  run_to(second, 0.5 + 1.1 * flight);
  const auto impacts = times_of(second, EventKind::Impact);
  expect_times(impacts, {0.5, 0.5 + flight}, kExact);
}

TEST(Prescribed, VelocitiesMoveTheOthers) {
  // M = [2 1/2; 1/2 1], v_1 = cos(t) dictated: 2 v_0dot + v_1dot / 2 = 0.
  NonSmoothDynamicalSystem model;
  const Eigen::Matrix2d mass{{2.0, 0.5}, {0.5, 1.0}};
  const LagrangianLinearSystem description{
      .mass = mass, .q0 = {0.0, 0.0}, .v0 = {0.0, 1.0}, .prescribed = {{.component = 1, .velocity = [](double t) {
                                                                          return std::cos(t);
                                                                        }}}};
  const auto body = model.add(description);
  EventDriven simulation(model);
  run_to(simulation, 5.0);
  const Eigen::Vector2d q = simulation.state().q(body), v = simulation.state().v(body);
  EXPECT_NEAR(v[1], std::cos(5.0), 1e-14);  // put back after each step
  // The dictated acceleration is a difference of fourth order, to 1e-12; tolerances of 1e-10 in each of some ten steps.
  EXPECT_NEAR(v[0], -0.25 * (std::cos(5.0) - 1.0), 1e-9);
  EXPECT_NEAR(q[1], std::sin(5.0), 1e-9);

  NonSmoothDynamicalSystem other;
  auto at_rest = description;
  at_rest.v0 = {0.0, 0.0};
  at_rest.name = "table";
  const auto table = other.add(at_rest);
  expect_refused([&] { EventDriven refused(other); }, {"initial state", "prescribed velocity of table", "repair"});
  EventDriven repaired(other, {.repair_initial_state = true});
  EXPECT_NEAR(repaired.state().v(table)[1], 1.0, 1e-15);
  EXPECT_NEAR(repaired.state().v(table)[0], -0.25, 1e-15);  // M^-1 (0, 1) is along (-1/4, 1)
}

TEST(Refused, GuardsThatAreZeroAllAlong) {
  const Ball ball(0.0, 0.0, 1.0);
  expect_refused([&] { (void)ball.run({{.name = "idle", .guard = [](const State&) { return 0.0; }}}); },
                 {"events[0].guard", "zero", "idle"});
  // On the floor the gap is such a guard.
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {0.0}});
  model.link(body, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  EventDrivenOptions options;
  options.events = {{.instants = {1.0}}, {.guard = [body](const State& state) { return state.q(body)[0]; }}};
  expect_refused([&] { EventDriven refused(model, options); }, {"events[1].guard", "zero"});
}

TEST(Refused, InstantsInThePast) {
  const Ball ball(0.0, 0.0, 1.0);
  EventDrivenOptions options;
  options.events = {{.instants = {3.0}}, {.instants = {2.0, 0.5}}};
  expect_refused([&] { EventDriven refused(ball.model, options, 1.0); }, {"events[1].instants", "0.5"});
  EventDriven simulation = ball.run({});
  run_to(simulation, 1.0);
  expect_refused([&] { (void)simulation.advance_to(0.5); }, {"advance_to", "0.5"});
  expect_refused([&] { (void)simulation.advance_to(std::nan("")); }, {"advance_to"});
}

TEST(UserEvents, AnActionThatWritesNoConfigurationEndsTheRun) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.name = "rotor"});
  EventDriven simulation(
      model,
      {.events = {{.name = "turn", .instants = {0.5}, .action = [&](State& state) { state.q(body)[3] = 1.3; }}}});
  const RunReport report = simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  expect_contains(report.message(), {"q of rotor", "length 1.3", "unit quaternion"});
  EXPECT_EQ(simulation.state().q(body)[3], 1.0);
}

TEST(InitialState, InsideAnObstacleIsNamedOrMovedOut) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {-0.2}, .v0 = {1.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{}, "the floor");
  expect_refused([&] { EventDriven refused(model); }, {"initial state", "-0.2", "the floor", "repair"});
  EventDriven repaired(model, {.repair_initial_state = true});
  EXPECT_NEAR(repaired.state().q(ball)[0], 0.0, 1e-15);
  EXPECT_EQ(repaired.state().v(ball)[0], 1.0);
}

TEST(InitialState, OffAConstraintIsNamedOrMovedToTheNearest) {
  // Masses 1 and 3 on one rod, q_1 = q_2: nearest in the metric of M is their centre of mass.
  for (const bool velocity : {false, true}) {
    const double gap = velocity ? 0.0 : 0.4, rate = velocity ? 0.8 : 0.0;
    NonSmoothDynamicalSystem model;
    const auto one = model.add(LagrangianLinearSystem{.q0 = {gap}, .v0 = {rate}});
    const auto three = model.add(LagrangianLinearSystem{.mass = {{3.0}}, .q0 = {0.0}, .v0 = {0.0}});
    model.link({one, three}, LagrangianLinearRelation{.H = {{1.0, -1.0}}}, EqualityLaw{}, "rod");
    expect_refused([&] { EventDriven refused(model); }, {"initial state", "rod", velocity ? "u = 0.8" : "y = 0.4"});
    EventDriven repaired(model, {.repair_initial_state = true});
    const double expected_q = 0.25 * gap, expected_v = 0.25 * rate;
    for (const auto body : {one, three}) {
      EXPECT_NEAR(repaired.state().q(body)[0], expected_q, 1e-15);
      EXPECT_NEAR(repaired.state().v(body)[0], expected_v, 1e-15);
    }
  }
}

}  // namespace
}  // namespace nonsmooth::user_events_test
