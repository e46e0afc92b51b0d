// SPDX-License-Identifier: Apache-2.0
// What names a contact lasts: through small moves, and from step to step, where each starts from the impulses that the
// one before ended with. Polygons, polyhedra, capsules, boxes on triangle meshes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::lasting_features_test {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using std::numbers::pi;

constexpr double kGravity = 9.81, kStep = 5e-3, kSunk = 1e-6;  // [m]

/// Bodies of 1 kg that lie on each other and on a ground, each kSunk in what is below it, so that all points press.
struct Scene {
  NonSmoothDynamicalSystem model;
  std::shared_ptr<const ContactSource> source;
  Index contacts = 0;
  double carried = 0.0;  ///< sum of the normal forces over g: each body's with the ground counts those above it [kg]
};

class SceneInSpace {
 public:
  /// `layer`: 1 on the ground, 2 on what is there.
  SceneInSpace& add(int layer, const Shape& shape, const Vector3d& position,
                    const Eigen::Vector4d& orientation = {1, 0, 0, 0}) {
    const MassProperties own = MassProperties::of_mass(shape, 1.0);
    const MassProperties solid = own.placed(Vector3d::Zero(), orientation);
    bodies_.push_back(
        {scene_.model.add(RigidBody{.mass = 1.0,
                                    .inertia = own.inertia,
                                    .position = position + solid.centre - layer * kSunk * Vector3d::UnitZ(),
                                    .orientation = orientation,
                                    .gravity = {0.0, 0.0, -kGravity},
                                    .gyroscopic = GyroscopicTerm::Explicit}),
         {{.shape = shape, .position = -own.centre}}});
    return *this;
  }
  Scene on(const Shape& ground, Index contacts, double carried) {
    scene_.source = std::make_shared<const BodyContacts>(bodies_, std::vector<ShapeOnBody>{{.shape = ground}},
                                                         NewtonImpactFrictionLaw{.friction = 0.6, .dimension = 3});
    scene_.model.detect(scene_.source);
    scene_.contacts = contacts;
    scene_.carried = carried;
    return scene_;
  }

 private:
  Scene scene_;
  std::vector<BodyShapes> bodies_;
};

/// A regular hexagon of radius 0.1 m, 0.1 m high from z = 0, turned by `angle`.
ConvexPolyhedron prism(double angle) {
  std::vector<Vector3d> corners;
  for (int k = 0; k < 6; ++k) {
    const double at = angle + pi * k / 3.0;
    for (const double z : {0.0, 0.1}) corners.emplace_back(0.1 * std::cos(at), 0.1 * std::sin(at), z);
  }
  return ConvexPolyhedron(corners);
}

/// z = rise |x| on a grid of 4 x 4 cells of two triangles each.
TriangleMesh valley(double rise) {
  std::vector<Vector3d> corners;
  std::vector<std::array<Index, 3>> triangles;
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 5; ++j) {
      const double x = 0.2 * static_cast<double>(i - 2), y = 0.2 * static_cast<double>(j - 2);
      corners.emplace_back(x, y, rise * std::abs(x));
      if (i == 4 || j == 4) continue;
      const Index at = 5 * i + j;
      triangles.push_back({at, at + 5, at + 6});
      triangles.push_back({at, at + 6, at + 1});
    }
  }
  return {corners, triangles};
}

Scene polyhedra() {
  // Hexagons turned by 0.3 rad overlap in twelve vertices.
  return SceneInSpace()
      .add(1, prism(0.0), {0, 0, 0})
      .add(2, prism(0.3), {0, 0, 0.1})
      .on(HalfSpace{}, 6 + 12, 2.0 + 1.0);
}
Scene capsules() {
  // On its side along a box: two points, four below; another on the ground.
  const Eigen::Vector4d lying(std::sqrt(0.5), 0.0, std::sqrt(0.5), 0.0);
  return SceneInSpace()
      .add(1, Box{{0.2, 0.1, 0.05}}, {0.0, 0.0, 0.05})
      .add(2, Capsule{.radius = 0.05, .half_length = 0.1}, {0.0, 0.01, 0.15}, lying)
      .add(1, Capsule{.radius = 0.05, .half_length = 0.1}, {0.0, 0.5, 0.05}, lying)
      .on(HalfSpace{}, 4 + 2 + 2, 2.0 + 1.0 + 1.0);
}
Scene box_on_a_flat_mesh() {
  // Over inner edges and a vertex of the mesh, which are none of its contacts.
  const Eigen::Vector4d yaw(std::cos(0.2), 0.0, 0.0, std::sin(0.2));
  return SceneInSpace().add(1, Box{{0.15, 0.1, 0.05}}, {0.03, 0.02, 0.05}, yaw).on(valley(0.0), 4, 1.0);
}
Scene prism_in_a_valley() {
  // A hexagon on its side: slopes of 60 degrees under two faces, whose lines meet below its lowest one, at twice the
  // radius of the inner circle below its axis; four corners each. Friction leaves open how much they press.
  const Eigen::Vector4d lying(std::sqrt(0.5), std::sqrt(0.5), 0.0, 0.0);
  return SceneInSpace().add(1, prism(0.0), {0.0, 0.07, 0.1 * std::sqrt(3.0)}, lying).on(valley(std::sqrt(3.0)), 8, 0.0);
}

Scene polygons(const PlanarShape& ground) {
  // A slab, a block on it, and a hexagon with rounded corners on that.
  std::vector<Vector2d> hexagon;
  for (int k = 0; k < 6; ++k) hexagon.emplace_back(0.09 * std::cos(pi * k / 3.0), 0.09 * std::sin(pi * k / 3.0));
  const auto slab = [](double a, double b) { return ConvexPolygon{{{-a, -b}, {a, -b}, {a, b}, {-a, b}}}; };
  Scene scene;
  std::vector<PlanarBodyShapes> bodies;
  const auto add = [&](int layer, const ConvexPolygon& shape, double x, double y) {
    bodies.push_back({scene.model.add(PlanarBody{.inertia = PlanarMassProperties::of_mass(shape, 1.0).inertia,
                                                 .position = {x, y - layer * kSunk},
                                                 .gravity = {0.0, -kGravity}}),
                      {{.shape = shape}}});
  };
  add(1, slab(0.3, 0.05), 0.0, 0.05);
  add(2, slab(0.2, 0.1), 0.03, 0.2);
  add(3, {.vertices = hexagon, .rounding = 0.01}, -0.02, 0.3 + 0.09 * std::sqrt(0.75) + 0.01);
  scene.source = std::make_shared<const PlanarContacts>(bodies, std::vector<PlanarShapeOnBody>{{.shape = ground}},
                                                        NewtonImpactFrictionLaw{.friction = 0.6});
  scene.model.detect(scene.source);
  scene.contacts = 2 + 2 + 2;
  scene.carried = 3.0 + 2.0 + 1.0;
  return scene;
}

const std::vector<std::pair<std::string, std::function<Scene()>>> kScenes{
    {"polyhedra", polyhedra},
    {"capsules", capsules},
    {"box on a flat mesh", box_on_a_flat_mesh},
    {"prism in a valley", prism_in_a_valley},
    {"polygons", [] { return polygons(HalfPlane{}); }},
    {"polygons on a line", [] {
       return polygons(HeightLine{{{-1.0, 0.0}, {-0.21, 0.0}, {0.04, 0.0}, {0.13, 0.0}, {1.0, 0.0}}});
     }}};

std::vector<std::uint64_t> names_at(const State& state, const ContactSource& source) {
  std::vector<std::uint64_t> names;
  for (const ContactBatch& batch : contacts_at(state, source))
    for (const DetectedContact& contact : batch.contacts) names.push_back(contact.feature);
  std::sort(names.begin(), names.end());
  return names;
}

TEST(LastingFeatures, InSmallMoves) {
  // Each coordinate by some 1e-9, as steps leave them.
  for (const auto& [name, make] : kScenes) {
    const Scene scene = make();
    std::mt19937 random(5);
    std::uniform_real_distribution<double> draw(-1e-9, 1e-9);
    const State start = scene.model.initial_state();
    const std::vector<std::uint64_t> names = names_at(start, *scene.source);
    EXPECT_EQ(static_cast<Index>(names.size()), scene.contacts) << name;
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << name;
    for (int trial = 0; trial < 100; ++trial) {
      State moved = start;
      for (double& coordinate : moved.positions) coordinate += draw(random);
      ASSERT_EQ(names_at(moved, *scene.source), names) << name << ' ' << trial;
    }
  }
}

TEST(LastingFeatures, EachStepStartsFromTheImpulsesOfTheLast) {
  // Bit by bit, whatever points of a patch carry; normal forces weigh what lies above, to the tolerance of the solver
  // on each row.
  for (const auto& [name, make] : kScenes) {
    const Scene scene = make();
    TimeStepping simulation(scene.model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-10}});
    ASSERT_TRUE(simulation.step()) << name;
    for (int k = 1; k < 50; ++k) {
      const std::vector<ContactMemory> before = std::as_const(simulation).state().contacts;
      ASSERT_EQ(static_cast<Index>(before.size()), scene.contacts) << name << ' ' << k;
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << name << ' ' << report.message();
      const OneStepNSProblem& problem = simulation.problem();
      ASSERT_EQ(problem.blocks.size(), before.size()) << name << ' ' << k;
      for (std::size_t b = 0; b < before.size(); ++b) {
        ASSERT_EQ(problem.blocks[b].feature, before[b].feature) << name << ' ' << k;
        for (Index r = 0; r < static_cast<Index>(before[b].rows); ++r)
          ASSERT_EQ(problem.start[problem.blocks[b].row + r], before[b].impulse[static_cast<std::size_t>(r)])
              << name << ' ' << k;
      }
    }
    double carried = 0.0;
    for (const ContactMemory& contact : std::as_const(simulation).state().contacts) carried += contact.impulse[0];
    EXPECT_GT(carried, 0.0);
    if (scene.carried > 0.0) {
      EXPECT_NEAR(carried / (kGravity * kStep), scene.carried, 1e-7) << name;
    }
  }
}

}  // namespace
}  // namespace nonsmooth::lasting_features_test
