// SPDX-License-Identifier: Apache-2.0
// What the card of the body on a ball joint (cards_bodies.cpp) leaves to the reader, without reference trajectories.
#include <algorithm>

#include <gtest/gtest.h>

#include <nonsmooth/kernel/time_stepping.hpp>
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

}  // namespace
}  // namespace nonsmooth
