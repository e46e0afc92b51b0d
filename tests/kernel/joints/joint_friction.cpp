// SPDX-License-Identifier: Apache-2.0
// Friction in joints by their own reactions, against closed forms and quadratures.
//
// In closed forms forces are constant, so that every step is exact but for the bound, which Newton's iteration gives to
// 1e-9 of itself and the solver to 1e-10: velocities to 2e-9 of what friction took (kStep below).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernel/bad_input.hpp"
#include "kernel/joint_bodies.hpp"

namespace nonsmooth::joint_friction_test {
namespace {

using jointed::place;

constexpr double kGravity = 9.81, kStep = 2e-9;
// Bounds repeat to 1e-9 of themselves or of a thousandth of J w, at most 0.4 kg m^2 times 4 rad/s (before and after):
// 2e-12; and mu r = 0.01 m of the solver's 1e-10 of impulses of 0.03 N s.
constexpr double kBoundError = 5e-12;

GivenLoad load_of(const Eigen::Vector3d& force, const Eigen::Vector3d& moment, const Eigen::Vector3d& point) {
  return {.load =
              [force, moment](double, ConstVectorRef, ConstVectorRef, VectorRef load) {
                load.head<3>() = force;
                load.tail<3>() = moment;
              },
          .moment_axes = LoadAxes::Inertial,
          .point = point};
}

/// A wheel in the plane on a frictional hinge at its centre, under its weight and a moment.
struct Wheel {
  static constexpr double kMass = 3.0, kInertia = 0.4, kFriction = 0.2, kRadius = 0.05;
  static constexpr double kBound = kFriction * kRadius * kMass * kGravity;
  NonSmoothDynamicalSystem model;
  SystemHandle wheel;
  InteractionHandle hinge;

  explicit Wheel(double spin, double moment = 0.0) {
    PlanarBody body{
        .mass = kMass, .inertia = kInertia, .angular_velocity = spin, .gravity = {0.0, -kGravity}, .name = "wheel"};
    if (moment != 0.0) body.loads = {load_of({0.0, 0.0, 0.0}, {0.0, 0.0, moment}, {0.0, 0.0, 0.0})};
    wheel = model.add(body);
    hinge = model.link(wheel, PlanarFrictionalHinge{planar_joint_to_ground(Eigen::Vector3d::Zero(), {0.0, 0.0})},
                       PlanarHingeFrictionLaw{.friction = kFriction, .radius = kRadius}, "hinge");
  }
};

TEST(JointFriction, AWheelSpinsDownByItsWeightAndStops) {
  const double spin = 2.0, deceleration = Wheel::kBound / Wheel::kInertia, stop = spin / deceleration;
  const Wheel w(spin);
  TimeStepping simulation(w.model, {.step = 1e-3});
  Ledger ledger(simulation);
  double worst = 0.0, after = 0.0, bound = 0.0;
  const RunReport report = simulation.advance_to(1.5 * stop, [&](const State& state) {
    ledger.record(state);
    const double omega = state.v(w.wheel)[2];
    if (state.t < stop) worst = std::max(worst, std::abs(omega - (spin - deceleration * state.t)));
    if (state.t > stop + 1e-3) after = std::max(after, std::abs(omega));
    const auto p = state.impulse(w.hinge);
    bound = std::max(bound, std::abs(p[2]) - Wheel::kFriction * Wheel::kRadius * p.head<2>().norm());
  });
  ASSERT_TRUE(report) << report.message();
  EXPECT_LE(worst, kStep * spin);
  EXPECT_LE(after, kStep * spin);
  EXPECT_LE(bound, kBoundError);
  EXPECT_NEAR(simulation.state().force(w.hinge)[2], 0.0, 1e-6);
  // All of it is gone, into the hinge.
  EXPECT_NEAR(ledger.total().friction, -0.5 * Wheel::kInertia * spin * spin, 1e-8);
  EXPECT_LE(std::abs(ledger.total().constraint), 1e-8);
  EXPECT_LE(ledger.total().drift, 1e-12);  // the angle, of more than 1 rad, is none
  EXPECT_GT(simulation.state().y(w.hinge)[2], 1.0);
}

TEST(JointFriction, AWheelSticksBelowTheBoundAndTurnsAboveIt) {
  for (const double part : {0.9, 1.2}) {
    const Wheel w(0.0, part * Wheel::kBound);
    TimeStepping simulation(w.model, {.step = 1e-2});
    const RunReport report = simulation.advance_to(1.0);
    ASSERT_TRUE(report) << report.message();
    const double excess = std::max(0.0, part - 1.0) * Wheel::kBound;
    // Where the bound is reached the moment is known to 1e-9 of it.
    EXPECT_NEAR(simulation.state().v(w.wheel)[2], excess / Wheel::kInertia, 1e-8);
    EXPECT_NEAR(simulation.state().force(w.hinge)[2], -std::min(part, 1.0) * Wheel::kBound, 1e-7);
  }
}

/// A wheel in space whose centre is `overhang` along the axis, z, from the middle of its bearings.
double deceleration_of(const HingeFrictionLaw& law, double overhang, const Eigen::Vector3d& gravity,
                       const Eigen::Vector3d& normal) {
  const double spin = 5.0, T = 0.1;
  NonSmoothDynamicalSystem model;
  const RigidBody body{.mass = 2.0,
                       .inertia = Eigen::Vector3d(0.2, 0.2, 0.3).asDiagonal(),
                       .angular_velocity = {0.0, 0.0, spin},
                       .gravity = gravity,
                       .name = "wheel"};
  const auto wheel = model.add(body);
  const JointFrames frames =
      joint_to_ground(place(Eigen::Vector3d::Zero()), {0.0, 0.0, -overhang}, Eigen::Vector3d::UnitZ(), normal);
  model.link(wheel, FrictionalHinge{frames}, law, "hinge");
  TimeStepping simulation(model, {.step = 1e-3});
  const RunReport report = simulation.advance_to(T);
  EXPECT_TRUE(report) << report.message();
  return (spin - simulation.state().v(wheel)[5]) / T;
}

TEST(JointFriction, BearingsCarryAnOverhungWheelByStatics) {
  const double mu = 0.1, r = 0.02, m = 2.0, J = 0.3, a = 7.0, length = 0.2;
  const Eigen::Vector3d down(0.6 * a, -0.8 * a, 0.0), tilted(0.6 * a, 0.0, -0.8 * a);
  for (const Eigen::Vector3d& normal : {Eigen::Vector3d(1.0, 0.0, 0.0), Eigen::Vector3d(0.3, 0.7, 0.0)}) {
    const HingeFrictionLaw law{.friction = mu, .radius = r, .bearing_length = length};
    // |N_1| + |N_2| = m a max(1, 2 overhang / length).
    const double one = mu * r * m * a / J;
    EXPECT_NEAR(deceleration_of(law, 0.05, down, normal), one, 1e-8);
    EXPECT_NEAR(deceleration_of(law, 0.2, down, normal), 2.0 * one, 1e-8);
    EXPECT_NEAR(deceleration_of({.friction = mu, .radius = r}, 0.2, down, normal), one, 1e-8);
    // Across 0.6 m a, along 0.8 m a, and the preload.
    const HingeFrictionLaw all{.friction = mu, .radius = r, .thrust_radius = 0.03, .preload = 0.004};
    EXPECT_NEAR(deceleration_of(all, 0.0, tilted, normal), (mu * (r * 0.6 + 0.03 * 0.8) * m * a + 0.004) / J, 1e-8);
  }
}

/// The acceleration along x of a body on a slider, pushed with `force` at height `above` the axis.
double acceleration_of(const SliderFrictionLaw& law, double force, double above, double gravity, double torsion,
                       const Eigen::Vector3d& normal) {
  NonSmoothDynamicalSystem model;
  const auto load = load_of({force, 0.0, 0.0}, {torsion, 0.0, 0.0}, {0.0, 0.0, above});
  const auto body =
      model.add(RigidBody{.mass = 2.0, .gravity = {0.0, 0.0, -gravity}, .loads = {load}, .name = "sledge"});
  const JointFrames frames =
      joint_to_ground(place(Eigen::Vector3d::Zero()), Eigen::Vector3d::Zero(), Eigen::Vector3d::UnitX(), normal);
  model.link(body, FrictionalSlider{frames}, law, "guide");
  const double T = 0.1;
  TimeStepping simulation(model, {.step = 1e-3});
  const RunReport report = simulation.advance_to(T);
  EXPECT_TRUE(report) << report.message();
  return simulation.state().v(body)[0] / T;
}

TEST(JointFriction, ASliderSticksBelowItsFrictionAndMovesAboveIt) {
  const double mu = 0.3, m = 2.0, N = m * kGravity, length = 0.4;
  for (const Eigen::Vector3d& normal :
       {Eigen::Vector3d(0.0, 1.0, 0.0), Eigen::Vector3d(0.0, 0.0, 1.0), Eigen::Vector3d(0.0, 0.6, 0.8)}) {
    const SliderFrictionLaw plain{.friction = mu};
    EXPECT_NEAR(acceleration_of(plain, 0.9 * mu * N, 0.0, kGravity, 0.0, normal), 0.0, 1e-8);
    EXPECT_NEAR(acceleration_of(plain, 1.5 * mu * N, 0.0, kGravity, 0.0, normal), 0.5 * mu * N / m, 1e-8);
    // |N_1| + |N_2| = max(N, 2 F above / length): N for the lower force.
    const SliderFrictionLaw guided{.friction = mu, .bearing_length = length};
    EXPECT_NEAR(acceleration_of(guided, 8.0, 0.2, kGravity, 0.0, normal), (8.0 - mu * N) / m, 1e-8);
    EXPECT_NEAR(acceleration_of(guided, 40.0, 0.25, kGravity, 0.0, normal), (40.0 - mu * 50.0) / m, 1e-8);
    // A drawer pulled off its axis does not move, however strong the pull, from 2 mu above = length on.
    EXPECT_NEAR(acceleration_of(guided, 300.0, 1.01 * length / (2.0 * mu), 0.0, 0.0, normal), 0.0, 1e-7);
    const SliderFrictionLaw keyed{.friction = mu, .key_radius = 0.1, .preload = 0.5};
    EXPECT_NEAR(acceleration_of(keyed, 10.0, 0.0, 0.0, 1.6, normal), (10.0 - mu * 16.0 - 0.5) / m, 1e-8);
  }
}

TEST(JointFriction, APlanarSliderHasTheSameStatics) {
  const double mu = 0.3, m = 2.0, N = m * kGravity, length = 0.4;
  const auto acceleration = [&](double force, double above) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(PlanarBody{.mass = m,
                                           .gravity = {0.0, -kGravity},
                                           .loads = {load_of({force, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, above, 0.0})},
                                           .name = "sledge"});
    model.link(body, PlanarFrictionalSlider{planar_joint_to_ground(Eigen::Vector3d::Zero(), {0.0, 0.0})},
               PlanarSliderFrictionLaw{.friction = mu, .bearing_length = length}, "guide");
    TimeStepping simulation(model, {.step = 1e-3});
    const RunReport report = simulation.advance_to(0.1);
    EXPECT_TRUE(report) << report.message();
    return simulation.state().v(body)[0] / 0.1;
  };
  EXPECT_NEAR(acceleration(0.9 * mu * N, 0.0), 0.0, 1e-8);
  EXPECT_NEAR(acceleration(8.0, 0.2), (8.0 - mu * N) / m, 1e-8);
  EXPECT_NEAR(acceleration(-40.0, 0.25), -(40.0 - mu * 50.0) / m, 1e-8);
}

TEST(JointFriction, APendulumLosesWhatItsReactionRubsOff) {
  // |R| of the motion: across the rod from m l thetaddot = -m g sin theta - Rt, along it m (g cos theta + l omega^2).
  const double m = 2.0, l = 0.4, J = 0.05, mu = 0.3, r = 0.02, start = 1.2, h = 1e-4;
  NonSmoothDynamicalSystem model;
  const Eigen::Vector2d centre = l * Eigen::Vector2d(std::sin(start), -std::cos(start));
  const auto body = model.add(PlanarBody{
      .mass = m, .inertia = J, .position = centre, .angle = start, .gravity = {0.0, -kGravity}, .name = "slab"});
  const Eigen::Vector3d q0(centre[0], centre[1], start);
  const auto hinge = model.link(body, PlanarFrictionalHinge{planar_joint_to_ground(q0, {0.0, 0.0})},
                                PlanarHingeFrictionLaw{.friction = mu, .radius = r}, "hinge");
  for (const Projection kind : {Projection::None, Projection::Direct}) {
    TimeStepping simulation(model, {.step = h, .projection = {.kind = kind, .bilateral_tolerance = 1e-9}});
    Ledger ledger(simulation);
    double lost = 0.0, before = 0.0, worst_bound = 0.0, drift = 0.0;
    // Half a swing takes some 0.7 s; to 0.6 s it moves one way.
    const RunReport report = simulation.advance_to(0.6, [&](const State& state) {
      ledger.record(state);
      const double theta = state.q(body)[2], omega = state.v(body)[2], middle = 0.5 * (omega + before);
      ASSERT_LE(middle, 0.0);
      double reaction = m * kGravity;
      for (int i = 0; i < 40; ++i) {  // the moment of friction is mu r / l of what it changes: a contraction of 1 %
        const double turning = (-m * kGravity * l * std::sin(theta) + mu * r * reaction) / (J + m * l * l);
        reaction =
            m * std::hypot(l * turning + kGravity * std::sin(theta), kGravity * std::cos(theta) + l * omega * omega);
      }
      lost += h * mu * r * reaction * std::abs(middle);
      before = omega;
      const auto p = state.impulse(hinge);
      const double bound = mu * r * p.head<2>().norm();
      worst_bound = std::max(worst_bound, std::abs(p[2]) - bound);
      if (state.t > 0.01) worst_bound = std::max(worst_bound, bound - std::abs(p[2]));  // it slides
      drift = std::max(drift, state.y(hinge).head<2>().lpNorm<Eigen::Infinity>());
    });
    ASSERT_TRUE(report) << report.message();
    // The reaction of a step is that of its end and middle: off by omega h in its direction and by as much of its rate,
    // h |Rdot| / |R| <= 2 omega h, omega = 5.2 rad/s at the bottom: 5e-4 and 1e-3.
    EXPECT_NEAR(-ledger.total().friction, lost, 3e-3 * lost);
    EXPECT_GT(lost, 0.05);
    EXPECT_LE(worst_bound, kBoundError) << "the bound is that of the step's own reaction";
    EXPECT_LE(drift, kind == Projection::Direct ? 1e-9 : h * h * kGravity);
  }
}

TEST(JointFriction, ASledgeReboundsFromItsStopAndComesToRest) {
  // v^2 falls by 2 mu g a metre: v_0 until the stop at d, then e v, and to rest within (e v)^2 / (2 mu g).
  const double mu = 0.2, v0 = 2.0, d = 0.5, e = 0.6, h = 1e-4;
  NonSmoothDynamicalSystem model;
  const auto body =
      model.add(RigidBody{.mass = 2.0, .velocity = {v0, 0.0, 0.0}, .gravity = {0.0, 0.0, -kGravity}, .name = "sledge"});
  const JointFrames frames = joint_to_ground(place(Eigen::Vector3d::Zero()), Eigen::Vector3d::Zero(),
                                             Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY());
  model.link(body, FrictionalSlider{frames}, SliderFrictionLaw{.friction = mu}, "guide");
  model.link(body, SliderPosition{.frames = frames, .offset = d, .direction = -1.0}, NewtonImpactLaw{.restitution = e},
             "stop");
  TimeStepping simulation(model, {.step = h});
  const RunReport report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  const double back = e * e * (v0 * v0 - 2.0 * mu * kGravity * d) / (2.0 * mu * kGravity);
  // The impact is a step late or early at 2 m/s, friction reverses within that step, and e v_0 h each way.
  EXPECT_NEAR(simulation.state().q(body)[0], d - back, 4.0 * h * v0);
  EXPECT_NEAR(simulation.state().v(body)[0], 0.0, kStep);
}

TEST(JointFriction, AFrictionalHingeHasTheRowsOfAHingeAndItsRate) {
  const Eigen::Vector3d axis = Eigen::Vector3d(1.0, 2.0, -2.0) / 3.0;
  const Eigen::VectorXd start = place({0.3, -0.2, 0.5}, jointed::exponential({0.4, 0.1, -0.7}));
  const JointFrames frames = joint_to_ground(start, {0.1, 0.2, 0.3}, axis);
  const auto joint = make_relation(FrictionalHinge{frames});
  const auto angle = make_relation(HingeAngle{.frames = frames});
  ASSERT_EQ(joint->rows(), 6);
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(6, 6), of_angle = Eigen::MatrixXd::Zero(1, 6);
  Eigen::VectorXd y = Eigen::VectorXd::Ones(6);
  joint->h(0.0, start, y);
  joint->H(0.0, start, H);
  angle->H(0.0, start, of_angle);
  EXPECT_LE(y.lpNorm<Eigen::Infinity>(), 1e-14);
  EXPECT_LE((H.row(5) - of_angle).lpNorm<Eigen::Infinity>(), 1e-15);
  // A turn about the axis through the point moves the last row alone.
  const Eigen::Vector4d back(start[3], -start[4], -start[5], -start[6]);
  Eigen::VectorXd v(6);
  v << jointed::cross(axis, start.head<3>() - Eigen::Vector3d(0.1, 0.2, 0.3)), jointed::turned(back, axis);
  const Eigen::VectorXd u = H * v;
  EXPECT_LE(u.head<5>().lpNorm<Eigen::Infinity>(), 1e-14);
  EXPECT_NEAR(u[5], 1.0, 1e-14);
}

TEST(JointFriction, IsRefusedWhereItHasNoMeaning) {
  using bad_input::expect_refused;
  const auto linked = [](const PlanarHingeFrictionLaw& law) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(PlanarBody{.name = "wheel"});
    const PlanarFrames frames = planar_joint_to_ground(Eigen::Vector3d::Zero(), {0.0, 0.0});
    model.link(body, PlanarFrictionalHinge{frames}, law, "hinge");
  };
  expect_refused([&] { linked({.friction = -0.1}); }, {"PlanarHingeFrictionLaw::friction", "-0.1"});
  expect_refused([&] { linked({.friction = 0.1, .radius = -1.0}); }, {"PlanarHingeFrictionLaw::radius", "-1"});
  expect_refused([&] { linked({.preload = bad_input::kNaN}); }, {"PlanarHingeFrictionLaw::preload"});
  expect_refused([] { (void)make_relation(FrictionalHinge{}); }, {"FrictionalHinge::frames.first.normal"});
}

}  // namespace
}  // namespace nonsmooth::joint_friction_test
