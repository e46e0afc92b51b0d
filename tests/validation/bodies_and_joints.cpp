// SPDX-License-Identifier: Apache-2.0
// The cards of mechanisms as bodies on joints, without reference trajectories: what their joints hold, and that they
// move as the mechanisms in minimal coordinates.
#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

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

/// Of the double pendulums, what their disks' places along x differ by.
double pendulums_apart(double h, double t) {
  const Outline angles = [](const Model& m, const State& s) -> Eigen::VectorXd {
    const auto q = s.q(m.bodies[0]);
    return Eigen::Vector2d(std::sin(q[0]), std::sin(q[0]) + std::sin(q[1]));
  };
  const Outline places = [](const Model& m, const State& s) -> Eigen::VectorXd {
    return Eigen::Vector2d(s.q(m.bodies[0])[0], s.q(m.bodies[1])[0]);
  };
  return apart(problems::double_pendulum(), problems::double_pendulum_of_bodies(), angles, places, h, t);
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
  const Outline angles = [](const Model& m, const State& s) -> Eigen::VectorXd { return s.q(m.bodies[0]); };
  const Outline turns = [](const Model& m, const State& s) -> Eigen::VectorXd {
    return Eigen::Vector3d(s.q(m.bodies[0])[2], s.q(m.bodies[1])[2], s.q(m.bodies[2])[2]);
  };
  // Up to 2 ms, 0.3 rad of the crank at 150 rad/s. At 2.7 ms two corners meet the guide, 3 us one after the other: an
  // impact of both or two impacts, as steps fall, and other motions from there.
  const auto at = [&](double h) {
    return apart(problems::slider_crank(), problems::slider_crank_of_bodies(), angles, turns, h, 2e-3);
  };
  const double rate = 150.0, h = 1e-5;
  expect_first_order(at, h, rate, 0.3 * rate * h);
}

}  // namespace
}  // namespace nonsmooth::bodies_and_joints_test
