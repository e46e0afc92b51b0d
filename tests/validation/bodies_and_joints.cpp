// SPDX-License-Identifier: Apache-2.0
// The cards of mechanisms as bodies on joints, without reference trajectories: what their joints hold, and that they
// move as the mechanisms in minimal coordinates.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

#include <gtest/gtest.h>

#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <problems/mechanics.hpp>
#include <problems/rigid_bodies.hpp>

namespace nonsmooth::bodies_and_joints_test {
namespace {

TEST(BodiesAndJoints, ABallJointDriftsWithoutAProjectionAndNotWithOne) {
  for (const bool projected : {false, true}) {
    const problems::Model model = problems::body_on_ball_joint(projected);
    TimeStepping simulation(model.system, model.options);
    double drift = 0.0;
    const RunReport report = simulation.advance_to(10.0, [&](const State& state) {
      drift = std::max(drift, state.y(model.contacts[0]).lpNorm<Eigen::Infinity>());
    });
    ASSERT_TRUE(report) << report.message();
    if (projected) {
      EXPECT_LE(drift, 1e-10);  // the projection's tolerance
    } else {
      EXPECT_GT(drift, 0.5);
    }
  }
}

TEST(BodiesAndJoints, NewtonsIterationClosesTheRateOfTheEndOfTheStep) {
  problems::Model model = problems::body_on_ball_joint();
  model.options.newton.residual_tolerance = 0.0;
  TimeStepping simulation(model.system, model.options);
  double rate = 0.0, fastest = 0.0;
  const RunReport report = simulation.advance_to(10.0, [&](const State& state) {
    rate = std::max(rate, state.u(model.contacts[0]).lpNorm<Eigen::Infinity>());
    fastest = std::max(fastest, state.v(model.bodies[0]).lpNorm<Eigen::Infinity>());
  });
  ASSERT_TRUE(report) << report.message();
  // The last correction dv is below the tolerance of |v| + |v_k| + |v_free - v_k|, v_k = 100 m/s and the impact's in
  // the first step: 3 of 100. H v = 0 held with the H before it, which the correction turns by h |dv|; the arm is 0.5
  // m.
  EXPECT_LE(rate, 0.5 * model.options.step * 1e-9 * 300.0 * fastest);
}

using problems::Model;
using Outline = std::function<Eigen::VectorXd(const Model&, const State&)>;

/// What the two runs differ by at most up to t, at steps of h.
double apart(Model minimal, Model bodies, const Outline& of_minimal, const Outline& of_bodies, double h, double t) {
  for (Model* model : {&minimal, &bodies}) {
    model->options.step = h;
    model->options.newton = {.tolerance = 1e-12};
  }
  TimeStepping first(minimal.system, minimal.options), second(bodies.system, bodies.options);
  double worst = 0.0;
  for (long k = std::lround(t / h); k > 0; --k) {
    const StepReport a = first.step(), b = second.step();
    EXPECT_TRUE(a && b) << a.message() << b.message();
    if (!a || !b) return std::nan("");
    worst = std::max(
        worst, (of_minimal(minimal, first.state()) - of_bodies(bodies, second.state())).lpNorm<Eigen::Infinity>());
  }
  return worst;
}

/// A joint holds H v = 0 with H at the end of the step, which minimal coordinates hold at all times: the runs differ by
/// c h (1 + O(rate h)), and vanish with h. Half the step halves the difference, to ten times rate h.
void expect_first_order(const std::function<double(double)>& apart_at, double h, double rate, double largest) {
  const double whole = apart_at(h), half = apart_at(0.5 * h);
  EXPECT_GT(whole, 0.0);
  EXPECT_LE(whole, largest);
  EXPECT_NEAR(whole, 2.0 * half, 10.0 * rate * h * whole);
}

/// Of the double pendulums, where their disks are along x.
Eigen::VectorXd pendulum_by_angles(const Model& m, const State& s) {
  const auto q = s.q(m.bodies[0]);
  return Eigen::Vector2d(std::sin(q[0]), std::sin(q[0]) + std::sin(q[1]));
}
Eigen::VectorXd pendulum_by_places(const Model& m, const State& s) {
  return Eigen::Vector2d(s.q(m.bodies[0])[0], s.q(m.bodies[1])[0]);
}
double pendulums_apart(double h, double t) {
  return apart(problems::double_pendulum(), problems::double_pendulum_of_bodies(), pendulum_by_angles,
               pendulum_by_places, h, t);
}

/// Of the slider-cranks, the angles of crank, rod and slider.
Eigen::VectorXd crank_by_angles(const Model& m, const State& s) { return s.q(m.bodies[0]); }
Eigen::VectorXd crank_by_turns(const Model& m, const State& s) {
  return Eigen::Vector3d(s.q(m.bodies[0])[2], s.q(m.bodies[1])[2], s.q(m.bodies[2])[2]);
}

constexpr double kPendulumsWay = 0.3;           // of the tip [m]
const double kPendulumsRate = std::sqrt(10.0);  // sqrt(g / l) [1/s]

TEST(BodiesAndJoints, ADoublePendulumOfBodiesMovesAsTheOneInAngles) {
  // Up to 0.5 s, before the wall is met at 0.64 s.
  const double h = 5e-4;
  expect_first_order([](double step) { return pendulums_apart(step, 0.5); }, h, kPendulumsRate,
                     kPendulumsWay * kPendulumsRate * h);
}

TEST(BodiesAndJoints, ADoublePendulumOfBodiesMeetsItsWallAsTheOneInAngles) {
  // The lower one at 0.64 s, the upper one at 0.70 s; the disks' contacts are found, those of the angles are relations.
  // Where the runs have an impact in steps next to one another they part by h times what it changes of a speed, at most
  // the tip's by a fall of 0.3 J: O(h) as before, but no longer smooth in h.
  const double fastest = std::sqrt(2.0 * 10.0 * (2.0 * (1.0 - std::cos(0.1)) + (1.0 - std::cos(0.2))));
  for (double h = 2e-3; h > 3e-5; h *= 0.5) {
    const double most = (kPendulumsWay * kPendulumsRate + fastest) * h;
    EXPECT_LE(pendulums_apart(h, 0.8), most) << h;
  }
}

TEST(BodiesAndJoints, ASliderCrankOfBodiesMovesAsTheOneInAngles) {
  // Up to 2 ms, 0.3 rad of the crank at 150 rad/s. At 2.7 ms two corners meet the guide, 3 us one after the other: an
  // impact of both or two impacts, as steps fall, and other motions from there.
  const auto at = [&](double h) {
    return apart(problems::slider_crank(), problems::slider_crank_of_bodies(), crank_by_angles, crank_by_turns, h,
                 2e-3);
  };
  const double rate = 150.0, h = 1e-5;
  expect_first_order(at, h, rate, 0.3 * rate * h);
}

// ---- By events, where a joint is kept to rounding and an impact at its instant ----

/// A step to 1e-11 of each coordinate: some 10^2 steps leave 1e-9 at most.
const EventDrivenOptions kByEvents{.relative_tolerance = 1e-11, .absolute_tolerance = 1e-13};

TEST(BodiesAndJoints, ADoublePendulumOfBodiesSwingsThroughTenImpactsAsTheOneInAngles) {
  // The 5 s of the card. The disks' places are below 2 m; two swings do not fall out of step within 10 impacts, at
  // e = 1 and e = 0.
  const Model minimal = problems::double_pendulum(), bodies = problems::double_pendulum_of_bodies();
  EventDriven first(minimal.system, kByEvents), second(bodies.system, kByEvents);
  for (int k = 1; k <= 50; ++k) {
    const RunReport a = first.advance_to(0.1 * k), b = second.advance_to(0.1 * k);
    ASSERT_TRUE(a && b) << a.message() << b.message();
    EXPECT_LE((pendulum_by_angles(minimal, first.state()) - pendulum_by_places(bodies, second.state())).norm(), 1e-9)
        << k;
    ASSERT_EQ(first.events().size(), second.events().size()) << k;
  }
  EXPECT_EQ(first.events().size(), 10u);
}

TEST(BodiesAndJoints, ASliderCrankOfBodiesRattlesAsTheOneInAngles) {
  // From 2.69 ms on a corner of the slider rattles at 0.44 of the time from impact to impact, and accumulates 1.7 us
  // later, where the other corner lands: what comes then depends on which is first, as rounding falls. Gaps are known
  // to 1e-13 m, and the sixth impact at 0.4^5 of the first's speed of some m/s: to 1e-11 s of the 10 ns before it.
  const Model minimal = problems::slider_crank(), bodies = problems::slider_crank_of_bodies();
  EventDriven first(minimal.system, kByEvents), second(bodies.system, kByEvents);
  for (const double t : {1e-3, 2e-3, 2.69e-3, 2.692e-3, 2.6925e-3}) {
    const RunReport a = first.advance_to(t), b = second.advance_to(t);
    ASSERT_TRUE(a && b) << a.message() << b.message();
    EXPECT_LE((crank_by_angles(minimal, first.state()) - crank_by_turns(bodies, second.state())).norm(), 1e-11) << t;
  }
  const RunReport a = first.advance_to(2.69255e-3), b = second.advance_to(2.69255e-3);
  ASSERT_TRUE(a && b) << a.message() << b.message();
  ASSERT_GE(first.events().size(), 6u);
  ASSERT_GE(second.events().size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    const Event &one = first.events()[i], &other = second.events()[i];
    EXPECT_EQ(one.kind, EventKind::Impact);
    EXPECT_EQ(other.kind, EventKind::Impact);
    EXPECT_NEAR(one.t, other.t, 1e-11) << i;
    EXPECT_GT(one.value, 0.0);
    EXPECT_NEAR(one.value, other.value, 1e-8 * first.events().front().value) << i;
  }
}

}  // namespace
}  // namespace nonsmooth::bodies_and_joints_test
