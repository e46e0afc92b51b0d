// SPDX-License-Identifier: Apache-2.0
// Bodies that are in another as a step ends and leave it on another side: what the run says of it.
#include <gtest/gtest.h>

#include <cmath>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::passages_aside_test {
namespace {

TEST(PassagesAside, ARodThatIsPushedOutAcrossItsWayIsTold) {
  // It sweeps 0.6 rad a step about z, level with the base of a cone whose axis is 0.4 away, and is in this as the first
  // step ends, where the contact pushes it down alone: the second sweeps it out behind. Under MoreauJean, which finds
  // nothing, they meet where the rod's line is R + r from the cone's axis, sin(a) = (R + r) / 0.4, and 0.05 + a is left
  // of the turn: along the normal 0.4 (0.05 + a) less a part of a^2 / 2 + R a / 0.4 = 0.03 at most. At linearised gaps
  // the cone takes some of the rod's speed.
  const double start = -0.55, away = 0.4, R = 0.05, r = 0.01, a = std::asin((R + r) / away);
  for (const bool linearised : {false, true}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(RigidBody{.inertia = 0.01 * Eigen::Matrix3d::Identity(),
                                          .orientation = {std::cos(0.5 * start), 0.0, 0.0, std::sin(0.5 * start)},
                                          .angular_velocity = {0.0, 0.0, 60.0},
                                          .name = "rod"});
    model.detect(BodyContacts({{body,
                                {{.shape = Cylinder{.radius = r, .half_length = 0.5},
                                  .orientation = {std::sqrt(0.5), 0.0, std::sqrt(0.5), 0.0}}}}},
                              {{.shape = Cone{.radius = R, .height = 0.4}, .position = {away, 0.0, 0.0}}},
                              NewtonImpactLaw{}));
    const Integrator scheme = linearised ? Integrator{StewartTrinkle{}} : Integrator{MoreauJean{}};
    TimeStepping simulation(model, {.integrator = scheme, .step = 0.01});
    RunRemarks told;
    for (const RunRemark& remark : simulation.advance_to(0.02).findings) {
      if (remark.kind == RunRemark::Kind::Passage) told.push_back(remark);
    }
    EXPECT_GT(simulation.state().q(body)[6], std::sin(0.5 * (R + r) / away));  // behind
    ASSERT_EQ(told.size(), 1u);
    EXPECT_NEAR(told[0].first_t, 0.01, 1e-15);
    if (!linearised) {
      EXPECT_NEAR(told[0].worst, away * (0.05 + a), 0.03 * away * (0.05 + a));
    }
  }
}

}  // namespace
}  // namespace nonsmooth::passages_aside_test
