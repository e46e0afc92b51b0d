// SPDX-License-Identifier: Apache-2.0
// Sources of contacts that are replaced and removed in a run by events: their pairs leave and come, others stay.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::edited_sources_test {
namespace {

using namespace event_log;
using Eigen::Vector3d;
using shape_bodies::ball;

constexpr double kRadius = 0.1;

/// Balls above the ground.
struct Balls {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> bodies;
  double restitution = 0.0;

  static BodyShapes shape_of(SystemHandle body) { return {body, {{.shape = Sphere{kRadius}}}}; }
  SystemHandle add(double x, double height) {
    const auto body = model.add(ball(kRadius, 1.0, {x, 0.0, height}, Vector3d::Zero(), kGravity));
    bodies.push_back(shape_of(body));
    return body;
  }
  [[nodiscard]] BodyContacts source() const {
    return {bodies, {{.shape = HalfSpace{}}}, NewtonImpactLaw{.restitution = restitution}};
  }
};

/// The interaction of one body alone, with the ground.
InteractionHandle on_ground(const NonSmoothDynamicalSystem& model, SystemHandle body) {
  const Layout& layout = *model.layout();
  for (const Layout::Interaction& place : layout.interactions) {
    if (model.interactions()[place.slot].systems == std::vector{body.slot})
      return {layout.model, place.slot, layout.interaction_generation[place.slot]};
  }
  ADD_FAILURE() << "no contact with the ground";
  return {};
}

TEST(EditedSourcesByEvents, PairsLeaveAndComeAndOthersStayWhatTheyAre) {
  // One ball rests, another falls and goes before it lands, a third comes and lands: sqrt(2 d / g) after that.
  Balls scene;
  const SystemHandle rests = scene.add(0.0, kRadius), falls = scene.add(1.0, kRadius + 1.0);
  const SourceHandle source = scene.model.detect(scene.source());
  EventDriven simulation(scene.model);
  EXPECT_EQ(simulation.model().num_interactions(), 3);
  const InteractionHandle ground = on_ground(simulation.model(), rests);
  run_to(simulation, 0.3);
  EXPECT_NEAR(simulation.state().force(ground)[0], kGravity, 1e-12);
  const double distance = 0.2;
  const SystemHandle comes = simulation.edit([&](NonSmoothDynamicalSystem& model) {
    const auto added = model.add(ball(kRadius, 1.0, {2.0, 0.0, kRadius + distance}, Vector3d::Zero(), kGravity));
    model.replace(source, BodyContacts({Balls::shape_of(added), Balls::shape_of(rests)}, {{.shape = HalfSpace{}}},
                                       NewtonImpactLaw{}));
    model.remove(falls);
    return added;
  });
  EXPECT_EQ(simulation.model().num_systems(), 2);
  EXPECT_EQ(simulation.model().num_interactions(), 3);  // two with the ground, and one of both
  EXPECT_EQ(on_ground(simulation.model(), rests), ground);
  EXPECT_NEAR(simulation.state().force(ground)[0], kGravity, 1e-12);
  run_to(simulation, 1.0);
  const auto impacts = events_of(simulation, EventKind::Impact);
  ASSERT_EQ(impacts.size(), 1u);
  // The instant is a sum of two numbers below 1, and a root that rounding moves by some eps.
  EXPECT_NEAR(impacts[0].t, 0.3 + std::sqrt(2.0 * distance / kGravity), 1e-13);
  EXPECT_EQ(impacts[0].interaction, on_ground(simulation.model(), comes));
  EXPECT_NEAR(simulation.state().force(ground)[0], kGravity, 1e-12);
}

TEST(EditedSourcesByEvents, AnotherLawAndOtherShapesTakeThePlaceOfThose) {
  // A ball bounces with e = 0, then with e = 1/2 from another radius: up to v^2 / (2 g) above where it lies.
  Balls scene;
  const SystemHandle body = scene.add(0.0, kRadius + 1.0);
  const SourceHandle source = scene.model.detect(scene.source());
  EventDriven simulation(scene.model);
  const InteractionHandle ground = on_ground(simulation.model(), body);
  run_to(simulation, 0.1);
  const double larger = 0.15;
  simulation.edit([&](NonSmoothDynamicalSystem& model) {
    model.replace(source, BodyContacts({{body, {{.shape = Sphere{larger}}}}}, {{.shape = HalfSpace{}}},
                                       NewtonImpactLaw{.restitution = 0.5}));
  });
  EXPECT_EQ(on_ground(simulation.model(), body), ground);
  EXPECT_NEAR(simulation.state().y(ground)[0], kRadius + 1.0 - 0.5 * kGravity * 0.01 - larger, 1e-14);
  const double way = kRadius + 1.0 - larger, t = std::sqrt(2.0 * way / kGravity);
  run_to(simulation, t + 0.1);
  const auto impacts = events_of(simulation, EventKind::Impact);
  ASSERT_EQ(impacts.size(), 1u);
  EXPECT_NEAR(impacts[0].t, t, 1e-13);
  EXPECT_NEAR(simulation.state().v(body)[2], 0.5 * kGravity * t - 0.1 * kGravity, 1e-12);
}

TEST(EditedSourcesByEvents, ASourceThatGoesTakesItsPairsWithIt) {
  Balls scene;
  const SystemHandle one = scene.add(0.0, kRadius), two = scene.add(1.0, kRadius);
  const SourceHandle first = scene.model.detect(
                         BodyContacts({scene.bodies[0]}, {{.shape = HalfSpace{}}}, NewtonImpactLaw{})),
                     second = scene.model.detect(
                         BodyContacts({scene.bodies[1]}, {{.shape = HalfSpace{}}}, NewtonImpactLaw{}));
  EventDriven simulation(scene.model);
  run_to(simulation, 0.1);
  simulation.edit([&](NonSmoothDynamicalSystem& model) { model.remove(first); });
  EXPECT_EQ(simulation.model().num_interactions(), 1);
  EXPECT_EQ(simulation.model().source(second)->bodies(), std::vector<SystemHandle>{two});
  run_to(simulation, 0.3);
  EXPECT_NEAR(simulation.state().q(one)[2], kRadius - 0.5 * kGravity * 0.2 * 0.2, 1e-13);
  EXPECT_NEAR(simulation.state().q(two)[2], kRadius, 1e-15);
  simulation.edit([&](NonSmoothDynamicalSystem& model) {
    model.remove(one);
    EXPECT_THROW(model.remove(two), InvalidArgument);
    model.remove(second);
    EXPECT_THROW((void)model.source(second), InvalidArgument);
  });
  EXPECT_EQ(simulation.model().num_interactions(), 0);
}

/// Floors under coordinates of points, each of its own place, by pairs that are called the same.
class Floors final : public ContactSource {
 public:
  /// A pair a floor: the body by its place in `bodies`, and the coordinate.
  using Floor = std::pair<std::size_t, Index>;
  Floors(std::vector<SystemHandle> bodies, std::vector<Floor> floors, std::string name)
      : bodies_(std::move(bodies)), floors_(std::move(floors)), name_(std::move(name)) {}
  [[nodiscard]] const std::vector<SystemHandle>& bodies() const override { return bodies_; }
  [[nodiscard]] const std::vector<Law>& laws() const override { return laws_; }
  [[nodiscard]] std::vector<Interaction> pairs(const NonSmoothDynamicalSystem&) const override {
    std::vector<Interaction> all;
    for (const auto& [body, coordinate] : floors_) {
      Eigen::MatrixXd H = Eigen::MatrixXd::Zero(1, 2);
      H(0, coordinate) = 1.0;
      all.push_back({.systems = {bodies_[body]},
                     .relation = LagrangianLinearRelation{.H = H},
                     .law = NewtonImpactLaw{},
                     .name = name_});
    }
    return all;
  }
  void detect(const BodyView&, double, std::vector<Index>&, ContactBatches&) const override {}

 private:
  std::vector<SystemHandle> bodies_;
  std::vector<Floor> floors_;
  std::string name_;
  std::vector<Law> laws_{NewtonImpactLaw{}};
};

std::vector<InteractionHandle> all_interactions(const NonSmoothDynamicalSystem& model) {
  const Layout& layout = *model.layout();
  std::vector<InteractionHandle> all;
  for (const Layout::Interaction& place : layout.interactions)
    all.push_back({layout.model, place.slot, layout.interaction_generation[place.slot]});
  return all;
}

TEST(EditedSourcesByEvents, PairsThatAreCalledTheSameStayInTheirOrder) {
  // A body at rest on two floors, pressed with 1 N on one and 2 N on the other.
  for (const std::string& name : {std::string(), std::string("floor")}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(LagrangianLinearSystem{
        .mass = Eigen::Matrix2d::Identity(), .force = {-1.0, -2.0}, .q0 = {0.0, 0.0}, .v0 = {0.0, 0.0}});
    const SourceHandle source = model.detect(Floors({body}, {{0, 0}, {0, 1}}, name));
    EventDriven simulation(model);
    run_to(simulation, 0.1);
    const auto before = all_interactions(simulation.model());
    ASSERT_EQ(before.size(), 2u);
    const std::string called = simulation.model().layout()->interactions[1].name;
    const auto replace = [&](std::vector<Floors::Floor> floors) {
      simulation.edit(
          [&](NonSmoothDynamicalSystem& changed) { changed.replace(source, Floors({body}, std::move(floors), name)); });
      return all_interactions(simulation.model());
    };
    EXPECT_EQ(replace({{0, 0}, {0, 1}}), before);
    EXPECT_EQ(simulation.model().layout()->interactions[1].name, called);
    EXPECT_NEAR(simulation.state().force(before[0])[0], 1.0, 1e-14);
    EXPECT_NEAR(simulation.state().force(before[1])[0], 2.0, 1e-14);
    EXPECT_EQ(replace({{0, 0}}), std::vector{before[0]});
    const auto again = replace({{0, 0}, {0, 1}});
    ASSERT_EQ(again.size(), 2u);
    EXPECT_EQ(again[0], before[0]);
    EXPECT_FALSE(again[1] == before[1]);  // one that is new
    run_to(simulation, 0.2);
    EXPECT_NEAR(simulation.state().force(again[1])[0], 2.0, 1e-14);
  }
}

TEST(EditedSourcesByEvents, ABodyStaysWhileASourceListsItWithoutPairs) {
  NonSmoothDynamicalSystem model;
  const LagrangianLinearSystem point{
      .mass = Eigen::Matrix2d::Identity(), .q0 = {0.0, 0.0}, .v0 = {0.0, 0.0}, .name = "point"};
  const auto one = model.add(point), two = model.add(point), three = model.add(point);
  const SourceHandle source = model.detect(Floors({one, two, three}, {{0, 0}}, ""));
  EventDriven simulation(model);
  simulation.edit([&](NonSmoothDynamicalSystem& changed) {
    const auto refused = [&](SystemHandle body, const std::string& expected) {
      try {
        changed.remove(body);
        ADD_FAILURE() << "a body that a source lists was removed";
      } catch (const InvalidArgument& refusal) {
        EXPECT_NE(std::string(refusal.what()).find(expected), std::string::npos) << refusal.what();
      }
    };
    refused(two, "linked 0 time(s), in 1 contact source(s)");
    refused(one, "linked 1 time(s), in 1 contact source(s)");
    changed.replace(source, Floors({one, three}, {{0, 0}}, ""));
    changed.remove(two);
    refused(three, "linked 0 time(s), in 1 contact source(s)");
    changed.remove(source);
    changed.remove(three);
  });
  EXPECT_EQ(simulation.model().num_systems(), 1);
  run_to(simulation, 0.1);
}

TEST(EditedSourcesByEvents, PairsThatEventsDoNotKnowAreRefusedAndTheSimulationIsWhatItWas) {
  Balls scene;
  const SystemHandle body = scene.add(0.0, kRadius + 0.5);
  const SourceHandle source = scene.model.detect(scene.source());
  EventDriven simulation(scene.model);
  try {
    simulation.edit([&](NonSmoothDynamicalSystem& model) {
      const TriangleMesh angle(
          {{0.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, {2.0, 1.0, 0.0}, {1.0, 1.0, 0.0}, {1.0, 2.0, 0.0}, {0.0, 2.0, 0.0}},
          {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}});
      model.replace(source, BodyContacts({{body, {{.shape = Sphere{0.1}}}}}, {{.shape = angle}}, NewtonImpactLaw{}));
    });
    ADD_FAILURE() << "a sphere on a mesh whose rim turns inwards was not refused";
  } catch (const InvalidArgument& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("a triangle mesh or height field of the ground"), std::string::npos);
  }
  EXPECT_EQ(simulation.model().num_interactions(), 1);
  run_to(simulation, 0.4);
  EXPECT_EQ(events_of(simulation, EventKind::Impact).size(), 1u);
}

}  // namespace
}  // namespace nonsmooth::edited_sources_test
