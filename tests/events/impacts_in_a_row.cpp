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

}  // namespace
}  // namespace nonsmooth::impacts_in_a_row_test
