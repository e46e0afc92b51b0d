// SPDX-License-Identifier: Apache-2.0
// A triangle mesh with rims holds from its front, by events as by steps.
#include <string>

#include <nonsmooth/numerics/error.hpp>

#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::open_meshes_test {
namespace {

using namespace event_log;
using Eigen::Vector3d;

constexpr double kRadius = 0.1;

/// A ball over, behind or beside the square |x|, |y| <= 1 in z = 0, whose front is up.
struct OpenMesh {
  NonSmoothDynamicalSystem model;
  SystemHandle ball;

  explicit OpenMesh(const Vector3d& position, const Vector3d& velocity = Vector3d::Zero()) {
    const TriangleMesh square({{-1.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {1.0, 1.0, 0.0}, {-1.0, 1.0, 0.0}},
                              {{0, 1, 2}, {0, 2, 3}});
    ball = model.add(shape_bodies::ball(kRadius, 1.0, position, velocity, kGravity));
    model.detect(BodyContacts({{ball, {{.shape = Sphere{kRadius}}}}}, {{.shape = square}}, NewtonImpactLaw{}));
  }
  [[nodiscard]] double by_steps(double T) const {
    TimeStepping simulation(model, {.step = 1e-3});
    EXPECT_TRUE(simulation.advance_to(T));
    return simulation.state().q(ball)[2];
  }
  [[nodiscard]] double by_events(double T) const {
    EventDriven simulation(model);
    run_to(simulation, T);
    return simulation.state().q(ball)[2];
  }
};

TEST(OpenMeshes, HoldFromTheirFrontByBoth) {
  const OpenMesh above({0.1, 0.2, 0.5});
  EXPECT_NEAR(above.by_steps(1.0), kRadius, 3e-3);  // a step's way at 2.8 m/s
  EXPECT_NEAR(above.by_events(1.0), kRadius, 1e-10);
}

TEST(OpenMeshes, LetWhatIsFartherBehindThanItsRadiusGoByBoth) {
  const double T = 0.5;
  for (const Vector3d& start : {Vector3d(0.1, 0.2, -0.15), Vector3d(1.3, 0.2, -0.5)}) {  // the second comes from beside
    const OpenMesh behind(start, {-1.0, 0.0, 0.0});
    const double fallen = start.z() - 0.5 * kGravity * T * T;
    EXPECT_NEAR(behind.by_steps(T), fallen, 3e-3);  // h g T / 2
    EXPECT_NEAR(behind.by_events(T), fallen, 1e-10);
  }
}

TEST(OpenMeshes, HaveWhatIsBehindThemWithinItsRadiusInTheirSolid) {
  // By steps it goes on towards the front, and is held where it would fall back; by events no motion goes there.
  const OpenMesh inside({0.1, 0.2, -0.05}, {0.0, 0.0, 3.0});
  EXPECT_NEAR(inside.by_steps(1.0), kRadius, 3e-3);
  try {
    EventDriven simulation(inside.model);
    ADD_FAILURE() << "not refused";
  } catch (const InvalidArgument& refused) {
    EXPECT_NE(std::string(refused.what()).find("y = -0.15"), std::string::npos) << refused.what();
  }
  // 1.07 m/s where the ball touches the mesh from behind, after v - g t.
  const OpenMesh behind({0.1, 0.2, -0.5}, {0.0, 0.0, 3.0});
  EXPECT_GT(behind.by_steps(1.0), -kRadius);
  EventDriven simulation(behind.model);
  const auto report = simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::NoMode);
  EXPECT_NEAR(simulation.state().q(behind.ball)[2], -kRadius, 1e-10);
  EXPECT_NE(report.message().find("jumps to -0."), std::string::npos) << report.message();
  EXPECT_NE(report.message().find("a mesh with rims"), std::string::npos) << report.message();
}

}  // namespace
}  // namespace nonsmooth::open_meshes_test
