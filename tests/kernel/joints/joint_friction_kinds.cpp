// SPDX-License-Identifier: Apache-2.0
// Friction of screws, universal and planar joints, gears and racks by their own reactions, against closed forms: what
// sticks, and how fast the rest slows down. And that no unit matters.
//
// Forces are constant, so that every step is exact but for the bound, which Newton's iteration gives to 1e-9 of itself,
// and the solver's 1e-10 of the impulses: velocities to 1e-8 of what acted in a second.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernel/bad_input.hpp"
#include "kernel/joint_bodies.hpp"

namespace nonsmooth::joint_friction_kinds_test {
namespace {

using jointed::place;

constexpr double kGravity = 9.81, kClose = 1e-8, kTime = 0.1;
const Eigen::Vector3d kOrigin = Eigen::Vector3d::Zero(), kUp = Eigen::Vector3d::UnitZ();

GivenLoad constant_load(const Eigen::Vector3d& force, const Eigen::Vector3d& moment,
                        const Eigen::Vector3d& point = kOrigin) {
  return {.load =
              [force, moment](double, ConstVectorRef, ConstVectorRef, VectorRef load) {
                load.head<3>() = force;
                load.tail<3>() = moment;
              },
          .moment_axes = LoadAxes::Inertial,
          .point = point};
}

/// By events velocities are those by steps, whose directions are off by (h w)^2 / 2 at a turn by w = 3 rad/s.
void expect_same_by_events(const NonSmoothDynamicalSystem& model, const State& by_steps) {
  EventDriven simulation(model);
  const RunReport report = simulation.advance_to(by_steps.t);
  ASSERT_TRUE(report) << report.message();
  EXPECT_LE((simulation.state().unknowns - by_steps.unknowns).norm(), 5e-6 * (1.0 + by_steps.unknowns.norm()));
}

/// State after kTime.
State state_after(const NonSmoothDynamicalSystem& model, double h = 1e-3) {
  TimeStepping simulation(model, {.step = h});
  const RunReport report = simulation.advance_to(kTime);
  EXPECT_TRUE(report) << report.message();
  expect_same_by_events(model, simulation.state());
  return simulation.state();
}

/// A nut on an upright screw under its weight and a moment.
struct Nut {
  static constexpr double kMass = 4.0, kInertia = 0.02, kPitch = 0.03, kRadius = 0.03;
  static constexpr double kAdvance = kPitch / (2.0 * std::numbers::pi), kLead = kAdvance / kRadius;

  /// The angular acceleration from rest.
  static double acceleration(double friction, double moment, double preload = 0.0) {
    NonSmoothDynamicalSystem model;
    const auto nut = model.add(RigidBody{.mass = kMass,
                                         .inertia = Eigen::Vector3d(0.05, 0.05, kInertia).asDiagonal(),
                                         .gravity = {0.0, 0.0, -kGravity},
                                         .loads = {constant_load(kOrigin, {0.0, 0.0, moment})},
                                         .name = "nut"});
    model.link(nut, FrictionalScrew{joint_to_ground(place(kOrigin), kOrigin, kUp), kPitch, kRadius},
               ScrewFrictionLaw{.friction = friction, .preload = preload}, "screw");
    const State state = state_after(model);
    EXPECT_NEAR(state.v(nut)[2], kAdvance * state.v(nut)[5], kClose);
    return state.v(nut)[5] / kTime;
  }
  /// From N cos alpha + T sin alpha = m (g + z''), J theta'' = M - radius (N sin alpha - T cos alpha), T = -t N.
  static double sliding(double t, double moment) {
    const double arm = kRadius * (kLead + t) / (1.0 - t * kLead);  // of the load: radius tan(alpha + phi)
    return (moment - kMass * kGravity * arm) / (kInertia + kMass * kAdvance * arm);
  }
};

TEST(ScrewFriction, HoldsALoadFromTheTangentOfItsLeadAngleOn) {
  EXPECT_NEAR(Nut::acceleration(1.05 * Nut::kLead, 0.0), 0.0, kClose);
  const double mu = 0.95 * Nut::kLead, down = Nut::sliding(-mu, 0.0);
  EXPECT_LT(down, -0.4);
  EXPECT_NEAR(Nut::acceleration(mu, 0.0), down, kClose);
}

TEST(ScrewFriction, LiftsAndLowersByTheMomentsOfAnInclinedPlane) {
  // Up from m g radius tan(phi + alpha) on, down below -m g radius tan(phi - alpha), held between them.
  const double mu = 2.0 * Nut::kLead, phi = std::atan(mu), alpha = std::atan(Nut::kLead);
  const double unit = Nut::kMass * kGravity * Nut::kRadius;
  const double up = unit * std::tan(phi + alpha), down = -unit * std::tan(phi - alpha);
  EXPECT_NEAR(Nut::acceleration(mu, 0.98 * up), 0.0, kClose);
  EXPECT_NEAR(Nut::acceleration(mu, 0.98 * down), 0.0, kClose);
  EXPECT_NEAR(Nut::acceleration(mu, 1.1 * up), Nut::sliding(mu, 1.1 * up), kClose);
  EXPECT_NEAR(Nut::acceleration(mu, 1.1 * down), Nut::sliding(-mu, 1.1 * down), kClose);
  EXPECT_GT(Nut::sliding(mu, 1.1 * up), 1.0);
  // A preload T along the thread: its moment radius T cos alpha less what its lift T sin alpha saves.
  const double preload = 3.0;
  const double more = preload * Nut::kRadius / std::cos(alpha);
  EXPECT_NEAR(Nut::acceleration(0.0, unit * Nut::kLead + 0.98 * more, preload), 0.0, kClose);
  EXPECT_GT(Nut::acceleration(0.0, unit * Nut::kLead + 1.02 * more, preload), 0.01);
}

TEST(ScrewFriction, RubsByWhatTheNutCarriesAcrossItsAxis) {
  // A horizontal screw without load along it: |N_1| + |N_2| = m g, and N of the flanks turns the motion along.
  const double mu = 0.1, spin = 8.0;
  NonSmoothDynamicalSystem model;
  const auto nut = model.add(RigidBody{.mass = Nut::kMass,
                                       .inertia = Eigen::Vector3d(0.05, 0.05, Nut::kInertia).asDiagonal(),
                                       .velocity = {0.0, 0.0, Nut::kAdvance * spin},
                                       .angular_velocity = {0.0, 0.0, spin},
                                       .gravity = {0.0, -kGravity, 0.0},
                                       .name = "nut"});
  model.link(nut, FrictionalScrew{joint_to_ground(place(kOrigin), kOrigin, kUp), Nut::kPitch, Nut::kRadius},
             ScrewFrictionLaw{.friction = mu}, "screw");
  // Along the thread: J theta'' + p m z'' = -T radius / cos alpha, and N = (m z'' + T sin alpha) / cos alpha.
  const double c = 1.0 / std::hypot(1.0, Nut::kLead), s = Nut::kLead * c;
  const double inertia = Nut::kInertia + Nut::kMass * Nut::kAdvance * Nut::kAdvance;
  double T = mu * Nut::kMass * kGravity, deceleration = 0.0;
  for (int i = 0; i < 60; ++i) {  // of |N| a tenth comes back
    deceleration = T * Nut::kRadius / c / inertia;
    T = mu * (Nut::kMass * kGravity + std::abs(T * s - Nut::kMass * Nut::kAdvance * deceleration) / c);
  }
  EXPECT_NEAR(state_after(model).v(nut)[5], spin - deceleration * kTime, kClose);
}

/// A body on a cross at its centre: pins along x on the body and along y on the ground.
Eigen::Vector3d spin_on_cross(const UniversalFrictionLaw& law, const Eigen::Vector3d& spin,
                              const Eigen::Vector3d& gravity, const Eigen::Vector3d& moment) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.mass = 2.0,
                                        .inertia = Eigen::Vector3d(0.3, 0.4, 0.5).asDiagonal(),
                                        .angular_velocity = spin,
                                        .gravity = gravity,
                                        .loads = {constant_load(kOrigin, moment)},
                                        .name = "body"});
  model.link(
      body,
      FrictionalUniversal{joint_to_ground(place(kOrigin), kOrigin, Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY())},
      law, "cross");
  return state_after(model).v(body).tail<3>();
}

TEST(UniversalFriction, EachPinRubsByWhatItsBearingsCarry) {
  const double mu = 0.15, r = 0.02, mg = 2.0 * kGravity, spin = 3.0;
  const Eigen::Vector3d down(0.0, 0.0, -kGravity);
  const UniversalFrictionLaw plain{.friction = mu, .radius = r};
  // Each pin carries the weight across it.
  EXPECT_NEAR(spin_on_cross(plain, {spin, 0.0, 0.0}, down, kOrigin)[0], spin - mu * r * mg / 0.3 * kTime, kClose);
  EXPECT_NEAR(spin_on_cross(plain, {0.0, -spin, 0.0}, down, kOrigin)[1], -spin + mu * r * mg / 0.4 * kTime, kClose);
  // It sticks to mu r m g about each, also while the other one slides, and goes above it.
  for (const double part : {0.95, 1.05}) {
    const double excess = std::max(0.0, part - 1.0) * mu * r * mg;
    const Eigen::Vector3d w = spin_on_cross(plain, kOrigin, down, {0.0, part * mu * r * mg, 0.0});
    EXPECT_NEAR(w[0], 0.0, kClose);
    EXPECT_NEAR(w[1], excess / 0.4 * kTime, kClose);
  }
  // A moment M about z: |N| = hypot(m g / 2, M / length) each.
  const double length = 0.1, moment = 1.3;
  const UniversalFrictionLaw wide{.friction = mu, .radius = r, .bearing_length = length};
  const double carried = std::hypot(mg, 2.0 * moment / length);
  // The moment in the body's axes is the mean of the two ends of a step: short of it by (h w / 2)^2 / 2.
  const double lost = mu * r * carried / 0.3 * kTime, chord = 0.5 * std::pow(0.5e-3 * spin, 2);
  EXPECT_NEAR(spin_on_cross(wide, {spin, 0.0, 0.0}, down, {0.0, 0.0, moment})[0], spin - lost, chord * lost + kClose);
  // Weight along the first pin is thrust on it, and lies across the second.
  const UniversalFrictionLaw thrust{.friction = mu, .radius = r, .thrust_radius = 0.03};
  const Eigen::Vector3d aside(-kGravity, 0.0, 0.0);
  EXPECT_NEAR(spin_on_cross(thrust, {spin, 0.0, 0.0}, aside, kOrigin)[0], spin - mu * 0.03 * mg / 0.3 * kTime, kClose);
  // What the second pin holds, the first one's bearings carry: 2 M / length = 1.5 m g.
  const double held = 0.75 * mg * length, preload = 2.0;
  ASSERT_LT(held, preload + mu * r * mg);
  const UniversalFrictionLaw sealed{.friction = mu, .radius = r, .bearing_length = length, .preload = preload};
  const Eigen::Vector3d w = spin_on_cross(sealed, {spin, 0.0, 0.0}, down, {0.0, held, 0.0});
  EXPECT_NEAR(w[0], spin - (mu * r * 1.5 * mg + preload) / 0.3 * kTime, kClose);
  EXPECT_NEAR(w[1], 0.0, kClose);
}

/// (slip along x and y, spin) of a pad on the plane z = 0 after `time`, pulled along x at a height.
Eigen::Vector3d pad_motion(const PlanarJointFrictionLaw& law, const Eigen::Vector3d& start, double pull, double above,
                           double time) {
  NonSmoothDynamicalSystem model;
  const double radius = 0.2;
  const auto pad = model.add(RigidBody{.mass = 2.0,
                                       .inertia = Eigen::Vector3d(0.1, 0.1, 2.0 * radius * radius).asDiagonal(),
                                       .velocity = {start[0], start[1], 0.0},
                                       .angular_velocity = {0.0, 0.0, start[2]},
                                       .gravity = {0.0, 0.0, -kGravity},
                                       .loads = {constant_load({pull, 0.0, 0.0}, {0.0, pull * above, 0.0})},
                                       .name = "pad"});
  model.link(pad, FrictionalPlanar{joint_to_ground(place(kOrigin), kOrigin, kUp, {0.6, 0.8, 0.0}), radius}, law,
             "plane");
  TimeStepping simulation(model, {.step = 1e-3});
  const RunReport report = simulation.advance_to(time);
  EXPECT_TRUE(report) << report.message();
  expect_same_by_events(model, simulation.state());
  const auto v = simulation.state().v(pad);
  return {v[0], v[1], v[5]};
}

TEST(PlanarJointFriction, APadSlidesAndSpinsToRestAtOnce) {
  const double mu = 0.25, decay = mu * kGravity, radius = 0.2;
  const PlanarJointFrictionLaw law{.friction = mu};
  // |s| falls by mu g of s = (slip, radius spin), as J = m radius^2 here.
  for (const Eigen::Vector3d& start :
       {Eigen::Vector3d(0.6, -0.8, 0.0), Eigen::Vector3d(0.0, 0.0, 5.0), Eigen::Vector3d(0.48, 0.64, -3.0)}) {
    const double speed = Eigen::Vector3d(start[0], start[1], radius * start[2]).norm();
    const Eigen::Vector3d w = pad_motion(law, start, 0.0, 0.0, kTime);
    EXPECT_LE((w - (1.0 - decay * kTime / speed) * start).norm(), kClose * 5.0);
    EXPECT_LE(pad_motion(law, start, 0.0, 0.0, 1.01 * speed / decay).norm(), kClose);
  }
}

TEST(PlanarJointFriction, ATiltedPadRubsAtBothItsEdges) {
  const double mu = 0.25, mg = 2.0 * kGravity, length = 0.3;
  const PlanarJointFrictionLaw plain{.friction = mu}, guided{.friction = mu, .pad_length = length};
  const auto acceleration = [](const PlanarJointFrictionLaw& law, double pull, double above) {
    const Eigen::Vector3d w = pad_motion(law, kOrigin, pull, above, kTime);
    EXPECT_LE(std::hypot(w[1], w[2]), kClose);
    return w[0] / kTime;
  };
  EXPECT_NEAR(acceleration(plain, 0.95 * mu * mg, 0.0), 0.0, kClose);
  EXPECT_NEAR(acceleration(plain, 1.05 * mu * mg, 0.5), 0.05 * mu * mg / 2.0, kClose * 10.0);
  // |N_1| + |N_2| = 2 M / length where that is more than the weight.
  const double pull = 40.0, above = 0.2;
  EXPECT_NEAR(acceleration(guided, pull, above), pull * (1.0 - mu * 2.0 * above / length) / 2.0, kClose * 10.0);
}

/// Wheels of 20 and 30 teeth on the ground, moments on both; the angular acceleration of the first from rest.
double gear_acceleration(const MeshFrictionLaw& law, double J1, double J2, double M1, double M2) {
  NonSmoothDynamicalSystem model;
  const Eigen::Vector3d beside(0.3, 0.0, 0.0);
  const auto wheel = [&](const Eigen::Vector3d& centre, double J, double moment, const char* name) {
    return model.add(RigidBody{.inertia = Eigen::Vector3d(J, J, J).asDiagonal(),
                               .position = centre,
                               .loads = {constant_load(kOrigin, {0.0, 0.0, moment})},
                               .name = name});
  };
  const auto first = wheel(kOrigin, J1, M1, "first"), second = wheel(beside, J2, M2, "second");
  const JointFrames of_first = joint_to_ground(place(kOrigin), kOrigin, kUp);
  const JointFrames of_second = joint_to_ground(place(beside), beside, kUp);
  link_joint(model, {first}, HingeJoint{of_first}, "first hinge");
  link_joint(model, {second}, HingeJoint{of_second}, "second hinge");
  model.link({first, second}, FrictionalGear{of_first, of_second, 20, 30}, law, "mesh");
  const State state = state_after(model);
  EXPECT_NEAR(state.v(second)[5], -state.v(first)[5] / 1.5, kClose);
  return state.v(first)[5] / kTime;
}

TEST(MeshFriction, AGearLosesItsPartOfThePowerEitherWay) {
  // J_1 a = M_1 - (1 + loss sign a) lambda with lambda = M_2 / ratio + J_2 a / ratio^2 of the load on the second wheel.
  const double J1 = 0.02, J2 = 0.09, load = 3.0, ratio = 1.5, loss = 0.2;
  const auto moving = [&](double M1, double part) { return (M1 - part * load) / (J1 + part * J2 / (ratio * ratio)); };
  const MeshFrictionLaw law{.loss = loss};
  EXPECT_NEAR(gear_acceleration(law, J1, J2, 5.0, ratio * load), moving(5.0, 1.0 + loss), kClose * 100.0);
  EXPECT_NEAR(gear_acceleration(law, J1, J2, 1.0, ratio * load), moving(1.0, 1.0 - loss), kClose * 100.0);
  EXPECT_NEAR(gear_acceleration(law, J1, J2, 1.02 * (1.0 - loss) * load, ratio * load), 0.0, kClose);
  EXPECT_NEAR(gear_acceleration(law, J1, J2, 0.98 * (1.0 + loss) * load, ratio * load), 0.0, kClose);
  // A worm holds its load by itself; of less loss it runs back.
  EXPECT_NEAR(gear_acceleration({.loss = 1.05}, J1, J2, 0.0, ratio * load), 0.0, kClose);
  EXPECT_NEAR(gear_acceleration({.loss = 0.95}, J1, J2, 0.0, ratio * load), moving(0.0, 0.05), kClose * 100.0);
}

TEST(MeshFriction, ARackLosesItsPartOfThePinionsForce) {
  const double m = 5.0, J = 0.01, radius = 0.05, moment = 2.0, load = 20.0, loss = 0.1;
  NonSmoothDynamicalSystem model;
  const Eigen::Vector3d beside(radius, 0.0, 0.0), along = Eigen::Vector3d::UnitY();
  const auto pinion = model.add(RigidBody{.inertia = Eigen::Vector3d(J, J, J).asDiagonal(),
                                          .loads = {constant_load(kOrigin, {0.0, 0.0, moment})},
                                          .name = "pinion"});
  const auto rack = model.add(
      RigidBody{.mass = m, .position = beside, .loads = {constant_load(-load * along, kOrigin)}, .name = "rack"});
  const JointFrames of_pinion = joint_to_ground(place(kOrigin), kOrigin, kUp);
  const JointFrames of_rack = joint_to_ground(place(beside), beside, along, Eigen::Vector3d::UnitX());
  link_joint(model, {pinion}, HingeJoint{of_pinion});
  link_joint(model, {rack}, SliderJoint{of_rack});
  model.link({pinion, rack}, FrictionalRack{of_pinion, of_rack, radius}, MeshFrictionLaw{.loss = loss}, "mesh");
  // lambda = (M - J a / radius) / radius, m a = (1 - loss) lambda - load.
  const double a = ((1.0 - loss) * moment / radius - load) / (m + (1.0 - loss) * J / (radius * radius));
  TimeStepping simulation(model, {.step = 1e-3});
  Ledger ledger(simulation);
  ASSERT_TRUE(simulation.advance_to(kTime, [&](const State& state) { ledger.record(state); }));
  EXPECT_NEAR(simulation.state().v(rack)[1], a * kTime, kClose);
  EXPECT_NEAR(simulation.state().v(pinion)[5], a * kTime / radius, kClose * 10.0);
  const double lambda = (moment - J * a / radius) / radius, way = 0.5 * a * kTime * kTime;
  EXPECT_NEAR(ledger.total().friction, -loss * lambda * way, 1e-8);
}

/// Two wheels in the plane, as gear_acceleration() has them in space.
double planar_gear_acceleration(const MeshFrictionLaw& law, double J1, double J2, double M1, double M2) {
  NonSmoothDynamicalSystem model;
  const auto wheel = [&](double x, double J, double moment, const char* name) {
    const auto body = model.add(PlanarBody{
        .inertia = J, .position = {x, 0.0}, .loads = {constant_load(kOrigin, {0.0, 0.0, moment})}, .name = name});
    link_joint(model, {body}, PlanarHinge{planar_joint_to_ground(Eigen::Vector3d(x, 0.0, 0.0), {x, 0.0})});
    return body;
  };
  const auto first = wheel(0.0, J1, M1, "first"), second = wheel(0.3, J2, M2, "second");
  link_joint(model, {first, second}, PlanarFrictionalGear{.ratio = 1.5}, law, "mesh");
  const State state = state_after(model);
  EXPECT_NEAR(state.v(second)[2], -state.v(first)[2] / 1.5, kClose);
  return state.v(first)[2] / kTime;
}

TEST(MeshFriction, AGearInThePlaneDoesAsOneInSpace) {
  const double J1 = 0.02, J2 = 0.09, load = 3.0, ratio = 1.5, loss = 0.2;
  const auto moving = [&](double M1, double part) { return (M1 - part * load) / (J1 + part * J2 / (ratio * ratio)); };
  const MeshFrictionLaw law{.loss = loss};
  EXPECT_NEAR(planar_gear_acceleration(law, J1, J2, 5.0, ratio * load), moving(5.0, 1.0 + loss), kClose * 100.0);
  EXPECT_NEAR(planar_gear_acceleration(law, J1, J2, 1.0, ratio * load), moving(1.0, 1.0 - loss), kClose * 100.0);
  EXPECT_NEAR(planar_gear_acceleration(law, J1, J2, 0.98 * (1.0 + loss) * load, ratio * load), 0.0, kClose);
  EXPECT_NEAR(planar_gear_acceleration({.loss = 1.05}, J1, J2, 0.0, ratio * load), 0.0, kClose);
  EXPECT_NEAR(planar_gear_acceleration({.loss = 0.95}, J1, J2, 0.0, ratio * load), moving(0.0, 0.05), kClose * 100.0);
}

TEST(MeshFriction, ARackInThePlaneLosesItsPartOfThePinionsForce) {
  const double m = 5.0, J = 0.01, radius = 0.05, moment = 2.0, load = 20.0, loss = 0.1;
  NonSmoothDynamicalSystem model;
  const auto pinion =
      model.add(PlanarBody{.inertia = J, .loads = {constant_load(kOrigin, {0.0, 0.0, moment})}, .name = "pinion"});
  const auto rack = model.add(PlanarBody{
      .mass = m, .position = {0.0, -radius}, .loads = {constant_load({-load, 0.0, 0.0}, kOrigin)}, .name = "rack"});
  const PlanarFrames guide = planar_joint_to_ground(Eigen::Vector3d(0.0, -radius, 0.0), {0.0, -radius});
  link_joint(model, {pinion}, PlanarHinge{});
  link_joint(model, {rack}, PlanarSlider{guide});
  link_joint(model, {pinion, rack}, PlanarFrictionalRack{.rack = guide, .radius = radius},
             MeshFrictionLaw{.loss = loss}, "mesh");
  // lambda = (M - J a / radius) / radius, m a = (1 - loss) lambda - load.
  const double a = ((1.0 - loss) * moment / radius - load) / (m + (1.0 - loss) * J / (radius * radius));
  const State state = state_after(model);
  EXPECT_NEAR(state.v(rack)[0], a * kTime, kClose);
  EXPECT_NEAR(state.v(pinion)[2], a * kTime / radius, kClose * 10.0);
}

TEST(JointFrictionUnits, AWheelSpinsDownAlikeInAnyUnits) {
  // Metres and kilograms; millimetres and grams; kilometres and kilotonnes, in which a bound is 1e-16.
  const double m = 3.0, J = 0.4, mu = 0.2, r = 0.05, spin = 2.0, T = 0.5;
  for (const auto& [metre, kilogram] : {std::pair{1.0, 1.0}, {1e3, 1e3}, {1e-3, 1e-6}}) {
    NonSmoothDynamicalSystem model;
    const auto wheel = model.add(PlanarBody{.mass = m * kilogram,
                                            .inertia = J * kilogram * metre * metre,
                                            .angular_velocity = spin,
                                            .gravity = {0.0, -kGravity * metre},
                                            .name = "wheel"});
    model.link(wheel, PlanarFrictionalHinge{planar_joint_to_ground(Eigen::Vector3d::Zero(), {0.0, 0.0})},
               PlanarHingeFrictionLaw{.friction = mu, .radius = r * metre}, "hinge");
    TimeStepping simulation(model, {.step = 1e-3});
    const RunReport report = simulation.advance_to(T);
    ASSERT_TRUE(report) << report.message();
    EXPECT_NEAR(simulation.state().v(wheel)[2], spin - mu * r * m * kGravity / J * T, kClose) << metre;
  }
}

TEST(JointFrictionKinds, AreRefusedWhereTheyHaveNoMeaning) {
  using bad_input::expect_refused;
  const JointFrames frames = joint_to_ground(place(kOrigin), kOrigin);
  const auto linked = [&](const AnyRelation& relation, const Law& law) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(RigidBody{.name = "body"});
    model.link(body, relation, law, "joint");
  };
  expect_refused(
      [&] {
        linked(FrictionalScrew{frames, 0.0, 0.1}, ScrewFrictionLaw{});
      },
      {"FrictionalScrew::pitch", "0"});
  expect_refused(
      [&] {
        linked(FrictionalScrew{frames, 0.1, -0.1}, ScrewFrictionLaw{});
      },
      {"FrictionalScrew::radius", "-0.1"});
  expect_refused(
      [&] {
        linked(FrictionalPlanar{frames, 0.0}, PlanarJointFrictionLaw{});
      },
      {"FrictionalPlanar::radius", "0"});
  expect_refused(
      [&] {
        (void)make_relation(FrictionalGear{frames, frames, 0, 3});
      },
      {"FrictionalGear::teeth_first", "0"});
  expect_refused([&] { (void)make_relation(FrictionalRack{frames, frames, 0.0}); }, {"FrictionalRack::radius", "0"});
  expect_refused([&] { (void)make_relation(PlanarFrictionalGear{.ratio = 0.0}); },
                 {"PlanarFrictionalGear::ratio", "0"});
  expect_refused([&] { (void)make_relation(PlanarFrictionalRack{}); }, {"PlanarFrictionalRack::radius", "0"});
  expect_refused([&] { (void)make_relation(FrictionalUniversal{}); }, {"FrictionalUniversal::frames.first.normal"});
  const FrictionalScrew screw{frames, 0.1, 0.1};
  expect_refused([&] { linked(screw, ScrewFrictionLaw{.friction = -0.1}); }, {"ScrewFrictionLaw::friction", "-0.1"});
  expect_refused([&] { linked(screw, ScrewFrictionLaw{.bearing_length = -1.0}); },
                 {"ScrewFrictionLaw::bearing_length", "-1"});
  expect_refused([&] { linked(FrictionalUniversal{frames}, UniversalFrictionLaw{.thrust_radius = -1.0}); },
                 {"UniversalFrictionLaw::thrust_radius", "-1"});
  expect_refused([&] { linked(FrictionalUniversal{frames}, UniversalFrictionLaw{.radius = bad_input::kNaN}); },
                 {"UniversalFrictionLaw::radius"});
  expect_refused(
      [&] {
        linked(FrictionalPlanar{frames, 0.1}, PlanarJointFrictionLaw{.pad_length = -1.0});
      },
      {"PlanarJointFrictionLaw::pad_length", "-1"});
  NonSmoothDynamicalSystem model;
  const auto one = model.add(RigidBody{}), other = model.add(RigidBody{});
  expect_refused(
      [&] {
        model.link({one, other}, FrictionalGear{frames, frames, 2, 3}, MeshFrictionLaw{.loss = -0.1});
      },
      {"MeshFrictionLaw::loss", "-0.1"});
}

}  // namespace
}  // namespace nonsmooth::joint_friction_kinds_test
