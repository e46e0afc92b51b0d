// SPDX-License-Identifier: Apache-2.0
// A bond of two shapes outlasts the names of the points in which they meet, and ends with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::bonds_of_patches_test {
namespace {

using Eigen::Vector3d;

constexpr double kMass = 2.0, kGravity = 9.81, kWeight = kMass * kGravity, kSide = 0.2, kStep = 1e-3;
/// Velocities below 1 m/s, solved to 1e-12 in each of up to 500 steps.
constexpr double kAgree = 1e-9;

/// A cube below the lower face of a plate, 0.3 m along x, which pulls by `cohesion` a point and without friction. It is
/// turned about the vertical, so that its corners and edges pass those of the plate one after the other.
struct Hanging {
  double turn, speed, cohesion;
  double x = 0.0, depth = 0.0;

  [[nodiscard]] NonSmoothDynamicalSystem model_of(SystemHandle& cube) const {
    NonSmoothDynamicalSystem model;
    cube = model.add(RigidBody{.mass = kMass,
                               .inertia = kMass * kSide * kSide / 6.0 * Eigen::Matrix3d::Identity(),
                               .position = {x, 0.0, depth - 0.5 * kSide},
                               .orientation = {std::cos(0.5 * turn), 0.0, 0.0, std::sin(0.5 * turn)},
                               .velocity = {speed, 0.0, 0.0},
                               .gravity = {0.0, 0.0, -kGravity}});
    const ShapeOnBody plate{.shape = Box{{0.15, 0.5, 0.05}}, .position = {0.0, 0.0, 0.05}};
    model.detect(BodyContacts({{cube, {{.shape = Box{Vector3d::Constant(0.5 * kSide)}}}}}, {plate},
                              NewtonImpactFrictionLaw{.dimension = 3, .cohesion = cohesion}));
    return model;
  }
};

/// A loose one, so that answers leave points that hold with velocities of either sign far above rounding: up to this
/// times the largest |q|, which is the speed. By that the cube may come down, turn (over the 0.1 m and more that two
/// points are apart, about both axes) and, turned, be drawn aside by its weight.
constexpr double kTolerance = 1e-6;
/// Of what hangs: answers lower it by their tolerance in each step, and a gap that opens by more than rounding is one.
constexpr double kDepth = 1e-6;

/// Where a point bears up to the whole weight the cube is held while its centre is inside of what touches, whichever
/// points these are: nothing acts along x, so that it goes on at its speed, to 0.12 m of the 0.15 to the edge.
TEST(BondsOfPatches, OutlastPointsThatChangeTheirNames) {
  for (const double turn : {0.0, 0.1, 0.3, 0.7}) {
    for (const double speed : {0.3, 0.8}) {
      SystemHandle cube;
      TimeStepping run(
          Hanging{.turn = turn, .speed = speed, .cohesion = 1.05 * kWeight, .depth = kDepth}.model_of(cube),
          {.step = kStep, .solver = mixed::Automatic{.tolerance = kTolerance}});
      const RunReport report = run.advance_to(0.12 / speed);
      ASSERT_TRUE(report) << report.message();
      const State& state = run.state();
      const double slip = kTolerance * speed, turning = 4.0 * slip / 0.1;
      EXPECT_NEAR(state.q(cube)[2], kDepth - 0.5 * kSide, slip * state.t) << turn << " " << speed;
      EXPECT_NEAR(state.q(cube)[0], speed * state.t, kGravity * turning * std::pow(state.t, 3) / 6.0)
          << turn << " " << speed;
      EXPECT_NEAR(state.v(cube).tail<3>().norm(), 0.0, turning) << turn << " " << speed;
    }
  }
}

/// Four points of a fifth of the weight do not hold it: torn off in the first step, it falls freely out of a depth of 5
/// mm, in 32 ms, while a corner passes the edge of the plate (after 6 ms at 0.8 m/s): the points that come with that
/// have no bond.
TEST(BondsOfPatches, EndWithThePointsThatWereThere) {
  for (const double speed : {0.0, 0.8}) {
    SystemHandle cube;
    TimeStepping run(
        Hanging{.turn = 0.3, .speed = speed, .cohesion = 0.2 * kWeight, .x = 0.02, .depth = 5e-3}.model_of(cube),
        {.step = kStep});
    const RunReport report = run.advance_to(0.05);
    ASSERT_TRUE(report) << report.message();
    const State& state = run.state();
    EXPECT_NEAR(state.v(cube)[2], -kGravity * state.t + 0.8 * kGravity * kStep, kAgree) << speed;
    EXPECT_NEAR(state.v(cube).tail<3>().norm(), 0.0, kAgree) << speed;
  }
}

/// A box of 1 kg hangs from a ceiling by its corners (a = 0.3 m), turned by a moment that grows as t [N m]. The pair
/// that bears it pulls by m g / 2 + M / (2 a), at most 2 F, whatever each of the two has: torn at t* = 2 a (2 F - m g /
/// 2).
struct Peeled {
  double friction = 0.0, step = 1e-3;
  TimeSteppingOptions options{};
  bool linked = false;

  /// The end of the first step in which the pair leaves by more than 1e-6 m/s. In one step past t* it leaves by
  /// h^2 / (2 a) (1 / m + a^2 / I), 9e-6 m/s at h = 1 ms.
  [[nodiscard]] double torn() const {
    constexpr double a = 0.3, c = 0.1;
    NonSmoothDynamicalSystem model;
    const GivenLoad moment{.load = [](double t, ConstVectorRef, ConstVectorRef, VectorRef f) {
      f.setZero();
      f[4] = t;
    }};
    const SystemHandle box = model.add(RigidBody{.mass = 1.0,
                                                 .inertia = Vector3d::Constant(0.02).asDiagonal(),
                                                 .position = {0.0, 0.0, -c},
                                                 .gravity = {0.0, 0.0, -kGravity},
                                                 .loads = {moment}});
    const NewtonImpactFrictionLaw law{.friction = friction, .dimension = 3, .cohesion = 4.0};
    const BodyContacts contacts({{box, {{.shape = Box{{a, a, c}}}}}},
                                {{.shape = HalfSpace{.normal = -Vector3d::UnitZ()}}}, law);
    if (linked) {
      link_contacts(model, contacts);
    } else {
      model.detect(contacts);
    }
    TimeSteppingOptions of_run = options;
    of_run.step = step;
    TimeStepping run(model, of_run);
    double torn = 0.0;
    const RunReport report = run.advance_to(3.0, [&](const State& state) {
      const auto v = state.v(box);
      if (std::max(-(v[2] + a * v[4]), -(v[2] - a * v[4])) < 1e-6) return true;
      torn = state.t;
      return false;
    });
    EXPECT_GT(torn, 0.0) << report.message();
    return torn;
  }
};

constexpr double kTornAt = 0.6 * (8.0 - 0.5 * kGravity);

/// Loads of the four depend on one another: a solver may give one of them all of F while others have room, long before.
TEST(BondsOfPatches, TearWhereNoSharesHold) {
  for (const double friction : {0.0, 0.4}) {
    for (const double tolerance : {1e-8, 1e-13}) {
      for (const double step : {4e-3, 1e-3}) {
        const Peeled peeled{.friction = friction,
                            .step = step,
                            .options = {.solver = mixed::Automatic{.tolerance = tolerance}},
                            .linked = tolerance < 1e-10};
        EXPECT_NEAR(peeled.torn(), kTornAt, 2.0 * step) << friction << " " << tolerance;
      }
    }
  }
}

TEST(BondsOfPatches, TearAlikeUnderOtherSchemesAndForms) {
  for (const TimeSteppingOptions& options :
       {TimeSteppingOptions{.integrator = MoreauJean{.theta = 1.0}},
        TimeSteppingOptions{.integrator = GeneralisedAlpha{}}, TimeSteppingOptions{.form = Form::Global},
        TimeSteppingOptions{.projection = {.kind = Projection::All}}}) {
    EXPECT_NEAR((Peeled{.friction = 0.4, .options = options}.torn()), kTornAt, 2e-3);
  }
}

}  // namespace
}  // namespace nonsmooth::bonds_of_patches_test
