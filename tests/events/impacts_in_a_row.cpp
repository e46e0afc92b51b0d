// SPDX-License-Identifier: Apache-2.0
// Newton's law lets a contact that separated approach where the impulse of another asks for one of its own: impacts at
// one instant go on until none does.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::impacts_in_a_row_test {
namespace {

/// A bar (1 kg, 1/3 kg m^2) with ends at -1 and 1 m, on the floor with both. W = (4, -2; -2, 4).
NonSmoothDynamicalSystem bar(double left, double right, double restitution) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{
      .mass = {{1.0, 0.0}, {0.0, 1.0 / 3.0}}, .q0 = {0.0, 0.0}, .v0 = {0.5 * (left + right), 0.5 * (left - right)}});
  for (const double end : {1.0, -1.0}) {
    model.link(body, LagrangianLinearRelation{.H = {{1.0, end}}}, NewtonImpactLaw{.restitution = restitution},
               end > 0.0 ? "left" : "right");
  }
  return model;
}

TEST(ImpactsInARow, AContactThatWasPushedBackIsHitAnew) {
  // u- = (0.4, -1), e = 1/2: u+ = -e u- = (-0.2, 0.5) by p = W^-1 (-0.6, 1.5) = (0.05, 0.4), both positive. The left
  // end approaches then: u = (0.1, 0.5 - 0.15) by p = (0.3 / 4, 0).
  const NonSmoothDynamicalSystem model = bar(0.4, -1.0, 0.5);
  EventDriven events(model);
  ASSERT_TRUE(events.advance_to(0.5));
  const State& state = events.state();
  EXPECT_NEAR(state.velocities[0], 0.1, 1e-14);  // roundings of a few sums of 1
  EXPECT_NEAR(state.velocities[1], 0.35, 1e-14);
  EXPECT_NEAR(state.outputs[0], 0.05, 1e-14);
  EXPECT_NEAR(state.outputs[1], 0.175, 1e-14);
  std::vector<double> impulses;
  for (const Event& event : events.events()) {
    if (event.kind == EventKind::Impact) impulses.push_back(event.value);
  }
  ASSERT_EQ(impulses.size(), 3u);
  EXPECT_NEAR(impulses[0], 0.05, 1e-14);
  EXPECT_NEAR(impulses[1], 0.4, 1e-14);
  EXPECT_NEAR(impulses[2], 0.075, 1e-14);
}

TEST(ImpactsInARow, NoneFollowsWhereNoContactApproaches) {
  // s = 0.6 > c / 2: p_left = 0, u = (0.6 - 0.75, 0.5) approaches as well, at e = 0.2 u = (0.6 - 0.6, 0.2) does not.
  const NonSmoothDynamicalSystem model = bar(0.6, -1.0, 0.2);
  EventDriven events(model);
  ASSERT_TRUE(events.advance_to(0.5));
  EXPECT_NEAR(events.state().velocities[0], 0.0, 1e-14);
  EXPECT_NEAR(events.state().velocities[1], 0.2, 1e-14);
  EXPECT_EQ(events.events().size(), 1u);
}

/// A plank (1 kg) on feet without rebound at (+-1, +-1) m, or at +-1 m of a plane, that a ball hits from above at (x,
/// y).
struct Plank {
  NonSmoothDynamicalSystem model;
  SystemHandle plank, ball;
  std::vector<InteractionHandle> feet;
  Plank(int dimension, double mass, double speed, double restitution, double x, double y) {
    const Eigen::Vector3d inertia(1.0, 1.0 / 3.0, dimension == 2 ? 1.0 : 0.2);  // kg, kg m^2 twice
    plank = model.add(LagrangianLinearSystem{
        .mass = inertia.asDiagonal().toDenseMatrix(), .force = {-9.81, 0.0, 0.0}, .q0 = {0.0, 0.0, 0.0}});
    ball = model.add(LagrangianLinearSystem{.mass = {{mass}}, .q0 = {0.01 * speed}, .v0 = {-speed}});
    const double of_y = dimension == 2 ? 0.0 : 1.0;
    for (const double side : {1.0, -1.0}) {
      for (const double end : {1.0, -1.0}) {
        if (dimension == 2 && side < 0.0) continue;
        feet.push_back(model.link(plank, LagrangianLinearRelation{.H = {{1.0, end, side * of_y}}},
                                  LiuZhaoBrogliatoImpactLaw{.restitution = 0.0}));
      }
    }
    model.link({plank, ball}, LagrangianLinearRelation{.H = {{-1.0, -x, -y * of_y, 1.0}}},
               LiuZhaoBrogliatoImpactLaw{.restitution = restitution});
  }
};

TEST(ImpactsInARow, APlankThatIsHitBetweenItsFeetStaysOnThem) {
  // Feet were at rest: V of their own rows says nothing of the impact. Of its speed the law leaves 1e-10 where plastic
  // contacts come to rest in ever smaller cycles: neither another impact nor a flight.
  for (const int dimension : {2, 3}) {
    for (const double speed : {1e-3, 1.0, 1e3}) {
      for (const double mass : {0.1, 1.0, 10.0}) {
        for (const double restitution : {0.0, 0.5, 1.0}) {
          for (const double x : {-0.9, -0.3, 0.0, 0.1, 0.3, 0.7, 0.9}) {
            const Plank hit(dimension, mass, speed, restitution, x, 0.05);
            EventDriven events(hit.model);
            const RunReport report = events.advance_to(0.0101);
            ASSERT_TRUE(report) << dimension << "D, " << speed << " m/s, " << mass << " kg, e = " << restitution
                                << ", x = " << x << ": " << report.message();
            const State& state = events.state();
            // Rest is kept to the absolute tolerance of 1e-12, and to a step of what was left of the speed.
            EXPECT_LE(state.v(hit.plank).lpNorm<Eigen::Infinity>(), 1e-12 + 1e-10 * speed) << x;
            EXPECT_GE(state.v(hit.ball)[0], -1e-9 * speed) << x;
            for (const Event& event : events.events()) {
              if (event.kind != EventKind::Impact) continue;
              EXPECT_NEAR(event.t, 0.01, 1e-14);  // roundings of 0.01 s
            }
          }
        }
      }
    }
  }
}

TEST(ImpactsInARow, APlankThatIsHitBesideItsFeetTips) {
  // About the foot at 1 m, so that its centre rises at half the speed of the other foot: within what waves leave of the
  // speed it would not.
  for (const double speed : {1e-3, 1.0, 1e3}) {
    for (const double x : {1.3, 2.0}) {
      const Plank hit(2, 0.1, speed, 0.0, x, 0.0);
      EventDriven events(hit.model);
      ASSERT_TRUE(events.advance_to(0.01 + 1e-7));
      const State& state = events.state();
      EXPECT_GT(state.v(hit.plank)[0], 1e-3 * speed);
    }
  }
}

}  // namespace
}  // namespace nonsmooth::impacts_in_a_row_test
