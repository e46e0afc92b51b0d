// SPDX-License-Identifier: Apache-2.0
// input_of and rates_of of states of time-stepping against closed forms: sums of a few products, exact to some
// roundings of their terms (kRounding), where no solver comes in between.
#include <cmath>
#include <stdexcept>

#include <Eigen/LU>

#include "bad_input.hpp"

namespace nonsmooth::dynamics_test {
namespace {

using bad_input::expect_refused;
using bad_input::with_step;

constexpr double kRounding = 1e-14;  // times numbers up to 10
constexpr double kSolved = 1e-7;     // of forces up to 30 N: one-step problems are solved to 1e-8 of their data

TEST(Rates, OfALinearBodyAreItsEquationOfMotion) {
  for (const bool sparse : {false, true}) {
    Eigen::Matrix2d M{{2.0, 1.0}, {1.0, 3.0}}, C{{0.5, 0.0}, {0.0, 0.25}}, K{{4.0, -1.0}, {-1.0, 4.0}};
    LagrangianLinearSystem body{.damping = C,
                                .stiffness = K,
                                .force = [](double t, VectorRef f) { f << std::sin(t), 1.0; },
                                .q0 = {0.5, -1.0},
                                .v0 = {2.0, 0.25}};
    if (sparse) {
      body.mass = M.sparseView();
    } else {
      body.mass = M;
    }
    NonSmoothDynamicalSystem model;
    const auto other = model.add(bad_input::ball());
    const auto handle = model.add(body);
    const State state = model.initial_state(0.3);
    const Eigen::Vector2d F(std::sin(0.3), 1.0), q(0.5, -1.0), v(2.0, 0.25);
    const Eigen::Vector2d expected = M.inverse() * (F - C * v - K * q);
    EXPECT_LE((rates_of(model, state, handle) - expected).norm(), kRounding);
    const Eigen::VectorXd all = rates_of(model, state);
    EXPECT_EQ(all.size(), 3);
    EXPECT_EQ(all[0], -9.81);
    EXPECT_EQ(Eigen::VectorXd(all.tail(2)), rates_of(model, state, handle));
    EXPECT_EQ(rates_of(model, state, other)[0], -9.81);
  }
}

TEST(Rates, OfANonlinearBodyUseTheMassAtTheState) {
  LagrangianSystem body;
  body.mass = [](ConstVectorRef q, MatrixRef M) { M(0, 0) = 1.0 + q[0] * q[0]; };
  body.force = [](double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) { F[0] = t - q[0] * v[0]; };
  body.gyroscopic = [](ConstVectorRef q, ConstVectorRef v, VectorRef F) { F[0] = q[0] * v[0] * v[0]; };
  body.feedback = [](const State& state, VectorRef value) { value[0] = 7.0 + state.t; };
  body.q0 = {2.0};
  body.v0 = {3.0};
  NonSmoothDynamicalSystem model;
  const auto handle = model.add(body);
  const double F = 1.5 - 6.0 - 18.0 + 8.5;
  EXPECT_NEAR(rates_of(model, model.initial_state(1.5), handle)[0], F / 5.0, kRounding);
}

TEST(Rates, OfPrescribedEntriesAreTheirFunctions) {
  // 2 a_0 + a_1 = ..., a_0 = d/dt sin t; a_0 + 2 a_1 = 1.
  LagrangianLinearSystem body{.mass = {{2.0, 1.0}, {1.0, 2.0}}, .force = {5.0, 1.0}, .q0 = {0.0, 0.0}};
  body.prescribed = {{.component = 0, .velocity = [](double t) { return std::sin(t); }}};
  NonSmoothDynamicalSystem model;
  const auto handle = model.add(body);
  const Eigen::VectorXd a = rates_of(model, model.initial_state(0.7), handle);
  // h^2 / 6 = 6e-12 of the third derivative, and eps / h = 4e-11 of the velocity.
  EXPECT_NEAR(a[0], std::cos(0.7), 1e-10);
  EXPECT_NEAR(a[1], 0.5 * (1.0 - std::cos(0.7)), 1e-10);
}

TEST(Rates, OfABodyAtRestVanishAndTheFloorCarriesItsWeight) {
  NonSmoothDynamicalSystem model;
  const auto block = model.add(LagrangianLinearSystem{
      .mass = Eigen::Vector2d(2.0, 2.0).asDiagonal(), .force = {3.0, -20.0}, .q0 = {0.0, 0.0}, .v0 = {0.0, 0.0}});
  const auto floor = model.link(block, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}},
                                NewtonImpactFrictionLaw{.friction = 0.5});
  TimeStepping simulation(model, with_step(0.01));
  ASSERT_TRUE(simulation.advance_to(0.1));
  const Eigen::VectorXd input = input_of(model, simulation.state(), floor, block);  // H^T (N, T): 20 N up, 3 N back
  EXPECT_NEAR(input[0], -3.0, kSolved);
  EXPECT_NEAR(input[1], 20.0, kSolved);
  EXPECT_LE(rates_of(model, simulation.state(), block).norm(), kSolved);
}

// v_{k+1} - v_k = h M^-1 (F(q_{k+1}, v_{k+1}) + H^T r / h) is the scheme itself at theta = 1.
TEST(Rates, AtThetaOneAreTheSchemesOwn) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.mass = {{2.0, 0.5}, {0.5, 1.0}},
                                                     .damping = {{0.3, 0.0}, {0.0, 0.1}},
                                                     .stiffness = {{9.0, -2.0}, {-2.0, 5.0}},
                                                     .force = {1.0, -4.0},
                                                     .q0 = {1.0, 0.0},
                                                     .v0 = {0.0, 0.0}});
  model.link(body, LagrangianLinearRelation{.H = {{0.0, 1.0}}}, EqualityLaw{}, "guide");
  const double h = 0.01;
  TimeSteppingOptions options = with_step(h);
  options.integrator = MoreauJean{.theta = 1.0};
  TimeStepping simulation(model, options);
  for (int k = 0; k < 20; ++k) {
    const Eigen::Vector2d before = simulation.state().v(body);
    ASSERT_TRUE(simulation.step());
    const Eigen::Vector2d mean = (Eigen::Vector2d(simulation.state().v(body)) - before) / h;
    EXPECT_LE((rates_of(model, simulation.state(), body) - mean).norm(), kSolved) << k;
  }
}

TEST(Rates, OfAStepWithAnImpactLeaveThePercussionOut) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(bad_input::ball());
  const auto floor = model.link(ball, bad_input::height(), NewtonImpactLaw{.restitution = 0.8});
  TimeStepping simulation(model, with_step(0.01));
  bool met = false;
  while (simulation.state().t < 0.6) {
    ASSERT_TRUE(simulation.step());
    if (!(simulation.state().percussion(floor)[0] > 0.0)) continue;
    met = true;
    EXPECT_GT(simulation.state().impulse(floor)[0], 1.0);
    EXPECT_EQ(input_of(model, simulation.state(), floor, ball)[0], 0.0);
    EXPECT_EQ(rates_of(model, simulation.state(), ball)[0], -9.81);
  }
  EXPECT_TRUE(met);
}

TEST(Rates, OfCircuitsAreTheirRightHandSides) {
  // Two systems under one relation with B(t), and a mass.
  NonSmoothDynamicalSystem model;
  const auto one = model.add(FirstOrderLinearSystem{
      .mass = {{2.0}}, .A = [](double t, MatrixRef A) { A(0, 0) = -t; }, .b = {3.0}, .x0 = {1.0}, .name = "one"});
  const auto two = model.add(FirstOrderLinearSystem{.A = {{-1.0, 0.0}, {1.0, -2.0}}, .x0 = {2.0, 5.0}, .name = "two"});
  const auto diode = model.link(
      {one, two},
      FirstOrderLinearRelation{
          .C = {{1.0, 0.0, 0.0}}, .D = {{1.0}}, .B = [](double t, MatrixRef B) { B << 1.0, t, 2.0; }, .e = {-10.0}},
      ComplementarityLaw{}, "diode");
  TimeStepping simulation(model, with_step(0.01));
  ASSERT_TRUE(simulation.advance_to(0.1));
  const State& state = simulation.state();
  const double t = state.t, lambda = state.lambda(diode)[0];
  EXPECT_GT(lambda, 1.0);  // 10 - x
  EXPECT_NEAR(input_of(model, state, diode, one)[0], lambda, kRounding * lambda);
  EXPECT_NEAR(input_of(model, state, diode, two)[0], t * lambda, kRounding * lambda);
  EXPECT_NEAR(input_of(model, state, diode, two)[1], 2.0 * lambda, kRounding * lambda);
  EXPECT_NEAR(rates_of(model, state, one)[0], (-t * state.x(one)[0] + 3.0 + lambda) / 2.0, kRounding * 10.0);
  const Eigen::Vector2d x = state.x(two);
  const Eigen::Vector2d expected(-x[0] + t * lambda, x[0] - 2.0 * x[1] + 2.0 * lambda);
  EXPECT_LE((rates_of(model, state, two) - expected).norm(), kRounding * 100.0);
}

TEST(Rates, AskGOfANonlinearRelation) {
  FirstOrderRelation relation;
  relation.h = [](double, ConstVectorRef x, ConstVectorRef lambda, VectorRef y) { y[0] = lambda[0] - x[0] - 1.0; };
  relation.g = [](double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef r) {
    r[0] = -lambda[0] * lambda[0] * x[0] + t;
  };
  FirstOrderSystem system;
  system.f = [](double, ConstVectorRef x, VectorRef value) { value[0] = -x[0] * x[0]; };
  system.x0 = {0.5};
  NonSmoothDynamicalSystem model;
  const auto tank = model.add(system);
  const auto valve = model.link(tank, relation, EqualityLaw{});
  TimeStepping simulation(model, with_step(0.01));
  ASSERT_TRUE(simulation.advance_to(0.05));
  const State& state = simulation.state();
  const double x = state.x(tank)[0], lambda = state.lambda(valve)[0];
  EXPECT_NEAR(lambda, x + 1.0, 1e-8);  // Newton's tolerance
  EXPECT_NEAR(input_of(model, state, valve, tank)[0], -lambda * lambda * x + state.t, kRounding);
  EXPECT_NEAR(rates_of(model, state, tank)[0], -x * x - lambda * lambda * x + state.t, kRounding);
}

TEST(Rates, ThatDoNotExistAreRefused) {
  NonSmoothDynamicalSystem model;
  bool broken = false;
  LagrangianLinearSystem kite = bad_input::ball();
  kite.name = "kite";
  kite.force = [&broken](double, VectorRef) {
    if (broken) throw std::runtime_error("no wind");
  };
  const auto ball = model.add(bad_input::ball()), flying = model.add(kite);
  const auto floor = model.link(ball, bad_input::height(), NewtonImpactLaw{}, "floor");
  const State state = model.initial_state();
  expect_refused([&] { (void)input_of(model, state, floor, flying); }, {"input_of: system", "kite", "floor"});
  broken = true;
  expect_refused([&] { (void)rates_of(model, state); }, {"rates_of: model", "force(t) of kite threw: no wind"});
  expect_refused([&] { (void)rates_of(model, State{}); }, {"rates_of: state"});
  NonSmoothDynamicalSystem changed = model;
  const auto dragged = changed.add(SweepingProcess{.project = [](double, VectorRef) {}, .x0 = {0.0}, .name = "tow"});
  expect_refused([&] { (void)rates_of(changed, state); }, {"rates_of: state", "another revision"});
  expect_refused([&] { (void)rates_of(changed, changed.initial_state(), dragged); }, {"sweeping process tow"});
  State piled = state;
  piled.contacts.emplace_back();
  expect_refused([&] { (void)rates_of(model, piled, ball); }, {"detected contacts"});
}

}  // namespace
}  // namespace nonsmooth::dynamics_test
