// SPDX-License-Identifier: Apache-2.0
// Obstacles and guards far narrower than a smooth step: none of a hundredth of it is lost, and none at all where its
// width is known.
#include <cmath>
#include <random>

#include "event_log.hpp"

namespace nonsmooth::narrow_obstacles_test {
namespace {

using namespace event_log;

constexpr double kPlace = 0.437;

/// A mass that moves along x at y = 1 without force: one smooth step may be as long as the run.
LagrangianLinearSystem runner() { return {.q0 = {0.0, 1.0}, .v0 = {1.0, 0.0}, .name = "runner"}; }

/// y - 2 exp(-((x - 0.437) / w)^2), touched where x = 0.437 - w sqrt(log 2).
ScleronomousRelation hill(double w) {
  return {.h = [w](ConstVectorRef q, VectorRef y) { y[0] = q[1] - 2.0 * std::exp(-std::pow((q[0] - kPlace) / w, 2)); },
          .H =
              [w](ConstVectorRef q, MatrixRef H) {
                const double x = (q[0] - kPlace) / w;
                H(0, 0) = 4.0 * x / w * std::exp(-x * x);
                H(0, 1) = 1.0;
              }};
}

TEST(NarrowObstacle, IsMetWhateverItsWidth) {
  for (const double w : {0.3, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.003}) {
    NonSmoothDynamicalSystem model;
    model.link(model.add(runner()), hill(w), NewtonImpactLaw{.restitution = 1.0}, "hill");
    EventDriven simulation(model);
    const auto report = simulation.advance_to(1.0);
    ASSERT_TRUE(report) << report.message();
    // Located to round-off of t, which the slope 2 sqrt(log 2) / w of the gap does not spoil.
    const auto impacts = times_of(simulation, EventKind::Impact);
    ASSERT_FALSE(impacts.empty()) << "w = " << w;
    EXPECT_NEAR(impacts.front(), kPlace - w * std::sqrt(std::log(2.0)), 1e-13) << "w = " << w;
  }
}

// Below a hundredth of a step only who knows the width can promise anything.
TEST(NarrowObstacle, IsMetWhereItsWidthIsKnown) {
  for (const double w : {1e-3, 1e-4, 1e-5}) {
    NonSmoothDynamicalSystem model;
    auto relation = hill(w);
    relation.smallest_feature = w;
    model.link(model.add(runner()), relation, NewtonImpactLaw{.restitution = 1.0}, "hill");
    EventDriven simulation(model);
    ASSERT_TRUE(simulation.advance_to(1.0));
    const auto impacts = times_of(simulation, EventKind::Impact);
    ASSERT_FALSE(impacts.empty()) << "w = " << w;
    EXPECT_NEAR(impacts.front(), kPlace - w * std::sqrt(std::log(2.0)), 1e-13) << "w = " << w;
  }
}

// Both ends of every step are looked at: a run does not end inside an obstacle, however narrow that is.
TEST(NarrowObstacle, NoStepEndsInside) {
  NonSmoothDynamicalSystem model;
  model.link(model.add(runner()), hill(1e-7), NewtonImpactLaw{.restitution = 1.0}, "hill");
  EventDriven simulation(model);
  ASSERT_TRUE(simulation.advance_to(kPlace));
  const auto impacts = times_of(simulation, EventKind::Impact);
  ASSERT_EQ(impacts.size(), 1u);
  EXPECT_NEAR(impacts[0], kPlace - 1e-7 * std::sqrt(std::log(2.0)), 1e-13);
}

// From rest the last hundredth of the way is gone through in half a hundredth of the time.
TEST(NarrowObstacle, IsMetWhereTheMotionIsFastest) {
  for (int k = 0; k < 200; ++k) {
    const double first = 0.5 * kGravity * (0.9 + 4e-4 * k), width = 0.011 * 0.5 * kGravity;
    NonSmoothDynamicalSystem model;
    const auto ball = model.add(LagrangianLinearSystem{.force = {kGravity}, .q0 = {0.0}});
    model.link(ball,
               ScleronomousRelation{.h =
                                        [=](ConstVectorRef q, VectorRef y) {
                                          const double s = (q[0] - first) / width;
                                          y[0] = 0.1 - (s > 0.0 && s < 1.0 ? std::sin(kPi * s) : 0.0);
                                        },
                                    .H =
                                        [=](ConstVectorRef q, MatrixRef H) {
                                          const double s = (q[0] - first) / width;
                                          H(0, 0) = s > 0.0 && s < 1.0 ? -kPi / width * std::cos(kPi * s) : 0.0;
                                        }},
               NewtonImpactLaw{.restitution = 0.5}, "bump");
    // The bump's own hundredth: the gap is negative on 0.94 of its width. Steps of gravity alone grow eightfold.
    EventDriven simulation(model);
    ASSERT_TRUE(simulation.advance_to(1.0));
    const auto impacts = times_of(simulation, EventKind::Impact);
    ASSERT_FALSE(impacts.empty()) << "at " << first;
    const double met = first + width * std::asin(0.1) / kPi;
    EXPECT_NEAR(impacts.front(), std::sqrt(2.0 * met / kGravity), 1e-13);
  }
}

TEST(NarrowGuard, PassesTwice) {
  for (const double w : {0.1, 0.05, 0.02, 0.01, 0.003, 1e-4}) {
    NonSmoothDynamicalSystem model;
    model.add(LagrangianLinearSystem{.force = {-9.81}, .q0 = {10.0}});
    EventDrivenOptions options;
    UserEvent bump{.name = "bump",
                   .guard = [w](const State& s) { return 1.0 - 2.0 * std::exp(-std::pow((s.t - kPlace) / w, 2)); }};
    if (w < 0.003) bump.smallest_feature = w;
    options.events = {bump};
    EventDriven simulation(model, options);
    ASSERT_TRUE(simulation.advance_to(1.0));
    const double half = w * std::sqrt(std::log(2.0));
    expect_times(times_of(simulation, EventKind::User), {kPlace - half, kPlace + half}, 1e-13);
  }
}

// Widths from 1 % of a run: a dip that is an arc of a sine, of random place and width, none lost.
TEST(NarrowGuard, RandomWidthsFromAHundredthOfAStep) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> places(0.1, 0.8), widths(-2.0, -1.0);
  for (int k = 0; k < 2000; ++k) {
    const double first = places(random), last = first + std::pow(10.0, widths(random));
    NonSmoothDynamicalSystem model;
    model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {1.0}});
    EventDrivenOptions options;
    options.events = {{.guard = [=](const State& s) {
      const double x = s.t < first || s.t > last ? 0.0 : std::sin(kPi * (s.t - first) / (last - first));
      return 0.1 - x;
    }}};
    EventDriven simulation(model, options);
    const auto report = simulation.advance_to(1.0);
    ASSERT_TRUE(report) << report.message();
    const double rise = std::asin(0.1) / kPi * (last - first);
    // 0.1 - x has slopes of 3 to 300 there; t is known to 2e-16, and sin to as much.
    expect_times(times_of(simulation, EventKind::User), {first + rise, last - rise}, 1e-13);
  }
}

// Dips with vertical edges, which no polynomial follows: the step is cut short before them and gone on with behind, in
// which they must not be lost.
TEST(NarrowGuard, VerticalEdgesFromAHundredthOfAStep) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> places(0.05, 0.9), widths(0.011, 0.04);
  for (int k = 0; k < 1000; ++k) {
    const double middle = places(random), half = 0.5 * widths(random);
    NonSmoothDynamicalSystem model;
    model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {1.0}});
    EventDrivenOptions options;
    options.events = {{.guard = [=](const State& s) {
      const double x = (s.t - middle) / half;
      return 0.1 - (std::abs(x) < 1.0 ? std::sqrt(1.0 - x * x) : 0.0);
    }}};
    EventDriven simulation(model, options);
    const auto report = simulation.advance_to(1.0);
    ASSERT_TRUE(report) << report.message();
    const double reach = std::sqrt(0.99) * half;
    expect_times(times_of(simulation, EventKind::User), {middle - reach, middle + reach}, 1e-13);
  }
}

// A dip that is long against its depth, of known length: 1e-5 of the bump is above its threshold.
TEST(NarrowGuard, GrazeOfKnownLength) {
  constexpr double w = 0.02, height = 1.0 + 1e-5;
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {1.0}});
  const double half = w * std::sqrt(std::log(height));
  EventDrivenOptions options;
  options.events = {{.guard = [](const State& s) { return 1.0 - height * std::exp(-std::pow((s.t - kPlace) / w, 2)); },
                     .smallest_feature = 2.0 * half}};
  EventDriven simulation(model, options);
  ASSERT_TRUE(simulation.advance_to(1.0));
  // The slope there is 2 sqrt(1e-5) / w = 0.3, the guard is known to some 1e-15.
  expect_times(times_of(simulation, EventKind::User), {kPlace - half, kPlace + half}, 1e-13);
}

// q - q0 from rest under gravity: zero of order 2 at the start, crossed at no later time; thrown up it is crossed once
// more, at 2 v0 / g.
TEST(GuardFromItsZero, StartFromRest) {
  for (const double v0 : {0.0, 1e-9, 1e-3, 1.0}) {
    for (const double q0 : {0.0, 1.0, 1e3}) {
      NonSmoothDynamicalSystem model;
      const auto body = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {q0}, .v0 = {v0}});
      EventDrivenOptions options;
      options.events = {{.name = "level", .guard = [=](const State& s) { return s.q(body)[0] - q0; }}};
      EventDriven simulation(model, options);
      const auto report = simulation.advance_to(2.0);
      ASSERT_TRUE(report) << report.message();
      const double back = 2.0 * v0 / kGravity;
      const auto times = times_of(simulation, EventKind::User);
      // Within the bits of q0 there is no zero to find: the height v0^2 / (2 g) of the throw against them.
      if (0.5 * v0 * back > 64.0 * 2.2e-16 * q0 && back > 0.0) {
        ASSERT_EQ(times.size(), 1u) << "v0 = " << v0 << ", q0 = " << q0;
        EXPECT_NEAR(times[0], back, 1e-11 + 1e-14 * q0 / v0);
      } else {
        EXPECT_LE(times.size(), 1u) << "v0 = " << v0 << ", q0 = " << q0;
      }
    }
  }
}

// The angle of a pendulum released from rest comes back after a period: a zero of order 2 at both ends.
TEST(GuardFromItsZero, PendulumComesBack) {
  NonSmoothDynamicalSystem model;
  const auto spring = model.add(LagrangianLinearSystem{.stiffness = {{4.0}}, .q0 = {1.0}});
  EventDrivenOptions options;
  options.events = {{.name = "still",
                     .guard = [=](const State& s) { return s.v(spring)[0]; },
                     .direction = UserEvent::Direction::Falling}};
  EventDriven simulation(model, options);
  ASSERT_TRUE(simulation.advance_to(7.0));
  // v = -2 sin 2t passes zero downwards at pi and 2 pi.
  expect_times(times_of(simulation, EventKind::User), {kPi, 2.0 * kPi}, 1e-8);
}

TEST(GuardFromItsZero, IdenticalZeroIsStillRefused) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.force = {-kGravity, 0.0}, .q0 = {1.0, 2.0}});
  EventDrivenOptions options;
  options.events = {{.name = "aside", .guard = [=](const State& s) { return s.q(body)[1] - 2.0; }}};
  EXPECT_THROW(EventDriven(model, options), InvalidArgument);
}

/// Falls from rest at q0 lengths under g = 9.81 lengths / time^2, beside a spring that moves a thousand times as fast.
NonSmoothDynamicalSystem falling(double length, double time, double q0, bool beside_a_spring, SystemHandle& body) {
  NonSmoothDynamicalSystem model;
  const double rate = 1.0 / (time * time);
  body = model.add(LagrangianLinearSystem{
      .force = Eigen::VectorXd(Eigen::VectorXd::Constant(1, -kGravity * length * rate)), .q0 = {q0 * length}});
  if (beside_a_spring) {
    model.add(LagrangianLinearSystem{.stiffness = Eigen::MatrixXd(Eigen::MatrixXd::Constant(1, 1, 1e6 * rate)),
                                     .q0 = {length},
                                     .v0 = {length / time}});
  }
  return model;
}

// Whatever the units: the guard q - q0 is zero at rest and leaves zero at once, and q - q at its own place is zero for
// ever.
TEST(GuardFromItsZero, StartFromRestInAnyUnits) {
  for (int lengths = -9; lengths <= 9; lengths += 3) {
    for (int times = -9; times <= 9; times += 3) {
      for (const double q0 : {0.0, 1.0, 1e3}) {
        for (const bool spring : {false, true}) {
          const double length = std::pow(10.0, lengths), time = std::pow(10.0, times);
          SystemHandle body;
          const auto model = falling(length, time, q0, spring, body);
          EventDrivenOptions options;
          options.absolute_tolerance = 1e-12 * std::min(length, length / time);
          UserEvent level{.name = "level", .guard = [=](const State& s) { return s.q(body)[0] - q0 * length; }};
          UserEvent below = level, nothing = level;
          below.guard = [=](const State& s) { return s.q(body)[0] - (q0 - 1.0) * length; };
          nothing.guard = [=](const State& s) { return s.q(body)[0] - s.q(body)[0]; };
          options.events = {level, below};
          EventDriven simulation(model, options);
          if (!spring) {  // whose periods would take long
            const auto report = simulation.advance_to(time);
            ASSERT_TRUE(report) << report.message();
            SCOPED_TRACE(testing::Message() << "length " << length << ", time " << time << ", q0 " << q0);
            expect_times(times_of(simulation, EventKind::User), {std::sqrt(2.0 / kGravity) * time}, 1e-9 * time);
          }
          options.events = {nothing};
          EXPECT_THROW(EventDriven(model, options), InvalidArgument);
        }
      }
    }
  }
}

// |q| = 1 is left along the tangent, and the fall decides the side; from (0, 1) it is inside at once, and crossed when
// the ball has fallen out below: (t/2)^2 + (1 - g t^2 / 2)^2 = 1.
TEST(GuardFromItsZero, LeftAlongATangent) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {0.0, -kGravity}, .q0 = {0.0, 1.0}, .v0 = {0.5, 0.0}});
  EventDrivenOptions options;
  options.events = {{.name = "circle", .guard = [=](const State& s) { return s.q(ball).norm() - 1.0; }}};
  EventDriven simulation(model, options);
  ASSERT_TRUE(simulation.advance_to(1.0));
  // t^2 / 4 - g t^2 + g^2 t^4 / 4 = 0.
  expect_times(times_of(simulation, EventKind::User), {2.0 * std::sqrt(kGravity - 0.25) / kGravity}, 1e-10);
}

// A body at rest and an obstacle that passes through it.
TEST(NarrowObstacle, ThatMovesIsMetByABodyAtRest) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.q0 = {0.0}});
  const auto bump = [](double t) { return 2.0 * std::exp(-std::pow((t - kPlace) / 0.01, 2)); };
  model.link(body,
             RheonomousRelation{.h = [=](double t, ConstVectorRef q, VectorRef y) { y[0] = q[0] + 1.0 - bump(t); },
                                .H = [](double, ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; }},
             NewtonImpactLaw{.restitution = 1.0}, "bump");
  EventDriven simulation(model);
  ASSERT_TRUE(simulation.advance_to(1.0));
  const auto impacts = times_of(simulation, EventKind::Impact);
  ASSERT_FALSE(impacts.empty());
  EXPECT_NEAR(impacts.front(), kPlace - 0.01 * std::sqrt(std::log(2.0)), 1e-12);
}

TEST(CallableOfARelation, IsNamedWhereItIsNotFinite) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {1.0}});
  model.link(body,
             ScleronomousRelation{
                 .h = [](ConstVectorRef q, VectorRef y) { y[0] = q[0]; },
                 .H = [](ConstVectorRef q,
                         MatrixRef H) { H(0, 0) = q[0] < 0.5 ? std::numeric_limits<double>::quiet_NaN() : 1.0; }},
             NewtonImpactLaw{.restitution = 0.5}, "floor");
  EventDriven simulation(model);
  const auto report = simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("H(q) of floor"), std::string::npos) << report.message();
}

}  // namespace
}  // namespace nonsmooth::narrow_obstacles_test
