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

namespace nonsmooth {
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

TEST(BodiesAndJoints, ADoublePendulumOfBodiesMovesAsTheOneInAngles) {
  const Outline angles = [](const Model& m, const State& s) -> Eigen::VectorXd {
    const auto q = s.q(m.bodies[0]);
    return Eigen::Vector2d(std::sin(q[0]), std::sin(q[0]) + std::sin(q[1]));
  };
  const Outline places = [](const Model& m, const State& s) -> Eigen::VectorXd {
    return Eigen::Vector2d(s.q(m.bodies[0])[0], s.q(m.bodies[1])[0]);
  };
  // Up to 0.5 s, before the wall is met at 0.64 s. The way of the tip is 0.3 m, the rate sqrt(g / l).
  const auto at = [&](double h) {
    return apart(problems::double_pendulum(), problems::double_pendulum_of_bodies(), angles, places, h, 0.5);
  };
  const double rate = std::sqrt(10.0), h = 5e-4;
  expect_first_order(at, h, rate, 0.3 * rate * h);
}

TEST(BodiesAndJoints, ASliderCrankOfBodiesMovesAsTheOneInAngles) {
  const Outline angles = [](const Model& m, const State& s) -> Eigen::VectorXd { return s.q(m.bodies[0]); };
  const Outline turns = [](const Model& m, const State& s) -> Eigen::VectorXd {
    return Eigen::Vector3d(s.q(m.bodies[0])[2], s.q(m.bodies[1])[2], s.q(m.bodies[2])[2]);
  };
  // Up to 2 ms, before a corner meets the guide at 2.7 ms: 0.3 rad of the crank at 150 rad/s.
  const auto at = [&](double h) {
    return apart(problems::slider_crank(), problems::slider_crank_of_bodies(), angles, turns, h, 2e-3);
  };
  const double rate = 150.0, h = 1e-5;
  expect_first_order(at, h, rate, 0.3 * rate * h);
}

}  // namespace
}  // namespace nonsmooth
