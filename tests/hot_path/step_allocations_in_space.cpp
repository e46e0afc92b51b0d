// SPDX-License-Identifier: Apache-2.0
// Bodies in space whose contacts stay or go: from the second step on nothing is allocated while there are no more
// contacts than there were before.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>
#include <nonsmooth/kernel.hpp>

namespace nonsmooth {
namespace {

using Eigen::Vector3d;

constexpr double kHalf = 0.1, kMass = 2.0, kGravity = 9.81, kCeiling = 3.7;  ///< [m], [kg], [m/s^2], [m]
const Box kCube{Vector3d::Constant(kHalf)};
const std::string kOnBelt = "a cube on a belt";
const ShapeOnBody kFloor{.shape = HalfSpace{}};
const ShapeOnBody kAbove{.shape = HalfSpace{.normal = {0.0, 0.0, -1.0}, .offset = -kCeiling}};

RigidBody body_at(const Vector3d& position, const Vector3d& velocity = Vector3d::Zero(),
                  const Vector3d& spin = Vector3d::Zero()) {
  return {.mass = kMass,
          .inertia = kMass * kHalf * kHalf * 2.0 / 3.0 * Eigen::Matrix3d::Identity(),
          .position = position,
          .velocity = velocity,
          .angular_velocity = spin,
          .gravity = {0.0, 0.0, -kGravity}};
}

NonSmoothDynamicalSystem model_of(const std::vector<RigidBody>& bodies, const Shape& shape, const ShapeOnBody& ground,
                                  const Law& law) {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> shapes;
  for (const RigidBody& body : bodies) shapes.push_back({model.add(body), {{.shape = shape}}});
  model.detect(BodyContacts(shapes, {ground}, law));
  return model;
}

std::vector<RigidBody> tower(int height, double floor = 0.0) {
  std::vector<RigidBody> bodies;
  for (int i = 0; i < height; ++i) bodies.push_back(body_at({0.01 * i, 0.003 * i, floor + kHalf + 2.0 * kHalf * i}));
  return bodies;
}

NewtonImpactFrictionLaw friction(double mu, double cohesion = 0.0) {
  return {.friction = mu, .dimension = 3, .cohesion = cohesion};
}

/// Triangles of the plane z = 0, from -1 to 1 m.
TriangleMesh plate() {
  constexpr Index n = 9;
  std::vector<Vector3d> corners;
  std::vector<std::array<Index, 3>> triangles;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      corners.emplace_back(0.25 * static_cast<double>(i) - 1.0, 0.25 * static_cast<double>(j) - 1.0, 0.0);
      if (i + 1 == n || j + 1 == n) continue;
      const Index a = i * n + j, b = a + n;
      triangles.push_back({a, b, b + 1});
      triangles.push_back({a, b + 1, a + 1});
    }
  }
  return TriangleMesh(corners, triangles);
}

/// What is allocated from step `begin` on, 0-based, in steps with no more contacts than there were before.
long long allocations_without_news(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                                   Index begin, Index steps) {
  TimeStepping simulation(model, options);
  std::size_t most = 0;
  long long sum = 0;
  for (Index k = 0; k < steps; ++k) {
    const test::AllocationCount count;
    const StepReport report = simulation.step();
    const long long found = count.now();
    if (!report) {
      ADD_FAILURE() << "step " << k << ": " << report.message();
      break;
    }
    const std::size_t contacts = std::as_const(simulation).state().contacts.size();
    if (k >= begin && contacts <= most) sum += found;
    most = std::max(most, contacts);
  }
  EXPECT_GT(most, 0u);
  return sum;
}

struct Scene {
  std::string name;
  NonSmoothDynamicalSystem model;
  Index steps;
};

std::vector<Scene> scenes() {
  const auto below = [](double gap) { return body_at({0.2, -0.3, kCeiling - kHalf - gap}); };
  const RigidBody slides = body_at({-0.5, 0.03, kHalf}, {1.5, 0.3, 0.0}, {0.0, 0.0, 2.0});
  const RigidBody rolls = body_at({0.0, 0.0, kHalf}, {1.0, 0.2, 0.0}, {0.0, 5.0, 3.0});
  ShapeOnBody grained = kFloor;
  grained.grain = {1.0, 0.3, 0.0};
  ShapeOnBody belt = kFloor;
  belt.surface_velocity = [](const Vector3d&, double t) { return Vector3d(std::sin(10.0 * t), 0.0, 0.0); };
  NewtonImpactFrictionLaw elliptic = friction(0.4);
  elliptic.second_friction = 0.2;
  const NewtonImpactRollingFrictionLaw rolling{.friction = 0.3, .rolling = 0.005, .spinning = 0.01, .rows = 6};
  std::vector<Scene> list;
  for (const double share : {1.05, 3.0}) {
    list.push_back(
        {"a cube that hangs", model_of({below(0.0)}, kCube, kAbove, friction(0.3, share * kMass * kGravity)), 1000});
    list.push_back({"a ball that hangs",
                    model_of({below(0.0)}, Sphere{kHalf}, kAbove, friction(0.3, share * kMass * kGravity)), 1000});
  }
  list.push_back({"two cubes that hang",
                  model_of({below(0.0), below(2.0 * kHalf)}, kCube, kAbove, friction(0.3, 3.0 * kMass * kGravity)),
                  1000});
  list.push_back({"a cube that slides and stops", model_of({slides}, kCube, kFloor, friction(0.3)), 1500});
  list.push_back({"a cube on a mesh", model_of({slides}, kCube, {.shape = plate()}, friction(0.3)), 1000});
  list.push_back({"a cube on a grain", model_of({slides}, kCube, grained, elliptic), 1500});
  list.push_back({kOnBelt, model_of({body_at({0.0, 0.0, kHalf})}, kCube, belt, friction(0.3)), 1000});
  list.push_back({"a ball that rolls", model_of({rolls}, Sphere{kHalf}, kFloor, rolling), 2000});
  list.push_back({"a tower", model_of(tower(5), kCube, kFloor, friction(0.4)), 500});
  return list;
}

/// Cubes whose corners resist rolling and spinning, 4 to 6 rows each: alternating directions come next where sweeps do
/// not settle them, then interior points.
std::vector<Scene> rolling_scenes() {
  const RigidBody slides = body_at({-0.5, 0.03, kHalf}, {1.5, 0.3, 0.0}, {0.0, 0.0, 2.0});
  std::vector<Scene> list;
  for (const Index rows : {4, 5, 6}) {
    const NewtonImpactRollingFrictionLaw law{
        .friction = 0.3, .rolling = rows == 4 ? 0.0 : 0.005, .spinning = rows == 5 ? 0.0 : 0.01, .rows = rows};
    const std::string name = std::to_string(rows) + " rows a corner, ";
    list.push_back({name + "a cube that slides and stops", model_of({slides}, kCube, kFloor, law), 600});
    list.push_back({name + "a tower", model_of(tower(3), kCube, kFloor, law), 200});
  }
  return list;
}

TEST(StepAllocationsInSpace, ContactsThatWereThere) {
  for (const Scene& scene : scenes()) {
    for (const double tolerance : {1e-10, 1e-4}) {
      for (const int threads : {1, 3}) {
        const TimeSteppingOptions options{
            .step = 1e-3, .solver = mixed::Automatic{.tolerance = tolerance}, .threads = threads};
        EXPECT_EQ(allocations_without_news(scene.model, options, 2, scene.steps), 0)
            << scene.name << ", tolerance " << tolerance << ", threads " << threads;
      }
    }
  }
}

TEST(StepAllocationsInSpace, CornersThatResistRolling) {
  for (const Scene& scene : rolling_scenes())
    for (const double tolerance : {1e-10, 1e-4}) {
      const TimeSteppingOptions options{.step = 1e-3, .solver = mixed::Automatic{.tolerance = tolerance}};
      EXPECT_EQ(allocations_without_news(scene.model, options, 2, scene.steps), 0)
          << scene.name << ", tolerance " << tolerance;
    }
}

TEST(StepAllocationsInSpace, PositionsAreProjected) {
  // Projections have their memory from when they first move something, in the first steps of each scene but the belt,
  // whose steps by many methods make new ones all along.
  for (const Scene& scene : scenes()) {
    if (scene.name == kOnBelt) continue;
    const TimeSteppingOptions projecting{.step = 1e-3, .projection = {.kind = Projection::Combined}};
    EXPECT_EQ(allocations_without_news(scene.model, projecting, 20, scene.steps), 0) << scene.name;
  }
}

/// The first finding of a run, that a contact is deeper inside than its approaches explain, in words that were made
/// room for: by residuals of 1e-4 where nothing approaches.
TEST(StepAllocationsInSpace, APenetrationThatIsFound) {
  const auto model = model_of({body_at({0.2, -0.3, kCeiling - kHalf})}, kCube, kAbove, friction(0.3, kMass * 20.0));
  TimeStepping simulation(model, {.step = 1e-3, .solver = mixed::Automatic{.tolerance = 1e-4}});
  EXPECT_TRUE(simulation.step());
  EXPECT_TRUE(simulation.step());
  EXPECT_TRUE(simulation.findings().empty());
  const test::AllocationCount count;
  for (int k = 2; k < 1000; ++k) (void)simulation.step();
  EXPECT_EQ(count.now(), 0);
  ASSERT_EQ(simulation.findings().size(), 1u);
  EXPECT_EQ(simulation.findings().front().kind, RunRemark::Kind::Penetration);
  EXPECT_EQ(simulation.findings().front().subject, "the contact of system 0 and the ground");
  EXPECT_GT(simulation.findings().front().count, 1);
}

}  // namespace
}  // namespace nonsmooth
