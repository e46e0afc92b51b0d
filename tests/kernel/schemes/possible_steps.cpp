// SPDX-License-Identifier: Apache-2.0
// All states in which a step may end, against problems whose answers can be counted by hand.
#include <nonsmooth/kernel/possible_steps.hpp>

#include <cmath>
#include <memory>

#include <Eigen/LU>

#include <gtest/gtest.h>

#include <nonsmooth/kernel/disk_contacts.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "kernel/closed_forms.hpp"

namespace nonsmooth::possible_steps_test {
namespace {

using namespace closed_forms;

/// Answers are certified to 1e-9 of q, which is of order 1 to 20 in the problems below.
constexpr double kTolerance = 1e-7;

// Painleve's slender rod, length 2 l, tip sliding on the floor with u_T < 0 at an angle atan(2), where the factor
// W_NN + mu W_NT of a sliding reaction is negative from mu = 4/3 on.
struct Rod {
  static constexpr double m = 2.0, l = 0.5, kSlip = 20.0;
  double angle = std::atan(2.0), s = std::sin(angle), c = std::cos(angle);
  Eigen::Matrix<double, 2, 3> H{{0.0, 1.0, -l* c}, {1.0, 0.0, l* s}};
  Eigen::Vector3d mass{m, m, m* l* l / 3.0};
  Eigen::Matrix2d W = H * mass.cwiseInverse().asDiagonal() * H.transpose();
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  InteractionHandle tip;

  /// `lift`: force upwards, the weight in it.
  Rod(double mu, double lift, bool nonlinear = false) {
    body = model.add(LagrangianLinearSystem{
        .mass = mass.asDiagonal(), .force = {0.0, lift, 0.0}, .q0 = {0.0, 0.0, 0.0}, .v0 = {-kSlip, 0.0, 0.0}});
    const NewtonImpactFrictionLaw law{.friction = mu};
    const Eigen::Matrix<double, 2, 3> rows = H;
    if (nonlinear) {
      tip = model.link(body,
                       ScleronomousRelation{.rows = 2,
                                            .h = [rows](ConstVectorRef q, VectorRef y) { y = rows * q; },
                                            .H = [rows](ConstVectorRef, MatrixRef J) { J = rows; }},
                       law);
    } else {
      tip = model.link(body, LagrangianLinearRelation{.H = H}, law);
    }
  }
  Eigen::Vector2d free_velocity(double lift, double h) const { return H * Eigen::Vector3d(-kSlip, h * lift / m, 0.0); }
};

TEST(PossibleSteps, ThePainleveRodHasThreeAboveItsBound) {
  // Pulled off the floor by less than a jam holds: take-off, sliding on under a reaction that lifts, and sticking.
  const double h = 1e-2, lift = 5.0;
  for (const bool nonlinear : {false, true}) {
    const double mu = 2.0;
    const Rod rod(mu, lift, nonlinear);
    const Eigen::Vector2d q = rod.free_velocity(lift, h);
    const double sliding = -q[0] / (rod.W(0, 0) + mu * rod.W(0, 1));
    const Eigen::Vector2d expected[] = {{0.0, 0.0}, {sliding, mu * sliding}, -rod.W.inverse() * q};
    const auto steps = possible_steps(rod.model, moreau_jean(h), h, rod.model.initial_state());
    ASSERT_EQ(steps.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      const State& state = steps[i].state;
      EXPECT_NEAR((state.impulse(rod.tip) - expected[i]).norm(), 0.0, kTolerance) << i;
      EXPECT_NEAR((state.u(rod.tip) - q - rod.W * expected[i]).norm(), 0.0, kTolerance) << i;
      EXPECT_TRUE(steps[i].isolated);
      EXPECT_EQ(state.t, h);
      EXPECT_EQ(state.k, 1);
    }
    // What step() finds is among them, to the bit of what a step commits beside its reactions.
    State state = rod.model.initial_state();
    Workspace workspace;
    ASSERT_TRUE(step(rod.model, moreau_jean(h), h, state, workspace));
    const auto distance = [&](const PossibleStep& one) { return (one.state.unknowns - state.unknowns).norm(); };
    EXPECT_LT(std::min({distance(steps[0]), distance(steps[1]), distance(steps[2])}), kTolerance);
  }
}

TEST(PossibleSteps, TheRodHasOneBelowItsBoundAndWhereItIsPressed) {
  const double h = 1e-2;
  for (const double mu : {0.0, 0.5, 1.3}) {
    for (const double lift : {5.0, -5.0}) {
      const Rod rod(mu, lift);
      const auto steps = possible_steps(rod.model, moreau_jean(h), h, rod.model.initial_state());
      ASSERT_EQ(steps.size(), 1u) << mu << ' ' << lift;
      EXPECT_EQ(steps[0].state.impulse(rod.tip)[0] > 0.0, lift < 0.0);
    }
  }
  const Rod jams(2.0, -5.0);  // an impact without collision: the tip sticks
  const auto steps = possible_steps(jams.model, moreau_jean(h), h, jams.model.initial_state());
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_NEAR(steps[0].state.u(jams.tip).norm(), 0.0, kTolerance);
}

TEST(PossibleSteps, NoneIsAnAnswerToo) {
  auto piston = mass_point(1.0, 0.0, 0.0, -1.0);
  piston.prescribed = {{.component = 0, .velocity = [](double) { return -1.0; }}};
  NonSmoothDynamicalSystem model;
  model.link(model.add(piston), LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  EXPECT_TRUE(possible_steps(model, moreau_jean(0.02), 0.02, model.initial_state()).empty());
}

TEST(PossibleSteps, ABeamOnThreeFeetHasAContinuumOfReactionsAndOneMotion) {
  // Weight over the middle one: all of it there, half on each of the others, or anything between.
  const double m = 3.0, h = 0.01, weight = m * kGravity * h;
  NonSmoothDynamicalSystem model;
  const auto beam = model.add(LagrangianLinearSystem{
      .mass = Eigen::Vector2d(m, m / 3.0).asDiagonal(), .force = {-m * kGravity, 0.0}, .q0 = {0.0, 0.0}});
  const auto feet =
      model.link(beam, LagrangianLinearRelation{.H = {{1.0, -1.0}, {1.0, 0.0}, {1.0, 1.0}}}, NewtonImpactLaw{});
  const auto steps = possible_steps(model, moreau_jean(h), h, model.initial_state());
  ASSERT_EQ(steps.size(), 2u);
  const Eigen::Vector3d outer{0.5 * weight, 0.0, 0.5 * weight}, inner{0.0, weight, 0.0};
  EXPECT_NEAR((steps[0].state.impulse(feet) - outer).norm(), 0.0, kTolerance);
  EXPECT_NEAR((steps[1].state.impulse(feet) - inner).norm(), 0.0, kTolerance);
  for (const PossibleStep& one : steps) {
    EXPECT_FALSE(one.isolated);
    EXPECT_NEAR(one.state.v(beam).norm(), 0.0, kTolerance);
  }
}

TEST(PossibleSteps, ARelayThatPushesAwayHasThree) {
  // x' = lambda = sign x, implicit: from 0 to h, to -h or nowhere. From x > h only on.
  NonSmoothDynamicalSystem model;
  const auto x = model.add(FirstOrderLinearSystem{.x0 = {0.0}});
  const auto relay = model.link(x, FirstOrderLinearRelation{.C = {{-1.0}}, .B = {{1.0}}}, RelayLaw{-1.0, 1.0});
  const double h = 0.1;
  TimeSteppingOptions options;
  options.step = h;
  State state = model.initial_state();
  const auto steps = possible_steps(model, options, h, state);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_NEAR(steps[0].state.lambda(relay)[0], 0.0, kTolerance);
  EXPECT_NEAR(steps[1].state.x(x)[0] * steps[2].state.x(x)[0], -h * h, kTolerance);
  state.x(x)[0] = 2.0 * h;
  const auto on = possible_steps(model, options, h, state);
  ASSERT_EQ(on.size(), 1u);
  EXPECT_NEAR(on[0].state.x(x)[0], 3.0 * h, kTolerance);
}

TEST(PossibleSteps, EqualitiesAreEliminated) {
  // Two masses on one rod, the first lands: the floor stops both.
  NonSmoothDynamicalSystem model;
  const auto first = model.add(mass_point(1.0, 0.0, 0.0, -1.0)), second = model.add(mass_point(2.0, 0.0, 1.0, -1.0));
  const auto rod = model.link({first, second}, LagrangianLinearRelation{.H = {{1.0, -1.0}}, .b = {1.0}}, EqualityLaw{});
  const auto floor = model.link(first, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{0.5});
  const auto steps = possible_steps(model, moreau_jean(0.01), 0.01, model.initial_state());
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_NEAR(steps[0].state.impulse(floor)[0], 4.5, kTolerance);
  EXPECT_NEAR(steps[0].state.impulse(rod)[0], -3.0, kTolerance);
  EXPECT_NEAR(steps[0].state.v(second)[0], 0.5, kTolerance);
  // The rod alone, and nothing at all.
  model.remove(floor);
  EXPECT_EQ(possible_steps(model, moreau_jean(0.01), 0.01, model.initial_state()).size(), 1u);
  model.remove(rod);
  const auto free = possible_steps(model, moreau_jean(0.01), 0.01, model.initial_state());
  ASSERT_EQ(free.size(), 1u);
  EXPECT_EQ(free[0].state.q(first)[0], -0.01);
}

TEST(PossibleSteps, CountsDetectedContacts) {
  NonSmoothDynamicalSystem model;
  const auto disk = model.add(LagrangianLinearSystem{
      .mass = Eigen::Vector3d(2.0, 2.0, 0.01).asDiagonal(), .force = {0.0, -20.0, 0.0}, .q0 = {0.0, 0.1, 0.0}});
  FloorProfile ground;
  ground.height = ground.slope = ground.curvature = [](double) { return 0.0; };
  model.detect(std::make_shared<DiskContacts>(std::vector<SystemHandle>{disk}, std::vector<double>{0.1},
                                              NewtonImpactFrictionLaw{.friction = 0.3}, ground));
  const auto steps = possible_steps(model, moreau_jean(0.01), 0.01, model.initial_state());
  ASSERT_EQ(steps.size(), 1u);
  ASSERT_EQ(steps[0].state.contacts.size(), 1u);
  EXPECT_NEAR(steps[0].state.contacts[0].impulse[0], 0.2, kTolerance);
}

TEST(PossibleSteps, RefusesWhatItCannotEnumerate) {
  const auto message = [](const NonSmoothDynamicalSystem& model) -> std::string {
    try {
      (void)possible_steps(model, moreau_jean(0.01), 0.01, model.initial_state());
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return {};
  };
  NonSmoothDynamicalSystem space;
  const auto body = space.add(LagrangianLinearSystem{.q0 = {0.0, 0.0, 0.0}});
  space.link(body, LagrangianLinearRelation{.H = Eigen::MatrixXd(Eigen::Matrix3d::Identity())},
             NewtonImpactFrictionLaw{.friction = 0.5, .dimension = 3}, "foot");
  EXPECT_NE(message(space).find("foot"), std::string::npos);

  NonSmoothDynamicalSystem many;
  for (int i = 0; i < 16; ++i)
    many.link(many.add(mass_point(1.0, -1.0, 0.0, 0.0)), LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  EXPECT_NE(message(many).find("16 rows"), std::string::npos);

  NonSmoothDynamicalSystem twice;
  const auto point = twice.add(mass_point(1.0, -1.0, 0.0, 0.0));
  for (int i = 0; i < 2; ++i) twice.link(point, LagrangianLinearRelation{.H = {{1.0}}}, EqualityLaw{});
  EXPECT_NE(message(twice).find("depend on each other"), std::string::npos);

  LagrangianSystem throws;
  throws.force = [](double, ConstVectorRef, ConstVectorRef, VectorRef) { throw std::runtime_error("no force today"); };
  throws.q0 = {0.0};
  NonSmoothDynamicalSystem failing;
  failing.add(throws);
  EXPECT_NE(message(failing).find("no force today"), std::string::npos);
  EXPECT_THROW((void)possible_steps(many, moreau_jean(0.01), 0.01, twice.initial_state()), InvalidArgument);
  EXPECT_THROW((void)possible_steps(many, moreau_jean(0.01), 0.0, many.initial_state()), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::possible_steps_test
