// SPDX-License-Identifier: Apache-2.0
// An interaction as a value: what link() makes, kept, changed and added; what it has at a time, by its handle.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::interactions_test {
namespace {

constexpr double kGravity = 9.81, kStep = 1e-2;

// Drivers hand over either pointer; a model keeps one to const.
static_assert(std::is_convertible_v<std::shared_ptr<const NonSmoothLaw>, Law>);
static_assert(std::is_convertible_v<std::shared_ptr<NonSmoothLaw>, Law>);
static_assert(std::is_convertible_v<std::shared_ptr<const MechanicalRelation>, AnyRelation>);
static_assert(std::is_convertible_v<std::shared_ptr<MechanicalRelation>, AnyRelation>);

/// Two balls, the upper at 1 m, between a floor and one another.
std::vector<Interaction> contacts_of(SystemHandle lower, SystemHandle upper) {
  return {{.systems = {lower},
           .relation = LagrangianLinearRelation{.H = {{1.0}}},
           .law = NewtonImpactLaw{.restitution = 0.5},
           .name = "floor"},
          {.systems = {lower, upper},
           .relation = ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[1] - q[0] - 0.2; }},
           .law = NewtonImpactLaw{.restitution = 0.8}}};
}

SystemHandle add_ball(NonSmoothDynamicalSystem& model, double height) {
  return model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {height}});
}

TEST(Interactions, AreWhatLinkMakes) {
  NonSmoothDynamicalSystem added, linked;
  for (NonSmoothDynamicalSystem* model : {&added, &linked}) {
    const auto lower = add_ball(*model, 0.5), upper = add_ball(*model, 1.0);
    for (const Interaction& contact : contacts_of(lower, upper)) {
      if (model == &added) {
        model->add(contact);
      } else {
        model->link(contact.systems, contact.relation, contact.law, contact.name);
      }
    }
  }
  EXPECT_EQ(added.layout()->interactions[0].name, "floor");
  EXPECT_EQ(added.layout()->interactions[1].name, linked.layout()->interactions[1].name);
  TimeStepping first(added, {.step = kStep}), second(linked, {.step = kStep});
  ASSERT_TRUE(first.advance_to(1.0));
  ASSERT_TRUE(second.advance_to(1.0));
  EXPECT_EQ(hash_of(first.state()), hash_of(second.state()));
}

TEST(Interactions, AreChangedAndAddedAgain) {
  NonSmoothDynamicalSystem model;
  const auto ball = add_ball(model, 0.0);
  Interaction floor{
      .systems = {ball}, .relation = LagrangianLinearRelation{.H = {{1.0}}}, .law = NewtonImpactLaw{}, .name = "floor"};
  const auto first = model.add(floor);
  model.remove(first);
  floor.relation = LagrangianLinearRelation{.H = {{1.0}}, .b = {-0.25}};
  floor.law = EqualityLaw{};
  floor.name = "table";
  const auto second = model.add(floor);
  const State state = model.initial_state();
  EXPECT_EQ(state.y(second)[0], -0.25);
  EXPECT_THROW((void)state.y(first), InvalidArgument);
}

TEST(Interactions, HaveTheirOutputsAndMultipliersInAState) {
  // At rest on the floor: y = 0, u = 0, the impulse of a step is m g h. Beside it x' = -1 + lambda, y = x from 0: stays
  // there with lambda = 1. All sums have two terms.
  constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
  NonSmoothDynamicalSystem model;
  const auto ball = add_ball(model, 0.0);
  const auto tank = model.add(FirstOrderLinearSystem{.A = {{0.0}}, .b = {-1.0}, .x0 = {0.0}});
  const auto floor = model.add(
      Interaction{.systems = {ball}, .relation = LagrangianLinearRelation{.H = {{1.0}}}, .law = NewtonImpactLaw{}});
  const auto bottom = model.add(Interaction{.systems = {tank},
                                            .relation = FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}},
                                            .law = ComplementarityLaw{}});
  TimeStepping simulation(model, {.step = kStep});
  ASSERT_TRUE(simulation.step());
  const State& x = simulation.state();
  EXPECT_NEAR(x.y(floor)[0], 0.0, kRounding * kGravity * kStep);
  EXPECT_NEAR(x.u(floor)[0], 0.0, kRounding * kGravity * kStep);
  EXPECT_NEAR(x.impulse(floor)[0], kGravity * kStep, kRounding * kGravity * kStep);
  EXPECT_NEAR(x.y(bottom)[0], 0.0, kRounding * kStep);
  EXPECT_NEAR(x.lambda(bottom)[0], 1.0, kRounding);
}

TEST(Interactions, AreRefusedAsLinksAre) {
  NonSmoothDynamicalSystem model;
  const auto ball = add_ball(model, 0.0);
  const LagrangianLinearRelation wide{.H = {{1.0, 0.0}}};
  std::string told;
  try {
    model.link(ball, wide, NewtonImpactLaw{});
  } catch (const InvalidArgument& error) {
    told = error.what();
  }
  try {
    model.add(Interaction{.systems = {ball}, .relation = wide, .law = NewtonImpactLaw{}});
    ADD_FAILURE() << "a matrix of two columns for one coordinate";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.what(), told);
  }
  EXPECT_THROW(model.add(Interaction{.relation = wide, .law = NewtonImpactLaw{}}), InvalidArgument) << "no system";
  EXPECT_EQ(model.num_interactions(), 0);
}

}  // namespace
}  // namespace nonsmooth::interactions_test
