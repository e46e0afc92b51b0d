// SPDX-License-Identifier: Apache-2.0
// From the second step on, a step calls neither malloc nor its kin while the active set is no larger than seen before.
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>
#include <hot_path/allocations_of_steps.hpp>
#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <problems/mechanics.hpp>
#include <problems/mechanisms.hpp>
#include <problems/models.hpp>
#include <problems/shaken_boxes.hpp>

namespace nonsmooth {
namespace {

using test::allocations;

TEST(StepAllocations, DiodeBridge) {
  const auto model = problems::diode_bridge();
  TimeStepping simulation(model.system, model.options);
  // The second step is the first that may not allocate; the other bases of the circuit are met within the first
  // half period of the oscillator, some 314 steps.
  EXPECT_EQ(allocations(simulation, 1, 300), 0);
  EXPECT_EQ(allocations(simulation, 400, 3000), 0);
}

TEST(StepAllocations, BouncingBall) {
  const auto model = problems::bouncing_ball(0.5);
  TimeStepping simulation(model.system, model.options);
  EXPECT_EQ(allocations(simulation, 1, 80), 0);     // falling
  EXPECT_EQ(allocations(simulation, 20, 2000), 0);  // from before the second impact on
}

TEST(StepAllocations, DiskWithFriction) {
  const auto model = problems::bouncing_disk();
  TimeStepping simulation(model.system, model.options);
  EXPECT_EQ(allocations(simulation, 100, 2000), 0);
}

TEST(StepAllocations, PointsSweptBySetsThatStay) {
  NonSmoothDynamicalSystem model;
  const auto turn = [](double, ConstVectorRef x, VectorRef f) { f << 1.0 - x[1], x[0]; };
  model.add(SweepingProcess{
      .set = vi::Box{Eigen::Vector2d(-1.0, -1.0), Eigen::Vector2d(1.0, 1.0)}, .f = turn, .x0 = {0.5, 0.0}});
  model.add(SweepingProcess{.set = vi::HalfSpace{Eigen::Vector2d(1.0, 1.0), 1.0}, .f = turn, .x0 = {0.5, 0.0}});
  TimeStepping simulation(model, {.step = 1e-2});
  EXPECT_EQ(allocations(simulation, 1, 500), 0);
}

TEST(StepAllocations, BodiesThatMayPassOthers) {
  // 100 radii a step beside a plate, so that each step looks at its way.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(RigidBody{.position = {0.0, 0.0, 0.2}, .velocity = {1e4, 0.0, 0.0}});
  model.detect(BodyContacts({{ball, {{.shape = Sphere{0.1}}}}}, {{.shape = Box{{1e3, 1.0, 0.01}}}}, NewtonImpactLaw{}));
  TimeStepping simulation(model, {.step = 1e-3});
  EXPECT_EQ(allocations(simulation, 2, 90), 0);
}

TEST(StepAllocations, StackThatFallsAsleepAndIsHit) {
  // Three disks on each other in a gutter of walls; the fourth falls on them after 143 steps, as they sleep.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks;
  for (const double y : {0.05, 0.15, 0.25, 0.45})
    disks.push_back(model.add(PlanarBody{.inertia = 0.00125, .position = {0.0, y}, .gravity = {0.0, -9.81}}));
  model.detect(DiskContacts(disks, std::vector<double>(4, 0.05), NewtonImpactFrictionLaw{.friction = 0.5},
                            {.height = [](double) { return 0.0; },
                             .slope = [](double) { return 0.0; },
                             .curvature = [](double) { return 0.0; }}));
  TimeStepping simulation(model, {.step = 1e-3, .sleep = {.rest = 0.01, .steps = 50}});
  EXPECT_EQ(allocations(simulation, 1, 140), 0);  // three fall asleep in step 50
  EXPECT_EQ(std::as_const(simulation).state().sleep.island[2], 0);
  for (Index k = 0; k < 30; ++k) EXPECT_TRUE(simulation.step());  // hit: rows as never before
  EXPECT_EQ(std::as_const(simulation).state().sleep.island[2], -1);
  EXPECT_EQ(allocations(simulation, 0, 200), 0);  // asleep again, all four
  EXPECT_EQ(std::as_const(simulation).state().sleep.island[3], 0);
}

NonSmoothDynamicalSystem ball_over(const LagrangianLinearRelation& relation, const Law& law) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .force = {-9.81}, .q0 = {0.1}});
  model.link(ball, relation, law);
  return model;
}

TEST(StepAllocations, SchatzmanPaoli) {
  TimeStepping simulation(ball_over({.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5}),
                          {.integrator = SchatzmanPaoli{}, .step = 1e-3});
  EXPECT_EQ(allocations(simulation, 1, 100), 0);
  EXPECT_EQ(allocations(simulation, 100, 2000), 0);  // first impact after 143 steps; rest
}

TEST(StepAllocations, StewartTrinkle) {
  TimeStepping simulation(ball_over({.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5}),
                          {.integrator = StewartTrinkle{}, .step = 1e-3});
  EXPECT_EQ(allocations(simulation, 1, 100), 0);
  EXPECT_EQ(allocations(simulation, 100, 2000), 0);  // first impact after 143 steps; rest
}

TEST(StepAllocations, D1MinusLinear) {
  for (const auto forces : {D1MinusLinear::Forces::ByVelocities, D1MinusLinear::Forces::ByAccelerations}) {
    TimeStepping falls(ball_over({.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5}),
                       {.integrator = D1MinusLinear{forces}, .step = 1e-3});
    EXPECT_EQ(allocations(falls, 1, 100), 0);
    EXPECT_EQ(allocations(falls, 200, 2000), 0);  // first impact after 143 steps; rest
    TimeStepping slides(problems::bouncing_disk().system, {.integrator = D1MinusLinear{forces}, .step = 5e-3});
    EXPECT_EQ(allocations(slides, 500, 2000), 0);
  }
}

TEST(StepAllocations, ExactLinear) {
  // Beside the ball a pair of masses that is dense, with a force of time.
  auto model = ball_over({.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5});
  const auto pair = model.add(LagrangianLinearSystem{.damping = {{0.1, 0.0}, {0.0, 0.0}},
                                                     .stiffness = {{2.0, -1.0}, {-1.0, 2.0}},
                                                     .force = [](double t, VectorRef f) { f[0] = std::sin(t); },
                                                     .q0 = {0.1, 0.0}});
  model.link(pair, LagrangianLinearRelation{.H = {{1.0, 0.5}}}, NewtonImpactLaw{.restitution = 0.5});
  TimeStepping simulation(model, {.integrator = ExactLinear{}, .step = 1e-3});
  EXPECT_EQ(allocations(simulation, 1, 100), 0);
  EXPECT_EQ(allocations(simulation, 7000, 14000), 0);  // once both have been in contact at once
}

TEST(StepAllocations, GeneralisedAlpha) {
  // Beside the ball a body that tumbles.
  auto model = ball_over({.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5});
  model.add(RigidBody{.inertia = Eigen::Vector3d(1.0, 2.0, 2.5).asDiagonal(), .angular_velocity = {0.4, 1.5, 0.3}});
  TimeStepping simulation(model, {.integrator = GeneralisedAlpha{}, .step = 1e-3});
  EXPECT_EQ(allocations(simulation, 1, 100), 0);
  EXPECT_EQ(allocations(simulation, 100, 2000), 0);  // impacts; rest
}

TEST(StepAllocations, JointsUnderGeneralisedAlpha) {
  // A pendulum that meets a wall, from its second impact on: with what it does there it has problems of both kinds.
  NonSmoothDynamicalSystem model;
  const auto body = model.add(PlanarBody{.inertia = 0.1, .position = {0.4, -0.3}, .gravity = {0.0, -9.81}});
  const auto q = model.initial_state().q(body);
  model.link({body}, PlanarHinge{planar_joint_to_ground(q, Eigen::Vector2d::Zero())}, EqualityLaw{});
  model.link(body, LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}}, .b = {0.2}}, NewtonImpactLaw{.restitution = 0.8});
  for (const Projection kind : {Projection::None, Projection::WithinStep}) {
    TimeStepping simulation(model, {.integrator = GeneralisedAlpha{}, .step = 2e-3, .projection = {.kind = kind}});
    EXPECT_EQ(allocations(simulation, 1000, 3000), 0);
  }
}

// What a length needs is made when it is first met: the same motion once more meets no other.
TEST(StepAllocations, StepsByAnAccuracy) {
  const NonSmoothDynamicalSystem model = ball_over({.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5});
  for (const Integrator& scheme : {Integrator(MoreauJean{}), Integrator(StewartTrinkle{}), Integrator(D1MinusLinear{}),
                                   Integrator(GeneralisedAlpha{})}) {
    AdaptiveTimeStepping run(model, {.stepping = {.integrator = scheme, .step = 0.02},
                                     .accuracy = {.position = {1e-4}, .velocity = {1e-3}, .span = 1.0}});
    const State start = std::as_const(run).state();
    EXPECT_TRUE(run.advance_to(0.4)) << scheme->name();  // impacts from 0.14 s on, and rest
    const Index steps = run.steps().taken;
    run.set_state(start);
    EXPECT_EQ(allocations(run, 1, steps), 0) << scheme->name();
  }
}

TEST(StepAllocations, StepsWithinABudget) {
  const auto model = problems::bouncing_disk();
  RealTimeStepping run(model.system, {.stepping = model.options, .budget = 1e6});
  const State start = std::as_const(run).state();
  for (int k = 0; k < 2; ++k) {
    EXPECT_TRUE(run.advance_to(500.0 * model.options.step));
    run.set_state(start);
  }
  EXPECT_EQ(allocations(run, 1, 500), 0);
}

TEST(StepAllocations, PositionsHeldWithinAStep) {
  // A bead slides to and fro in a bowl y = x^2 / 2.
  NonSmoothDynamicalSystem model;
  const auto bead = model.add(LagrangianLinearSystem{
      .mass = {{1.0, 0.0}, {0.0, 1.0}}, .force = {0.0, -9.81}, .q0 = {1.0, 0.5}, .v0 = {0.0, 0.0}});
  model.link(bead,
             ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[1] - 0.5 * q[0] * q[0]; },
                                  .H = [](ConstVectorRef q, MatrixRef H) { H << -q[0], 1.0; }},
             NewtonImpactLaw{});
  TimeStepping simulation(
      model, {.integrator = GeneralisedAlpha{}, .step = 1e-2, .projection = {.kind = Projection::WithinStep}});
  EXPECT_EQ(allocations(simulation, 20, 1000), 0);
  EXPECT_GE(std::as_const(simulation).state().outputs[0], -1e-8);
}

TEST(StepAllocations, PositionsMovedApartInEachStep) {
  // A disk slides to and fro in a bowl y = x^2 / 2, which it enters by h^2 v^2 / 2 a step: some 1e-7 m.
  NonSmoothDynamicalSystem model;
  const auto disk = model.add(PlanarBody{.inertia = 0.00125, .position = {0.5, 0.2}, .gravity = {0.0, -9.81}});
  model.detect(DiskContacts({disk}, {0.05}, NewtonImpactFrictionLaw{.friction = 0.0},
                            {.height = [](double x) { return 0.5 * x * x; },
                             .slope = [](double x) { return x; },
                             .curvature = [](double) { return 1.0; }}));
  for (const AnySolver& solver : {AnySolver(mixed::Automatic{}), AnySolver(friction::GaussSeidel{})}) {
    TimeStepping simulation(
        model,
        {.integrator = StewartTrinkle{}, .step = 1e-3, .solver = solver, .projection = {Projection::All, 1e-9, 1e-9}});
    EXPECT_EQ(allocations(simulation, 200, 800), 0);
    Index moved = 0;
    for (Index k = 0; k < 800; ++k) moved += simulation.step().projections;
    EXPECT_GE(moved, 400);
  }
}

TEST(StepAllocations, PoissonsImpacts) {
  // Three balls on threads that meet every 314 steps, some of them in contact; both phases have two contacts.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> balls;
  for (int i = 0; i < 3; ++i)
    balls.push_back(model.add(LagrangianLinearSystem{.stiffness = {{1.0}}, .q0 = {i == 0 ? -1.0 : 0.0}}));
  for (std::size_t i = 0; i < 2; ++i)
    model.link({balls[i], balls[i + 1]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}},
               PoissonImpactLaw{.restitution = 0.9});
  TimeStepping simulation(model, {.step = 0.01});
  EXPECT_EQ(allocations(simulation, 1, 100), 0);     // swinging
  EXPECT_EQ(allocations(simulation, 400, 4000), 0);  // from behind the first impacts on
}

TEST(StepAllocations, PoissonsImpactsWithFriction) {
  // Three bodies on springs, in a row, that meet every 314 steps while springs of another rate slide them along each
  // other; both phases have two contacts.
  for (const Index dimension : {2, 3}) {
    NonSmoothDynamicalSystem model;
    std::vector<SystemHandle> bodies;
    for (int i = 0; i < 3; ++i) {
      Eigen::VectorXd place = Eigen::VectorXd::Zero(dimension);
      place.tail(dimension - 1).setConstant(0.1 * i);
      if (i == 0) place[0] = -1.0;
      Eigen::VectorXd rates = Eigen::VectorXd::Constant(dimension, 0.5);
      rates[0] = 1.0;
      bodies.push_back(model.add(LagrangianLinearSystem{.mass = Eigen::MatrixXd::Identity(dimension, dimension),
                                                        .stiffness = Eigen::MatrixXd(rates.asDiagonal()),
                                                        .q0 = place}));
    }
    Eigen::MatrixXd H(dimension, 2 * dimension);
    H << -Eigen::MatrixXd::Identity(dimension, dimension), Eigen::MatrixXd::Identity(dimension, dimension);
    for (std::size_t i = 0; i < 2; ++i)
      model.link({bodies[i], bodies[i + 1]}, LagrangianLinearRelation{.H = H},
                 PoissonImpactLaw{.restitution = 0.9, .friction = 0.3, .dimension = static_cast<int>(dimension)});
    TimeStepping simulation(model, {.step = 0.01});
    EXPECT_EQ(allocations(simulation, 1, 100), 0) << dimension;     // swinging
    EXPECT_EQ(allocations(simulation, 400, 4000), 0) << dimension;  // from behind the first impacts on
  }
}

TEST(StepAllocations, CoefficientsAmongContactsByAFunction) {
  // Three disks, each held to its place by a spring, that meet every 314 steps; the first is 1 m away.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks;
  for (int i = 0; i < 3; ++i)
    disks.push_back(model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d::Ones().asDiagonal(),
                                                     .stiffness = Eigen::Vector3d::Ones().asDiagonal(),
                                                     .force = {0.2 * i, 0.0, 0.0},
                                                     .q0 = {0.2 * i - (i == 0 ? 1.0 : 0.0), 0.0, 0.0}}));
  const auto source = model.detect(DiskContacts(disks, std::vector<double>(3, 0.1), NewtonImpactLaw{}));
  model.add(GeneralisedNewtonRule{.restitution = [](const ImpactingContact& i, const ImpactingContact& j) -> double {
                                    return i.number == j.number ? 0.0 : 0.9;
                                  },
                                  .sources = {source}});
  TimeStepping simulation(model, {.step = 0.01});
  EXPECT_EQ(allocations(simulation, 1, 100), 0);     // swinging
  EXPECT_EQ(allocations(simulation, 400, 4000), 0);  // from behind the first impacts on
}

TEST(StepAllocations, CompliantContact) {
  TimeStepping simulation(ball_over({.H = {{1.0}}, .compliance = {{1e-4}}}, ComplementarityLaw{}), {.step = 1e-3});
  EXPECT_EQ(allocations(simulation, 1, 2000), 0);
}

TEST(StepAllocations, SpringDashpot) {
  TimeStepping simulation(ball_over({.H = {{1.0}}}, SpringDashpotLaw{.stiffness = 1e4, .damping = 10.0}),
                          {.step = 1e-3});
  EXPECT_EQ(allocations(simulation, 1, 100), 0);    // falling
  EXPECT_EQ(allocations(simulation, 50, 2000), 0);  // from the first contact, after 143 steps, on
}

TEST(StepAllocations, PlasticPoint) {
  // A mass on an elastic and plastic support of two rows, stretched and pressed by a force that alternates.
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{
      .force = [](double t, VectorRef f) { f[1] = 20.0 * std::sin(10.0 * t); }, .q0 = {0.0, 0.0}});
  model.link(mass, LagrangianLinearRelation{.H = {{-1.0, 0.0}, {0.0, -1.0}}, .compliance = {{1e-3, 0.0}, {0.0, 1e-3}}},
             PlasticityLaw{.yield = 5.0, .rows = 2});
  TimeStepping simulation(model, {.step = 1e-3});
  EXPECT_EQ(allocations(simulation, 1, 100), 0);     // elastic
  EXPECT_EQ(allocations(simulation, 400, 2000), 0);  // has flowed both ways
}

TEST(StepAllocations, RigidBodies) {
  // A free body, and one on a spring whose centre bounces: blocks of 3 x 3 and of 6 x 6.
  NonSmoothDynamicalSystem model;
  RigidBody body{.inertia = Eigen::Vector3d(1.0, 2.0, 2.5).asDiagonal(),
                 .position = {0.0, 0.0, 0.2},
                 .angular_velocity = {0.1, 3.0, 0.2},
                 .gravity = {0.0, 0.0, -9.81}};
  model.add(body);
  body.loads = {PointSpring{.point = {0.2, 0.0, 0.1}, .stiffness = 5.0, .damping = 0.1}};
  const auto on_spring = model.add(body);
  model.link(on_spring,
             ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[2]; },
                                  .H = [](ConstVectorRef, MatrixRef H) { H(0, 2) = 1.0; }},
             NewtonImpactLaw{.restitution = 0.5});
  TimeStepping simulation(model, {.step = 1e-3});
  EXPECT_EQ(allocations(simulation, 2, 150), 0);     // falling
  EXPECT_EQ(allocations(simulation, 300, 1000), 0);  // after the first impact, some 200 steps from the start
}

TEST(StepAllocations, PlanarBodiesUnderLoads) {
  // They bounce, on a spring or slowed down by drag alone: A that varies, and a constant one.
  for (const AnyBodyLoad& load : {AnyBodyLoad(PointSpring{.point = {0.2, 0.1, 0.0}, .stiffness = 5.0, .damping = 0.1}),
                                  AnyBodyLoad(LinearDrag{.translation = 0.3, .rotation = 0.1})}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(PlanarBody{
        .inertia = 0.4, .position = {0.0, 0.2}, .angular_velocity = 3.0, .gravity = {0.0, -9.81}, .loads = {load}});
    model.link(body, LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}}}, NewtonImpactLaw{.restitution = 0.5});
    TimeStepping simulation(model, {.step = 1e-3});
    EXPECT_EQ(allocations(simulation, 2, 150), 0);     // falling
    EXPECT_EQ(allocations(simulation, 300, 1000), 0);  // after the first impact, some 200 steps from the start
  }
}

TEST(StepAllocations, LoopOfRedundantJoints) {
  const problems::Mechanism loop = problems::bricard_loop();
  TimeStepping simulation(loop.model, {.step = 1e-3, .projection = {.kind = Projection::Direct}});
  EXPECT_EQ(allocations(simulation, 1, 10), 0);      // hardly moves
  EXPECT_EQ(allocations(simulation, 200, 1000), 0);  // positions are projected
}

TEST(StepAllocations, SparseBar) {
  // Tridiagonal stiffness, one end against a wall, the other prescribed to move to and fro.
  const Index n = 200;
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i + 1 < n; ++i) {
    for (const Index a : {i, i + 1}) {
      for (const Index b : {i, i + 1}) entries.emplace_back(a, b, a == b ? 1e4 : -1e4);
    }
  }
  Eigen::SparseMatrix<double> K(n, n);
  K.setFromTriplets(entries.begin(), entries.end());
  NonSmoothDynamicalSystem model;
  const auto bar = model.add(LagrangianLinearSystem{
      .stiffness = K,
      .q0 = Eigen::VectorXd::Zero(n),
      .v0 = Eigen::VectorXd::Constant(n, -1.0),
      .prescribed = {{.component = n - 1, .velocity = [](double t) { return -std::cos(20.0 * t); }}}});
  model.link(bar, LagrangianLinearRelation{.H = Eigen::RowVectorXd::Unit(n, 0), .b = {0.01}}, NewtonImpactLaw{});
  TimeStepping simulation(model, {.step = 1e-3});
  EXPECT_EQ(allocations(simulation, 1, 10), 0);     // free
  EXPECT_EQ(allocations(simulation, 50, 2000), 0);  // contact closes at t = 0.01 and opens again
}

TEST(StepAllocations, NonlinearFirstOrderRelation) {
  // x' = -x + lambda^3 / 3 + lambda, 0 <= x + lambda - sin(t) ⟂ lambda >= 0, every Jacobian given.
  const MatrixData constant(Eigen::MatrixXd::Constant(1, 1, -1.0));
  const MatrixData varying([](double, MatrixRef A) { A(0, 0) = -1.0; });
  for (const MatrixData& A : {constant, varying}) {
    NonSmoothDynamicalSystem model;
    const auto x = model.add(FirstOrderLinearSystem{.A = A, .x0 = {0.5}});
    model.link(
        x,
        FirstOrderRelation{
            .rows = 1,
            .h = [](double t, ConstVectorRef at, ConstVectorRef l, VectorRef y) { y[0] = at[0] + l[0] - std::sin(t); },
            .h_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = 1.0; },
            .h_dlambda = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = 1.0; },
            .g = [](double, ConstVectorRef, ConstVectorRef l, VectorRef r) { r[0] = l[0] * l[0] * l[0] / 3.0 + l[0]; },
            .g_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {},
            .g_dlambda = [](double, ConstVectorRef, ConstVectorRef l, MatrixRef J) { J(0, 0) = l[0] * l[0] + 1.0; }},
        ComplementarityLaw{});
    TimeStepping simulation(model, {.integrator = EulerMoreau{.theta = 1.0}, .step = 1e-2});
    EXPECT_EQ(allocations(simulation, 1, 40), 0);
    EXPECT_EQ(allocations(simulation, 400, 2000), 0);  // lambda has come and gone
  }
}

TEST(StepAllocations, TimeVaryingMatrix) {
  // A parametrically driven oscillator whose velocity a diode keeps from going below zero.
  NonSmoothDynamicalSystem model;
  const auto x = model.add(FirstOrderLinearSystem{.A =
                                                      [](double t, MatrixRef A) {
                                                        A(0, 1) = 1.0;
                                                        A(1, 0) = -4.0 - std::sin(t);
                                                        A(1, 1) = -0.1;
                                                      },
                                                  .b = [](double t, VectorRef b) { b[1] = 5.0 * std::sin(3.0 * t); },
                                                  .x0 = {1.0, 0.0}});
  model.link(x, FirstOrderLinearRelation{.C = {{0.0, 1.0}}, .B = {{0.0}, {1.0}}}, ComplementarityLaw{});
  TimeStepping simulation(model, {.integrator = EulerMoreau{.theta = 1.0}, .step = 1e-3});
  EXPECT_EQ(allocations(simulation, 1, 20), 0);
  EXPECT_EQ(allocations(simulation, 4000, 8000), 0);  // after two cycles of the source
}

TEST(StepAllocations, DifferencesThatLookForTheirStep) {
  // C x' = i through a junction of 1e-9 A, V_T asinh(i / I_s): no step of differences is right for i from 0 to 0.1 A.
  NonSmoothDynamicalSystem model;
  const auto x = model.add(FirstOrderLinearSystem{.x0 = {0.0}});
  model.link(x,
             FirstOrderRelation{.rows = 1,
                                .h =
                                    [](double t, ConstVectorRef at, ConstVectorRef i, VectorRef y) {
                                      y[0] = at[0] + 0.026 * std::asinh(i[0] / 1e-9) + 10.0 * i[0] - std::sin(5.0 * t);
                                    },
                                .g = [](double, ConstVectorRef, ConstVectorRef i, VectorRef r) { r[0] = 1e3 * i[0]; }},
             EqualityLaw{});
  TimeStepping simulation(model, {.integrator = EulerMoreau{.theta = 1.0}, .step = 1e-3});
  EXPECT_EQ(allocations(simulation, 1, 400), 0);
}

TEST(StepAllocations, PiecewiseLinearCircuit) {
  // A driven resonant circuit through a diode of three segments: blocks, opens, saturates.
  NonSmoothDynamicalSystem model;
  const auto circuit =
      model.add(FirstOrderLinearSystem{.A = {{0.0, 1.0}, {-40.0, -0.1}},
                                       .b = [](double t, VectorRef b) { b[1] = 5.0 * std::sin(6.0 * t); },
                                       .x0 = {1.0, 1.0}});
  model.link(circuit, FirstOrderLinearRelation{.C = {{0.0, 1.0}}, .B = {{0.0}, {1.0}}},
             PiecewiseLinearLaw{.points = {{-2.0, -1.0}, {-1.0, 0.0}, {1.0, 0.0}, {2.0, 1.0}},
                                .slope_before = std::numeric_limits<double>::infinity(),
                                .slope_after = 0.5});
  TimeStepping simulation(model, {.integrator = EulerMoreau{.theta = 1.0}, .step = 1e-3});
  EXPECT_EQ(allocations(simulation, 1, 20), 0);       // one segment
  EXPECT_EQ(allocations(simulation, 2500, 5000), 0);  // after two cycles of the source
}

TEST(StepAllocations, LawsThatVary) {
  // A row of blocks that a force draws to and fro: each sticks and slips, all of them asked together.
  NonSmoothDynamicalSystem model;
  for (int k = 0; k < 4; ++k) {
    const auto block = model.add(LagrangianLinearSystem{.force =
                                                            [k](double t, VectorRef f) {
                                                              f[0] = 6.0 * std::sin(10.0 * t + k);
                                                              f[1] = -9.81;
                                                            },
                                                        .q0 = {0.0, 0.0}});
    model.link(block, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}},
               StaticKineticFrictionLaw{.static_friction = 0.4, .kinetic_friction = 0.3});
  }
  TimeStepping simulation(model, {.step = 1e-3});
  EXPECT_EQ(allocations(simulation, 1500, 3000), 0);  // after two cycles of the forces
}

TEST(StepAllocations, SpringsAndActuators) {
  // Two bodies in space on a spring, a third turned by a feedback against the second, one in the plane on a drive.
  NonSmoothDynamicalSystem model;
  const auto first = model.add(RigidBody{}), second = model.add(RigidBody{.position = {1.0, 0.0, 0.0}}),
             third = model.add(RigidBody{.position = {1.0, 0.0, 0.0}});
  const auto flat = model.add(PlanarBody{});
  model.link({first, second}, DistanceJoint{.length = 0.8}, SpringDamperLaw{.stiffness = 1e3, .damping = 1.0});
  const Eigen::VectorXd start = (Eigen::VectorXd(7) << 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0).finished();
  const JointFrames frames = joint_between(start, start, start.head<3>());
  link_joint(model, {second, third}, HingeJoint{frames});
  model.link({second, third}, HingeAngle{.frames = frames, .turns = 0},
             ActuatorLaw{.force = [](double t, double y, double u) { return std::sin(t) - y - u; }});
  model.link(flat, PlanarHingeMotor{.angle = [](double t) { return t; }},
             SpringDamperLaw{.stiffness = 10.0, .damping = 1.0, .lower = -2.0, .upper = 2.0});
  TimeStepping simulation(model, {.step = 1e-2});
  EXPECT_EQ(allocations(simulation, 1, 200), 0);
}

TEST(StepAllocations, FrictionInJoints) {
  // A wheel, a body on a cross and a pad on a plane, whose loads turn round: each sticks, slides and turns back.
  NonSmoothDynamicalSystem model;
  const Eigen::Vector3d origin = Eigen::Vector3d::Zero(), up = Eigen::Vector3d::UnitZ();
  const GivenLoad load{.load = [](double t, ConstVectorRef, ConstVectorRef, VectorRef value) {
    value << 8.0 * std::sin(20.0 * t), 0.0, -5.0, 0.4 * std::sin(20.0 * t), 0.4 * std::cos(20.0 * t),
        0.4 * std::sin(20.0 * t);
  }};
  const auto add = [&] { return model.add(RigidBody{.inertia = 0.2 * Eigen::Matrix3d::Identity(), .loads = {load}}); };
  const Eigen::VectorXd start = (Eigen::VectorXd(7) << 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0).finished();
  const JointFrames frames = joint_to_ground(start, origin, up);
  model.link(add(), FrictionalHinge{frames}, HingeFrictionLaw{.friction = 0.2, .radius = 0.1, .bearing_length = 0.3});
  model.link(add(),
             FrictionalUniversal{joint_to_ground(start, origin, Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY())},
             UniversalFrictionLaw{.friction = 0.2, .radius = 0.1});
  model.link(add(), FrictionalPlanar{frames, 0.1}, PlanarJointFrictionLaw{.friction = 0.3, .pad_length = 0.5});
  TimeStepping simulation(model, {.step = 1e-3});
  EXPECT_EQ(allocations(simulation, 1, 20), 0);
  EXPECT_EQ(allocations(simulation, 400, 1000), 0);  // after a cycle of the loads
}

}  // namespace
}  // namespace nonsmooth
