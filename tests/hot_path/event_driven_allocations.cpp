// SPDX-License-Identifier: Apache-2.0
// Event-driven simulation: from the third smooth step of a mode on, a step without an event calls neither malloc nor
// its kin; with integrators whose order varies, once the orders that it reaches were reached. SUNDIALS itself allocates
// where CVODE differences a Jacobian.
#include <cmath>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>
#include <nonsmooth/kernel.hpp>
#include <support/parameter_name.hpp>

namespace nonsmooth {
namespace {

struct Counted {
  long long allocations = 0;  // in steps after the second one of a mode
  Index steps = 0;            // so counted
};

/// Runs to T; the count restarts at each instant, and the step that ends there, in which a crossing is located, is left
/// out. Steps are told apart by the calls of the observer between them, which also evaluates the state inside.
Counted run(EventDriven& simulation, double T) {
  Counted counted;
  Index of_mode = 0;
  long long last = 0;  // of the last step, not yet in the sum
  State shown = simulation.state();
  std::optional<test::AllocationCount> count;
  const auto report = simulation.advance_to(T, {.segment =
                                                    [&](const SmoothSegment& segment) {
                                                      segment.evaluate(0.5 * (segment.start() + segment.end()), shown);
                                                      const long long found = count ? count->now() : 0;
                                                      counted.allocations += last;
                                                      last = ++of_mode > 2 ? found : 0;
                                                      counted.steps += of_mode > 3 ? 1 : 0;
                                                      count.emplace();
                                                      return true;
                                                    },
                                                .instant =
                                                    [&](const Instant&) {
                                                      of_mode = 0;
                                                      last = 0;
                                                      return true;
                                                    }});
  EXPECT_TRUE(report) << report.message();
  counted.allocations += last;
  return counted;
}

TEST(EventDrivenAllocations, FreeFlight) {
  // A pendulum of one angle far from a wall, and a free mass on a spring.
  NonSmoothDynamicalSystem model;
  const auto pendulum = model.add(LagrangianSystem{
      .mass = [](ConstVectorRef, MatrixRef M) { M(0, 0) = 1.0; },
      .force = [](double, ConstVectorRef q, ConstVectorRef, VectorRef f) { f[0] = -9.81 * std::sin(q[0]); },
      .q0 = {1.0}});
  model.add(LagrangianLinearSystem{.stiffness = {{4.0, -1.0}, {-1.0, 3.0}}, .q0 = {1.0, 0.0}});
  model.link(pendulum, LagrangianLinearRelation{.H = {{1.0}}, .b = {2.0}}, NewtonImpactLaw{.restitution = 0.5});
  EventDriven simulation(model);
  const Counted counted = run(simulation, 10.0);
  EXPECT_GT(counted.steps, 20);
  EXPECT_EQ(counted.allocations, 0);
  EXPECT_TRUE(simulation.events().empty());
}

TEST(EventDrivenAllocations, SpringsAndActuators) {
  // Two masses in the plane that turn about each other on a spring, one of them driven.
  NonSmoothDynamicalSystem model;
  const auto first = model.add(PlanarBody{}),
             second = model.add(PlanarBody{.position = {1.0, 0.0}, .velocity = {0, 1}});
  model.link({first, second}, DistanceJoint{.length = 0.8}, SpringDamperLaw{.stiffness = 10.0, .damping = 0.1});
  model.link(first, PlanarAngle{}, ActuatorLaw{.force = [](double t, double y, double) { return std::sin(t) - y; }});
  EventDriven simulation(model);
  const Counted counted = run(simulation, 10.0);
  EXPECT_GT(counted.steps, 20);
  EXPECT_EQ(counted.allocations, 0);
}

TEST(EventDrivenAllocations, ShapesInContactAndApart) {
  // A ball rolls down an incline after another and away from a box, ten more are far from it: pairs that are searched
  // and pairs that are left out.
  NonSmoothDynamicalSystem model;
  const double r = 0.1;
  const auto ball = [&](const Eigen::Vector3d& position, const Eigen::Vector3d& gravity) {
    const Eigen::Matrix3d inertia = 0.4 * r * r * Eigen::Matrix3d::Identity();
    return model.add(RigidBody{.inertia = inertia, .position = position, .gravity = gravity});
  };
  std::vector<BodyShapes> bodies;
  for (int i = 0; i < 12; ++i) {
    const bool rolls = i < 2;
    const Eigen::Vector3d position(0.5 * i, rolls ? 0.0 : 5.0, rolls ? r : 1.0);
    const auto body = ball(position, rolls ? Eigen::Vector3d(2.0, 0.0, -9.0) : Eigen::Vector3d::Zero());
    bodies.push_back({body, {{.shape = Sphere{r}}}});
  }
  const std::vector<ShapeOnBody> ground{{.shape = HalfSpace{}},
                                        {.shape = Box{{0.1, 0.2, 0.3}}, .position = {-0.5, 0.0, 0.0}}};
  const auto linked =
      link_contacts(model, BodyContacts(bodies, ground, NewtonImpactFrictionLaw{.friction = 0.5, .dimension = 3}));
  EventDriven simulation(model, {.largest_step = 0.01});
  const Counted counted = run(simulation, 0.5);
  EXPECT_EQ(linked.size(), 66u + 24u);
  EXPECT_GT(counted.steps, 20);
  EXPECT_EQ(counted.allocations, 0);
}

struct Integration {
  const char* name;
  EventDrivenOptions options;

  friend void PrintTo(const Integration& integration, std::ostream* out) { *out << integration.name; }
};

/// Of all integrators that this build has.
class EventDrivenAllocationsOf : public testing::TestWithParam<Integration> {
 protected:
  void SetUp() override {
    const SmoothIntegrator& integrator = GetParam().options.integrator;
    if ((std::holds_alternative<Cvode>(integrator) && !Cvode::available()) ||
        (std::holds_alternative<Ida>(integrator) && !Ida::available())) {
      GTEST_SKIP() << "built without SUNDIALS (NONSMOOTH_WITH_SUNDIALS)";
    }
  }

  /// None of ours. CVODE's cvLsDenseDQJac, which differences the Jacobian of BDF, clones an empty vector each time:
  /// three calls (vector, operations, content), every 51 steps or where Newton's iteration fails; twice that at most,
  /// while one of ours in each step would be ten times as many.
  static void expect_none(const Counted& counted) {
    const auto* cvode = std::get_if<Cvode>(&GetParam().options.integrator);
    const bool of_sundials = cvode != nullptr && cvode->method == Cvode::Method::Bdf;
    EXPECT_LE(counted.allocations, of_sundials ? counted.steps / 10 : 0);
  }
};

TEST_P(EventDrivenAllocationsOf, NonlinearConstraints) {
  // Two beads on circles, each a constraint of its own, one of them with a second contact that stays open; their drift
  // is removed.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> beads;
  for (const double x : {1.0, 2.0}) {
    beads.push_back(model.add(LagrangianLinearSystem{.force = {0.0, -9.81}, .q0 = {x, 0.0}}));
    model.link(beads.back(),
               ScleronomousRelation{
                   .rows = 1,
                   .h = [x](ConstVectorRef q, VectorRef y) { y[0] = q.squaredNorm() - x * x; },
                   .H = [](ConstVectorRef q, MatrixRef H) { H.row(0) = 2.0 * q.transpose(); },
                   .curvature = [](ConstVectorRef, ConstVectorRef v, VectorRef c) { c[0] = 2.0 * v.squaredNorm(); }},
               EqualityLaw{});
  }
  model.link(beads[0], LagrangianLinearRelation{.H = {{1.0, 0.0}}, .b = {3.0}}, NewtonImpactLaw{.restitution = 0.5});
  EventDriven simulation(model, GetParam().options);
  const Counted counted = run(simulation, 5.0);
  EXPECT_GT(counted.steps, 20);
  expect_none(counted);
}

TEST_P(EventDrivenAllocationsOf, RowsThatDependOnOneAnother) {
  // A bead whose circle is there twice, and a table that slides on four feet: its normal rows have rank 3, and friction
  // makes their matrix unsymmetric.
  NonSmoothDynamicalSystem model;
  const auto bead = model.add(LagrangianLinearSystem{.force = {0.0, -9.81}, .q0 = {1.0, 0.0}});
  for (int k = 0; k < 2; ++k) {
    model.link(bead,
               ScleronomousRelation{
                   .rows = 1,
                   .h = [](ConstVectorRef q, VectorRef y) { y[0] = q.squaredNorm() - 1.0; },
                   .H = [](ConstVectorRef q, MatrixRef H) { H.row(0) = 2.0 * q.transpose(); },
                   .curvature = [](ConstVectorRef, ConstVectorRef v, VectorRef c) { c[0] = 2.0 * v.squaredNorm(); }},
               EqualityLaw{});
  }
  const auto table = model.add(LagrangianLinearSystem{.mass = Eigen::Vector4d(1.0, 1.0, 0.2, 0.3).asDiagonal(),
                                                      .force = {0.0, -9.81, 0.0, 0.0},
                                                      .q0 = {0.0, 0.0, 0.0, 0.0},
                                                      .v0 = {9.0, 0.0, 0.0, 0.0}});
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      model.link(table, LagrangianLinearRelation{.H = {{0.0, 1.0, y, -x}, {1.0, 0.0, 0.0, -0.3}}},
                 NewtonImpactFrictionLaw{.restitution = 0.0, .friction = 0.1});
    }
  }
  EventDriven simulation(model, GetParam().options);
  const Counted counted = run(simulation, 5.0);
  EXPECT_GT(counted.steps, 20);
  expect_none(counted);
}

/// GeneralisedAlpha is for mechanics.
class FirstOrderAllocationsOf : public EventDrivenAllocationsOf {};

TEST_P(FirstOrderAllocationsOf, Circuit) {
  // A diode rectifies an oscillator's voltage; between its switches no step allocates.
  NonSmoothDynamicalSystem model;
  const auto circuit = model.add(FirstOrderLinearSystem{.A = {{0.0, -1.0}, {1.0, -0.1}}, .x0 = {1.0, 0.0}});
  model.link(circuit, FirstOrderLinearRelation{.C = {{-1.0, 0.0}}, .D = {{1.0}}, .B = {{0.0}, {1.0}}},
             ComplementarityLaw{});
  EventDrivenOptions options = GetParam().options;
  options.largest_step = 0.1;
  EventDriven simulation(model, options);
  run(simulation, 5.0);  // each order once: guards are written as polynomials of the step's degree
  const Counted counted = run(simulation, 20.0);
  EXPECT_GT(counted.steps, 20);
  expect_none(counted);
  EXPECT_FALSE(simulation.events().empty());
}

const Integration kAny[] = {{"DormandPrince8", {}},
                            {"DormandPrince5", {.integrator = DormandPrince{5}}},
                            {"RadauIIA", {.integrator = RadauIIA{}, .relative_tolerance = 1e-8}},
                            {"CvodeAdams", {.integrator = Cvode{}}},
                            {"CvodeBdf", {.integrator = Cvode{Cvode::Method::Bdf}}},
                            {"Ida", {.integrator = Ida{}}},
                            {"GeneralisedAlpha", {.integrator = GeneralisedAlpha{}, .step = 0.02}}};

TEST_P(FirstOrderAllocationsOf, DescriptorSystems) {
  // A rectifier by nodes, (v1, v2, i), beside a capacitor at its source (index 2); a guard looks at an algebraic
  // unknown.
  NonSmoothDynamicalSystem model;
  const auto circuit = model.add(FirstOrderLinearSystem{.mass = Eigen::Vector3d(0.0, 0.5, 0.0).asDiagonal(),
                                                        .A = {{-1, 0, 1}, {0, -0.5, 0}, {-1, 0, 0}},
                                                        .b = [](double t, VectorRef b) { b[2] = std::sin(3.0 * t); },
                                                        .x0 = {0, 0, 0}});
  model.link(circuit, FirstOrderLinearRelation{.C = {{-1, 1, 0}}, .B = {{-1}, {1}, {0}}}, ComplementarityLaw{});
  model.add(FirstOrderLinearSystem{.mass = Eigen::Vector2d(0.5, 0.0).asDiagonal(),
                                   .A = {{-0.5, 1}, {-1, 0}},
                                   .b = [](double t, VectorRef b) { b[1] = std::cos(2.0 * t); },
                                   .x0 = {1, 0}});
  EventDriven simulation(model, GetParam().options);
  ASSERT_TRUE(simulation.advance_to(4.0));  // through both modes: the search for crossings takes its memory
  const Counted counted = run(simulation, 16.0);
  EXPECT_GT(counted.steps, 20);
  EXPECT_GT(simulation.events().size(), 4u);
  expect_none(counted);
}

INSTANTIATE_TEST_SUITE_P(Integrators, EventDrivenAllocationsOf, testing::ValuesIn(kAny), test::parameter_name);
INSTANTIATE_TEST_SUITE_P(Integrators, FirstOrderAllocationsOf, testing::ValuesIn(kAny, kAny + 6), test::parameter_name);

TEST(EventDrivenAllocations, GeneralisedAlphaOnJointedBodies) {
  // Two pendulums, each on a ball joint, that of the second there twice: its rows depend on one another.
  for (const int joints : {1, 2}) {
    NonSmoothDynamicalSystem model;
    const Eigen::Vector3d centre(0.5, 0.0, 0.0);
    const auto body = model.add(RigidBody{.position = centre, .gravity = {0.0, 0.0, -9.81}});
    Eigen::VectorXd q(7);
    q << centre, 1.0, 0.0, 0.0, 0.0;
    for (int k = 0; k < joints; ++k)
      model.link(body, make_relation(BallJoint{joint_to_ground(q, Eigen::Vector3d::Zero())}), EqualityLaw{});
    EventDriven simulation(model, {.integrator = GeneralisedAlpha{}, .step = 0.01});
    const Counted counted = run(simulation, 2.0);
    EXPECT_GT(counted.steps, 20);
    EXPECT_EQ(counted.allocations, 0) << joints;
  }
}

TEST(EventDrivenAllocations, OneNonlinearContact) {
  // A bead inside a bowl that holds it by its weight.
  NonSmoothDynamicalSystem model;
  const auto bead = model.add(LagrangianLinearSystem{.force = {0.0, -9.81}, .q0 = {0.6, -0.8}});
  model.link(bead,
             ScleronomousRelation{
                 .rows = 1,
                 .h = [](ConstVectorRef q, VectorRef y) { y[0] = 1.0 - q.squaredNorm(); },
                 .H = [](ConstVectorRef q, MatrixRef H) { H.row(0) = -2.0 * q.transpose(); },
                 .curvature = [](ConstVectorRef, ConstVectorRef v, VectorRef c) { c[0] = -2.0 * v.squaredNorm(); }},
             NewtonImpactLaw{.restitution = 0.5});
  EventDriven simulation(model);
  const Counted counted = run(simulation, 10.0);
  EXPECT_GT(counted.steps, 20);
  EXPECT_EQ(counted.allocations, 0);
  EXPECT_GT(simulation.state().forces[0], 0.0);
}

TEST(EventDrivenAllocations, SlidingFriction) {
  // A mass on a spring slides over a floor: stops and turns are events, in between no step allocates.
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{
      .stiffness = {{0.0, 0.0}, {0.0, 40.0}}, .force = {-9.81, 0.0}, .q0 = {0.0, 3.0}, .v0 = {0.0, 0.0}});
  model.link(mass, LagrangianLinearRelation{.H = {{1.0, 0.0}, {0.0, 1.0}}},
             NewtonImpactFrictionLaw{.restitution = 0.0, .friction = 0.3});
  EventDriven simulation(model, {.largest_step = 0.05});
  const Counted counted = run(simulation, 5.0);
  EXPECT_GT(counted.steps, 20);
  EXPECT_EQ(counted.allocations, 0);
  EXPECT_FALSE(simulation.events().empty());
}

TEST(EventDrivenAllocations, SlidingInSpace) {
  // A mass slides over a floor in two directions, its path bent by a spring across.
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.stiffness = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 5.0}},
                                                     .force = {-9.81, 0.0, 0.0},
                                                     .q0 = {0.0, 0.0, 0.5},
                                                     .v0 = {0.0, 5.0, 1.0}});
  model.link(mass, LagrangianLinearRelation{.H = Eigen::Matrix3d::Identity()},
             NewtonImpactFrictionLaw{.restitution = 0.0, .friction = 0.2, .dimension = 3});
  EventDriven simulation(model, {.largest_step = 0.05});
  const Counted counted = run(simulation, 1.0);
  EXPECT_GT(counted.steps, 10);
  EXPECT_EQ(counted.allocations, 0);
}

}  // namespace
}  // namespace nonsmooth
