// SPDX-License-Identifier: Apache-2.0
// What is told and refused before the first step does not depend on units, weights, symmetry or size.
#include <algorithm>
#include <cmath>
#include <memory>

#include "kernel/bad_input.hpp"

namespace nonsmooth::examined_models_test {
namespace {

using namespace bad_input;

TimeSteppingOptions examined_with(const Integrator& scheme, double h) {
  TimeSteppingOptions options = with_step(h);
  options.integrator = scheme;
  return options;
}

Index count_of(Remark::Kind kind, const Remarks& remarks) {
  return std::count_if(remarks.begin(), remarks.end(), [kind](const Remark& remark) { return remark.kind == kind; });
}

/// A ball of radius `unit` over a floor, `depth` radii inside: y = q - unit.
Remarks ball_inside(double unit, double depth, bool nonlinear) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.q0 = {unit * (1.0 - depth)}});
  if (nonlinear) {
    model.link(body,
               ScleronomousRelation{.h = [unit](ConstVectorRef q, VectorRef y) { y[0] = q[0] - unit; },
                                    .H = [](ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; }},
               NewtonImpactLaw{}, "floor");
  } else {
    model.link(body, LagrangianLinearRelation{.H = {{1.0}}, .b = {-unit}}, NewtonImpactLaw{}, "floor");
  }
  return TimeStepping(model, with_step(1e-3)).examination();
}

// In units of a power of two every number is the same but for its exponent: what is told has to be, too.
TEST(ExaminedModel, DepthsInAnyUnit) {
  for (const bool nonlinear : {false, true}) {
    for (const double unit : {std::ldexp(1.0, -60), std::ldexp(1.0, -30), 1.0, std::ldexp(1.0, 40)}) {
      const double depth = std::ldexp(1.0, -20);
      const Remarks inside = ball_inside(unit, depth, nonlinear);
      ASSERT_EQ(inside.size(), 1u) << unit;
      EXPECT_EQ(inside[0].kind, Remark::Kind::Interpenetration);
      EXPECT_EQ(inside[0].value, unit * depth);
      // 2^-40 is below the 1e-9 that a start may be written down with.
      EXPECT_TRUE(ball_inside(unit, std::ldexp(1.0, -40), nonlinear).empty());
      EXPECT_TRUE(ball_inside(unit, 0.0, nonlinear).empty());
    }
  }
}

// Where positions are projected, what the projection leaves alone is not told: a tolerance of the user's, in his units.
TEST(ExaminedModel, DepthsThatAProjectionLeaves) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.q0 = {-1e-7}});
  model.link(body, height(), NewtonImpactLaw{});
  TimeSteppingOptions options = with_step(1e-3);
  EXPECT_EQ(TimeStepping(model, options).examination().size(), 1u);
  options.projection = {.kind = Projection::Direct, .unilateral_tolerance = 1e-6};
  EXPECT_TRUE(TimeStepping(model, options).examination().empty());
}

// Disks detected anew each step, one of them 2^-20 radii inside the floor.
TEST(ExaminedModel, DepthsOfDetectedContacts) {
  for (const double unit : {std::ldexp(1.0, -30), 1.0}) {
    for (const double depth : {std::ldexp(1.0, -20), std::ldexp(1.0, -40)}) {
      NonSmoothDynamicalSystem model;
      const auto disk =
          model.add(LagrangianLinearSystem{.q0 = Eigen::Vector3d(0.0, unit * (1.0 - depth), 0.0), .name = "disk"});
      FloorProfile flat;
      flat.height = [](double) { return 0.0; };
      flat.slope = flat.curvature = [](double) { return 0.0; };
      model.detect(
          std::make_shared<const DiskContacts>(std::vector{disk}, std::vector{unit}, NewtonImpactFrictionLaw{}, flat));
      EXPECT_EQ(TimeStepping(model, with_step(1e-3)).examination().size(), depth > 1e-9 ? 1u : 0u);
    }
  }
}

// Positions that were written without update_outputs are seen in any unit: the gap is that of the state.
TEST(ExaminedModel, StaleOutputsInAnyUnit) {
  for (const double unit : {std::ldexp(1.0, -40), 1.0, std::ldexp(1.0, 40)}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(LagrangianLinearSystem{.q0 = {unit}, .v0 = {-unit}});
    const auto floor = model.link(body, height(), NewtonImpactLaw{.restitution = 1.0});
    TimeStepping simulation(model, with_step(0.125));
    State written = simulation.state();
    written.q(body)[0] = 0.0625 * unit;
    written.v(body)[0] = -2.0 * unit;
    simulation.set_state(written);
    EXPECT_EQ(simulation.state().y(floor)[0], 0.0625 * unit);
    EXPECT_EQ(simulation.state().u(floor)[0], -2.0 * unit);
    ASSERT_TRUE(simulation.step());
    EXPECT_EQ(simulation.state().v(body)[0], 2.0 * unit);  // the impact is not missed
  }
}

// x_1' = x_2 + lambda, x_2' = b lambda, y = x_1, h = 1: the hold's W is 1 + b / 2, and C B = 1.
TEST(SeveralAnswers, OfTheHoldsOwnMatrix) {
  for (const double b : {-4.0, -1.0}) {
    NonSmoothDynamicalSystem model;
    const auto system = model.add(FirstOrderLinearSystem{.A = {{0, 1}, {0, 0}}, .x0 = {1.0, 0.0}});
    model.link(system, FirstOrderLinearRelation{.C = {{1, 0}}, .B = {{1.0}, {b}}}, ComplementarityLaw{});
    const TimeStepping simulation(model, examined_with(ZeroOrderHold{}, 1.0));
    EXPECT_EQ(count_of(Remark::Kind::Ambiguity, simulation.examination()), b == -4.0 ? 1 : 0);
  }
}

// One relay between a system of theta = 1 (W = h) and one x' = -3 x - 3 lambda: W = 1 - 3 / 4 if that has theta = 1,
// 1 - 3 / 2.5 with the 1/2 that it has.
TEST(SeveralAnswers, OfEachSystemsOwnTheta) {
  for (const double theta : {0.5, 1.0}) {
    NonSmoothDynamicalSystem model;
    const auto first = model.add(FirstOrderLinearSystem{.x0 = {1.0}});
    const auto second = model.add(FirstOrderLinearSystem{.A = {{-3.0}}, .x0 = {1.0}});
    model.link({first, second}, FirstOrderLinearRelation{.C = {{1.0, 1.0}}, .B = {{1.0}, {-3.0}}}, RelayLaw{});
    TimeSteppingOptions options = examined_with(EulerMoreau{.theta = 1.0}, 1.0);
    options.integrators = {{second, EulerMoreau{.theta = theta}}};
    const TimeStepping simulation(model, options);
    EXPECT_EQ(count_of(Remark::Kind::Ambiguity, simulation.examination()), theta == 0.5 ? 1 : 0);
  }
}

// Beyond the rows whose every minor is looked at: a negative one on the diagonal is seen all the same.
TEST(SeveralAnswers, OfManyRows) {
  for (const double sign : {1.0, -1.0}) {
    NonSmoothDynamicalSystem model;
    constexpr Index n = 24;
    const auto system = model.add(FirstOrderLinearSystem{.x0 = Eigen::VectorXd::Ones(n)});
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(n, n);
    Eigen::MatrixXd B = identity;
    B(n - 1, n - 1) = sign;
    model.link(system, FirstOrderLinearRelation{.C = identity, .B = B}, RelayLaw{}, "relays");
    const TimeStepping simulation(model, examined_with(EulerMoreau{.theta = 1.0}, 0.1));
    EXPECT_EQ(count_of(Remark::Kind::Ambiguity, simulation.examination()), sign < 0.0 ? 1 : 0);
  }
}

// A P-matrix that is not monotone (1 on the diagonal, 4 above it), of more rows than have all their minors looked at,
// is not told; turned into [1 4; 4 1] on its first two rows it is.
TEST(SeveralAnswers, OfManyRowsWithoutSymmetry) {
  for (const double below : {0.0, 4.0}) {
    NonSmoothDynamicalSystem model;
    constexpr Index n = 24;
    const auto system = model.add(FirstOrderLinearSystem{.x0 = Eigen::VectorXd::Ones(n)});
    Eigen::MatrixXd B = Eigen::MatrixXd::Identity(n, n);
    for (Index i = 0; i + 1 < n; ++i) B(i, i + 1) = 4.0;
    B(1, 0) = below;
    model.link(system, FirstOrderLinearRelation{.C = Eigen::MatrixXd::Identity(n, n), .B = B}, RelayLaw{}, "relays");
    const TimeStepping simulation(model, examined_with(EulerMoreau{.theta = 1.0}, 0.1));
    EXPECT_EQ(count_of(Remark::Kind::Ambiguity, simulation.examination()), below > 0.0 ? 1 : 0);
  }
}

// A relay that pushes away, beside a pendulum that takes Newton iterations and a ball that a projection moves: a step
// from 0 has two other ends, and one from elsewhere none, whatever the two do.
TEST(SeveralAnswers, BesideNewtonAndProjection) {
  NonSmoothDynamicalSystem model;
  const auto relay = model.add(FirstOrderLinearSystem{.x0 = {0.0}});
  model.link(relay, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{-1.0}}}, RelayLaw{});
  LagrangianSystem pendulum;
  pendulum.force = [](double, ConstVectorRef q, ConstVectorRef, VectorRef F) { F[0] = -std::sin(q[0]); };
  pendulum.q0 = {1.0};
  model.add(pendulum);
  auto falling = ball();
  falling.q0 = {0.03};
  model.link(model.add(falling), height(), NewtonImpactLaw{});
  TimeSteppingOptions options = examined_with(EulerMoreau{.theta = 1.0}, 0.0625);
  options.projection.kind = Projection::Direct;
  TimeStepping simulation(model, options);
  const StepReport first = simulation.step();
  ASSERT_TRUE(first);
  EXPECT_GE(first.newton_iterations, 2);
  EXPECT_EQ(first.other_ends, 2);
  simulation.state().x(relay)[0] = 1.0;
  Index projections = 0;
  for (int step = 0; step < 16; ++step) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report);
    EXPECT_EQ(report.other_ends, 0);
    projections += report.projections;
  }
  EXPECT_GT(projections, 0);
}

/// How high a ball in first order (relative degree 2) rises after it has landed from 1 m at 0.4515 s.
double rise_after_landing(const EulerMoreau& scheme, double h) {
  NonSmoothDynamicalSystem model;
  const auto falling = model.add(FirstOrderLinearSystem{.A = {{0, 1}, {0, 0}}, .b = {0.0, -9.81}, .x0 = {1.0, 0.0}});
  model.link(falling, FirstOrderLinearRelation{.C = {{1, 0}}, .B = {{0}, {1}}}, ComplementarityLaw{});
  TimeStepping simulation(model, examined_with(scheme, h));
  double highest = 0.0;
  EXPECT_TRUE(simulation.advance_to(1.0, [&](const State& state) {
    if (state.t > 0.5) highest = std::fmax(highest, state.x(falling)[0]);
  }));
  EXPECT_EQ(simulation.examination().size(), scheme == EulerMoreau{.theta = 1.0} ? 0u : 1u);
  if (!simulation.examination().empty())
    expect_contains(simulation.examination()[0].message(), {"relative degree 2", "throws the state back", "theta = 1"});
  return highest;
}

// theta = 1 by itself is not enough: weights of 1/2 throw back as well, some steps more than others.
TEST(ExaminedModel, WeightsAtRelativeDegreeTwo) {
  EulerMoreau averaged{.theta = 1.0}, weighted{.theta = 1.0};
  averaged.multiplier_weight = 0.5;
  weighted.relation_weight = 0.5;
  for (const EulerMoreau& scheme : {averaged, weighted}) {
    double highest = 0.0;
    for (const double h : {1e-2, 3e-3, 1e-3}) highest = std::fmax(highest, rise_after_landing(scheme, h));
    EXPECT_GT(highest, 0.05);
  }
  EXPECT_LT(rise_after_landing(EulerMoreau{.theta = 1.0}, 1e-3), 1e-9);
}

/// x_1' = x_2, x_2' = lambda, x_1 = 0, from x_2 = 1: what the equality does not allow.
NonSmoothDynamicalSystem held_by_an_equality() {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.A = {{0, 1}, {0, 0}}, .x0 = {0.0, 1.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{1, 0}}, .B = {{0}, {1}}}, EqualityLaw{}, "held");
  return model;
}

// x_{1,k+1} = x_{1,k} leaves theta x_{2,k+1} + (1 - theta) x_{2,k} = 0: with theta = 1/2 x_2 turns its sign for ever.
TEST(ExaminedModel, EqualitiesOfRelativeDegreeTwo) {
  TimeStepping rings(held_by_an_equality(), examined_with(EulerMoreau{.theta = 0.5}, 0.125));
  ASSERT_EQ(rings.examination().size(), 1u);
  expect_contains(rings.examination()[0].message(), {"row 0 of held", "equality of relative degree 2", "rings"});
  ASSERT_TRUE(rings.advance_to(8.0));
  EXPECT_NEAR(std::abs(rings.state().unknowns[1]), 1.0, 1e-9);
  TimeStepping rests(held_by_an_equality(), examined_with(EulerMoreau{.theta = 1.0}, 0.125));
  EXPECT_TRUE(rests.examination().empty());
  ASSERT_TRUE(rests.advance_to(8.0));
  EXPECT_NEAR(rests.state().unknowns[1], 0.0, 1e-9);
}

TEST(ExaminedModel, EqualitiesThatNothingHolds) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.A = {{-1, 0}, {0, -1}}, .x0 = {0.0, 1.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{1, 0}}, .B = {{0}, {1}}}, EqualityLaw{}, "loose");
  const TimeStepping simulation(model, examined_with(EulerMoreau{.theta = 1.0}, 0.1));
  EXPECT_EQ(count_of(Remark::Kind::Unreached, simulation.examination()), 1);
}

/// M = I, K = diag(k), C = [0 g; -g 0]: gyroscopic.
LagrangianLinearSystem gyroscopic(double g, double first, double second) {
  return {
      .damping = {{0.0, g}, {-g, 0.0}}, .stiffness = {{first, 0.0}, {0.0, second}}, .q0 = {1e-3, 0.0}, .name = "rotor"};
}

// Modes s^2 = 900 (a weak g moves them by g^2): h theta s < 1 up to h = 2 / 30 s, also where both modes grow, and the
// determinant of the iteration matrix is positive again.
TEST(RefusedModel, StepBeyondAnUnstableStiffnessWithGyroscopicForces) {
  for (const double second : {1.0, -900.0}) {
    NonSmoothDynamicalSystem model;
    model.add(gyroscopic(0.01, -900.0, second));
    expect_refused([&] { TimeStepping(model, with_step(0.1)); },
                   {"iteration matrix of rotor", "growing mode with h = 0.1", "0.066"});
    EXPECT_NO_THROW(TimeStepping(model, with_step(0.06)));
  }
  NonSmoothDynamicalSystem sparse;
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(64, 64), K = Eigen::MatrixXd::Identity(64, 64);
  C(0, 1) = 0.01;
  C(1, 0) = -0.01;
  K(0, 0) = -900.0;
  sparse.add(LagrangianLinearSystem{.damping = Eigen::SparseMatrix<double>(C.sparseView()),
                                    .stiffness = Eigen::SparseMatrix<double>(K.sparseView()),
                                    .q0 = Eigen::VectorXd::Zero(64).eval(),
                                    .name = "frame"});
  expect_refused([&] { TimeStepping(sparse, with_step(0.1)); }, {"iteration matrix of frame", "0.066"});
}

// K = -900 I is held up by g > 60: no mode grows, and no step is refused, although M + h^2 K / 4 is negative. Twenty
// seconds later the rotor is where it was, to the size of its orbit.
TEST(RefusedModel, GyroscopicForcesMayHoldUp) {
  NonSmoothDynamicalSystem model;
  model.add(gyroscopic(70.0, -900.0, -900.0));
  TimeStepping simulation(model, with_step(0.1));
  ASSERT_TRUE(simulation.advance_to(20.0));
  EXPECT_LT(simulation.state().positions.norm(), 0.02);
}

// An undamped sparse system is looked at once for all shorter steps, and again for longer ones.
TEST(RefusedModel, StepsOfManyLengths) {
  NonSmoothDynamicalSystem model;
  Eigen::MatrixXd K = Eigen::MatrixXd::Identity(64, 64);
  K(0, 0) = -900.0;
  K(0, 1) = K(1, 0) = 1.0;
  model.add(LagrangianLinearSystem{.stiffness = Eigen::SparseMatrix<double>(K.sparseView()),
                                   .q0 = Eigen::VectorXd::Zero(64).eval(),
                                   .name = "frame"});
  const TimeSteppingOptions options = with_step(0.06);
  State state = model.initial_state();
  Workspace workspace;
  for (const double h : {0.03, 0.06, 0.01, 0.06}) EXPECT_TRUE(step(model, options, h, state, workspace)) << h;
  EXPECT_THROW((void)step(model, options, 0.1, state, workspace), InvalidArgument);
  EXPECT_THROW((void)step(model, options, 0.1, state, workspace), InvalidArgument);
  EXPECT_TRUE(step(model, options, 0.06, state, workspace));
}

}  // namespace
}  // namespace nonsmooth::examined_models_test
