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

/// Triangles of the plane z = 0, two between neighbours of these lines.
TriangleMesh plate(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<Vector3d> corners;
  std::vector<std::array<Index, 3>> triangles;
  const auto n = static_cast<Index>(y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      corners.emplace_back(x[i], y[j], 0.0);
      if (i + 1 == x.size() || j + 1 == y.size()) continue;
      const Index a = static_cast<Index>(corners.size()) - 1, b = a + n;
      triangles.push_back({a, b, b + 1});
      triangles.push_back({a, b + 1, a + 1});
    }
  }
  return TriangleMesh(corners, triangles);
}

/// From -1 to 1 m.
std::vector<double> lines(int count) {
  std::vector<double> result;
  for (int i = 0; i <= count; ++i) result.push_back(-1.0 + 2.0 * i / count);
  return result;
}

/// From 0 m on fifty times as narrow.
std::vector<double> lines_that_narrow() {
  std::vector<double> result = {-1.0, -0.5};
  for (int i = 0; i <= 100; ++i) result.push_back(0.01 * i);
  return result;
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
  list.push_back(
      {"a cube on a mesh", model_of({slides}, kCube, {.shape = plate(lines(8), lines(8))}, friction(0.3)), 1000});
  list.push_back({"a cube on triangles that get smaller",
                  model_of({slides}, kCube, {.shape = plate(lines_that_narrow(), lines(8))}, friction(0.1)), 1000});
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

/// From wide triangles onto narrow ones, some 40,000 of which are then near to the cube at once.
TEST(StepAllocationsInSpace, SurfacesOfManyTriangles) {
  constexpr double width = 1.4e-3;  // [m]
  std::vector<double> x = {-1.0}, y;
  for (int i = 0; i * width < 0.3; ++i) x.push_back(i * width);
  for (int i = -120; i <= 120; ++i) y.push_back(i * width);
  const auto model =
      model_of({body_at({-0.1, 0.0, kHalf}, {4.0, 0.0, 0.0})}, kCube, {.shape = plate(x, y)}, friction(0.1));
  EXPECT_EQ(allocations_without_news(model, {.step = 2e-3}, 2, 25), 0);
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
  // But of the belt, whose steps by many methods make new ones all along.
  for (const Scene& scene : scenes()) {
    if (scene.name == kOnBelt) continue;
    const TimeSteppingOptions projecting{.step = 1e-3, .projection = {.kind = Projection::Combined}};
    EXPECT_EQ(allocations_without_news(scene.model, projecting, 2, scene.steps), 0) << scene.name;
  }
}

/// What is allocated from step 2 on, 0-based, of a run whose positions are first moved in a later step.
long long allocations_around_first_move(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                                        Index steps) {
  TimeStepping simulation(model, options);
  Index first = -1;
  long long sum = 0;
  for (Index k = 0; k < steps; ++k) {
    const test::AllocationCount count;
    const StepReport report = simulation.step();
    if (k >= 2) sum += count.now();
    EXPECT_TRUE(report) << report.message();
    if (first < 0 && report.projections > 0) first = k;
  }
  EXPECT_GT(first, 2);
  return sum;
}

TEST(StepAllocationsInSpace, PositionsThatAreFirstMovedLater) {
  // What hangs by cohesion, sinks in by residuals of 1e-4.
  for (const int cubes : {1, 2}) {
    std::vector<RigidBody> hanging;
    for (int i = 0; i < cubes; ++i) hanging.push_back(body_at({0.5 * i, -0.3, kCeiling - kHalf}));
    const auto model = model_of(hanging, kCube, kAbove, friction(0.3, kMass * 20.0));
    for (const Projection kind : {Projection::Direct, Projection::All, Projection::Combined}) {
      const TimeSteppingOptions options{.step = 1e-3,
                                        .solver = mixed::Automatic{.tolerance = 1e-4},
                                        .projection = {.kind = kind, .unilateral_tolerance = 1e-9}};
      EXPECT_EQ(allocations_around_first_move(model, options, 1000), 0) << cubes << " cubes";
    }
  }
  // A pendulum of two bodies, whose joints drift by h^2 a step at first.
  NonSmoothDynamicalSystem pendulum;
  const auto first = pendulum.add(body_at({kHalf, 0.0, 0.0})), second = pendulum.add(body_at({3.0 * kHalf, 0.0, 0.0}));
  const Vector3d behind(-kHalf, 0.0, 0.0), before(kHalf, 0.0, 0.0);
  pendulum.link(first, BallJoint{{.first = {.point = behind}}}, EqualityLaw{});
  pendulum.link({first, second}, BallJoint{{.first = {.point = before}, .second = {.point = behind}}}, EqualityLaw{});
  const TimeSteppingOptions options{.step = 1e-3,
                                    .projection = {.kind = Projection::Direct, .bilateral_tolerance = 1e-7}};
  EXPECT_EQ(allocations_around_first_move(pendulum, options, 300), 0);
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
