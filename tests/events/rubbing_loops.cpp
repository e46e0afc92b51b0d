// SPDX-License-Identifier: Apache-2.0
// Joints that rub where others hold the same freedom, by events: loops, and a stop beside a hinge.
#include <cmath>

#include "event_log.hpp"

namespace nonsmooth::rubbing_loops_test {
namespace {

using namespace event_log;
using Eigen::Vector3d;

/// A parallelogram that stands on two hinges, 0.3 m high and 0.5 m wide, all four of which rub.
struct Parallelogram {
  NonSmoothDynamicalSystem model;
  SystemHandle crank;

  Parallelogram(double rate, double unit_of_length) {
    const double L = unit_of_length, a = 0.3 * L, b = 0.5 * L;
    const auto bar = [&](double mass, double inertia, double x, double y, double w) {
      return model.add(PlanarBody{.mass = mass,
                                  .inertia = inertia * L * L,
                                  .position = {x, y},
                                  .velocity = {-rate * y, 0.0},
                                  .angular_velocity = w,
                                  .gravity = {0.0, -kGravity * L}});
    };
    crank = bar(1.0, 0.01, 0.0, 0.5 * a, rate);
    const auto coupler = bar(1.5, 0.04, 0.5 * b, a, 0.0), rocker = bar(1.0, 0.01, b, 0.5 * a, rate);
    const Vector3d on_crank(0.0, 0.5 * a, 0.0), on_coupler(0.5 * b, a, 0.0), on_rocker(b, 0.5 * a, 0.0);
    const PlanarHingeFrictionLaw law{.friction = 0.3, .radius = 0.02 * L};
    model.link(crank, PlanarFrictionalHinge{planar_joint_to_ground(on_crank, {0.0, 0.0})}, law);
    model.link({coupler, crank}, PlanarFrictionalHinge{planar_joint_between(on_coupler, on_crank, {0.0, a})}, law);
    model.link({coupler, rocker}, PlanarFrictionalHinge{planar_joint_between(on_coupler, on_rocker, {b, a})}, law);
    model.link(rocker, PlanarFrictionalHinge{planar_joint_to_ground(on_rocker, {b, 0.0})}, law);
  }
};

TEST(RubbingLoopsByEvents, ALoopOfRubbingHingesThatStandsUprightStaysThere) {
  // Its weight needs no friction: four hinges share out what one freedom leaves open, each within its bound.
  const Parallelogram standing(0.0, 1.0);
  EventDriven simulation(standing.model);
  run_to(simulation, 1.0);
  EXPECT_TRUE(simulation.events().empty());
  EXPECT_NEAR(simulation.state().q(standing.crank)[2], 0.0, 1e-12);
}

TEST(RubbingLoopsByEvents, ACrankOnItsTopTurnsARodThatDoesNotTurnYet) {
  // The rod's rate against the piston is zero there, and all hinges cannot rest: it begins to slip.
  const double a = 0.1, l = 0.4, w = 5.0, angle = std::asin(a / l), reach = l * std::cos(angle);
  NonSmoothDynamicalSystem model;
  const auto bar = [&](double x, double y, double turned, const Eigen::Vector2d& v, double rate) {
    return model.add(PlanarBody{
        .mass = 1.0, .inertia = 0.01, .position = {x, y}, .angle = turned, .velocity = v, .angular_velocity = rate});
  };
  const Eigen::Vector2d back(-w * a, 0.0);
  const auto crank = bar(0.0, 0.5 * a, 0.0, 0.5 * back, w), rod = bar(0.5 * reach, 0.5 * a, -angle, back, 0.0),
             piston = bar(reach, 0.0, 0.0, back, 0.0);
  const Vector3d on_crank(0.0, 0.5 * a, 0.0), on_rod(0.5 * reach, 0.5 * a, -angle), on_piston(reach, 0.0, 0.0);
  const PlanarHingeFrictionLaw law{.friction = 0.1, .radius = 0.02};
  const auto pin = model.link(crank, PlanarFrictionalHinge{planar_joint_to_ground(on_crank, {0.0, 0.0})}, law);
  model.link({rod, crank}, PlanarFrictionalHinge{planar_joint_between(on_rod, on_crank, {0.0, a})}, law);
  const auto end =
      model.link({rod, piston}, PlanarFrictionalHinge{planar_joint_between(on_rod, on_piston, {reach, 0.0})}, law);
  model.link(piston, PlanarFrictionalSlider{planar_joint_to_ground(on_piston, {reach, 0.0})},
             PlanarSliderFrictionLaw{.friction = 0.1, .bearing_length = 0.08});
  EventDriven simulation(model);
  run_to(simulation, 0.1);
  for (const InteractionHandle joint : {pin, end}) {
    const auto force = simulation.state().force(joint);
    EXPECT_NEAR(std::abs(force[2]), 0.1 * 0.02 * force.head<2>().norm(), 1e-10);
  }
  // It loses energy.
  double energy = 0.0;
  for (const SystemHandle bar_of : {crank, rod, piston}) {
    const Vector3d v = simulation.state().v(bar_of);
    energy += 0.5 * (v.head<2>().squaredNorm() + 0.01 * v[2] * v[2]);
  }
  EXPECT_LT(energy, 0.5 * (0.25 * back.squaredNorm() + 0.01 * w * w + 2.0 * back.squaredNorm()));
  EXPECT_LT(simulation.state().force(end)[2] * simulation.state().v(rod)[2], 0.0);
}

TEST(RubbingLoopsByEvents, ALoopJamsWhereItFoldsByNameAndInAnyUnit) {
  // Near the fold reactions, and friction with them, grow over all bounds; where that is depends on no unit, but for
  // the last digits, as steps become short there.
  double first = 0.0;
  for (const double unit : {1.0, 1e-3, 1e3, 1e-6, 1e6}) {
    const Parallelogram falling(3.0, unit);
    EventDriven simulation(falling.model);
    run_to(simulation, 0.3);  // to 80 degrees; and on from there
    const auto report = simulation.advance_to(1.0);
    EXPECT_NE(report.message().find("jams"), std::string::npos) << report.message();
    if (first == 0.0) first = simulation.state().t;
    EXPECT_NEAR(simulation.state().t, first, 1e-3) << unit;
  }
}

TEST(RubbingLoopsByEvents, ARodComesToRestOnItsStopBesideAHingeThatRubs) {
  // One freedom that two hold: the stop takes what is over. It bounces by e, and stands at its angle from then on.
  NonSmoothDynamicalSystem model;
  const Eigen::VectorXd place = (Eigen::VectorXd(7) << 0.4, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0).finished();
  const JointFrames frames = joint_to_ground(place, Vector3d::Zero(), Vector3d::UnitZ());
  const auto rod = model.add(RigidBody{.mass = 2.0,
                                       .inertia = 0.05 * Eigen::Matrix3d::Identity(),
                                       .position = {0.4, 0.0, 0.0},
                                       .gravity = {0.0, -kGravity, 0.0}});
  const auto hinge = model.link(rod, FrictionalHinge{frames}, HingeFrictionLaw{.friction = 0.3, .radius = 0.03});
  const auto stop = model.link(rod, HingeAngle{.frames = frames, .offset = -0.8}, NewtonImpactLaw{.restitution = 0.5});
  EventDriven simulation(model);
  run_to(simulation, 3.0);
  EXPECT_NEAR(simulation.state().q(rod)[6], -std::sin(0.4), 1e-10);
  EXPECT_LE(simulation.state().v(rod).norm(), 1e-12);
  const auto carried = simulation.state().force(hinge);
  EXPECT_LE(std::abs(carried[5]), 0.3 * 0.03 * carried.head<2>().norm());
  // 2 m g l cos(0.8) about the pin.
  EXPECT_NEAR(simulation.state().force(stop)[0] + carried[5], 2.0 * kGravity * 0.4 * std::cos(0.8), 1e-9);
}

}  // namespace
}  // namespace nonsmooth::rubbing_loops_test
