// SPDX-License-Identifier: Apache-2.0
// Event-driven runs with IDA, whose closed rows are equations beside those of the states; and with CVODE, where both
// begin and end their phases in the same way.
#include <cmath>
#include <stdexcept>

#include <nonsmooth/numerics/error.hpp>

#include "event_log.hpp"

namespace nonsmooth::ida_test {
namespace {

using namespace event_log;

class IdaRuns : public ::testing::Test {
  void SetUp() override {
    if (!Ida::available()) GTEST_SKIP() << "built without SUNDIALS (NONSMOOTH_WITH_SUNDIALS)";
  }
};

EventDrivenOptions with_ida(double tolerance = 1e-10) {
  return {.integrator = Ida{}, .relative_tolerance = tolerance, .absolute_tolerance = tolerance};
}

/// 0.5 (|q|^2 - 1) = 0.
ScleronomousRelation rod_relation() {
  return {.h = [](ConstVectorRef q, VectorRef y) { y[0] = 0.5 * (q.squaredNorm() - 1.0); },
          .H = [](ConstVectorRef q, MatrixRef H) { H = q.transpose(); },
          .curvature = [](ConstVectorRef, ConstVectorRef v, VectorRef c) { c[0] = v.squaredNorm(); }};
}

TEST_F(IdaRuns, APendulumOnARodStrikesItsStopInTime) {
  // Released at theta_0 over a stop x >= 0, l = 1: after K(k_0) / w, k = sin(theta_0 / 2), then after 2 K(e^n k_0) / w.
  // Held once, and twice: rows that depend on one another. Some 500 steps of 1e-10 between impacts, carried on with a
  // factor of a few.
  const double e = 0.8, w = std::sqrt(kGravity), angle = 2.0, k0 = std::sin(0.5 * angle);
  std::vector<double> expected{std::comp_ellint_1(k0) / w};
  for (int n = 1; n < 5; ++n) expected.push_back(expected.back() + 2.0 * std::comp_ellint_1(std::pow(e, n) * k0) / w);
  for (const int rods : {1, 2}) {
    NonSmoothDynamicalSystem model;
    const auto bob = model.add(LagrangianLinearSystem{.mass = 2.0 * Eigen::Matrix2d::Identity(),
                                                      .force = {0.0, -2.0 * kGravity},
                                                      .q0 = {std::sin(angle), -std::cos(angle)}});
    std::vector<InteractionHandle> held;
    for (int k = 0; k < rods; ++k) held.push_back(model.link(bob, rod_relation(), EqualityLaw{}));
    model.link(bob, LagrangianLinearRelation{.H = {{1.0, 0.0}}}, NewtonImpactLaw{.restitution = e});
    EventDriven simulation(model, with_ida());
    run_to(simulation, expected.back() + 0.1);
    expect_times(times_of(simulation, EventKind::Impact), expected, 1e-7);
    // On the circle to round-off after each step, and the rod's force there: m (g . q - v^2), shared by the rows.
    const State& x = simulation.state();
    EXPECT_NEAR(x.q(bob).norm(), 1.0, 4e-15);
    EXPECT_NEAR(x.q(bob).dot(x.v(bob)), 0.0, 1e-14);
    const double force = 2.0 * (kGravity * x.q(bob)[1] - x.v(bob).squaredNorm());
    for (const auto rod : held) EXPECT_NEAR(x.force(rod)[0], force / rods, 1e-12 * std::abs(force));
  }
}

TEST_F(IdaRuns, ABeadLeavesItsHill) {
  // On the unit circle from the angle 0.1, at rest: off at cos(theta) = 2/3 cos(0.1). The force is zero there, so the
  // gap opens with the cube of time, as the difference of two curves: a first step of order 1 would see it close again.
  NonSmoothDynamicalSystem model;
  const auto bead = model.add(LagrangianLinearSystem{.force = {0.0, -1.0}, .q0 = {std::sin(0.1), std::cos(0.1)}});
  model.link(bead, rod_relation(), NewtonImpactLaw{});
  EventDriven reference(model, {.relative_tolerance = 1e-13, .absolute_tolerance = 1e-13});
  run_to(reference, 4.0);
  const auto opens = times_of(reference, EventKind::Opening);
  for (const SmoothIntegrator& method : {SmoothIntegrator{Ida{}}, SmoothIntegrator{Cvode{Cvode::Method::Bdf}},
                                         SmoothIntegrator{Cvode{Cvode::Method::Adams}}}) {
    for (const double tolerance : {1e-6, 1e-10}) {
      auto options = with_ida(tolerance);
      options.integrator = method;
      EventDriven simulation(model, options);
      double height = 0.0;
      const auto report = simulation.advance_to(4.0, EventDrivenObserver{.instant = [&](const Instant& at) {
                                                  height = at.after.q(bead)[1];
                                                  return true;
                                                }});
      ASSERT_TRUE(report) << report.message();
      // Some hundred steps; errors near the top grow by e^t, 17 by then.
      expect_times(times_of(simulation, EventKind::Opening), opens, 2e3 * tolerance);
      EXPECT_NEAR(height, 2.0 / 3.0 * std::cos(0.1), 2e3 * tolerance);
      EXPECT_LT((simulation.state().q(bead) - reference.state().q(bead)).norm(), 4e3 * tolerance);
    }
  }
}

TEST_F(IdaRuns, AnOscillatorStrikesItsStopEachHalfPeriod) {
  const double w = 1.3, e = 0.9, half = kPi / w;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.stiffness = {{w * w}}, .q0 = {0.0}, .v0 = {1.0}});
  model.link(body, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = e});
  EventDriven simulation(model, with_ida());
  std::vector<double> expected;
  for (int k = 1; k <= 10; ++k) expected.push_back(k * half);
  run_to(simulation, 10.5 * half);
  expect_times(times_of(simulation, EventKind::Impact), expected, 1e-7);  // as the pendulum's
  const double v = std::pow(e, 10);
  EXPECT_NEAR(simulation.state().q(body)[0], v / w, 1e-7 * v);
}

TEST_F(IdaRuns, ABlockOnASpringSticksWhereItStops) {
  // m xdd + k x = -mu m g sign(xd): each half period pi / w takes 2 mu g / w^2 off the amplitude, until k |x| <= mu m
  // g. From 1 with mu g / w^2 = 0.15: 1, -0.7, 0.4, -0.1, where it stays; weight and friction are multipliers.
  const double w = 2.0, mu = 0.15 * w * w / kGravity, m = 3.0;
  NonSmoothDynamicalSystem model;
  const auto block = model.add(LagrangianLinearSystem{.mass = m * Eigen::Matrix2d::Identity(),
                                                      .stiffness = Eigen::Vector2d(m * w * w, 0.0).asDiagonal(),
                                                      .force = {0.0, -m * kGravity},
                                                      .q0 = {1.0, 0.0}});
  const auto floor = model.link(block, on_floor(2), NewtonImpactFrictionLaw{.friction = mu});
  EventDriven simulation(model, with_ida());
  run_to(simulation, 4.0 * kPi / w);
  const State& x = simulation.state();
  EXPECT_NEAR(x.q(block)[0], -0.1, 1e-7);
  EXPECT_EQ(x.q(block)[1], 0.0);
  EXPECT_NEAR(x.force(floor)[0], m * kGravity, 1e-12);
  EXPECT_NEAR(x.force(floor)[1], -0.1 * m * w * w, m * w * w * 1e-7);
  const auto sticks = times_of(simulation, EventKind::Stick);
  ASSERT_FALSE(sticks.empty());
  EXPECT_NEAR(sticks.back(), 3.0 * kPi / w, 1e-7);
}

TEST_F(IdaRuns, ARelayAtItsBoundPushes) {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.stiffness = {{1.0}}, .q0 = {-1.0}, .v0 = {1e-3}});
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, RelayLaw{-0.1, 0.1});
  EventDriven simulation(model, with_ida());
  run_to(simulation, 1.0);
  // About -0.1, to which spring and bound pull; a few hundred steps.
  EXPECT_NEAR(simulation.state().q(mass)[0], -0.1 - 0.9 * std::cos(1.0) + 1e-3 * std::sin(1.0), 1e-8);
}

TEST_F(IdaRuns, ABlockInSpaceCurvesUnderASideForce) {
  // Speed s at the angle theta from the force f: sdot = -mu g + f cos(theta), s thetadot = -f sin(theta). With
  // kappa = mu g / f, s (kappa + cos(theta)) falls by f (kappa^2 - 1) t, and s sin(theta) = s_0 tan(theta / 2)^kappa.
  const double f = 1.0, s0 = 2.0, kappa = 2.0, rate = f * (kappa * kappa - 1.0), stop = s0 * kappa / rate;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{
      .mass = Eigen::Matrix3d::Identity(), .force = {0.0, f, -kGravity}, .q0 = {0.0, 0.0, 0.0}, .v0 = {s0, 0.0, 0.0}});
  model.link(body, on_floor(3), NewtonImpactFrictionLaw{.friction = kappa * f / kGravity, .dimension = 3});
  EventDriven simulation(model, with_ida());
  const double T = 0.9 * stop;
  run_to(simulation, T);
  const Eigen::Vector3d v = simulation.state().v(body);
  const double s = v.head<2>().norm(), theta = std::atan2(v[0], v[1]);
  EXPECT_NEAR(s * (kappa + std::cos(theta)), s0 * kappa - rate * T, 1e-7);
  EXPECT_NEAR(s * std::sin(theta), s0 * std::pow(std::tan(0.5 * theta), kappa), 1e-7);
  run_to(simulation, stop + 1.0);
  expect_times(times_of(simulation, EventKind::Stick), {stop}, 1e-6);
  EXPECT_EQ(simulation.state().v(body).norm(), 0.0);
}

/// 10 sin(100 pi t) V behind Rs = 1 Ohm with 1 nF across, a diode of resistance r, and 100 uF beside 100 Ohm:
/// x = (v_p, v), lambda the diode's current. Conducting, v_p = v + r lambda: with r = 0 a constraint of states.
NonSmoothDynamicalSystem rectifier(double r) {
  const double Rs = 1.0, Cp = 1e-9, C = 1e-4, R = 100.0;
  NonSmoothDynamicalSystem model;
  const auto system = model.add(
      FirstOrderLinearSystem{.A = Eigen::Vector2d(-1.0 / (Rs * Cp), -1.0 / (R * C)).asDiagonal().toDenseMatrix(),
                             .b = [=](double t, VectorRef b) { b[0] = 10.0 * std::sin(100.0 * kPi * t) / (Rs * Cp); },
                             .x0 = {0.0, 0.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{-1.0, 1.0}}, .D = {{r}}, .B = {{-1.0 / Cp}, {1.0 / C}}},
             ComplementarityLaw{});
  return model;
}

TEST_F(IdaRuns, AStiffRectifierSwitchesInTime) {
  // States wrong by ten steps' worth, 10 V each, move guards that pass at 100 V/s by the tolerance, as seconds. v_p has
  // to be better than that where the diode opens: its rate, 1e9 times its error, decides whether it does.
  for (const double r : {0.0, 0.1}) {
    EventDriven reference(rectifier(r),
                          {.integrator = RadauIIA{}, .relative_tolerance = 1e-12, .absolute_tolerance = 1e-12});
    const double T = 0.1;
    run_to(reference, T);
    const auto expected = times_of(reference, EventKind::Switch);
    EXPECT_GE(expected.size(), 9U);  // on and off in each of five periods; it may begin with the first
    for (const SmoothIntegrator& method : {SmoothIntegrator{Ida{}}, SmoothIntegrator{Cvode{Cvode::Method::Bdf}}}) {
      for (const double tolerance : {1e-5, 1e-6, 1e-7, 1e-10}) {
        auto options = with_ida(tolerance);
        options.integrator = method;
        EventDriven simulation(rectifier(r), options);
        run_to(simulation, T);
        expect_times(times_of(simulation, EventKind::Switch), expected, tolerance);
        EXPECT_LT((simulation.state().unknowns - reference.state().unknowns).norm(), 1e3 * tolerance) << r;
      }
    }
  }
}

TEST_F(IdaRuns, AFirstStepIsNotTakenOverWholePeriods) {
  // x' = |s(t)|, from rows whose slopes vanish at every switch: after each, some multiple of the period is left, at
  // whose end a step of order 1 sees a slope of zero again.
  const double peak = 10.0, frequency = 50.0, R = 100.0;
  const auto source = [=](double t) { return peak * std::sin(2.0 * kPi * frequency * t); };
  NonSmoothDynamicalSystem model;
  const auto integral = model.add(FirstOrderLinearSystem{.x0 = {0.0}});
  model.link(integral,
             FirstOrderLinearRelation{.C = {{0.0}, {0.0}},
                                      .D = {{R, R}, {R, R}},
                                      .B = {{R, R}},
                                      .e = [=](double t, VectorRef e) { e << -source(t), source(t); }},
             ComplementarityLaw{});
  EventDriven simulation(model, with_ida());
  run_to(simulation, 0.1);
  EXPECT_NEAR(simulation.state().unknowns[0] / 0.1, 2.0 * peak / kPi, 1e-6);  // 1e-10 / 0.1 a step, a thousand of them
}

TEST_F(IdaRuns, ConstraintsThatMoveInTime) {
  // (2 + cos t) x = 1 + sin t with xdot = lambda, and beside it (1 + t) mu = x: x is put back after each step.
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.x0 = {1.0 / 3.0}});
  model.link(system,
             FirstOrderLinearRelation{.C =
                                          [](double t, MatrixRef C) {
                                            C(0, 0) = 2.0 + std::cos(t);
                                            C(1, 0) = -1.0;
                                          },
                                      .D = [](double t, MatrixRef D) { D(1, 1) = 1.0 + t; },
                                      .B = {{1.0, 0.0}},
                                      .e = [](double t, VectorRef e) { e[0] = -1.0 - std::sin(t); },
                                      .rows = 2},
             EqualityLaw{});
  EventDriven simulation(model, with_ida());
  run_to(simulation, 2.0);
  const double below = 2.0 + std::cos(2.0), x = (1.0 + std::sin(2.0)) / below;
  EXPECT_NEAR(simulation.state().unknowns[0], x, 1e-14);
  EXPECT_NEAR(simulation.state().multipliers[0], (std::cos(2.0) + x * std::sin(2.0)) / below, 1e-10);
  EXPECT_NEAR(simulation.state().multipliers[1], x / 3.0, 1e-14);
}

TEST_F(IdaRuns, DiodesSideBySideShareACurrent) {
  // Only the sum of their currents is determined: one is held. Half a swing of x1'' + 0.1 x1' + 4 pi^2 x1 = 0.
  const double stiffness = 4.0 * kPi * kPi;
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.A = {{0.0, 1.0}, {-stiffness, -0.1}}, .x0 = {1.0, 0.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{0.0, -1.0}, {0.0, -1.0}}, .B = {{0.0, 0.0}, {-1.0, -1.0}}},
             ComplementarityLaw{});
  EventDriven simulation(model, with_ida());
  run_to(simulation, 2.0);
  const double t = kPi / std::sqrt(stiffness - 0.0025);
  const auto times = times_of(simulation, EventKind::Switch);
  ASSERT_FALSE(times.empty());                                      // of one diode or of both, as round-off has it
  expect_times(times, std::vector<double>(times.size(), t), 1e-7);  // some hundred steps
  EXPECT_NEAR(simulation.state().unknowns[0], -std::exp(-0.05 * t), 1e-7);
  EXPECT_EQ(simulation.state().unknowns[1], 0.0);
}

TEST_F(IdaRuns, FunctionsThatFailAreReported) {
  for (const bool throws : {true, false}) {
    bool fails = true;
    NonSmoothDynamicalSystem model;
    const auto bob = model.add(LagrangianSystem{.mass = [](ConstVectorRef, MatrixRef M) { M.setIdentity(); },
                                                .force =
                                                    [&](double t, ConstVectorRef, ConstVectorRef, VectorRef F) {
                                                      if (fails && t > 0.3) {
                                                        if (throws) throw std::runtime_error("no wind");
                                                        F[0] = std::nan("");
                                                      }
                                                      F[1] = -kGravity;
                                                    },
                                                .q0 = {1.0, 0.0}});
    model.link(bob, rod_relation(), EqualityLaw{});
    EventDriven simulation(model, with_ida());
    const auto report = simulation.advance_to(1.0);
    using Ending = RunReport::Outcome;
    EXPECT_EQ(report.outcome, throws ? Ending::CallableFailed : Ending::IntegratorFailed);
    EXPECT_NE(report.message().find(throws ? "no wind" : "not finite"), std::string::npos) << report.message();
    EXPECT_GT(simulation.state().t, 0.2);
    EXPECT_LE(simulation.state().t, 0.3);
    fails = false;
    run_to(simulation, 1.0);
    const State& x = simulation.state();  // energy: 0 at the start
    EXPECT_NEAR(0.5 * x.v(bob).squaredNorm() + kGravity * x.q(bob)[1], 0.0, 1e-6);
  }
}

TEST(IdaOptions, AFixedStepIsRefusedAndSoIsABuildWithoutIt) {
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.q0 = {0.0}});
  if (Ida::available()) {
    EXPECT_THROW(EventDriven(model, {.integrator = Ida{}, .step = 0.1}), InvalidArgument);
    EXPECT_NO_THROW(EventDriven(model, {.integrator = Ida{}}));
  } else {
    EXPECT_THROW(EventDriven(model, {.integrator = Ida{}}), InvalidArgument);
  }
}

}  // namespace
}  // namespace nonsmooth::ida_test
