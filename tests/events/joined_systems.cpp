// SPDX-License-Identifier: Apache-2.0
// Mechanical and first-order systems under a FilippovSystem or an automaton, as one state, against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/finite_element_stepping.hpp>
#include <nonsmooth/kernel/integrators.hpp>
#include <nonsmooth/kernel/joined_systems.hpp>
#include <nonsmooth/kernel/systems.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "event_log.hpp"

namespace nonsmooth::joined_systems_test {
namespace {

/// Integrators keep 1e-10 a step; Jacobians that are differences do not change what is solved.
constexpr double kEvents = 1e-8;

/// u_0 = -strength and strength by the sign of x_0 + x_1.
FilippovSystem line_relay(double strength) {
  const auto push = [](double u) { return [u](double, ConstVectorRef, VectorRef value) { value[0] = u; }; };
  return {.switches = {{.name = "line",
                        .value = [](double, ConstVectorRef x) { return x[0] + x[1]; },
                        .gradient = [](double, ConstVectorRef, VectorRef gradient) { gradient << 1.0, 1.0; }}},
          .regions = {{.signs = {1}, .f = push(-strength)}, {.signs = {-1}, .f = push(strength)}}};
}

template <class S, class Options>
struct Run {
  Run(const FilippovSystem& system, const Options& options)
      : handles(link_filippov(model, system)), simulation(model, options) {}
  Eigen::VectorXd to(double T) {
    const RunReport report = simulation.advance_to(T);
    EXPECT_TRUE(report) << report.message();
    return simulation.state().x(handles.system);
  }
  [[nodiscard]] Eigen::VectorXd lambda() const { return simulation.state().lambda(handles.fields); }

  NonSmoothDynamicalSystem model;
  FilippovHandles handles;
  S simulation;
};
using Events = Run<EventDriven, EventDrivenOptions>;
using Elements = Run<FiniteElementStepping, FiniteElementOptions>;
using Steps = Run<TimeStepping, TimeSteppingOptions>;

TimeSteppingOptions implicit(double h) { return {.integrator = EulerMoreau{.theta = 1.0}, .step = h}; }

// 2 v' = u, u = -+4: q = 1 - t^2 until q + v = 0 at sqrt 2 - 1; then v = -q.
TEST(JoinedSystems, ARelayHoldsAMassOnALine) {
  const JoinedSystems plant({make_system(LagrangianLinearSystem{.mass = {{2.0}}, .q0 = {1.0}})});
  const FilippovSystem system = plant.join(line_relay(4.0));
  const double meets = std::numbers::sqrt2 - 1.0, q = (1.0 - meets * meets) * std::exp(meets - 2.0);
  Events events(system, {});
  const Eigen::VectorXd x = events.to(2.0);
  EXPECT_NEAR(x[plant.state(0)], q, kEvents);
  EXPECT_NEAR(x[plant.velocity(0)], -q, kEvents);
  ASSERT_EQ(events.simulation.events().size(), 1u);
  EXPECT_NEAR(events.simulation.events()[0].t, meets, kEvents);
  EXPECT_NEAR(events.lambda()[1] - events.lambda()[0], -q / 2.0, kEvents);  // 2 v' = -4 (theta_+ - theta_-) = 2 q
  Elements elements(system, {.step = 0.1, .stages = 3});
  EXPECT_NEAR(elements.to(2.0)[0], q, 1e-8);  // order 5 with steps of 0.1, |d^6 q| below 1: 1e-6 / 14400 a second
  Steps steps(system, implicit(5e-3));
  EXPECT_NEAR(steps.to(2.0)[0], q, 2e-2);  // order 1, rates below 2 and a second
}

// A pendulum that starts on the line stays there by every method: q = e^-t, in implicit steps (1 + h)^-k.
TEST(JoinedSystems, ARelayHoldsAPendulum) {
  const auto weight = [](double, ConstVectorRef q, ConstVectorRef, VectorRef F) { F[0] = -4.905 * std::sin(q[0]); };
  const auto inertia = [](ConstVectorRef, MatrixRef M) { M(0, 0) = 0.5; };
  const JoinedSystems plant(
      {make_system(LagrangianSystem{.mass = inertia, .force = weight, .q0 = {1.0}, .v0 = {-1.0}})});
  const FilippovSystem system = plant.join(line_relay(6.0));
  // Of 0.5 q'' = -4.905 sin q + 6 (theta_- - theta_+), q'' = q.
  const auto balance = [](double q) { return (0.5 * q + 4.905 * std::sin(q)) / 6.0; };
  Events events(system, {});
  EXPECT_NEAR(events.to(1.0)[0], std::exp(-1.0), kEvents);
  EXPECT_NEAR(events.lambda()[0] - events.lambda()[1], balance(std::exp(-1.0)), kEvents);
  Elements elements(system, {.step = 0.1, .stages = 3});
  EXPECT_NEAR(elements.to(1.0)[0], std::exp(-1.0), 1e-8);
  Steps steps(system, implicit(0.1));
  EXPECT_NEAR(steps.to(1.0)[0], std::pow(1.1, -10), 1e-10);
}

// A bead on y = q^2 / 2, whose mass 1 + q^2 varies: held on the line by the force that its motion tells.
TEST(JoinedSystems, MassesMayVary) {
  const JoinedSystems plant({make_system(
      LagrangianSystem{.mass = [](ConstVectorRef q, MatrixRef M) { M(0, 0) = 1.0 + q[0] * q[0]; },
                       .gyroscopic = [](ConstVectorRef q, ConstVectorRef v, VectorRef F) { F[0] = q[0] * v[0] * v[0]; },
                       .q0 = {1.0},
                       .v0 = {-1.0}})});
  Events events(plant.join(line_relay(5.0)), {});
  const double q = std::exp(-1.0);
  EXPECT_NEAR(events.to(1.0)[0], q, kEvents);
  EXPECT_NEAR(events.lambda()[0] - events.lambda()[1], ((1.0 + q * q) * q + q * q * q) / 5.0, kEvents);
}

// A motor: m v' = k i, L i' = u - k v, u = -+E by the sign of i - r. From rest i = E / (L w) sin w t; from i = r on the
// current slides and the speed grows evenly.
TEST(JoinedSystems, ARelayControlsTheCurrentOfAMotor) {
  constexpr double m = 2.0, L = 0.5, k = 1.0, E = 10.0, r = 2.0;
  const JoinedSystems motor({make_system(LagrangianLinearSystem{.mass = {{m}}, .q0 = {0.0}}),
                             make_system(FirstOrderLinearSystem{.mass = {{L}}, .x0 = {0.0}})});
  ASSERT_EQ(motor.state(1), 2);
  ASSERT_EQ(motor.input(1), 1);
  ASSERT_EQ(motor.num_states(), 3);
  const auto fields = [](double u) {
    return [u](double, ConstVectorRef x, VectorRef value) { value << k * x[2], u - k * x[1]; };
  };
  const FilippovSystem system = motor.join(
      FilippovSystem{.switches = {{.name = "current", .value = [](double, ConstVectorRef x) { return x[2] - r; }}},
                     .regions = {{.signs = {1}, .f = fields(-E)}, {.signs = {-1}, .f = fields(E)}}});
  const double w = k / std::sqrt(m * L), meets = std::asin(r * L * w / E) / w;
  const double v = E / k * (1.0 - std::cos(w * meets)) + k * r / m * (1.0 - meets);
  Events events(system, {});
  const Eigen::VectorXd x = events.to(1.0);
  EXPECT_NEAR(x[1], v, kEvents);
  EXPECT_NEAR(x[2], r, 1e-14);
  EXPECT_NEAR(events.lambda()[1] - events.lambda()[0], -k * v / E, kEvents);
  Elements elements(system, {.step = 0.1, .stages = 3});
  EXPECT_NEAR(elements.to(1.0)[1], v, 1e-8);
  Steps steps(system, implicit(5e-3));
  const Eigen::VectorXd by_steps = steps.to(1.0);
  EXPECT_NEAR(by_steps[1], v, 1e-2);   // order 1
  EXPECT_NEAR(by_steps[2], r, 1e-10);  // on the surface
}

// A thermostat without a state of its own but for a counter of the heat: 4 T' = -4 T + u, u = 120 or 0 between 19 and
// 21, as x' = 30 - x and -x.
TEST(JoinedSystems, AThermostatHeatsABody) {
  const JoinedSystems body(
      {make_system(FirstOrderLinearSystem{.mass = {{4.0}}, .A = {{-4.0}}, .x0 = {18.0}, .name = "body"})});
  NonSmoothDynamicalSystem model;
  const SystemHandle room = model.add(body.join(HybridAutomaton{
      .x0 = {0.0},
      .modes = {{.name = "heats", .f = [](double, ConstVectorRef, VectorRef u) { u.setConstant(120.0); }},
                {.name = "rests"}},
      .transitions = {
          {.from = "heats", .to = "rests", .guard = {.value = [](double, ConstVectorRef x) { return x[0] - 21.0; }}},
          {.from = "rests", .to = "heats", .guard = {.value = [](double, ConstVectorRef x) {
                                             return 19.0 - x[0];
                                           }}}}}));
  const double down = std::log(21.0 / 19.0), up = std::log(11.0 / 9.0), first = std::log(12.0 / 9.0);
  EventDriven simulation(model);
  const RunReport report = simulation.advance_to(first + 2.0 * (down + up) + 0.5 * down);
  ASSERT_TRUE(report) << report.message();
  event_log::expect_times(event_log::times_of(simulation, EventKind::Transition),
                          {first, first + down, first + down + up, first + 2.0 * down + up, first + 2.0 * (down + up)},
                          kEvents);
  const Eigen::VectorXd x = simulation.state().x(room);
  EXPECT_NEAR(x[0], 21.0 * std::exp(-0.5 * down), 21.0 * kEvents);
  EXPECT_NEAR(x[body.num_states()], 120.0 * (first + 2.0 * up), 120.0 * 5.0 * kEvents);  // of five instants
  EXPECT_EQ(mode_of(simulation.state(), room), 1);
}

// A mass on a spring on a belt of speed V. It sticks until k q = F_s, slips under F_k until v = V again, at
// w s = 2 (pi - atan(D w / V)), D = (F_s - F_k) / k, and q is F_k / k - D there: sticking lasts 2 D / V from then on.
TEST(JoinedSystems, StickSlipWithHysteresis) {
  constexpr double m = 2.0, k = 8.0, V = 0.5, F_s = 4.0, F_k = 2.0, D = (F_s - F_k) / k;
  const double w = std::sqrt(k / m);
  const JoinedSystems block({make_system(
      LagrangianLinearSystem{.mass = {{m}}, .stiffness = {{k}}, .q0 = {0.0}, .v0 = {V}, .name = "block"})});
  NonSmoothDynamicalSystem model;
  const SystemHandle handle = model.add(block.join(
      HybridAutomaton{.modes = {{.name = "sticks", .f = [](double, ConstVectorRef x, VectorRef u) { u[0] = k * x[0]; }},
                                {.name = "slips", .f = [](double, ConstVectorRef, VectorRef u) { u[0] = F_k; }}},
                      .transitions = {{.from = "sticks",
                                       .to = "slips",
                                       .guard = {.value = [](double, ConstVectorRef x) { return k * x[0] - F_s; }}},
                                      {.from = "slips",
                                       .to = "sticks",
                                       .guard = {.value = [](double, ConstVectorRef x) { return x[1] - V; }},
                                       .reset = [](double, VectorRef x) { x[1] = V; }}}}));
  const double first = F_s / (k * V), slips = 2.0 * (std::numbers::pi - std::atan(D * w / V)) / w, sticks = 2.0 * D / V;
  EventDriven simulation(model);
  const RunReport report = simulation.advance_to(first + 2.0 * slips + sticks + 0.25);
  ASSERT_TRUE(report) << report.message();
  event_log::expect_times(event_log::times_of(simulation, EventKind::Transition),
                          {first, first + slips, first + slips + sticks, first + 2.0 * slips + sticks}, kEvents);
  const Eigen::VectorXd x = simulation.state().x(handle);
  EXPECT_NEAR(x[0], F_k / k - D + 0.25 * V, kEvents);
  EXPECT_NEAR(x[1], V, kEvents);
}

void expect_refused(const std::shared_ptr<const DynamicalSystem>& system, const char* what) {
  try {
    const JoinedSystems plant({system});
    ADD_FAILURE() << what;
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
  }
}

TEST(JoinedSystems, RefusesWhatHasNoSmoothField) {
  const auto nothing = [](const State&, VectorRef) {};
  EXPECT_THROW(JoinedSystems({}), InvalidArgument);
  expect_refused(nullptr, "none at place 0");
  expect_refused(make_system(RigidBody{.mass = 1.0}), "manifold");
  expect_refused(make_system(FirstOrderSystem{.x0 = {0.0}, .feedback = nothing, .name = "a"}), "a with a sampled");
  expect_refused(make_system(FirstOrderLinearSystem{.mass = {{0.0}}, .A = {{-1.0}}, .x0 = {0.0}}), "singular");
  expect_refused(make_system(HybridAutomaton{.x0 = {0.0}, .modes = {{.name = "m"}}, .name = "b"}), "b with fields");
  expect_refused(make_system(LagrangianLinearSystem{
                     .q0 = {0.0}, .prescribed = {{.component = 0, .velocity = [](double) { return 1.0; }}}}),
                 "prescribed");
  expect_refused(make_system(LagrangianLinearSystem{.q0 = {0.0}, .impulses = {{.instant = 1.0, .impulse = {1.0}}}}),
                 "impulses");
  const JoinedSystems plant({make_system(FirstOrderLinearSystem{.x0 = {0.0}, .name = "tank"})});
  EXPECT_THROW((void)plant.velocity(0), InvalidArgument);
  EXPECT_THROW((void)plant.state(1), InvalidArgument);
  FilippovSystem own{.switches = {{.value = [](double, ConstVectorRef x) { return x[0]; }}},
                     .regions = {{.signs = {0}, .f_dx = [](double, ConstVectorRef, MatrixRef) {}}}};
  EXPECT_THROW((void)plant.join(own), InvalidArgument);
}

// What a part's own function throws is told by the part's name.
TEST(JoinedSystems, TellsWhoseFunctionFailed) {
  const auto breaks = [](double, ConstVectorRef x, VectorRef f) {
    if (x[0] > 5.0) throw std::runtime_error("burnt");
    f[0] = 1.0;
  };
  const JoinedSystems plant({make_system(FirstOrderSystem{.f = breaks, .x0 = {0.0}, .name = "coil"})});
  NonSmoothDynamicalSystem model;
  (void)model.add(plant.join(HybridAutomaton{.modes = {{.name = "on"}}}));
  EventDriven simulation(model);
  const RunReport report = simulation.advance_to(10.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("coil"), std::string::npos) << report.message();
}

}  // namespace
}  // namespace nonsmooth::joined_systems_test
