// SPDX-License-Identifier: Apache-2.0
// What an examination must not say: each of these models breaks a hypothesis of a theorem, or hides what binds a step.
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::examine_promises_test {
namespace {

using analysis::examine;
using analysis::MechanicalIsland;
using analysis::ModelExamination;
using analysis::Verdict;

TEST(ExaminePromises, NothingIsPromisedOfContactsThatAreFoundLater) {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks;
  for (const double x : {0.0, 3.0}) {
    disks.push_back(model.add(LagrangianLinearSystem{
        .mass = Eigen::MatrixXd(Eigen::Vector3d(1.0, 1.0, 0.5).asDiagonal()), .q0 = {x, 0.0, 0.0}}));
  }
  model.detect(
      std::make_shared<DiskContacts>(disks, std::vector<double>(2, 1.0), NewtonImpactFrictionLaw{.friction = 0.3}));
  const MechanicalIsland island = examine(model).mechanical.front();
  EXPECT_TRUE(island.may_meet);
  EXPECT_EQ(island.solutions.existence, Verdict::NotKnown);
}

TEST(ExaminePromises, ConstraintsThatMeetOnTheWayAreNotPromised) {
  const auto of_slide = [](std::function<double(double)> velocity, Law law) {
    NonSmoothDynamicalSystem model;
    const SystemHandle slide = model.add(
        LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {1.0}, .v0 = {velocity(0.0)}, .prescribed = {{0, velocity}}});
    model.link(slide, LagrangianLinearRelation{.H = {{1.0}}, .b = {-1.0}}, std::move(law));
    return examine(model).mechanical.front().solutions.existence;
  };
  EXPECT_EQ(of_slide([](double t) { return std::sin(t); }, EqualityLaw{}), Verdict::NotKnown);
  EXPECT_EQ(of_slide([](double) { return -1.0; }, NewtonImpactLaw{}), Verdict::NotKnown);
  EXPECT_EQ(of_slide([](double) { return 1.0; }, EqualityLaw{}), Verdict::Fails);
}

TEST(ExaminePromises, StartInsideAnObstacleIsNamedAndNothingPromised) {
  NonSmoothDynamicalSystem model;
  const SystemHandle ball = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .force = {-9.81}, .q0 = {1.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{}, "floor");
  State state = model.initial_state();
  EXPECT_TRUE(examine(model, state).mechanical.front().inside.empty());
  state.q(ball)[0] = -0.5;
  const ModelExamination found = examine(model, state);
  EXPECT_EQ(found.mechanical.front().inside, std::vector<std::string>{"row 0 of floor"});
  EXPECT_EQ(found.mechanical.front().solutions.existence, Verdict::NotKnown);
  ASSERT_EQ(found.jump.moved.size(), 1);
  EXPECT_NEAR(found.jump.moved[0], 0.5, 1e-9);
}

TEST(ExaminePromises, DruckerPragerIsMonotoneWhereItsFlowIsAssociated) {
  for (const double dilation : {0.0, 0.2, 0.4}) {  // 0.4: associated
    NonSmoothDynamicalSystem model;
    const SystemHandle body = model.add(LagrangianLinearSystem{.mass = {{1.0, 0.0}, {0.0, 1.0}}, .q0 = {0.0, 0.0}});
    model.link(
        body,
        LagrangianLinearRelation{.H = Eigen::MatrixXd(Eigen::Matrix2d::Identity()),
                                 .compliance = Eigen::MatrixXd(1e-3 * Eigen::Matrix2d::Identity())},
        PlasticityLaw{
            .surface = PlasticityLaw::Surface::DruckerPrager, .yield = 1.0, .friction = 0.4, .dilation = dilation});
    EXPECT_EQ(examine(model).mechanical.front().unique_step, dilation == 0.4 ? Verdict::Holds : Verdict::NotKnown);
  }
}

/// Guide y = 0 beside a contact with friction on y: p_N is what the guide does not take, so that friction is any.
TEST(ExaminePromises, NormalThatIsHeldHasNoBound) {
  for (const double coupling : {0.0, 0.3}) {
    NonSmoothDynamicalSystem model;
    const SystemHandle block = model.add(
        LagrangianLinearSystem{.mass = {{1.0, coupling}, {coupling, 2.0}}, .q0 = {0.0, 0.0}, .v0 = {1.0, 0.0}});
    model.link(block, LagrangianLinearRelation{.H = {{0.0, 1e-7}}}, EqualityLaw{});
    model.link(block, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}},
               NewtonImpactFrictionLaw{.friction = 0.5});
    const MechanicalIsland island = examine(model).mechanical.front();
    EXPECT_FALSE(island.friction.front().known);
    EXPECT_FALSE(island.friction.front().above());
    EXPECT_EQ(island.unique_step, Verdict::NotKnown);
  }
}

TEST(ExaminePromises, CompliantRowsAreSpringsAndNoConstraints) {
  NonSmoothDynamicalSystem model;
  const SystemHandle body = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {0.0}});
  for (const double b : {0.0, 0.1})
    model.link(body, LagrangianLinearRelation{.H = {{1.0}}, .b = {b}, .compliance = {{1e-2}}}, EqualityLaw{});
  const ModelExamination found = examine(model);
  const MechanicalIsland& island = found.mechanical.front();
  EXPECT_EQ(island.degrees_of_freedom, 1);
  EXPECT_TRUE(island.contradicting.empty());
  EXPECT_NE(island.solutions.existence, Verdict::Fails);
  // Two springs of 100 N/m on 1 kg.
  EXPECT_NEAR(found.step.fastest_oscillation, std::sqrt(200.0), 1e-12 * std::sqrt(200.0));
}

TEST(ExaminePromises, SpringDashpotBindsTheStep) {
  NonSmoothDynamicalSystem model;
  const SystemHandle ball = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .force = {-9.81}, .q0 = {1.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, SpringDashpotLaw{.stiffness = 1e10});
  EXPECT_NEAR(examine(model).step.step, 2.0 * std::numbers::pi / (20.0 * 1e5), 1e-17);
}

TEST(ExaminePromises, ShiftsAndEmptyPolyhedraAreNoProofOfExistence) {
  NonSmoothDynamicalSystem squeezed;  // x >= 1 and -x >= 1
  const SystemHandle x = squeezed.add(FirstOrderLinearSystem{.x0 = {0.0}});
  squeezed.link(x, FirstOrderLinearRelation{.C = {{1.0}, {-1.0}}, .B = {{1.0, -1.0}}},
                ComplementarityLaw{.y_shift = -1.0});
  EXPECT_NE(examine(squeezed).first_order.front().solutions.existence, Verdict::Holds);
  NonSmoothDynamicalSystem empty;  // lambda <= -1 and lambda >= 1
  const SystemHandle z = empty.add(FirstOrderLinearSystem{.x0 = {0.0}});
  empty.link(z, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}},
             NormalConeLaw{.A = Eigen::MatrixXd{{1.0}, {-1.0}}, .b = Eigen::VectorXd::Constant(2, -1.0)});
  EXPECT_NE(examine(empty).first_order.front().solutions.existence, Verdict::Holds);
}

TEST(ExaminePromises, NonlinearRightHandSidesArePromisedLocally) {
  NonSmoothDynamicalSystem model;  // x' = x^2 + lambda blows up at t = 1
  const SystemHandle system =
      model.add(FirstOrderSystem{.f = [](double, ConstVectorRef x, VectorRef f) { f[0] = x[0] * x[0]; }, .x0 = {1.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{1.0}}, .D = {{1.0}}, .B = {{1.0}}}, ComplementarityLaw{});
  EXPECT_NE(examine(model).first_order.front().solutions.solutions.find("local in time"), std::string_view::npos);
}

TEST(ExaminePromises, RedundancyIsFoundThroughDifferences) {
  NonSmoothDynamicalSystem model;  // s = q_0 + q_1: s and exp(0.3 s) say the same
  const SystemHandle body = model.add(LagrangianLinearSystem{
      .mass = Eigen::MatrixXd(Eigen::Vector3d(1.0, 2.0, 3.0).asDiagonal()), .q0 = {0.7, 0.2, 0.0}});
  model.link(body, ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[0] + q[1] - 0.9; }},
             EqualityLaw{});
  model.link(body,
             ScleronomousRelation{
                 .h = [](ConstVectorRef q, VectorRef y) { y[0] = std::exp(0.3 * (q[0] + q[1])) - std::exp(0.27); }},
             EqualityLaw{});
  const MechanicalIsland island = examine(model).mechanical.front();
  EXPECT_EQ(island.hyperstatic_degree, 1);
  EXPECT_EQ(island.degrees_of_freedom, 2);
  EXPECT_EQ(island.solutions.existence, Verdict::NotKnown);  // they vary: whether they go on agreeing is not known
}

TEST(ExaminePromises, DegreesKnowTheErrorOfDifferences) {
  const auto of_output = [](double unit, double direct) {
    NonSmoothDynamicalSystem model;
    const SystemHandle system = model.add(FirstOrderLinearSystem{.A = {{0.0, 1.0}, {0.0, 0.0}}, .x0 = {0.5, 0.0}});
    model.link(system,
               FirstOrderRelation{.h = [=](double, ConstVectorRef x, ConstVectorRef lambda,
                                           VectorRef y) { y[0] = x[0] + x[1] * x[1] + direct * unit * lambda[0]; },
                                  .g = [unit](double, ConstVectorRef, ConstVectorRef lambda,
                                              VectorRef r) { r[1] = unit * lambda[0]; }},
               ComplementarityLaw{});
    return examine(model).first_order.front().degree.of_output.front();
  };
  for (const double unit : {1.0, 1e-9, 1e9}) {
    EXPECT_EQ(of_output(unit, 0.0), 2) << unit;  // dh/dx_1 = 0 at x_1 = 0
    EXPECT_EQ(of_output(unit, 1.0), 0) << unit;
  }
}

TEST(ExaminePromises, ProductsThatCancelHaveNoClass) {
  NonSmoothDynamicalSystem model;  // 0.1 + 0.2 - 0.3 is 5.6e-17 in floating point
  const SystemHandle x = model.add(FirstOrderLinearSystem{.x0 = {0.0, 0.0, 0.0}});
  model.link(x, FirstOrderLinearRelation{.C = {{0.1, 0.2, -0.3}}, .B = {{1.0}, {1.0}, {1.0}}}, ComplementarityLaw{});
  EXPECT_FALSE(examine(model).first_order.front().CB.p.holds());
}

TEST(ExaminePromises, SlowGrowthBesideAFastRateBindsTheStep) {
  NonSmoothDynamicalSystem model;
  const SystemHandle x = model.add(FirstOrderLinearSystem{.A = {{-1e9, 0.0}, {0.0, 1.0}}, .x0 = {1.0, 1.0}});
  model.link(x, FirstOrderLinearRelation{.C = {{1.0, 0.0}}, .B = {{1.0}, {0.0}}}, ComplementarityLaw{});
  const ModelExamination found = examine(model);
  EXPECT_NEAR(found.step.growth, 1.0, 1e-12);
  EXPECT_NEAR(found.step.step, 0.1, 1e-12);
  EXPECT_EQ(found.recommended, "EulerMoreau (theta = 1)");  // nine decades
}

TEST(ExaminePromises, WhatHangsDoesNotApproach) {
  NonSmoothDynamicalSystem model;
  const SystemHandle block = model.add(LagrangianLinearSystem{.mass = {{2.0}}, .force = {-19.62}, .q0 = {1.0}});
  model.link(block, LagrangianLinearRelation{.H = {{1e-5}}, .b = {-1e-5}}, EqualityLaw{});
  model.link(block, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  EXPECT_NEAR(examine(model).mechanical.front().approach, 0.0, 1e-7);
}

TEST(ExaminePromises, ImpactsOtherThanNewtonsAreNotPromised) {
  NonSmoothDynamicalSystem model;
  const SystemHandle ball = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {1.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, PoissonImpactLaw{.restitution = 0.5});
  EXPECT_EQ(examine(model).mechanical.front().solutions.existence, Verdict::NotKnown);
}

TEST(ExaminePromises, WhatThrowsOrIsNotFiniteIsNamed) {
  NonSmoothDynamicalSystem model;
  const SystemHandle x = model.add(FirstOrderLinearSystem{
      .b = [](double, VectorRef b) { b[0] = std::numeric_limits<double>::quiet_NaN(); }, .x0 = {1.0}});
  model.link(x, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, ComplementarityLaw{});
  model.add(LagrangianSystem{
      .force = [](double, ConstVectorRef, ConstVectorRef, VectorRef) { throw std::runtime_error("no force today"); },
      .q0 = {0.0},
      .name = "moody"});
  model.add(LagrangianSystem{.force = [](double, ConstVectorRef, ConstVectorRef,
                                         VectorRef F) { F[0] = std::numeric_limits<double>::infinity(); },
                             .q0 = {0.0}});
  const ModelExamination found = examine(model);
  EXPECT_EQ(found.first_order.front().why_not, "numbers that are not finite");
  EXPECT_NE(found.mechanical[0].why_not.find("no force today"), std::string::npos);
  EXPECT_EQ(found.mechanical[0].systems, std::vector<std::string>{"moody"});
  EXPECT_EQ(found.mechanical[1].why_not, "numbers that are not finite");
}

TEST(ExaminePromises, AnEmptyModelHasNothingToSay) {
  const ModelExamination found = examine(NonSmoothDynamicalSystem{});
  EXPECT_TRUE(found.first_order.empty() && found.mechanical.empty() && found.recommended.empty());
}

}  // namespace
}  // namespace nonsmooth::examine_promises_test
