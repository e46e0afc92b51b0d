// SPDX-License-Identifier: Apache-2.0
// Contacts of shapes whose law a function changes, or drops, step by step; and contacts that are linked, by a law of
// a user's that does the same.
#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"

namespace nonsmooth::filtered_shapes_test {
namespace {

constexpr double g = 9.81, kStep = 1e-3, kMass = 2.0, kMu = 0.3, kSpeed = 1.0;
// 1e-12 of velocities of 1 m/s in each of 300 steps, by the condition of W, below 100.
constexpr double kAgree = 1e-7;

TimeSteppingOptions options() { return {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}}; }

/// A flat block that slides along x on the ground, in space or in the plane, its contacts through a filter.
struct Sliding {
  NonSmoothDynamicalSystem model;
  SystemHandle block;
  bool in_plane;

  Sliding(bool plane, const FilteredContacts::Filter& filter) : in_plane(plane) {
    std::shared_ptr<const ContactSource> source;
    const NewtonImpactFrictionLaw law{.friction = kMu, .dimension = in_plane ? Index{2} : Index{3}};
    if (in_plane) {
      block = model.add(PlanarBody{
          .mass = kMass, .inertia = 0.05, .position = {0.0, 0.05}, .velocity = {kSpeed, 0.0}, .gravity = {0.0, -g}});
      const ConvexPolygon box{.vertices = {{-0.2, -0.05}, {0.2, -0.05}, {0.2, 0.05}, {-0.2, 0.05}}};
      source = std::make_shared<const PlanarContacts>(std::vector<PlanarBodyShapes>{{block, {{.shape = box}}}},
                                                      std::vector<PlanarShapeOnBody>{{.shape = HalfPlane{}}}, law);
    } else {
      block = model.add(RigidBody{.mass = kMass,
                                  .inertia = 0.05 * Eigen::Matrix3d::Identity(),
                                  .position = {0.0, 0.0, 0.05},
                                  .velocity = {kSpeed, 0.0, 0.0},
                                  .gravity = {0.0, 0.0, -g}});
      source = std::make_shared<const BodyContacts>(
          std::vector<BodyShapes>{{block, {{.shape = Box{.half_extents = {0.2, 0.1, 0.05}}}}}},
          std::vector<ShapeOnBody>{{.shape = HalfSpace{}}}, law);
    }
    NewtonImpactFrictionLaw smooth = law;
    smooth.friction = 0.0;
    model.detect(FilteredContacts(source, filter, {smooth}));
  }
  [[nodiscard]] double height(const State& state) const { return state.q(block)[in_plane ? 1 : 2]; }
};

TEST(FilteredShapes, FrictionThatEnds) {
  // Law 1, without friction, in the steps that begin at 0.1 s and later: 100 steps with -mu g h each.
  for (const bool in_plane : {true, false}) {
    const Sliding sliding(in_plane, [](const DetectedContact& contact, const BodyView& bodies) -> Index {
      return bodies.t < 0.0995 ? contact.law : 1;
    });
    TimeStepping run(sliding.model, options());
    const RunReport report = run.advance_to(0.3, [&](const State& state) {
      EXPECT_NEAR(state.v(sliding.block)[0], kSpeed - kMu * g * std::min(state.t, 0.1), kAgree) << state.t;
      EXPECT_EQ(state.contacts.size(), in_plane ? 2U : 4U);
    });
    ASSERT_TRUE(report) << report.message();
  }
}

TEST(FilteredShapes, FrictionOfSomeContactsOfOneBody) {
  // In space: friction on one side of the block only would turn it; on both corners of each end in turn it does not
  // matter which carry the load, as the sum over all of mu p_N is asked for here. Half of the steps, every second one.
  for (const bool in_plane : {true, false}) {
    const Sliding sliding(in_plane, [](const DetectedContact& contact, const BodyView& bodies) -> Index {
      return static_cast<Index>(bodies.t / kStep + 0.5) % 2 == 0 ? contact.law : 1;
    });
    TimeStepping run(sliding.model, options());
    ASSERT_TRUE(run.advance_to(0.2));
    EXPECT_NEAR(run.state().v(sliding.block)[0], kSpeed - 0.5 * kMu * g * 0.2, kAgree) << in_plane;
  }
}

TEST(FilteredShapes, AGroundThatGivesWay) {
  // Dropped from 0.1 s on: free fall from there, n steps of -g h, the way exact for theta = 1/2.
  for (const bool in_plane : {true, false}) {
    const Sliding sliding(in_plane, [](const DetectedContact& contact, const BodyView& bodies) -> Index {
      return bodies.t < 0.0995 ? contact.law : FilteredContacts::drop;
    });
    TimeStepping run(sliding.model, options());
    ASSERT_TRUE(run.advance_to(0.25));
    EXPECT_NEAR(sliding.height(run.state()), 0.05 - 0.5 * g * 0.15 * 0.15, kAgree) << in_plane;
    EXPECT_NEAR(run.state().v(sliding.block)[0], kSpeed - kMu * g * 0.1, kAgree) << in_plane;
    EXPECT_TRUE(run.state().contacts.empty());
  }
}

/// Coulomb friction that ends at 0.1 s, in a contact that lets go at 0.2 s: the same of a linked contact.
class ContactThatEnds final : public NonSmoothLaw {
 public:
  [[nodiscard]] std::string name() const override { return "ContactThatEnds"; }
  [[nodiscard]] LawShape shape(LawUse) const override {
    return {.size = 2,
            .varies = LawVaries::Step,
            .unilateral = true,
            .decides = true,
            .impact = {.kind = ImpactRule::Kind::Newton}};
  }
  void block(const LawContext& context, LawBlock& block) const override {
    block.parts = {{{.kind = SetKind::Coulomb2D, .mu = context.t < 0.0995 ? kMu : 0.0}, 2}};
  }
  [[nodiscard]] Activity activity(const LawContext& context) const override {
    return context.t < 0.1995 ? Activity::WhereClosed : Activity::Rests;
  }
};

TEST(LinkedContacts, ALawOfAUsersChangesThemAndLetsGo) {
  NonSmoothDynamicalSystem model;
  const auto block = model.add(LagrangianLinearSystem{.mass = (kMass * Eigen::Vector2d::Ones()).asDiagonal(),
                                                      .force = {0.0, -kMass * g},
                                                      .q0 = {0.0, 0.0},
                                                      .v0 = {kSpeed, 0.0}});
  model.link(block, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}}, std::make_shared<const ContactThatEnds>(),
             "floor");
  TimeStepping run(model, options());
  const RunReport report = run.advance_to(0.35, [&](const State& state) {
    const double falls = std::max(0.0, state.t - 0.2);
    EXPECT_NEAR(state.v(block)[0], kSpeed - kMu * g * std::min(state.t, 0.1), kAgree) << state.t;
    EXPECT_NEAR(state.q(block)[1], -0.5 * g * falls * falls, kAgree) << state.t;
  });
  ASSERT_TRUE(report) << report.message();
  bad_input::expect_refused([&] { EventDriven(model, {}); }, {"EventDriven: model", "ContactThatEnds on floor"});
}

}  // namespace
}  // namespace nonsmooth::filtered_shapes_test
