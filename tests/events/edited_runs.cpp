// SPDX-License-Identifier: Apache-2.0
// Models that change where an event-driven run stands.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::edited_runs_test {
namespace {

constexpr double kGravity = 9.81;
constexpr double kExact = 1e-12;  // a second of free flight: some thousand roundings

struct FallingBall {
  NonSmoothDynamicalSystem model;
  SystemHandle ball;
};

FallingBall falling_ball() {
  FallingBall result;
  result.ball = result.model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {1.0}});
  return result;
}

TEST(EventDrivenEdit, AFloorThatComesLaterIsHitAndOneThatGoesIsLeft) {
  const auto [model, ball] = falling_ball();
  EventDriven simulation(model);
  ASSERT_TRUE(simulation.advance_to(0.2));
  const SystemHandle body = ball;
  const InteractionHandle floor = simulation.edit([&](NonSmoothDynamicalSystem& changed) {
    return changed.link(body, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.0});
  });
  EXPECT_EQ(simulation.state().t, 0.2);
  EXPECT_NEAR(simulation.state().q(body)[0], 1.0 - 0.5 * kGravity * 0.04, kExact);
  ASSERT_TRUE(simulation.advance_to(1.0));
  ASSERT_FALSE(simulation.events().empty());
  EXPECT_EQ(simulation.events().front().kind, EventKind::Impact);
  EXPECT_NEAR(simulation.events().front().t, std::sqrt(2.0 / kGravity), kExact);
  EXPECT_NEAR(simulation.state().force(floor)[0], kGravity, kExact);
  const std::size_t known = simulation.events().size();
  simulation.edit([&](NonSmoothDynamicalSystem& changed) { changed.remove(floor); });
  EXPECT_EQ(simulation.events().size(), known);
  ASSERT_TRUE(simulation.advance_to(2.0));
  EXPECT_NEAR(simulation.state().q(body)[0], -0.5 * kGravity, kExact);
}

TEST(EventDrivenEdit, ABodyThatComesStartsFromItsDescription) {
  const auto [model, ball] = falling_ball();
  EventDriven simulation(model);
  ASSERT_TRUE(simulation.advance_to(0.5));
  const SystemHandle thrown = simulation.edit([](NonSmoothDynamicalSystem& changed) {
    return changed.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {3.0}, .v0 = {2.0}});
  });
  ASSERT_TRUE(simulation.advance_to(1.0));
  EXPECT_NEAR(simulation.state().q(thrown)[0], 3.0 + 2.0 * 0.5 - 0.5 * kGravity * 0.25, kExact);
  EXPECT_NEAR(simulation.state().q(ball)[0], 1.0 - 0.5 * kGravity, kExact);
}

TEST(EventDrivenEdit, AChangeThatIsRefusedChangesNothing) {
  const auto [model, ball] = falling_ball();
  EventDriven simulation(model), other(model);
  ASSERT_TRUE(simulation.advance_to(0.2));
  ASSERT_TRUE(other.advance_to(0.2));
  const SystemHandle body = ball;
  EXPECT_THROW(simulation.edit([&](NonSmoothDynamicalSystem& changed) {
    changed.link(body, LagrangianLinearRelation{.H = {{1.0}}, .b = {-5.0}}, NewtonImpactLaw{});  // the ball is below
  }),
               InvalidArgument);
  ASSERT_TRUE(simulation.advance_to(0.4));
  ASSERT_TRUE(other.advance_to(0.4));
  EXPECT_EQ(hash_of(simulation.state()), hash_of(other.state()));
}

TEST(EventDrivenEdit, UsersInstantsGoOn) {
  const auto [model, ball] = falling_ball();
  EventDrivenOptions options;
  options.events = {{.name = "tick", .first = 0.0, .period = 0.25}, {.name = "single", .instants = {0.1, 0.6}}};
  EventDriven simulation(model, options);
  ASSERT_TRUE(simulation.advance_to(0.5));
  simulation.edit([](NonSmoothDynamicalSystem& changed) { changed.add(LagrangianLinearSystem{.q0 = {0.0}}); });
  ASSERT_TRUE(simulation.advance_to(1.0));
  std::vector<double> ticks, singles;
  for (const Event& event : simulation.events()) (event.row == 0 ? ticks : singles).push_back(event.t);
  EXPECT_EQ(ticks, (std::vector<double>{0.0, 0.25, 0.5, 0.75, 1.0}));
  EXPECT_EQ(singles, (std::vector<double>{0.1, 0.6}));
}

TEST(EventDrivenEdit, NotWhereAnInstantWaits) {
  const auto [model, ball] = falling_ball();
  NonSmoothDynamicalSystem with_floor = model;
  with_floor.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  EventDriven simulation(with_floor);
  (void)simulation.advance_to(1.0, {.segment = [](const SmoothSegment& at) { return at.end() < 0.45; }});
  ASSERT_NEAR(simulation.state().t, std::sqrt(2.0 / kGravity), kExact);
  const auto nothing = [](NonSmoothDynamicalSystem&) {};
  EXPECT_THROW(simulation.edit(nothing), InvalidArgument);
  ASSERT_TRUE(simulation.advance_to(simulation.state().t));
  EXPECT_NO_THROW(simulation.edit(nothing));
}

TEST(EventDrivenEdit, NotFromAnObserver) {
  const auto [model, ball] = falling_ball();
  EventDriven simulation(model);
  const auto report = simulation.advance_to(1.0, [&](const State&) {
    simulation.edit([](NonSmoothDynamicalSystem& changed) { changed.add(LagrangianLinearSystem{.q0 = {0.0}}); });
  });
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NE(report.detail.find("EventDriven::edit"), std::string::npos) << report.detail;
  EXPECT_EQ(simulation.model().num_systems(), 1);
}

}  // namespace
}  // namespace nonsmooth::edited_runs_test
