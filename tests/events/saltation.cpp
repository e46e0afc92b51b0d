// SPDX-License-Identifier: Apache-2.0
// Derivatives of the state by its start along runs by events: through crossings, sliding, relays and impacts, against
// closed forms, nearby runs and FiniteElementStepping.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <support/filippov_systems.hpp>

namespace nonsmooth::saltation_test {
namespace {

using namespace filippov_systems;

// What limits all of them are differences of fourth order over eps^(1/5): rates known to eps give slopes known to some
// eps / eps^(1/5) = 3e-13, and steps of 1e-10 of the state.
constexpr double kTolerance = 1e-9;

struct Varied {
  explicit Varied(FilippovSystem system, double T, EventDrivenOptions options = {}) {
    NonSmoothDynamicalSystem model;
    const SystemHandle handle = link_filippov(model, std::move(system)).system;
    options.sensitivities = true;
    EventDriven simulation(model, std::move(options));
    const auto report = simulation.advance_to(T);
    EXPECT_TRUE(report) << report.message();
    x = simulation.state().x(handle);
    found = simulation.sensitivity(handle);
  }
  Eigen::VectorXd x;
  Sensitivity found;
};

// |x| scales by e^T whatever the start; the angle is w (T - 2 t*), t* = -log |x0|.
TEST(Saltation, ThroughACrossing) {
  const double T = 0.5 * std::numbers::pi, w = 2.0 * std::numbers::pi, r = std::exp(-1.0);
  const double size = std::exp(T - 1.0), angle = w * (T - 2.0);
  const Eigen::Vector2d radial(std::cos(angle), std::sin(angle)), across(-radial[1], radial[0]);
  Eigen::Matrix2d exact;
  exact.col(0) = size / r * radial + 2.0 * w * size / r * across;
  exact.col(1) = size / r * across;
  for (const SmoothIntegrator& integrator : {SmoothIntegrator(DormandPrince{}), SmoothIntegrator(RadauIIA{})}) {
    const Varied run(oscillator(), T, {.integrator = integrator, .relative_tolerance = 1e-12});
    EXPECT_FALSE(run.found.grazed || run.found.coincided);
    EXPECT_LE((run.found.transition - exact).norm(), kTolerance * exact.norm());
  }
}

// Sliding forgets where it came from; dy = y (entry - 1) d(entry), d(entry) = dx0 / (1 - entry): dy/dx0 = -y.
TEST(Saltation, ThroughEntryAndExit) {
  const Varied run(sliding_and_exit(), 2.0);
  const double y = std::exp(-1.75);
  Eigen::Matrix2d exact;
  exact << 0.0, 0.0, -y, y;
  EXPECT_LE((run.found.transition - exact).norm(), 1e-8);  // the weight of the exit is known to 1e-9
  EXPECT_FALSE(run.found.grazed || run.found.coincided);
}

// Entry to a curved surface and sliding along it, by finite elements and by nearby runs.
TEST(Saltation, AlongACurvedSurface) {
  const double T = 2.0;
  const Varied run(circle(1.5), T);
  NonSmoothDynamicalSystem model;
  const SystemHandle handle = link_filippov(model, circle(1.5)).system;
  FiniteElementStepping elements(model, {.step = 0.05, .stages = 4, .sensitivities = true});
  ASSERT_TRUE(elements.advance_to(T));
  EXPECT_LE((run.found.transition - elements.sensitivity(handle).transition).norm(), 1e-7);  // their differences
  constexpr double kWay = 1e-4;  // central: 1e-8 of the third derivative, 1e-12 / 1e-4 of the runs
  for (Index k = 0; k < 2; ++k) {
    FilippovSystem above = circle(1.5), below = above;
    Eigen::Vector2d start(1.5, 0.0);
    start[k] += kWay;
    above.x0 = start;
    start[k] -= 2.0 * kWay;
    below.x0 = start;
    const Eigen::VectorXd slope = (Varied(above, T).x - Varied(below, T).x) / (2.0 * kWay);
    EXPECT_LE((run.found.transition.col(k) - slope).norm(), 2e-8);
  }
}

// c = x1 - t / 2 from 1 at speed -1: met at t* = 2/3 x1(0), from then on x2' = 1: dx2 / dx1(0) = -2/3. Without a
// gradient or rate of its own.
TEST(Saltation, ThroughASurfaceThatMoves) {
  const Varied run({.x0 = {1.0, 0.0},
                    .switches = {{.value = [](double t, ConstVectorRef x) { return x[0] - 0.5 * t; }}},
                    .regions = {constant({1}, {-1.0, 0.0}), constant({-1}, {-1.0, 1.0})}},
                   2.0);
  EXPECT_NEAR(run.found.transition(1, 0), -2.0 / 3.0, 1e-9);
  EXPECT_NEAR(run.found.transition(0, 0), 1.0, 1e-9);
}

// x' = (1, 2 x0, 10) from (-1, 1 + height, 0) touches x1 = height at x0 = 0; the spiral's last switches come as one.
TEST(Saltation, GrazingAndCoincidenceAreTold) {
  const auto graze = [](double height) {
    const auto field = [](double more) {
      return [=](double, ConstVectorRef x, VectorRef f) {
        f[0] = 1.0 + more;
        f[1] = 2.0 * x[0];
        f[2] = 10.0;
      };
    };
    return Varied({.x0 = {-1.0, 1.0 + height, 0.0},
                   .switches = {coordinate(1)},
                   .regions = {{.signs = {1}, .f = field(0.0)}, {.signs = {-1}, .f = field(1.0)}}},
                  1.5)
        .found;
  };
  EXPECT_TRUE(graze(-1e-12).grazed);  // |dc/dt| = 2e-6 where it passes, |x'| = 10
  EXPECT_FALSE(graze(-1e-2).grazed);
  EXPECT_FALSE(graze(1e-2).grazed);
  EXPECT_TRUE(Varied(spiral(0.7, 0.4), 1.0).found.coincided);
}

// x' = t - l, y' = -l, l in Sgn x, by a first-order system with a relay: y(2) = y0 - entry - (1 - entry^2) / 2 - 1.
TEST(Saltation, ThroughARelay) {
  NonSmoothDynamicalSystem model;
  const auto system =
      model.add(FirstOrderLinearSystem{.b = [](double t, VectorRef b) { b[0] = t; }, .x0 = {0.25, 1.0}});
  // -y in N_[-1,1](l) with y = -x: l = 1 where x > 0.
  model.link(system, FirstOrderLinearRelation{.C = {{-1.0, 0.0}}, .B = {{-1.0}, {-1.0}}}, RelayLaw{});
  EventDriven simulation(model, {.sensitivities = true});
  ASSERT_TRUE(simulation.advance_to(2.0));
  const double entry = 1.0 - std::sqrt(0.5);
  EXPECT_NEAR(simulation.state().x(system)[1], -entry - 0.5 * (1.0 - entry * entry), 1e-9);
  Eigen::Matrix2d exact;
  exact << 0.0, 0.0, -1.0, 1.0;
  EXPECT_LE((simulation.sensitivity(system).transition - exact).norm(), kTolerance);
}

/// q after two rebounds at T with its derivatives by (q0, v0, e): falls under g onto a floor at rest.
struct TwoRebounds {
  TwoRebounds(double q0, double v0, double e, double g, double T) {
    const double fall = std::sqrt(v0 * v0 + 2.0 * g * q0), left = T - (v0 + fall) / g - 2.0 * e * fall / g;
    const double w = e * e * fall;
    q = w * left - 0.5 * g * left * left;
    v = w - g * left;
    const Eigen::Vector3d fall_d(g / fall, v0 / fall, 0.0);
    Eigen::Vector3d w_d = e * e * fall_d, left_d = -(1.0 + 2.0 * e) / g * fall_d;
    w_d[2] = 2.0 * e * fall;
    left_d[1] -= 1.0 / g;
    left_d[2] = -2.0 * fall / g;
    by_q = w_d * left + w * left_d - g * left * left_d;
    by_v = w_d - g * left_d;
  }
  double q = 0.0, v = 0.0;
  Eigen::Vector3d by_q, by_v;  ///< of q and v by (q0, v0, e)
};

TEST(Saltation, BouncingBall) {
  const double g = 9.81, e = 0.7, T = 1.2;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{2.0}}, .force = {-2.0 * g}, .q0 = {1.0}, .v0 = {0.5}});
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = e});
  EventDriven simulation(model, {.sensitivities = true});
  ASSERT_TRUE(simulation.advance_to(T));
  const TwoRebounds exact(1.0, 0.5, e, g, T);
  EXPECT_NEAR(simulation.state().q(ball)[0], exact.q, kTolerance);
  const Sensitivity found = simulation.sensitivity(ball);
  EXPECT_LE((found.transition.row(0).transpose() - exact.by_q.head(2)).norm(), kTolerance * 10.0);
  EXPECT_LE((found.transition.row(1).transpose() - exact.by_v.head(2)).norm(), kTolerance * 10.0);
  const Eigen::VectorXd by_e = simulation.restitution_sensitivity(ball, floor);
  EXPECT_NEAR(by_e[0], exact.by_q[2], kTolerance * 10.0);
  EXPECT_NEAR(by_e[1], exact.by_v[2], kTolerance * 10.0);
  EXPECT_FALSE(found.grazed || found.coincided);
}

// The floor goes up with a t^2 / 2: seen from it the ball falls under g + a, and R_t is not zero.
TEST(Saltation, BouncingBallOnAFloorThatAccelerates) {
  const double g = 9.81, a = 3.0, e = 0.7, T = 1.1;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-g}, .q0 = {1.0}, .v0 = {0.5}});
  RheonomousRelation relation;
  relation.h = [=](double t, ConstVectorRef q, VectorRef y) { y[0] = q[0] - 0.5 * a * t * t; };
  relation.H = [](double, ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; };
  relation.h_t = [=](double t, ConstVectorRef, VectorRef rate) { rate[0] = -a * t; };
  model.link(ball, relation, NewtonImpactLaw{.restitution = e});
  EventDriven simulation(model, {.sensitivities = true});
  ASSERT_TRUE(simulation.advance_to(T));
  const TwoRebounds exact(1.0, 0.5, e, g + a, T);
  EXPECT_NEAR(simulation.state().q(ball)[0], exact.q + 0.5 * a * T * T, 1e-8);
  const Sensitivity found = simulation.sensitivity(ball);
  EXPECT_LE((found.transition.row(0).transpose() - exact.by_q.head(2)).norm(), 1e-7);  // differences of c by time
  EXPECT_LE((found.transition.row(1).transpose() - exact.by_v.head(2)).norm(), 1e-7);
}

// Once it lies, where it lies depends on nothing.
TEST(Saltation, BallThatCameToRest) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-9.81}, .q0 = {1.0}, .v0 = {0.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.4});
  EventDriven simulation(model, {.sensitivities = true});
  ASSERT_TRUE(simulation.advance_to(2.0));
  EXPECT_LE(simulation.sensitivity(ball).transition.norm(), 1e-8);
  EXPECT_FALSE(simulation.sensitivity(ball).grazed);  // its last impact is slow, and nothing is divided by that speed
}

// An event that does nothing a little before the impact, or at it.
TEST(Saltation, ImpactAtAScheduledInstant) {
  const double g = 9.81, e = 0.7, impact = std::sqrt(2.0 / g), T = 0.8, u = g * impact, left = T - impact;
  const double by_q = 1.0 / u, by_v = impact / u;  // t* by the start
  // q = e w left - g left^2 / 2 with w = g t* - v0 the speed, left = T - t*.
  Eigen::Matrix2d exact;
  exact << e * g * by_q * left - (e * u - g * left) * by_q, e * (g * by_v - 1.0) * left - (e * u - g * left) * by_v,
      e * g * by_q + g * by_q, e * (g * by_v - 1.0) + g * by_v;
  for (const double gap : {1e-2, 1e-9, 1e-11, 0.0}) {
    NonSmoothDynamicalSystem model;
    const auto ball = model.add(LagrangianLinearSystem{.force = {-g}, .q0 = {1.0}, .v0 = {0.0}});
    model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = e});
    EventDriven simulation(model, {.events = {{.name = "tick", .instants = {impact - gap}}}, .sensitivities = true});
    ASSERT_TRUE(simulation.advance_to(T));
    const Sensitivity found = simulation.sensitivity(ball);
    EXPECT_LE((found.transition - exact).norm(), kTolerance * 10.0) << gap;
    EXPECT_FALSE(found.grazed);
    if (gap > 1e-10) {
      EXPECT_FALSE(found.coincided);
    } else if (gap == 0.0) {
      EXPECT_TRUE(found.coincided);
    }
  }
}

// The same of a surface that is passed.
TEST(Saltation, SwitchAtAScheduledInstant) {
  for (const double gap : {1e-9, 0.0}) {
    const Varied run({.x0 = {0.5, 0.0},
                      .switches = {coordinate(0)},
                      .regions = {constant({1}, {-1.0, 0.0}), constant({-1}, {-1.0, 2.0})}},
                     2.0, {.events = {{.name = "tick", .instants = {0.5 - gap}}}});
    EXPECT_NEAR(run.found.transition(1, 0), -2.0, 1e-9) << gap;  // x1 = 2 (2 - x0)
    EXPECT_NEAR(run.found.transition(0, 0), 1.0, 1e-9);
  }
}

// Balls of 1e-9 and 1e9 kg that nothing couples land at one instant: each as if it were alone.
TEST(Saltation, TwoThatLandTogether) {
  const double g = 9.81, e = 0.7, T = 0.8;
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> balls;
  for (const double mass : {1e-9, 1e9}) {
    balls.push_back(
        model.add(LagrangianLinearSystem{.mass = {{mass}}, .force = {-mass * g}, .q0 = {1.0}, .v0 = {0.5}}));
    model.link(balls.back(), LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = e});
  }
  NonSmoothDynamicalSystem one;
  const auto alone = one.add(LagrangianLinearSystem{.force = {-g}, .q0 = {1.0}, .v0 = {0.5}});
  one.link(alone, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = e});
  EventDriven simulation(model, {.sensitivities = true}), single(one, {.sensitivities = true});
  ASSERT_TRUE(simulation.advance_to(T));
  ASSERT_TRUE(single.advance_to(T));
  const Eigen::MatrixXd exact = single.sensitivity(alone).transition;
  for (const SystemHandle ball : balls)
    EXPECT_LE((simulation.sensitivity(ball).transition - exact).norm(), kTolerance * 10.0);
  EXPECT_LE(simulation.sensitivity(balls[0], balls[1]).transition.norm(), kTolerance);
  EXPECT_LE(simulation.sensitivity(balls[1], balls[0]).transition.norm(), kTolerance);
  EXPECT_TRUE(simulation.sensitivity(balls[0]).coincided);
}

// Equal masses, e = 1: they exchange velocities, so that the second goes on as the first would have.
TEST(Saltation, OneBodyHitsAnother) {
  NonSmoothDynamicalSystem model;
  const auto first = model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {2.0}});
  const auto second = model.add(LagrangianLinearSystem{.q0 = {1.0}, .v0 = {0.0}});
  model.link({first, second}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, NewtonImpactLaw{.restitution = 1.0});
  EventDriven simulation(model, {.sensitivities = true});
  ASSERT_TRUE(simulation.advance_to(2.0));
  Eigen::Matrix2d free;
  free << 1.0, 2.0, 0.0, 1.0;
  EXPECT_LE((simulation.sensitivity(second, first).transition - free).norm(), kTolerance);
  EXPECT_LE((simulation.sensitivity(first, second).transition - free).norm(), kTolerance);
  EXPECT_LE(simulation.sensitivity(first).transition.norm(), kTolerance);
}

// v' = -sgn v from 1 stops at t = 1 and q = v0^2 / 2.
TEST(Saltation, DryFriction) {
  NonSmoothDynamicalSystem model;
  const auto block = model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {1.0}});
  model.link(block, LagrangianLinearRelation{.H = {{1.0}}}, RelayLaw{});
  EventDriven simulation(model, {.sensitivities = true});
  ASSERT_TRUE(simulation.advance_to(2.0));
  Eigen::Matrix2d exact;
  exact << 1.0, 1.0, 0.0, 0.0;
  EXPECT_LE((simulation.sensitivity(block).transition - exact).norm(), kTolerance);
}

double hill(double s) { return s * s / (1.0 + s * s); }

// x' = u h(x / u) - x / 2 + u / 8: the same in every unit u, by differences where the tolerances have that unit too,
// and by f_dx.
TEST(Saltation, FirstOrderSystemInAnyUnit) {
  const auto check = [](double u, bool given) {
    FirstOrderSystem system{
        .f = [u](double, ConstVectorRef x, VectorRef f) { f[0] = u * hill(x[0] / u) - 0.5 * x[0] + 0.125 * u; },
        .x0 = {0.7 * u}};
    if (given) {
      system.f_dx = [u](double, ConstVectorRef x, MatrixRef J) {
        const double s = x[0] / u;
        J(0, 0) = 2.0 * s / ((1.0 + s * s) * (1.0 + s * s)) - 0.5;
      };
    }
    NonSmoothDynamicalSystem model;
    const auto handle = model.add(system);
    EventDriven simulation(model, {.absolute_tolerance = 1e-12 * u, .sensitivities = true});
    EXPECT_TRUE(simulation.advance_to(2.0));
    // Of x' = f(x) it is f(x(T)) / f(x0).
    const auto rate = [](double s) { return hill(s) - 0.5 * s + 0.125; };
    const double exact = rate(simulation.state().x(handle)[0] / u) / rate(0.7);
    EXPECT_NEAR(simulation.sensitivity(handle).transition(0, 0), exact, kTolerance) << u << given;
  };
  for (const double u : {1e-6, 1.0, 1e6}) {
    check(u, true);
    check(u, false);
  }
}

// Sliding along x1 = 0 at a speed that turns with x0 / u.
TEST(Saltation, SlidingInAnyUnit) {
  const auto transition = [](double u) {
    const auto field = [u](double along, double across, double more) {
      return [=](double, ConstVectorRef x, VectorRef f) {
        f[0] = u * (along * hill(x[0] / u) + 0.1);
        f[1] = u * (across + more * hill(x[0] / u));
      };
    };
    return Varied(
               {.x0 = {0.3 * u, 0.5 * u},
                .switches = {coordinate(1)},
                .regions = {{.signs = {1}, .f = field(2.0, -1.0, -1.0)}, {.signs = {-1}, .f = field(1.0, 2.0, 0.0)}}},
               2.0, {.absolute_tolerance = 1e-12 * u})
        .found.transition;
  };
  const Eigen::MatrixXd exact = transition(1.0);
  EXPECT_GT(exact.norm(), 1.0);
  for (const double u : {1e-6, 1e6}) EXPECT_LE((transition(u) - exact).norm(), 1e-8) << u;
}

// They are looked at beside the run, which has the same bits; they begin anew where a state is set.
TEST(Saltation, RunsAreTheSame) {
  NonSmoothDynamicalSystem model;
  const SystemHandle system = link_filippov(model, sliding_and_exit()).system;
  EventDriven with(model, {.sensitivities = true}), without(model);
  ASSERT_TRUE(with.advance_to(2.0));
  ASSERT_TRUE(without.advance_to(2.0));
  EXPECT_EQ(Eigen::VectorXd(with.state().x(system)), Eigen::VectorXd(without.state().x(system)));
  with.set_state(with.state());
  EXPECT_EQ(with.sensitivity(system).transition, Eigen::MatrixXd::Identity(2, 2));
}

TEST(Saltation, RefusesWhatItDoesNotKnow) {
  const EventDrivenOptions wanted{.sensitivities = true};
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-9.81, 0.0}, .q0 = {1.0, 0.0}});
  const auto handle = model.link(ball, LagrangianLinearRelation{.H = {{1.0, 0.0}, {0.0, 1.0}}},
                                 NewtonImpactFrictionLaw{.friction = 0.5});
  EXPECT_THROW((EventDriven{model, wanted}), InvalidArgument);  // friction
  EventDriven plain(model);
  EXPECT_THROW((void)plain.sensitivity(ball), InvalidArgument);
  model.remove(handle);
  const auto rod = model.link(ball, LagrangianLinearRelation{.H = {{0.0, 1.0}}}, EqualityLaw{});
  EXPECT_THROW((EventDriven{model, wanted}), InvalidArgument);  // a bilateral constraint
  model.remove(rod);
  EventDriven knows(model, wanted);
  EXPECT_NO_THROW((void)knows.sensitivity(ball));
  EventDrivenOptions acting = wanted;
  acting.events = {{.name = "kick", .instants = {1.0}, .action = [](State&) {}}};
  EXPECT_THROW((EventDriven{model, acting}), InvalidArgument);
  acting.events[0].name.clear();
  try {
    EventDriven nameless(model, acting);
    ADD_FAILURE();
  } catch (const InvalidArgument& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("event 0"), std::string::npos) << refusal.what();
  }
  const auto field = [](double, ConstVectorRef, VectorRef f) { f[0] = 1.0; };
  const auto automaton = model.add(HybridAutomaton{
      .x0 = {0.0},
      .modes = {{.name = "a", .f = field}, {.name = "b", .f = field}},
      .transitions = {
          {.from = "a", .to = "b", .guard = {.value = [](double, ConstVectorRef x) { return x[0] - 1.0; }}}}});
  EXPECT_THROW((EventDriven{model, wanted}), InvalidArgument);  // its transitions
  model.remove(automaton);
  const auto circuit = model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {{1.0}}});
  model.link(circuit, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, ComplementarityLaw{});
  EXPECT_THROW((EventDriven{model, wanted}), InvalidArgument);  // x may jump
}

}  // namespace
}  // namespace nonsmooth::saltation_test
