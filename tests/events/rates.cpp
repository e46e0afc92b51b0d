// SPDX-License-Identifier: Apache-2.0
// Accelerations and rates of event-driven runs against closed forms; rates_of() of their states says the same.
#include <cmath>

#include "event_log.hpp"

namespace nonsmooth::rates_test {
namespace {

using namespace event_log;

constexpr double kExactRate = 1e-13;   // sums of a few products of numbers up to 20
constexpr double kAlongMotion = 1e-8;  // of states integrated at 1e-10

void expect_same_of_state(const EventDriven& simulation) {
  const Eigen::VectorXd of_mode = simulation.rates();
  EXPECT_LE((rates_of(simulation.model(), simulation.state()) - of_mode).norm(), kExactRate * (10.0 + of_mode.norm()));
}

TEST(EventDrivenRates, OfABallInFlightAndAtRest) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{2.0}}, .force = {-2.0 * kGravity}, .q0 = {1.0}});
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.0});
  EventDriven simulation(model);
  run_to(simulation, 0.2);
  EXPECT_NEAR(simulation.rates(ball)[0], -kGravity, kExactRate);
  expect_same_of_state(simulation);
  double before = 0.0, after = 0.0;
  const auto report = simulation.advance_to(1.0, EventDrivenObserver{.instant = [&](const Instant& at) {
                                              before = rates_of(model, at.before, ball)[0];
                                              after = rates_of(model, at.after, ball)[0];
                                              return true;
                                            }});
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(before, -kGravity, kExactRate);
  EXPECT_NEAR(after, 0.0, kExactRate);
  EXPECT_NEAR(simulation.rates(ball)[0], 0.0, kExactRate);
  EXPECT_NEAR(input_of(model, simulation.state(), floor, ball)[0], 2.0 * kGravity, kExactRate);
  expect_same_of_state(simulation);
}

TEST(EventDrivenRates, OfABlockThatSlidesAndOneThatSticks) {
  // On an incline of angle a, coordinates along and across it: it slides where tan a > mu.
  const double mu = 0.5;
  for (const double angle : {0.3, 0.7}) {
    NonSmoothDynamicalSystem model;
    const auto block =
        model.add(LagrangianLinearSystem{.mass = Eigen::Matrix2d::Identity(),
                                         .force = {kGravity * std::sin(angle), -kGravity * std::cos(angle)},
                                         .q0 = {0.0, 0.0},
                                         .v0 = {0.0, 0.0}});
    model.link(block, on_floor(2), NewtonImpactFrictionLaw{.friction = mu});
    EventDriven simulation(model);
    run_to(simulation, 0.5);
    const double slides = std::tan(angle) > mu ? kGravity * (std::sin(angle) - mu * std::cos(angle)) : 0.0;
    EXPECT_NEAR(simulation.rates(block)[0], slides, kExactRate);
    EXPECT_NEAR(simulation.rates(block)[1], 0.0, kExactRate);
    expect_same_of_state(simulation);
  }
}

TEST(EventDrivenRates, OfAPendulumHaveItsCentripetalPart) {
  // From the horizontal at rest, length 1: at the angle p below it |v|^2 = 2 g sin p, vdot = g cos p along the motion
  // and |v|^2 towards the pivot.
  NonSmoothDynamicalSystem model;
  const auto bob = model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(3.0, 3.0).asDiagonal(),
                                                    .force = {0.0, -3.0 * kGravity},
                                                    .q0 = {1.0, 0.0},
                                                    .v0 = {0.0, 0.0}});
  ScleronomousRelation rod;
  rod.h = [](ConstVectorRef q, VectorRef y) { y[0] = 0.5 * (q.squaredNorm() - 1.0); };
  rod.H = [](ConstVectorRef q, MatrixRef H) { H = q.transpose(); };
  rod.curvature = [](ConstVectorRef, ConstVectorRef v, VectorRef c) { c[0] = v.squaredNorm(); };
  model.link(bob, rod, EqualityLaw{}, "rod");
  EventDriven simulation(model);
  for (const double t : {0.1, 0.3, 0.5}) {
    run_to(simulation, t);
    const Eigen::Vector2d q = simulation.state().q(bob);
    const double s = -q[1], c = q[0];
    const Eigen::Vector2d along(-s, -c);
    const Eigen::Vector2d expected = kGravity * c * along - 2.0 * kGravity * s * q;
    EXPECT_LE((simulation.rates(bob) - expected).norm(), kAlongMotion);
    expect_same_of_state(simulation);
  }
}

TEST(EventDrivenRates, InsideOfAStepAreThoseOfItsDenseOutput) {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.stiffness = {{4.0}}, .q0 = {1.0}});
  const auto store = model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}});
  const Index of_mass = model.layout()->at(mass).z, of_store = model.layout()->at(store).z;
  EventDriven simulation(model);
  Index looked = 0;
  State inside;
  Eigen::VectorXd rates;
  const auto report = simulation.advance_to(1.0, EventDrivenObserver{.segment = [&](const SmoothSegment& segment) {
                                              for (const double share : {0.0, 0.3, 0.9, 1.0}) {
                                                const double t =
                                                    (1.0 - share) * segment.start() + share * segment.end();
                                                segment.evaluate(t, inside);
                                                segment.rates(t, rates);
                                                EXPECT_NEAR(rates[of_mass], -4.0 * inside.q(mass)[0], kExactRate);
                                                EXPECT_NEAR(rates[of_store], -inside.x(store)[0], kExactRate);
                                                EXPECT_NEAR(rates[of_mass], -4.0 * std::cos(2.0 * t), kAlongMotion);
                                                ++looked;
                                              }
                                              return true;
                                            }});
  ASSERT_TRUE(report);
  EXPECT_GT(looked, 8);
}

TEST(EventDrivenRates, OfASlidingModeVanishAndTheRelayHoldsItThere) {
  // xdot = 0.5 - s, s in sgn(x): x falls to 0 and stays; there s = 0.5.
  NonSmoothDynamicalSystem model;
  const auto store = model.add(FirstOrderLinearSystem{.b = {0.5}, .x0 = {0.1}});
  const auto relay = model.link(store, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, RelayLaw{});
  EventDriven simulation(model);
  run_to(simulation, 0.1);
  EXPECT_NEAR(simulation.rates(store)[0], -0.5, kExactRate);
  EXPECT_NEAR(input_of(model, simulation.state(), relay, store)[0], -1.0, kExactRate);
  run_to(simulation, 1.0);
  EXPECT_NEAR(simulation.rates(store)[0], 0.0, kExactRate);
  EXPECT_NEAR(input_of(model, simulation.state(), relay, store)[0], -0.5, kExactRate);
  expect_same_of_state(simulation);
}

TEST(EventDrivenRates, OfPrescribedMotionsAreTheirs) {
  NonSmoothDynamicalSystem model;
  LagrangianLinearSystem cart{
      .mass = {{2.0, 1.0}, {1.0, 2.0}}, .force = {5.0, 1.0}, .q0 = {0.0, 0.0}, .v0 = {0.0, 0.0}};
  cart.prescribed = {{.component = 0, .velocity = [](double t) { return std::sin(t); }}};
  const auto handle = model.add(cart);
  EventDriven simulation(model);
  run_to(simulation, 0.7);
  // Differences of the function: 1e-10, as rates_of says.
  const Eigen::Vector2d expected(std::cos(0.7), 0.5 * (1.0 - std::cos(0.7)));
  EXPECT_LE((simulation.rates(handle) - expected).norm(), 1e-9);
  EXPECT_LE((rates_of(model, simulation.state(), handle) - expected).norm(), 1e-9);
}

TEST(EventDrivenRates, WithoutAModeAreRefused) {
  // y = -1 - lambda with lambda >= 0: no branch holds.
  NonSmoothDynamicalSystem model;
  const auto store = model.add(FirstOrderLinearSystem{.x0 = {0.0}});
  model.link(store, FirstOrderLinearRelation{.C = {{0.0}}, .D = {{-1.0}}, .B = {{0.0}}, .e = {-1.0}},
             ComplementarityLaw{}, "diode");
  const EventDriven simulation(model);
  EXPECT_THROW((void)simulation.rates(), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::rates_test
