// SPDX-License-Identifier: Apache-2.0
// Steps in the global form, A and H without W: from the second on nothing is allocated while there are no more contacts
// than there were before, whatever systems they act on.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>
#include <hot_path/allocations_of_steps.hpp>
#include <nonsmooth/kernel.hpp>
#include <problems/elastic_block.hpp>
#include <problems/truss.hpp>

namespace nonsmooth {
namespace {

using Eigen::Vector3d;
using test::allocations;

constexpr double kHalf = 0.1, kMass = 2.0, kGravity = 9.81;  ///< [m], [kg], [m/s^2]

RigidBody cube_at(const Vector3d& position, const Vector3d& velocity = Vector3d::Zero()) {
  return {.mass = kMass,
          .inertia = kMass * kHalf * kHalf * 2.0 / 3.0 * Eigen::Matrix3d::Identity(),
          .position = position,
          .velocity = velocity,
          .gravity = {0.0, 0.0, -kGravity}};
}

NonSmoothDynamicalSystem on_floor(const std::vector<RigidBody>& bodies, const Shape& shape, const Law& law) {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> shapes;
  for (const RigidBody& body : bodies) shapes.push_back({model.add(body), {{.shape = shape}}});
  model.detect(BodyContacts(shapes, {{.shape = HalfSpace{}}}, law));
  return model;
}

TimeSteppingOptions global_form(double step = 1e-3) { return {.step = step, .form = Form::Global}; }

TEST(GlobalFormAllocations, BallsThatBounceAloneAndTogether) {
  // Of three masses on lines that meet their floors at other times: A and H have other sizes from step to step.
  NonSmoothDynamicalSystem model;
  for (int i = 0; i < 3; ++i) {
    const auto ball = model.add(
        LagrangianLinearSystem{.mass = {{1.0 + i}}, .force = {-kGravity * (1.0 + i)}, .q0 = {0.1 + 0.07 * i}});
    model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.8});
  }
  TimeStepping simulation(model, global_form());
  EXPECT_EQ(allocations(simulation, 1, 100), 0);      // falling
  EXPECT_EQ(allocations(simulation, 2000, 4000), 0);  // once all three have been in contact at once, at rest
}

TEST(GlobalFormAllocations, DenseMatricesOfMasses) {
  // Two pairs of masses that A couples, and one whose second mass meets a wall now and then.
  NonSmoothDynamicalSystem model;
  for (int i = 0; i < 2; ++i) {
    const auto pair = model.add(LagrangianLinearSystem{.damping = {{0.1, 0.0}, {0.0, 0.0}},
                                                       .stiffness = {{2.0, -1.0}, {-1.0, 2.0}},
                                                       .force = [i](double t, VectorRef f) { f[0] = std::sin(t + i); },
                                                       .q0 = {0.1, 0.05}});
    model.link(pair, LagrangianLinearRelation{.H = {{1.0, 0.5}}}, NewtonImpactLaw{.restitution = 0.5});
    model.link(pair, LagrangianLinearRelation{.H = {{0.0, 1.0}}, .b = {0.02}}, NewtonImpactLaw{.restitution = 0.5});
  }
  TimeStepping simulation(model, global_form());
  EXPECT_EQ(allocations(simulation, 7000, 14000), 0);
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

std::vector<RigidBody> tower(int height) {
  std::vector<RigidBody> bodies;
  for (int i = 0; i < height; ++i) bodies.push_back(cube_at({0.01 * i, 0.003 * i, kHalf + 2.0 * kHalf * i}));
  return bodies;
}

TEST(GlobalFormAllocations, CubesInSpace) {
  const NewtonImpactFrictionLaw law{.friction = 0.4, .dimension = 3};
  NewtonImpactFrictionLaw elliptic = law, cohesive = law;
  elliptic.second_friction = 0.2;
  cohesive.cohesion = 0.2 * kMass * kGravity;
  for (const double tolerance : {1e-10, 1e-4}) {
    TimeSteppingOptions options = global_form();
    options.solver = mixed::Automatic{.tolerance = tolerance};
    const std::string at = ", tolerance " + std::to_string(tolerance);
    const RigidBody slides = cube_at({-0.5, 0.03, kHalf}, {1.5, 0.3, 0.0});
    EXPECT_EQ(allocations_without_news(on_floor({slides}, Box{Vector3d::Constant(kHalf)}, law), options, 2, 800), 0)
        << "a cube that slides and stops" << at;
    EXPECT_EQ(allocations_without_news(on_floor({slides}, Box{Vector3d::Constant(kHalf)}, elliptic), options, 2, 800),
              0)
        << "elliptic friction" << at;
    EXPECT_EQ(allocations_without_news(on_floor({slides}, Box{Vector3d::Constant(kHalf)}, cohesive), options, 2, 800),
              0)
        << "cohesion" << at;
    EXPECT_EQ(allocations_without_news(on_floor(tower(5), Box{Vector3d::Constant(kHalf)}, law), options, 2, 300), 0)
        << "a tower" << at;
  }
}

/// More rows than dofs, from 120 rows on: sweeps, then alternating directions on A and H.
TEST(GlobalFormAllocations, CubesWithMoreRowsThanDofs) {
  const NewtonImpactFrictionLaw law{.friction = 0.4, .dimension = 3};
  TimeSteppingOptions options = global_form();
  options.solver = mixed::Automatic{.tolerance = 1e-8};
  const auto model = on_floor(tower(12), Box{Vector3d::Constant(kHalf)}, law);
  TimeStepping simulation(model, options);
  bool alternated = false;
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(simulation.step());
    for (const friction::Decision& decision : std::as_const(simulation).problem().decisions)
      alternated = alternated || decision.tier == "global admm";
  }
  EXPECT_TRUE(alternated);
  EXPECT_EQ(allocations_without_news(model, options, 2, 60), 0);
}

/// Spinning trusses, whose bays have a state of stress each: rows that depend on others are made to depend exactly. Of
/// 301 rows the proximal Newton method on A and H solves some.
TEST(GlobalFormAllocations, TrussesWhoseRowsDependOnEachOther) {
  for (const int bays : {5, 25, 60}) {
    const problems::Truss truss(bays);
    NonSmoothDynamicalSystem model;
    std::vector<SystemHandle> nodes;
    for (int i = 0; i < 2 * (bays + 1); ++i) {
      const Eigen::Vector2d x = problems::Truss::place(i), from = x - Eigen::Vector2d(0.5 * bays, 0.5);
      nodes.push_back(model.add(PlanarBody{.position = x, .velocity = {-0.2 * from.y(), 0.2 * from.x()}}));
    }
    (void)truss.link(model, nodes, false);
    TimeStepping simulation(model, {.step = 1e-3, .newton = {.tolerance = 1e-10}, .form = Form::Global});
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(report.redundant_rows, bays);
    EXPECT_EQ(allocations(simulation, 2, bays < 60 ? 10 : 4), 0) << bays << " bays";
  }
}

TEST(GlobalFormAllocations, BallsThatFallOnTheFloorOneByOne) {
  std::vector<RigidBody> bodies;
  for (int i = 0; i < 12; ++i)
    bodies.push_back(cube_at({0.3 * (i % 4), 0.3 * (i / 4), kHalf + 0.01 * (1 + i * i % 7)}, {0.2, 0.05 * i, 0.0}));
  const auto model =
      on_floor(bodies, Sphere{kHalf}, NewtonImpactFrictionLaw{.restitution = 0.5, .friction = 0.3, .dimension = 3});
  // The same motion once more finds no more contacts than before, in reach or closed.
  TimeStepping simulation(model, global_form());
  const State start = std::as_const(simulation).state();
  for (int k = 0; k < 1500; ++k) EXPECT_TRUE(simulation.step());
  simulation.set_state(start);
  EXPECT_EQ(allocations(simulation, 1, 1500), 0);
}

// An elastic block of more than 64 velocities, which are factored sparse in each iteration, shaken on its floor.
TEST(GlobalFormAllocations, AnElasticBody) {
  const problems::ElasticBlock block{.columns = 4, .rows = 12, .mu = 1e3, .lambda = 1e3};
  SparseLagrangianSystem system = block.system(1.0);
  system.v0 = Eigen::VectorXd::Zero(block.num_unknowns());
  ASSERT_GT(block.num_unknowns(), 64);
  NonSmoothDynamicalSystem model;
  model.link(model.add(system), block.on_floor(0.0, true), NewtonImpactFrictionLaw{.friction = 0.3});
  TimeStepping simulation(model, global_form(0.01));
  EXPECT_EQ(allocations(simulation, 20, 40), 0);
  EXPECT_GT(simulation.step().rows, 0);
}

}  // namespace
}  // namespace nonsmooth
