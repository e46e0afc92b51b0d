// SPDX-License-Identifier: Apache-2.0
// What can be said of the disks in a box after the time to which their trajectory is unique.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <nonsmooth/kernel/time_stepping.hpp>
#include <problems/mechanics.hpp>

namespace nonsmooth {
namespace {

TEST(DisksInABox, ComeToRestInside) {
  problems::Model m = problems::disks_in_a_box();
  TimeStepping simulation(m.system, m.options);
  const auto report = simulation.advance_to(1.0);
  ASSERT_TRUE(report) << report.message();
  const State& state = simulation.state();
  double deepest = 0.0, fastest = 0.0, supported = 0.0;
  for (const InteractionHandle contact : m.contacts) deepest = std::min(deepest, state.y(contact)[0]);
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const auto q = state.q(m.bodies[i]);
    EXPECT_LT(std::abs(q[0]), 0.26) << i;
    EXPECT_GT(q[1], 0.0) << i;
    fastest = std::max(fastest, state.v(m.bodies[i]).head(2).norm());
    supported += state.impulse(m.contacts[3 * i])[0];  // by the ground; walls add by friction
    for (const std::size_t wall : {3 * i + 1, 3 * i + 2}) supported += state.impulse(m.contacts[wall])[1];
  }
  EXPECT_GT(deepest, -1e-3);
  EXPECT_LT(fastest, 5e-3);  // nothing stops a disk from rolling slowly on a floor
  EXPECT_NEAR(supported / m.options.step, 8.0 * 9.81, 1e-2 * 8.0 * 9.81);  // the box carries the weight
}

}  // namespace
}  // namespace nonsmooth
