// SPDX-License-Identifier: Apache-2.0
// Bodies that overlap at the start: told by their names, with the depth, and moved apart only where that is asked for.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel/bad_input.hpp"

namespace nonsmooth::overlapping_starts_test {
namespace {

using Eigen::Vector3d;

constexpr double kRadius = 0.1;

/// Balls in a row along x, named, `gap` apart.
struct Row {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> balls;
  std::vector<BodyShapes> shapes;

  Row(int count, double gap) {
    for (int k = 0; k < count; ++k) {
      balls.push_back(model.add(RigidBody{.mass = 1.0 + k,
                                          .inertia = 0.004 * Eigen::Matrix3d::Identity(),
                                          .position = {(2.0 * kRadius + gap) * k, 0.0, 1.0},
                                          .name = "ball " + std::to_string(k)}));
      shapes.push_back({balls.back(), {{.shape = Sphere{kRadius}}}});
    }
  }
  [[nodiscard]] BodyContacts source(const std::vector<ShapeOnBody>& ground = {}) const {
    return {shapes, ground, NewtonImpactLaw{}};
  }
};

/// What the examination says of starts, in its order.
std::vector<Remark> told_of(const NonSmoothDynamicalSystem& model, bool repair = false) {
  TimeStepping simulation(model, {.step = 1e-3, .repair_initial_state = repair});
  std::vector<Remark> told;
  for (const Remark& remark : simulation.examination()) {
    if (remark.kind == Remark::Kind::Interpenetration) told.push_back(remark);
  }
  return told;
}

TEST(OverlappingStarts, ThePairAndItsShapesAreNamed) {
  // Three balls, 0.01 in one another, the middle one 0.02 in a plane of the ground, which is its second shape.
  Row row(3, -0.01);
  row.model.detect(row.source(
      {{.shape = HalfSpace{.offset = -5.0}}, {.shape = Box{{0.05, 0.05, 0.1}}, .position = {0.19, 0.0, 0.82}}}));
  const std::vector<Remark> told = told_of(row.model);
  ASSERT_EQ(told.size(), 3u);  // the deepest first
  EXPECT_EQ(told[0].subject, "shape 0 of ball 1 and shape 1 of the ground");
  EXPECT_NEAR(told[0].value, 0.02, 1e-15);
  EXPECT_NE(told[0].found.find("0.02 inside its obstacle"), std::string::npos) << told[0].found;
  std::vector<std::string> others{told[1].subject, told[2].subject};
  std::sort(others.begin(), others.end());
  EXPECT_EQ(others[0], "shape 0 of ball 0 and shape 0 of ball 1");
  EXPECT_EQ(others[1], "shape 0 of ball 1 and shape 0 of ball 2");
  EXPECT_NEAR(told[1].value, 0.01, 1e-15);
  EXPECT_NEAR(told[2].value, 0.01, 1e-15);
}

TEST(OverlappingStarts, OfManyTheTenDeepestAreNamedAndTheOthersCounted) {
  Row row(15, -0.01);
  row.model.detect(row.source());
  const std::vector<Remark> told = told_of(row.model);
  ASSERT_EQ(told.size(), 11u);
  EXPECT_EQ(told[10].subject, "4 more pairs of contact source 0, the deepest");
  EXPECT_NEAR(told[10].value, 0.01, 1e-14);
}

TEST(OverlappingStarts, AreListedOfDisksAndOfFilteredSources) {
  // Disks 0 and 1 overlap by 0.03, disk 2 is 0.02 below the floor.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks;
  for (const Eigen::Vector2d& at : {Eigen::Vector2d(0.0, 1.0), Eigen::Vector2d(0.17, 1.0), Eigen::Vector2d(3.0, 0.08)})
    disks.push_back(model.add(PlanarBody{.position = at}));
  const auto zero = [](double) { return 0.0; };
  const auto source = std::make_shared<const DiskContacts>(
      disks, std::vector<double>(3, kRadius), NewtonImpactLaw{},
      FloorProfile{.height = zero, .slope = zero, .curvature = zero, .highest = 0.0});
  const State state = model.initial_state();
  const auto found = interpenetrations(state, *source);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].first, (ShapePlace{0, 0}));
  EXPECT_EQ(found[0].second, (ShapePlace{1, 0}));
  EXPECT_NEAR(found[0].depth, 0.03, 1e-15);
  EXPECT_EQ(found[1].first, (ShapePlace{2, 0}));
  EXPECT_EQ(found[1].second.body, -1);
  EXPECT_NEAR(found[1].depth, 0.02, 1e-15);
  EXPECT_EQ(interpenetrations(state, *source, 0.025).size(), 1u);
  const FilteredContacts without_floor(source, [](const DetectedContact& contact, const BodyView&) {
    return contact.second < 0 ? FilteredContacts::drop : contact.law;
  });
  const auto kept = interpenetrations(state, without_floor);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].second, (ShapePlace{1, 0}));
  // A filter tells the shapes of its source.
  const PlanarContacts two(
      {{disks[0], {{.shape = Disk{0.05}}, {.shape = Disk{kRadius}}}}, {disks[1], {{.shape = Disk{kRadius}}}}}, {},
      NewtonImpactLaw{});
  const FilteredContacts filtered(std::make_shared<const PlanarContacts>(two),
                                  [](const DetectedContact& contact, const BodyView&) { return contact.law; });
  const auto shapes = interpenetrations(state, filtered);
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(shapes[0].first, (ShapePlace{0, 1}));
}

TEST(OverlappingStarts, ARepairMovesBodiesOfASourceApartByTheirMasses) {
  // Two balls of masses 1 and 2 overlap by d: the least motion in the metric of M goes 2 d / 3 and d / 3. Without it
  // they stay where they are.
  const double depth = 0.03;
  Row row(2, -depth);
  row.model.detect(row.source());
  const TimeSteppingOptions repaired{.step = 1e-3, .repair_initial_state = true};
  const double tolerance = repaired.projection.unilateral_tolerance;
  const TimeStepping moved(row.model, repaired), left(row.model, {.step = 1e-3});
  const double first = moved.state().q(row.balls[0])[0], second = moved.state().q(row.balls[1])[0];
  EXPECT_NEAR(first, -2.0 / 3.0 * depth, tolerance);
  EXPECT_NEAR(second, 2.0 * kRadius - depth + depth / 3.0, tolerance);
  EXPECT_NEAR(moved.state().q(row.balls[0])[2], 1.0, 1e-15);
  EXPECT_EQ(moved.state().v(row.balls[0]).norm(), 0.0);
  EXPECT_TRUE(told_of(row.model, true).empty());
  EXPECT_EQ(left.state().q(row.balls[0])[0], 0.0);
  EXPECT_EQ(told_of(row.model).size(), 1u);
}

}  // namespace
}  // namespace nonsmooth::overlapping_starts_test
