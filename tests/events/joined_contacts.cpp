// SPDX-License-Identifier: Apache-2.0
// Joined systems that hit, press and leave a floor while what acts on them switches and slides, against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/joined_systems.hpp>
#include <nonsmooth/kernel/systems.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "event_log.hpp"

namespace nonsmooth::joined_contacts_test {
namespace {

constexpr double kEvents = 1e-8;  ///< integrators keep 1e-10 a step
constexpr double kGravity = 9.81;

/// g = q_k, with its gradient.
JoinedContact floor_under(Index k, double e) {
  return {.name = "floor",
          .gap = [k](ConstVectorRef q) { return q[k]; },
          .gradient = [k](ConstVectorRef, VectorRef n) { n[k] = 1.0; },
          .restitution = e};
}
AutomatonMode pushes(const std::string& name, double force) {
  return {.name = name, .f = [force](double, ConstVectorRef, VectorRef u) { u[0] = force; }};
}

struct Motion {
  explicit Motion(HybridAutomaton automaton) : system(model.add(std::move(automaton))), simulation(model) {}
  void to(double T) {
    const RunReport report = simulation.advance_to(T);
    EXPECT_TRUE(report) << report.message();
  }
  [[nodiscard]] Eigen::VectorXd x() const {
    const Eigen::VectorXd all = simulation.state().x(system);
    return all.head(all.size() - 1);
  }
  [[nodiscard]] Index mode() const { return mode_of(simulation.state(), system); }

  NonSmoothDynamicalSystem model;
  SystemHandle system;
  EventDriven simulation;
};

// 2 kg fall from 1 m, bounce with e = 1/2 and come to rest; at t = 3 a force of 5 N above their weight lifts them.
TEST(JoinedContacts, BouncesRestsAndIsLifted) {
  const JoinedSystems body({make_system(LagrangianLinearSystem{.mass = {{2.0}}, .q0 = {1.0}})});
  Motion run(body.join(
      HybridAutomaton{.modes = {pushes("falls", -2.0 * kGravity), pushes("lifts", 5.0)},
                      .transitions = {{.name = "lift",
                                       .from = "falls",
                                       .to = "lifts",
                                       .guard = {.value = [](double t, ConstVectorRef) { return t - 3.0; }}}}},
      floor_under(0, 0.5)));
  const double fall = std::sqrt(2.0 / kGravity);
  run.to(2.9);
  EXPECT_EQ(run.mode(), 2);  // "falls, floor"
  EXPECT_NEAR(run.x()[0], 0.0, 1e-12);
  EXPECT_NEAR(run.x()[1], 0.0, 1e-12);
  const std::vector<double> times = event_log::times_of(run.simulation, EventKind::Transition);
  EXPECT_NEAR(times[0], fall, kEvents);
  EXPECT_NEAR(times[1], 2.0 * fall, kEvents);
  EXPECT_NEAR(times[2], 2.5 * fall, kEvents);
  // The rebound that is none is slower than 1e-4 m/s; what it and those behind it would have taken: 4e-4 / g.
  EXPECT_LE(times.back(), 3.0 * fall);
  EXPECT_GE(times.back(), 3.0 * fall - 4e-4 / kGravity);
  run.to(4.0);
  EXPECT_EQ(run.mode(), 1);
  EXPECT_NEAR(run.x()[0], 0.5 * 2.5, kEvents);
  EXPECT_NEAR(run.x()[1], 2.5, kEvents);
}

// v' = -3 Sgn(q + v + 1) from (1, -2), on the line: q = 2 e^-t - 1 reaches the floor at ln 2 with w = -1. With e = 1/2
// it leaves the line there (q + v + 1 = 1.5), and bounces under u = -3 for 1/3 (1 + 1/2 + ...), then rests.
TEST(JoinedContacts, AControllerThatSlidesHitsTheFloor) {
  const JoinedSystems body({make_system(LagrangianLinearSystem{.q0 = {1.0}, .v0 = {-2.0}})});
  const auto push = [](double u) { return [u](double, ConstVectorRef, VectorRef value) { value[0] = u; }; };
  const FilippovSystem relay{
      .switches = {{.name = "line",
                    .value = [](double, ConstVectorRef x) { return x[0] + x[1] + 1.0; },
                    .gradient = [](double, ConstVectorRef, VectorRef gradient) { gradient << 1.0, 1.0; }}},
      .regions = {{.name = "down", .signs = {1}, .f = push(-3.0)}, {.name = "up", .signs = {-1}, .f = push(3.0)}}};
  Motion run(body.join(relay, floor_under(0, 0.5)));
  run.to(0.5);
  EXPECT_EQ(run.mode(), 4);  // behind up, down, and both on the floor
  EXPECT_NEAR(run.x()[0], 2.0 * std::exp(-0.5) - 1.0, kEvents);
  EXPECT_NEAR(run.x()[1], -1.0 - run.x()[0], 1e-14);
  run.to(std::numbers::ln2 + 0.1);
  EXPECT_EQ(run.mode(), 1);
  EXPECT_NEAR(run.x()[0], 0.05 - 0.015, kEvents);
  EXPECT_NEAR(run.x()[1], 0.2, kEvents);
  run.to(2.0);
  EXPECT_EQ(run.mode(), 3);  // "down, floor"
  EXPECT_NEAR(run.x().norm(), 0.0, 1e-12);
  const double end = event_log::times_of(run.simulation, EventKind::Transition).back();
  EXPECT_NEAR(end, std::numbers::ln2 + 2.0 / 3.0, 1.5e-4);  // bounces of 1e-4 m/s and less: 4e-4 / 3
}

// In the plane: x_0 slides along x_0 + v_0 = 0 in flight and on the floor alike, as if there were none.
TEST(JoinedContacts, SlidesOnThroughALanding) {
  const Eigen::Matrix2d mass{{1.0, 0.0}, {0.0, 1.0}};
  const JoinedSystems body({make_system(LagrangianLinearSystem{.mass = mass, .q0 = {1.0, 0.5}, .v0 = {-1.0, 0.0}})});
  const auto push = [](double u) { return [u](double, ConstVectorRef, VectorRef value) { value << u, -kGravity; }; };
  const FilippovSystem relay{
      .switches = {{.value = [](double, ConstVectorRef x) { return x[0] + x[2]; },
                    .gradient = [](double, ConstVectorRef, VectorRef gradient) { gradient[0] = gradient[2] = 1.0; }}},
      .regions = {{.signs = {1}, .f = push(-3.0)}, {.signs = {-1}, .f = push(3.0)}}};
  Motion run(body.join(relay, floor_under(1, 0.0)));
  run.to(2.0);
  EXPECT_EQ(run.mode(), 5);
  EXPECT_NEAR(run.x()[0], std::exp(-2.0), kEvents);
  EXPECT_NEAR(run.x()[2], -std::exp(-2.0), kEvents);
  EXPECT_NEAR(run.x()[1], 0.0, 1e-12);
  EXPECT_NEAR(run.x()[3], 0.0, 1e-12);
}

// A point on top of a unit circle, from the angle 0.1 with speed 0.3: it leaves where cos = (2 cos 0.1 + v^2 / g) / 3.
// With the normal by differences g'' is known to 1e-8 of terms of 10.
TEST(JoinedContacts, LeavesACurvedObstacle) {
  constexpr double start = 0.1, speed = 0.3;
  const JoinedSystems body(
      {make_system(LagrangianLinearSystem{.mass = {{1.0, 0.0}, {0.0, 1.0}},
                                          .force = {0.0, -kGravity},
                                          .q0 = {std::sin(start), std::cos(start)},
                                          .v0 = {speed * std::cos(start), -speed * std::sin(start)}})});
  for (const bool given : {true, false}) {
    JoinedContact circle{.name = "circle", .gap = [](ConstVectorRef q) { return q.norm() - 1.0; }};
    if (given) circle.gradient = [](ConstVectorRef q, VectorRef n) { n = q / q.norm(); };
    Motion run(body.join(HybridAutomaton{.modes = {{.name = "rolls"}}}, circle));
    EXPECT_EQ(run.mode(), 1);
    double leaves = 0.0;
    const EventDrivenObserver observer{.instant = [&](const Instant& instant) {
      const auto x = instant.before.x(run.system);
      leaves = x[1] / std::hypot(x[0], x[1]);
      return true;
    }};
    ASSERT_TRUE(run.simulation.advance_to(1.5, observer));
    EXPECT_EQ(run.mode(), 0);
    ASSERT_EQ(run.simulation.events().size(), 1u);
    const double exact = (2.0 * std::cos(start) + speed * speed / kGravity) / 3.0;
    EXPECT_NEAR(leaves, exact, given ? 1e-7 : 1e-6);
  }
}

TEST(JoinedContacts, RefusesWhatIsNoContact) {
  const JoinedSystems both(
      {make_system(LagrangianLinearSystem{.q0 = {1.0}}), make_system(FirstOrderLinearSystem{.x0 = {0.0}})});
  const HybridAutomaton one{.modes = {{.name = "free"}}};
  EXPECT_NO_THROW((void)both.join(one, floor_under(0, 0.5)));
  JoinedContact bad = floor_under(0, 0.5);
  bad.system = 1;
  EXPECT_THROW((void)both.join(one, bad), InvalidArgument);
  bad.system = 2;
  EXPECT_THROW((void)both.join(one, bad), InvalidArgument);
  EXPECT_THROW((void)both.join(one, floor_under(0, 1.5)), InvalidArgument);
  bad = floor_under(0, 0.5);
  bad.gap = {};
  EXPECT_THROW((void)both.join(one, bad), InvalidArgument);
  bad = floor_under(0, 0.5);
  bad.rest_velocity = 0.0;
  EXPECT_THROW((void)both.join(one, bad), InvalidArgument);
  // A start within the obstacle, by its name and how deep; on it, to round-off, is none.
  for (const double g : {-0.25, std::nan("")}) {
    bad = {.name = "ceiling", .gap = [g](ConstVectorRef) { return g; }};
    try {
      (void)both.join(one, bad);
      FAIL() << g;
    } catch (const InvalidArgument& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("ceiling"), std::string::npos) << message;
      if (g < 0.0) {
        EXPECT_NE(message.find("-0.25"), std::string::npos) << message;
      }
    }
  }
  bad.gap = [](ConstVectorRef) -> double { throw std::runtime_error("no gap"); };
  EXPECT_THROW((void)both.join(one, bad), InvalidArgument);
  bad.gap = [](ConstVectorRef q) { return q[0] - (1.0 + 1e-12); };
  EXPECT_NO_THROW((void)both.join(one, bad));
}

}  // namespace
}  // namespace nonsmooth::joined_contacts_test
