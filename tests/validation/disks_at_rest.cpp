// SPDX-License-Identifier: Apache-2.0
// What can be said of the disks in a box beside their reference trajectory: after the time to which it is unique, and
// of contacts that are found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <nonsmooth/kernel/time_stepping.hpp>
#include <problems/mechanics.hpp>
#include <problems/shapes.hpp>

namespace nonsmooth::disks_at_rest_test {
namespace {

TEST(DisksInABox, FoundInEachStepAreThoseThatAreLinked) {
  // A source gives H at the start of a step, as relations do with a weight of 0: the same equations, and round-off that
  // impacts amplify. 1e-8 as for the reference trajectory, over the time to which solutions are unique.
  problems::Model found = problems::found_disks_in_a_box(), linked = problems::linked_disks_in_a_box();
  for (problems::Model* const model : {&found, &linked})
    model->options.integrator = MoreauJean{.theta = 0.5, .configuration_weight = 0.0};
  TimeStepping by_source(found.system, found.options), by_links(linked.system, linked.options);
  std::size_t most = 0;
  for (int k = 0; k < 300; ++k) {
    const StepReport one = by_source.step(), other = by_links.step();
    ASSERT_TRUE(one && other) << one.message() << other.message();
    most = std::max(most, by_source.state().contacts.size());
    ASSERT_LE((by_source.state().positions - by_links.state().positions).lpNorm<Eigen::Infinity>(), 1e-8) << k;
  }
  EXPECT_GE(most, 6u);  // they are in a heap by then
}

TEST(DisksInABox, FoundInEachStepComeToRestInside) {
  problems::Model m = problems::found_disks_in_a_box();
  TimeStepping simulation(m.system, m.options);
  const auto report = simulation.advance_to(1.0);
  ASSERT_TRUE(report) << report.message();
  const State& state = simulation.state();
  double deepest = 0.0, fastest = 0.0;
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const Eigen::Vector2d q = state.q(m.bodies[i]).head<2>();
    deepest = std::min({deepest, q[1] - 0.1, 0.16 - std::abs(q[0])});
    for (std::size_t j = 0; j < i; ++j) deepest = std::min(deepest, (q - state.q(m.bodies[j]).head<2>()).norm() - 0.2);
    fastest = std::max(fastest, state.v(m.bodies[i]).head(2).norm());
  }
  EXPECT_GT(deepest, -1e-3);
  EXPECT_LT(fastest, 5e-3);
}

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
}  // namespace nonsmooth::disks_at_rest_test
