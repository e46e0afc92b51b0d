// SPDX-License-Identifier: Apache-2.0
// Reactions as wrenches: of contacts found anew, and of joints between bodies in the plane.
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"

namespace nonsmooth::wrenches_test {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double g = 9.81, kStep = 1e-3, kMass = 2.0, kMu = 0.3;
// Impulses of 20 N h from problems that are solved to 1e-12 of velocities of g h.
constexpr double kAgree = 1e-9;

/// The sum of what contacts exert on a body about a point, as a mean force.
Wrench sum_about(const TimeStepping& run, SystemHandle body, const Vector3d& point) {
  Wrench sum;
  for (const ContactReaction& one : contact_reactions(run, body)) {
    const Wrench there = moved(one.impulse, one.point, point);
    sum.force += there.force / kStep;
    sum.moment += there.moment / kStep;
  }
  return sum;
}

/// A block of 0.4 x 0.2 x 0.1 m on the ground z = 0, which is pushed along x at its centre.
struct Block {
  static constexpr double kHeight = 0.1;
  NonSmoothDynamicalSystem model;
  SystemHandle body;

  Block(double push, double speed) {
    const Box box{{0.2, 0.1, 0.5 * kHeight}};
    body = model.add(RigidBody{.mass = kMass,
                               .inertia = MassProperties::of_mass(box, kMass).inertia,
                               .position = {0.7, -0.3, 0.5 * kHeight},
                               .velocity = {speed, 0.0, 0.0},
                               .gravity = {push / kMass, 0.0, -g},
                               .name = "block"});
    model.detect(std::make_shared<const BodyContacts>(std::vector<BodyShapes>{{body, {{.shape = box}}}},
                                                      std::vector<ShapeOnBody>{{.shape = HalfSpace{}}},
                                                      NewtonImpactFrictionLaw{.friction = kMu, .dimension = 3}));
  }
  [[nodiscard]] TimeStepping simulation() const {
    return TimeStepping(model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}});
  }
};

TEST(ContactReactions, HoldABlockAtRest) {
  const double push = 4.0;  // of 5.9 N that friction holds
  const Block block(push, 0.0);
  TimeStepping run = block.simulation();
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(run.step());
  const Vector3d centre(0.7, -0.3, 0.5 * Block::kHeight);
  const auto contacts = contact_reactions(run, block.body);
  ASSERT_EQ(contacts.size(), 4U);
  ASSERT_EQ(run.state().contacts.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    // Each at a corner, as the state lists them.
    EXPECT_NEAR(std::abs(contacts[i].point[0] - 0.7), 0.2, kAgree);
    EXPECT_NEAR(std::abs(contacts[i].point[1] + 0.3), 0.1, kAgree);
    EXPECT_NEAR(contacts[i].point[2], 0.0, kAgree);
    EXPECT_EQ(contacts[i].feature, run.state().contacts[i].feature);
    EXPECT_EQ(contacts[i].source, 0U);
    EXPECT_EQ(contacts[i].other, SystemHandle{});
    EXPECT_NEAR(contacts[i].impulse.force[2], run.state().contacts[i].impulse[0], kStep * kAgree);
    EXPECT_LE(contacts[i].impulse.moment.norm(), kStep * kAgree);  // about its own point
  }
  const Wrench sum = sum_about(run, block.body, centre);
  EXPECT_LE((sum.force - Vector3d(-push, 0.0, kMass * g)).norm(), kAgree);
  EXPECT_LE(sum.moment.norm(), kAgree);
  // About a point of the ground below: the forces that act at the centre are balanced, -r x F.
  EXPECT_LE(
      (sum_about(run, block.body, {0.7, -0.3, 0.0}).moment - Vector3d(0.0, -push * 0.5 * Block::kHeight, 0.0)).norm(),
      kAgree);
}

TEST(ContactReactions, SlowABlockThatSlides) {
  // Sliding at its ground: m a = -mu m g along x; moments about its centre are zero, as it does not turn.
  const Block block(0.0, 1.0);
  TimeStepping run = block.simulation();
  for (int k = 0; k < 20; ++k) ASSERT_TRUE(run.step());
  const Eigen::VectorXd before = run.state().v(block.body), place = run.state().q(block.body);
  ASSERT_TRUE(run.step());
  const Vector3d acceleration = (run.state().v(block.body) - before).head<3>() / kStep;
  EXPECT_NEAR(acceleration[0], -kMu * g, 1e-7);
  const Wrench sum = sum_about(run, block.body, place.head<3>());
  EXPECT_LE((sum.force - kMass * (acceleration + Vector3d(0.0, 0.0, g))).norm(), kAgree);
  EXPECT_LE(sum.moment.norm(), 1e-7);
}

TEST(ContactReactions, BalanceABallThatRolls) {
  // Friction of every kind on a ball that turns about an oblique axis: m dv = sum of impulses + m g h, and in the
  // body's axes J dOmega = moments, to the roundings of the step, wherever it is turned.
  const double radius = 0.1;
  NonSmoothDynamicalSystem model;
  const double J = 0.4 * kMass * radius * radius;
  const auto ball = model.add(RigidBody{.mass = kMass,
                                        .inertia = J * Eigen::Matrix3d::Identity(),
                                        .position = {0.0, 0.0, radius},
                                        .velocity = {0.5, 0.2, 0.0},
                                        .angular_velocity = {1.0, 7.0, 3.0},
                                        .gravity = {0.0, 0.0, -g}});
  model.detect(std::make_shared<const BodyContacts>(
      std::vector<BodyShapes>{{ball, {{.shape = Sphere{radius}}}}}, std::vector<ShapeOnBody>{{.shape = HalfSpace{}}},
      NewtonImpactRollingFrictionLaw{.friction = kMu, .rolling = 0.004, .spinning = 0.002, .rows = 6}));
  TimeStepping run(model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}});
  for (int k = 0; k < 50; ++k) {
    const Eigen::VectorXd v = run.state().v(ball), q = run.state().q(ball);
    ASSERT_TRUE(run.step());
    const auto contacts = contact_reactions(run, ball);
    ASSERT_EQ(contacts.size(), 1U);
    EXPECT_LE((contacts[0].point - Vector3d(q[0], q[1], q[2] - radius)).norm(), 1e-12);
    const Wrench about = moved(contacts[0].impulse, contacts[0].point, q.head<3>());
    const Eigen::VectorXd change = run.state().v(ball) - v;
    const Eigen::Quaterniond Q(q[3], q[4], q[5], q[6]);
    EXPECT_LE((kMass * change.head<3>() - about.force - kStep * kMass * Vector3d(0.0, 0.0, -g)).norm(), 1e-14);
    EXPECT_LE((J * change.tail<3>() - Q.conjugate() * about.moment).norm(), 1e-14);
    EXPECT_GT(contacts[0].impulse.moment.norm(), 1e-3 * kStep);
  }
}

TEST(ContactReactions, InThePlaneOnAnInclineAndOnTheBodyBelow) {
  // A box on a heavy one that stands: opposite on the two, and m a of the upper, which slides down nothing.
  NonSmoothDynamicalSystem model;
  const auto below =
      model.add(PlanarBody{.mass = 5.0, .inertia = 0.1, .position = {0.0, 0.1}, .gravity = {0.0, -g}, .name = "below"});
  const auto above = model.add(PlanarBody{.mass = kMass,
                                          .inertia = 0.02,
                                          .position = {0.05, 0.3},
                                          .velocity = {0.4, 0.0},
                                          .gravity = {0.0, -g},
                                          .name = "above"});
  const auto box = [](double half) {
    return ConvexPolygon{.vertices = {{-half, -0.1}, {half, -0.1}, {half, 0.1}, {-half, 0.1}}};
  };
  model.detect(std::make_shared<const PlanarContacts>(
      std::vector<PlanarBodyShapes>{{below, {{.shape = box(0.5)}}}, {above, {{.shape = box(0.1)}}}},
      std::vector<PlanarShapeOnBody>{{.shape = HalfPlane{}}}, NewtonImpactFrictionLaw{.friction = kMu}));
  TimeStepping run(model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}});
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(run.step());
  const Eigen::VectorXd v = run.state().v(above), q = run.state().q(above);
  ASSERT_TRUE(run.step());
  const Vector3d at(q[0], q[1], 0.0);
  const Wrench on_above = sum_about(run, above, at);
  EXPECT_LE((on_above.force - Vector3d(-kMu * kMass * g, kMass * g, 0.0)).norm(), 1e-6);
  EXPECT_NEAR(on_above.force[0], kMass * (run.state().v(above)[0] - v[0]) / kStep, kAgree);
  EXPECT_NEAR(on_above.moment[2], 0.0, 1e-6);
  Wrench between;
  for (const ContactReaction& one : contact_reactions(run, below)) {
    if (one.other != above) continue;
    EXPECT_NEAR(one.point[1], 0.2, 1e-9);
    const Wrench there = moved(one.impulse, one.point, at);
    between.force += there.force / kStep;
    between.moment += there.moment / kStep;
  }
  EXPECT_LE((between.force + on_above.force).norm(), kAgree);
  EXPECT_LE((between.moment + on_above.moment).norm(), kAgree);
}

TEST(ContactReactions, OfContactsOfOneRowAreOnTheirNormal) {
  // Without friction: a ball on the ground, its point below the centre.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(RigidBody{.mass = kMass, .position = {0.3, 0.4, 0.1}, .gravity = {0.0, 0.0, -g}});
  model.detect(std::make_shared<const BodyContacts>(std::vector<BodyShapes>{{ball, {{.shape = Sphere{0.1}}}}},
                                                    std::vector<ShapeOnBody>{{.shape = HalfSpace{}}},
                                                    NewtonImpactLaw{}));
  TimeStepping run(model, {.step = kStep});
  ASSERT_TRUE(run.step());
  const auto contacts = contact_reactions(run, ball);
  ASSERT_EQ(contacts.size(), 1U);
  EXPECT_LE((contacts[0].point - Vector3d(0.3, 0.4, 0.1)).norm(), 1e-12);  // next to the centre: itself
  EXPECT_NEAR(contacts[0].impulse.force[2], kMass * g * kStep, 1e-12);
}

TEST(ContactReactions, AreRefusedWhereThereAreNone) {
  using bad_input::expect_refused;
  const Block block(0.0, 0.0);
  TimeStepping run = block.simulation();
  expect_refused([&] { (void)contact_reactions(run, block.body); }, {"TimeStepping::contact_reactions", "step"});
  NonSmoothDynamicalSystem model;
  const auto disk = model.add(LagrangianLinearSystem{.mass = Vector2d(1.0, 1.0).asDiagonal(), .q0 = {0.0, 0.0}});
  const auto wall = model.link(disk, LagrangianLinearRelation{.H = {{1.0, 0.0}}}, NewtonImpactLaw{}, "wall");
  TimeStepping other(model, {.step = kStep});
  ASSERT_TRUE(other.step());
  expect_refused([&] { (void)reaction_wrench(other, wall, disk, Vector3d::Zero()); },
                 {"of 2 coordinates", "PlanarBody, of 3"});
}

TEST(ReactionWrench, OfThreeCoordinatesIsThatOfAPlanarBodyAlone) {
  // A particle in space has three of them as well, the third of which is no angle; a PlanarBody with loads is
  // nonlinear.
  using bad_input::expect_refused;
  NonSmoothDynamicalSystem model;
  const auto particle = model.add(LagrangianLinearSystem{
      .mass = Vector3d::Constant(kMass).asDiagonal(), .force = {0.0, 0.0, -kMass * g}, .q0 = {0.0, 0.0, 0.0}});
  const auto floor = model.link(particle, LagrangianLinearRelation{.H = {{0.0, 0.0, 1.0}}}, EqualityLaw{}, "floor");
  const auto body = model.add(PlanarBody{.mass = kMass, .gravity = {0.0, -g}, .loads = {LinearDrag{.rotation = 0.1}}});
  const auto shelf = model.link(body, LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}}}, EqualityLaw{}, "shelf");
  TimeStepping run(model, {.step = kStep});
  ASSERT_TRUE(run.step());
  expect_refused([&] { (void)reaction_wrench(run, floor, particle, Vector3d::Zero()); },
                 {"3 coordinates", "PlanarBody"});
  expect_refused([&] { (void)reaction_wrench(run.model(), run.state(), floor, particle, Vector3d::Zero()); },
                 {"3 coordinates", "PlanarBody"});
  EXPECT_NEAR(reaction_wrench(run, shelf, body, Vector3d::Zero()).force[1], kMass * g, kAgree);
}

/// A pendulum in the plane, its pivot at the origin: a rod of 1 m and 2 kg, from the horizontal.
struct Pendulum {
  static constexpr double kLength = 0.5, kInertia = kMass / 12.0;  // from the pivot to the centre; about the centre
  NonSmoothDynamicalSystem model;
  SystemHandle rod;
  InteractionHandle pivot;

  Pendulum() {
    rod = model.add(PlanarBody{
        .mass = kMass, .inertia = kInertia, .position = {kLength, 0.0}, .gravity = {0.0, -g}, .name = "rod"});
    pivot = link_joint(model, {rod}, PlanarHinge{planar_joint_to_ground(Vector3d(kLength, 0.0, 0.0), Vector2d::Zero())},
                       "pivot");
  }
};

TEST(PlanarWrenches, ThePivotOfAPendulumCarriesItsClosedForm) {
  // phi from the horizontal: phi' = -(2 m g l sin|phi| / (J + m l^2))^(1/2), phi'' = -m g l cos phi / (J + m l^2); the
  // pivot's force is m (a - g), a = l (phi'' e_t - phi'^2 e_r), and no moment about the pivot.
  Pendulum pendulum;
  EventDriven run(pendulum.model, {.relative_tolerance = 1e-11});
  ASSERT_TRUE(run.advance_to(0.3));
  const State& state = run.state();
  const double l = Pendulum::kLength, phi = state.q(pendulum.rod)[2], inertia = Pendulum::kInertia + kMass * l * l;
  const double square = -2.0 * kMass * g * l * std::sin(phi) / inertia,
               second = -kMass * g * l * std::cos(phi) / inertia;
  const Vector3d along(std::cos(phi), std::sin(phi), 0.0), across(-std::sin(phi), std::cos(phi), 0.0);
  const Vector3d force = kMass * (l * (second * across - square * along) + Vector3d(0.0, g, 0.0));
  const Wrench found = reaction_wrench(pendulum.model, state, pendulum.pivot, pendulum.rod, Vector3d::Zero());
  EXPECT_LE((found.force - force).norm(), 1e-7);
  EXPECT_LE(found.moment.norm(), 1e-8);
  // About the centre of mass the same force turns the rod.
  const Wrench about = reaction_wrench(pendulum.model, state, pendulum.pivot, pendulum.rod, l * along);
  EXPECT_NEAR(about.moment[2], Pendulum::kInertia * second, 1e-7);
  EXPECT_NEAR(moved(found, Vector3d::Zero(), l * along).moment[2], about.moment[2], 1e-7);
}

TEST(PlanarWrenches, OfAStepBalanceMomentum) {
  Pendulum pendulum;
  TimeStepping run(pendulum.model, {.step = kStep});
  for (int k = 0; k < 100; ++k) {
    const Eigen::VectorXd before = run.state().v(pendulum.rod);
    ASSERT_TRUE(run.step());
    const Eigen::VectorXd change = run.state().v(pendulum.rod) - before, place = run.state().q(pendulum.rod);
    const Wrench found = reaction_impulse(run, pendulum.pivot, pendulum.rod, Vector3d(place[0], place[1], 0.0));
    EXPECT_NEAR(found.force[0], kMass * change[0], 1e-14);
    EXPECT_NEAR(found.force[1], kMass * (change[1] + g * kStep), 1e-14);
    EXPECT_NEAR(found.moment[2], Pendulum::kInertia * change[2], 1e-10);  // q*, of Newton's last iterate, against q
  }
}

}  // namespace
}  // namespace nonsmooth::wrenches_test
