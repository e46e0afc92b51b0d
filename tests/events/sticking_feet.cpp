// SPDX-License-Identifier: Apache-2.0
// Bodies that stand on several contacts with friction, whose reactions are not unique: what can be held, holds.
#include <cmath>
#include <vector>

#include "event_log.hpp"

namespace nonsmooth::sticking_feet_test {
namespace {

using namespace event_log;

constexpr double kFriction = 0.5, kKinetic = 0.2, kHalf = 0.3, kHeight = 0.1;
/// What stands has velocities of zero: to the absolute tolerance of a step.
constexpr double kExact = 1e-12;
/// What slides: each of some ten steps keeps 1e-10 of velocities of at most g.
constexpr double kIntegrated = 1e-9 * kGravity;

/// A box of 1 kg on the ground, drawn along x by `slope` times its weight; of a cube's inertia J.
NonSmoothDynamicalSystem box_in_space(double slope, double J, const Law& law) {
  NonSmoothDynamicalSystem model;
  const auto box = model.add(RigidBody{.inertia = J * Eigen::Matrix3d::Identity(),
                                       .position = {0.0, 0.0, kHeight},
                                       .gravity = {slope * kGravity, 0.0, -kGravity}});
  model.detect(BodyContacts({{box, {{.shape = Box{{kHalf, kHalf, kHeight}}}}}}, {{.shape = HalfSpace{}}}, law));
  return model;
}

NonSmoothDynamicalSystem box_in_the_plane(double slope, double J, const Law& law) {
  NonSmoothDynamicalSystem model;
  const auto box =
      model.add(PlanarBody{.inertia = J, .position = {0.0, kHeight}, .gravity = {slope * kGravity, -kGravity}});
  const ConvexPolygon shape({{-kHalf, -kHeight}, {kHalf, -kHeight}, {kHalf, kHeight}, {-kHalf, kHeight}});
  model.detect(PlanarContacts({{box, {{.shape = shape}}}}, {{.shape = HalfPlane{}}}, law));
  return model;
}

struct Scene {
  NonSmoothDynamicalSystem model;
  double slope = 0.0, kinetic = 0.0;
};

/// Boxes of several inertias, whose reactions are distributed differently, under both laws of friction.
std::vector<Scene> scenes_of(const std::vector<double>& slopes) {
  std::vector<Scene> scenes;
  for (const double slope : slopes) {
    for (const double J : {0.01, 0.03, 0.1}) {
      for (const double kinetic : {kFriction, kKinetic}) {
        const auto law = [&](Index dimension) {
          return kinetic == kFriction
                     ? Law(NewtonImpactFrictionLaw{.friction = kFriction, .dimension = dimension})
                     : Law(StaticKineticFrictionLaw{
                           .static_friction = kFriction, .kinetic_friction = kinetic, .dimension = dimension});
        };
        scenes.push_back({box_in_space(slope, J, law(3)), slope, kinetic});
        scenes.push_back({box_in_the_plane(slope, J, law(2)), slope, kinetic});
      }
    }
  }
  return scenes;
}

TEST(StickingFeet, ABoxStandsUpToItsFriction) {
  for (const Scene& scene : scenes_of({0.1, 0.2, 0.3, 0.4, 0.45, 0.49})) {
    EventDriven simulation(scene.model);
    const auto report = simulation.advance_to(1.0);
    ASSERT_TRUE(report) << scene.slope << ": " << report.message();
    EXPECT_LE(simulation.state().unknowns.lpNorm<Eigen::Infinity>(), kExact) << scene.slope;
    EXPECT_NEAR(simulation.state().positions[0], 0.0, kExact) << scene.slope;
    EXPECT_TRUE(events_of(simulation, EventKind::Slip).empty()) << scene.slope;
  }
}

TEST(StickingFeet, BeyondItABoxSlidesByWhatIsLeft) {
  for (const Scene& scene : scenes_of({0.51, 0.6})) {
    EventDriven simulation(scene.model);
    const auto report = simulation.advance_to(1.0);
    ASSERT_TRUE(report) << scene.slope << ": " << report.message();
    EXPECT_NEAR(simulation.state().unknowns[0], (scene.slope - scene.kinetic) * kGravity, kIntegrated) << scene.slope;
  }
}

TEST(StickingFeet, APullThatJumpsStartsTheSlip) {
  // 0.4 of the weight until t = 1, 0.6 from then on: v = (0.6 - 0.5) g (t - 1).
  NonSmoothDynamicalSystem model;
  const auto box =
      model.add(RigidBody{.inertia = 0.01 * Eigen::Matrix3d::Identity(),
                          .position = {0.0, 0.0, kHeight},
                          .gravity = {0.0, 0.0, -kGravity},
                          .loads = {GivenLoad{.load = [](double t, ConstVectorRef, ConstVectorRef, VectorRef load) {
                            load[0] = (t < 1.0 ? 0.4 : 0.6) * kGravity;
                          }}}});
  model.detect(BodyContacts({{box, {{.shape = Box{{kHalf, kHalf, kHeight}}}}}}, {{.shape = HalfSpace{}}},
                            NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 3}));
  EventDriven simulation(model, {.events = {{.name = "pull", .instants = {1.0}}}});
  ASSERT_TRUE(simulation.advance_to(1.0));
  EXPECT_NEAR(simulation.state().q(box)[0], 0.0, kExact);
  const auto report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(simulation.state().v(box)[0], 0.1 * kGravity, kIntegrated);
}

TEST(StickingFeet, ABoxTipsOverFeetThatHoldItsPull) {
  // A pull p t at the height 2 h, which friction holds: normal forces and friction of the rear feet come to zero at one
  // instant, where 2 h p t = g a. From then on the box turns about its front edge, J' omega = h p s^2 after s, but for
  // what its weight does as it turns: g h times an angle of h p s^3 / (3 J'), over a time of s, by h p s^2.
  const double J = 0.03, pull = 10.0, tips = kGravity * kHalf / (2.0 * kHeight * pull), s = 0.01;
  const double of_edge = J + kHalf * kHalf + kHeight * kHeight, weight = kGravity * kHeight * s * s / (3.0 * of_edge);
  for (const bool in_space : {true, false}) {
    NonSmoothDynamicalSystem model;
    SystemHandle box;
    if (in_space) {
      const GivenLoad load{.load = [&](double t, ConstVectorRef, ConstVectorRef,
                                       VectorRef f) { f << pull * t, 0.0, 0.0, 0.0, 0.0, 0.0; },
                           .point = {0.0, 0.0, kHeight}};
      box = model.add(RigidBody{.inertia = J * Eigen::Matrix3d::Identity(),
                                .position = {0.0, 0.0, kHeight},
                                .gravity = {0.0, 0.0, -kGravity},
                                .loads = {load}});
      model.detect(BodyContacts({{box, {{.shape = Box{{kHalf, kHalf, kHeight}}}}}}, {{.shape = HalfSpace{}}},
                                NewtonImpactFrictionLaw{.friction = 2.0, .dimension = 3}));
    } else {
      box = model.add(
          LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, J).asDiagonal(),
                                 .force = [&](double t, VectorRef f) { f << pull * t, -kGravity, -pull * t * kHeight; },
                                 .q0 = {0.0, 0.0, 0.0}});
      for (const double side : {-1.0, 1.0})  // rows of a small turn
        model.link(box, LagrangianLinearRelation{.H = {{0.0, 1.0, side * kHalf}, {1.0, 0.0, kHeight}}},
                   NewtonImpactFrictionLaw{.friction = 2.0});
    }
    EventDriven simulation(model);
    run_to(simulation, tips + s);
    for (const double t : times_of(simulation, EventKind::Opening)) EXPECT_NEAR(t, tips, 1e-10);
    EXPECT_EQ(times_of(simulation, EventKind::Opening).size(), in_space ? 2 : 1);
    const double turns = in_space ? simulation.state().v(box)[4] : -simulation.state().v(box)[2];
    EXPECT_NEAR(turns, kHeight * pull * s * s / of_edge, 2.0 * weight * turns);
  }
}

TEST(StickingFeet, ABoxThatIsLoadedTowardsACornerStandsOnThreeFeet) {
  // Moments t about y and part t about x: by equal springs N = m g / 4 -+ t / (4 a) -+ part t / (4 a), so that one foot
  // bears nothing from t = m g a / (1 + part) on. The other three, and one beside it as well, hold the box until t = m
  // g a, where it tips over an edge, or over a corner where part is 1.
  constexpr double mass = 1.0, tips = mass * kGravity * kHalf;
  for (const double part : {0.5, 1.0}) {
    for (const bool spins : {false, true}) {
      SCOPED_TRACE(testing::Message() << part << (spins ? ", with a moment against spinning" : ""));
      NonSmoothDynamicalSystem model;
      const GivenLoad load{.load = [part](double t, ConstVectorRef, ConstVectorRef, VectorRef f) {
        f << 0.0, 0.0, 0.0, part * t, t, 0.0;
      }};
      const auto box = model.add(RigidBody{.mass = mass,
                                           .inertia = 0.02 * Eigen::Matrix3d::Identity(),
                                           .position = {0.0, 0.0, kHeight},
                                           .gravity = {0.0, 0.0, -kGravity},
                                           .loads = {load}});
      const Law law = spins ? Law(NewtonImpactRollingFrictionLaw{.friction = kFriction, .spinning = 0.01, .rows = 4})
                            : Law(NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 3});
      model.detect(BodyContacts({{box, {{.shape = Box{{kHalf, kHalf, kHeight}}}}}}, {{.shape = HalfSpace{}}}, law));
      EventDriven simulation(model);
      run_to(simulation, 0.99 * tips);
      EXPECT_LE(simulation.state().unknowns.lpNorm<Eigen::Infinity>(), kExact);
      EXPECT_TRUE(events_of(simulation, EventKind::Slip).empty());
      run_to(simulation, 1.01 * tips);
      const std::vector<double> openings = times_of(simulation, EventKind::Opening);
      EXPECT_EQ(openings.size(), part == 1.0 ? 3 : 2);
      for (const double t : openings) EXPECT_NEAR(t, tips, 1e-10);
      EXPECT_GT(simulation.state().v(box)[4], 1e-3);
    }
  }
}

TEST(StickingFeet, OneBoxStandsWhileAnotherComesToItsBound) {
  // A point mass that is drawn by a pull of t times its weight slips from t = 1/2 on, v = g (t - 1/2)^2 / 2; at that
  // instant the box beside it is asked too, and stands.
  NonSmoothDynamicalSystem model =
      box_in_space(0.4, 0.03, NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 3});
  const auto mass =
      model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(1.0, 1.0).asDiagonal(),
                                       .force = [](double t, VectorRef force) { force << kGravity * t, -kGravity; },
                                       .q0 = {0.0, 0.0}});
  model.link(mass, on_floor(2), NewtonImpactFrictionLaw{.friction = kFriction});
  EventDriven simulation(model);
  const auto report = simulation.advance_to(1.0);
  ASSERT_TRUE(report) << report.message();
  expect_times(times_of(simulation, EventKind::Slip), {0.5}, 1e-9);
  EXPECT_NEAR(simulation.state().v(mass)[0], kGravity / 8.0, kIntegrated);
  EXPECT_LE(simulation.state().unknowns.head<6>().lpNorm<Eigen::Infinity>(), kExact);
}

}  // namespace
}  // namespace nonsmooth::sticking_feet_test
