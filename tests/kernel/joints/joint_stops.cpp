// SPDX-License-Identifier: Apache-2.0
// Stops of joints: an end collar and a key with friction, pins of a universal joint, the cone and the twist of a ball
// joint, against closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernel/bad_input.hpp"
#include "kernel/joint_bodies.hpp"

namespace nonsmooth::joint_stops_test {
namespace {

using jointed::exponential;
using jointed::place;

constexpr double kGravity = 9.81, kMass = 3.0, kRadius = 0.05, kFriction = 0.2;
const Eigen::Vector3d kOrigin = Eigen::Vector3d::Zero(), kUp = Eigen::Vector3d::UnitZ();

/// A shaft in a cylindrical joint along z.
struct StoppedShaft {
  static constexpr double kInertia = 0.006;
  NonSmoothDynamicalSystem model;
  JointFrames frames = joint_to_ground(place(kOrigin), kOrigin, kUp);
  SystemHandle shaft;
  InteractionHandle stop;

  StoppedShaft(double fall, double spin, const Eigen::Vector3d& force = kOrigin, double moment = 0.0) {
    const GivenLoad load{.load =
                             [force, moment](double, ConstVectorRef, ConstVectorRef, VectorRef value) {
                               value.head<3>() = force;
                               value.tail<3>() << 0.0, 0.0, moment;
                             },
                         .moment_axes = LoadAxes::Inertial};
    shaft = model.add(RigidBody{.mass = kMass,
                                .inertia = Eigen::Vector3d(0.02, 0.02, kInertia).asDiagonal(),
                                .velocity = {0.0, 0.0, -fall},
                                .angular_velocity = {0.0, 0.0, spin},
                                .loads = {load},
                                .name = "shaft"});
    link_joint(model, {shaft}, CylindricalJoint{frames}, "bushing");
  }
  template <class Stop>
  void link(const Stop& description) {
    stop = model.link(shaft, description, NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 2}, "stop");
  }
};

TEST(CollarStop, AShaftLandsOnItAndIsBraked) {
  // It hits the collar at z = -0.1 with v: the impulses m v and mu m v take mu m v r / J of the spin. Then its weight
  // brakes it by mu m g r / J a second, until it rests.
  const double d = 0.1, spin = 40.0, v = std::sqrt(2.0 * kGravity * d), fall = std::sqrt(2.0 * d / kGravity);
  const double after = spin - kFriction * kMass * v * kRadius / StoppedShaft::kInertia;
  const double brake = kFriction * kMass * kGravity * kRadius / StoppedShaft::kInertia;
  ASSERT_GT(after, 20.0);
  StoppedShaft s(0.0, spin, {0.0, 0.0, -kMass * kGravity});
  s.link(CollarStop{.frames = s.frames, .offset = -d, .radius = kRadius});
  EventDriven exact(s.model, {});
  for (const double t : {0.2, 0.5, 0.7}) {
    ASSERT_TRUE(exact.advance_to(t));
    // The integrator's 1e-10 a step, of a spin of 40.
    EXPECT_NEAR(exact.state().v(s.shaft)[5], after - brake * (t - fall), 1e-7) << t;
    EXPECT_NEAR(exact.state().q(s.shaft)[2], -d, 1e-9) << t;
  }
  const double stop = fall + after / brake;
  ASSERT_TRUE(exact.advance_to(stop + 0.01));
  EXPECT_NEAR(exact.state().v(s.shaft)[5], 0.0, 1e-9);
  const double h = 1e-3;
  TimeStepping steps(s.model, {.step = h});
  Ledger ledger(steps);
  ASSERT_TRUE(steps.advance_to(0.7, [&](const State& state) { ledger.record(state); }));
  // The impact of a step is that of its end: v off by g h, the spin by mu m g h r / J.
  EXPECT_NEAR(steps.state().v(s.shaft)[5], after - brake * (0.7 - fall), 1.01 * brake * h);
  // Friction alone takes the spin: J (w^2 - spin^2) / 2, off by J w times what the spin is off by.
  const double w = after - brake * (0.7 - fall), inertia = StoppedShaft::kInertia;
  EXPECT_NEAR(ledger.total().friction, 0.5 * inertia * (w * w - spin * spin), 1.02 * inertia * w * brake * h);
}

TEST(CollarStop, ARestingShaftTurnsFromItsFrictionOn) {
  const double bound = kFriction * kMass * kGravity * kRadius;
  for (const double part : {0.95, 1.05}) {
    StoppedShaft s(0.0, 0.0, {0.0, 0.0, kMass * kGravity}, part * bound);
    // From above: the collar is over the shaft, which is pressed upwards.
    s.link(CollarStop{.frames = s.frames, .direction = -1.0, .radius = kRadius});
    TimeStepping simulation(s.model, {.step = 1e-3});
    ASSERT_TRUE(simulation.advance_to(0.1));
    const double expected = std::max(0.0, part - 1.0) * bound / StoppedShaft::kInertia * 0.1;
    EXPECT_NEAR(simulation.state().v(s.shaft)[5], expected, 1e-8) << part;
    EXPECT_NEAR(simulation.state().force(s.stop)[0], kMass * kGravity, 1e-6);
  }
}

TEST(KeyStop, AShaftPressedOnItSlidesAlongItsAxisFromItsFrictionOn) {
  // The moment presses with M / r on the side of the key.
  const double moment = 0.8, bound = kFriction * moment / kRadius;
  for (const double part : {0.95, 1.05}) {
    StoppedShaft s(0.0, 0.0, {0.0, 0.0, part * bound}, -moment);
    s.link(KeyStop{.frames = s.frames, .reference = 1.0, .radius = kRadius});
    TimeStepping simulation(s.model, {.step = 1e-3});
    ASSERT_TRUE(simulation.advance_to(0.1));
    EXPECT_NEAR(simulation.state().v(s.shaft)[2], std::max(0.0, part - 1.0) * bound / kMass * 0.1, 1e-8) << part;
    EXPECT_NEAR(simulation.state().v(s.shaft)[5], 0.0, 1e-9);
    EXPECT_NEAR(simulation.state().force(s.stop)[0], moment / kRadius, 1e-6);
  }
}

TEST(KeyStop, AnImpactOnItBrakesTheShaftsWay) {
  // A spin w against the key at 0.6 rad: p_N = J w / r, and mu p_N against the way.
  const double spin = 4.0, speed = 2.0, p = StoppedShaft::kInertia * spin / kRadius;
  StoppedShaft s(speed, spin);
  s.link(KeyStop{.frames = s.frames, .offset = 0.6, .direction = -1.0, .radius = kRadius});
  EventDriven simulation(s.model, {});
  ASSERT_TRUE(simulation.advance_to(0.1));
  EXPECT_NEAR(simulation.state().v(s.shaft)[5], spin, 1e-9);
  ASSERT_TRUE(simulation.advance_to(0.3));
  EXPECT_NEAR(simulation.state().v(s.shaft)[5], 0.0, 1e-9);
  EXPECT_NEAR(simulation.state().v(s.shaft)[2], -speed + kFriction * p / kMass, 1e-9);
}

TEST(UniversalAngle, ItsPinsAreHeldBetweenStops) {
  // On a cross at rest each pin is a hinge: about x (the body's) and y (the ground's), to 0.7 and to -0.4 rad.
  for (const Index pin : {Index{1}, Index{2}}) {
    const Eigen::Vector3d axis = Eigen::Vector3d::Unit(pin - 1);
    const double sense = pin == 1 ? 1.0 : -1.0, angle = pin == 1 ? 0.7 : -0.4, spin = sense * 2.0;
    NonSmoothDynamicalSystem model;
    const auto body = model.add(RigidBody{
        .inertia = Eigen::Vector3d(0.3, 0.4, 0.5).asDiagonal(), .angular_velocity = spin * axis, .name = "body"});
    const JointFrames frames =
        joint_to_ground(place(kOrigin), kOrigin, Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY());
    link_joint(model, {body}, UniversalJoint{frames}, "cross");
    const auto stop =
        model.link(body, UniversalAngle{.frames = frames, .pin = pin, .offset = angle, .direction = -sense},
                   NewtonImpactLaw{.restitution = 0.5}, "stop");
    EventDriven simulation(model, {});
    const double impact = angle / spin;
    ASSERT_TRUE(simulation.advance_to(0.9 * impact));
    EXPECT_NEAR(simulation.state().y(stop)[0], 0.1 * std::abs(angle), 1e-9);
    ASSERT_TRUE(simulation.advance_to(2.0 * impact));
    EXPECT_NEAR(simulation.state().v(body).tail<3>().dot(axis), -0.5 * spin, 1e-9);
    EXPECT_NEAR(simulation.state().y(stop)[0], 0.5 * std::abs(angle), 1e-9);
  }
}

TEST(UniversalAngle, BothAnglesMakeTheRotation) {
  // R = R_y(theta_2) R_x(theta_1), pin 2 along y of the ground and pin 1 along x of the body.
  const JointFrames frames =
      joint_to_ground(place(kOrigin), kOrigin, Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY());
  const auto first = make_relation(UniversalAngle{.frames = frames, .pin = 1});
  const auto second = make_relation(UniversalAngle{.frames = frames, .pin = 2, .offset = 0.1, .direction = -1.0});
  Eigen::VectorXd y = Eigen::VectorXd::Zero(1);
  for (const double one : {-2.5, -0.3, 1.9}) {
    for (const double two : {-1.2, 0.4, 2.8}) {
      const Eigen::VectorXd q =
          place(kOrigin, jointed::times(exponential({0.0, two, 0.0}), exponential({one, 0.0, 0.0})));
      first->h(0.0, q, y);
      EXPECT_NEAR(y[0], one, 1e-14);
      second->h(0.0, q, y);
      EXPECT_NEAR(y[0], 0.1 - two, 1e-14);
    }
  }
}

TEST(CrossStop, RubsAlongTheOtherPin) {
  // Pressed on the stop of one pin by M about it, p_N = M / radius, the body turns on the other from slip_radius mu p_N
  // on. Moments in the body's axes: x is pin 1, y is pin 2 while theta_1 = 0. For pin 2 the body is held at theta_2 =
  // 0.
  const double moment = 0.8, radius = 0.04, slip_radius = 0.06, J = 0.3;
  const double bound = slip_radius * kFriction * moment / radius;
  for (const Index pin : {Index{1}, Index{2}}) {
    for (const double part : {0.95, 1.05}) {
      const Eigen::Vector3d along = Eigen::Vector3d::Unit(pin - 1), across = Eigen::Vector3d::Unit(2 - pin);
      const Eigen::Vector3d total = -moment * along + part * bound * across;
      const GivenLoad load{
          .load = [total](double, ConstVectorRef, ConstVectorRef, VectorRef value) { value << kOrigin, total; },
          .moment_axes = LoadAxes::Body};
      NonSmoothDynamicalSystem model;
      const auto body =
          model.add(RigidBody{.inertia = Eigen::Vector3d(J, J, J).asDiagonal(), .loads = {load}, .name = "body"});
      const JointFrames frames =
          joint_to_ground(place(kOrigin), kOrigin, Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY());
      link_joint(model, {body}, UniversalJoint{frames}, "cross");
      const auto stop =
          model.link(body, CrossStop{.frames = frames, .pin = pin, .radius = radius, .slip_radius = slip_radius},
                     NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 2}, "stop");
      TimeStepping simulation(model, {.step = 1e-3});
      ASSERT_TRUE(simulation.advance_to(0.1));
      const Eigen::Vector3d spin = simulation.state().v(body).tail<3>();
      // In 0.1 s the body turns by 1e-4 rad at most, by which loads in its axes and pins differ.
      EXPECT_NEAR(spin.dot(across), std::max(0.0, part - 1.0) * bound / J * 0.1, 1e-6) << pin << ' ' << part;
      EXPECT_NEAR(spin.dot(along), 0.0, 1e-6);
      EXPECT_NEAR(simulation.state().force(stop)[0], moment / radius, 1e-3);
    }
  }
}

TEST(RimStop, SlipIsThatOfThePointOnTheStud) {
  // The point r a + rho d of the first body against that of the second, along a x d, where the stud touches; and the
  // bias is the change of H v while both bodies turn steadily.
  const double limit = 0.8, r = 0.3, rho = 0.05;
  const JointFrames frames{.first = {.axis = Eigen::Vector3d::UnitX()}, .second = {.axis = {0.2, -0.4, 1.0}}};
  const auto stop = make_relation(RimStop{.frames = frames, .limit = limit, .radius = r, .stud_radius = rho});
  ASSERT_EQ(stop->rows(), 2);
  const Eigen::Vector4d Q2 = exponential({0.3, -0.7, 0.4});
  const Eigen::Vector3d b = jointed::turned(Q2, frames.second.axis.normalized());
  const Eigen::Vector3d beside = jointed::cross(b, Eigen::Vector3d(1.0, 0.3, -0.2)).normalized();
  const Eigen::Vector3d a = std::cos(limit) * b + std::sin(limit) * jointed::cross(beside, b);
  // From x to a by the half-way turn, then about a by any angle.
  const Eigen::Vector3d half_way = (Eigen::Vector3d::UnitX() + a).normalized();
  Eigen::Vector4d Q1;
  Q1 << half_way[0], jointed::cross(Eigen::Vector3d::UnitX(), half_way);
  Q1 = jointed::times(Q1, exponential({1.3, 0.0, 0.0}));
  Eigen::VectorXd q(14), v(12), y = Eigen::VectorXd::Zero(2);
  q << place(kOrigin, Q1), place(kOrigin, Q2);
  v << Eigen::Vector3d::Zero(), 0.7, -1.1, 0.4, Eigen::Vector3d::Zero(), -0.3, 0.9, 0.5;
  const Eigen::Vector3d omega = jointed::turned(Q1, v.segment<3>(3)) - jointed::turned(Q2, v.segment<3>(9));
  const Eigen::Vector3d d = (a * std::cos(limit) - b) / std::sin(limit), t = jointed::cross(a, d);
  stop->h(0.0, q, y);
  EXPECT_NEAR(y[0], 0.0, 1e-14);
  EXPECT_EQ(y[1], 0.0);
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(2, 12);
  stop->H(0.0, q, H);
  const Eigen::Vector2d u = H * v;
  EXPECT_NEAR(u[0], -d.dot(jointed::cross(omega, r * a)), 1e-14);  // the normal of the rim is -d
  EXPECT_NEAR(u[1], t.dot(jointed::cross(omega, r * a + rho * d)), 1e-14);
  Eigen::VectorXd bias = Eigen::VectorXd::Zero(2);
  stop->curvature(0.0, q, v, bias);
  const double s = 1e-5;  // s^2 third derivatives and eps / s: 1e-10
  const auto rates_at = [&](double at) {
    Eigen::VectorXd moved = q;
    jointed::move(moved, at * v);
    Eigen::MatrixXd there = Eigen::MatrixXd::Zero(2, 12);
    stop->H(0.0, moved, there);
    return Eigen::Vector2d(there * v);
  };
  const Eigen::Vector2d change = (rates_at(s) - rates_at(-s)) / (2.0 * s);
  EXPECT_NEAR(bias[0], change[0], 1e-9);
  EXPECT_NEAR(bias[1], change[1], 1e-9);
}

TEST(RimStop, AStudThatRunsRoundTheRimIsBraked) {
  // Stud and socket at a right angle, the stud thin: it runs round at phi', pressed outward by M, p_N = M / r, braked
  // by r mu p_N: phi'' = -mu M / J until it rests. J is the same about every axis: no gyroscopic moment.
  const double moment = 0.6, J = 0.2, round = 3.0, brake = kFriction * moment / J;
  for (const double r : {0.1, 0.4}) {
    NonSmoothDynamicalSystem model;
    // x is the stud, z the socket's axis; z x x = y turns the stud outward.
    const GivenLoad load{.load = [moment](double, ConstVectorRef, ConstVectorRef,
                                          VectorRef value) { value << kOrigin, 0.0, moment, 0.0; },
                         .moment_axes = LoadAxes::Body};
    const auto stud = model.add(RigidBody{.inertia = Eigen::Vector3d(J, J, J).asDiagonal(),
                                          .angular_velocity = {0.0, 0.0, round},
                                          .loads = {load},
                                          .name = "stud"});
    link_joint(model, {stud}, BallJoint{}, "ball");
    const JointFrames frames{.first = {.axis = Eigen::Vector3d::UnitX()}, .second = {.axis = kUp}};
    const auto stop = model.link(stud, RimStop{.frames = frames, .limit = 0.5 * std::numbers::pi, .radius = r},
                                 NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 2}, "rim");
    for (const bool by_events : {false, true}) {
      const double T = 1.0;
      const auto check = [&](const State& state, double tolerance) {
        EXPECT_NEAR(state.v(stud)[5], round - brake * T, tolerance) << r << ' ' << by_events;
        EXPECT_NEAR(state.v(stud).segment<2>(3).norm(), 0.0, tolerance) << r << ' ' << by_events;
        EXPECT_NEAR(state.force(stop)[0], moment / r, 100.0 * tolerance);
      };
      if (by_events) {
        EventDriven simulation(model, {});
        ASSERT_TRUE(simulation.advance_to(T));
        check(simulation.state(), 1e-7);  // of the integrator, 1e-10 a step
      } else {
        TimeStepping simulation(model, {.step = 1e-3});
        const RunReport report = simulation.advance_to(T);
        ASSERT_TRUE(report) << report.message();
        check(simulation.state(), 1e-6);  // a solver's 1e-10 a step, and the drift of the rim
      }
    }
  }
}

TEST(BallSwing, ABallJointReboundsFromItsCone) {
  // A ball that swings freely at w, beta = w t: u = -w at the limit, whatever the way there, and e w back.
  const double limit = 0.8, spin = 2.0, e = 0.6;
  for (const double about : {0.0, 1.1}) {
    const Eigen::Vector3d axis(std::cos(about), std::sin(about), 0.0);
    NonSmoothDynamicalSystem model;
    const auto ball = model.add(
        RigidBody{.inertia = 0.3 * Eigen::Matrix3d::Identity(), .angular_velocity = spin * axis, .name = "ball"});
    const JointFrames frames = joint_to_ground(place(kOrigin), kOrigin, kUp);
    link_joint(model, {ball}, BallJoint{frames}, "joint");
    const auto cone =
        model.link(ball, BallSwing{.frames = frames, .limit = limit}, NewtonImpactLaw{.restitution = e}, "cone");
    EventDriven simulation(model, {});
    ASSERT_TRUE(simulation.advance_to(0.1));
    EXPECT_NEAR(simulation.state().y(cone)[0], (std::cos(0.1 * spin) - std::cos(limit)) / std::sin(limit), 1e-9);
    ASSERT_TRUE(simulation.advance_to(0.99 * limit / spin));
    EXPECT_LE((simulation.state().v(ball).tail<3>() - spin * axis).norm(), 1e-9);
    ASSERT_TRUE(simulation.advance_to(1.5 * limit / spin));
    EXPECT_LE((simulation.state().v(ball).tail<3>() + e * spin * axis).norm(), 1e-9);
  }
}

TEST(BallSwing, RestsOnItsConeWithTheMomentOfItsWeight) {
  // A bob on a ball joint, hung out to the side: the cone about the downward axis holds it at limit with m g l sin.
  const double limit = 0.6, l = 0.4, m = 2.0;
  const Eigen::Vector4d turn = exponential({limit, 0.0, 0.0});
  const Eigen::Vector3d centre = jointed::turned(turn, {0.0, 0.0, l});
  NonSmoothDynamicalSystem model;
  // Upright, which falls outwards: the axis of the ground is up.
  const auto bob = model.add(RigidBody{.mass = m,
                                       .inertia = 0.02 * Eigen::Matrix3d::Identity(),
                                       .position = centre,
                                       .orientation = turn,
                                       .gravity = {0.0, 0.0, -kGravity},
                                       .name = "bob"});
  JointFrames frames = joint_to_ground(place(centre, turn), kOrigin, kUp);
  frames.first.axis = kUp;  // in the body: along the rod
  link_joint(model, {bob}, BallJoint{frames}, "joint");
  const auto cone = model.link(bob, BallSwing{.frames = frames, .limit = limit}, NewtonImpactLaw{});
  TimeStepping simulation(model, {.step = 1e-3});
  ASSERT_TRUE(simulation.advance_to(0.1));
  EXPECT_NEAR(simulation.state().force(cone)[0], m * kGravity * l * std::sin(limit), 1e-6);
  EXPECT_NEAR(simulation.state().y(cone)[0], 0.0, 1e-9);
}

TEST(BallSwing, TheTwistOfABallJointIsItsHingeAngle) {
  // Swung by 0.9 about an axis in the plane, then twisted: the angle is the twist alone, in the ground's frame.
  const JointFrames frames = joint_to_ground(place(kOrigin), kOrigin, kUp);
  const auto twist = make_relation(HingeAngle{.frames = frames});
  Eigen::VectorXd y = Eigen::VectorXd::Zero(1);
  for (const double angle : {-2.0, -0.3, 1.1}) {
    for (const double about : {0.0, 0.7, 2.2}) {
      const Eigen::Vector3d swing = 0.9 * Eigen::Vector3d(std::cos(about), std::sin(about), 0.0);
      twist->h(0.0, place(kOrigin, jointed::times(exponential(swing), exponential(angle * kUp))), y);
      EXPECT_NEAR(y[0], angle, 1e-14);
    }
  }
  // A stop there lets a ball of one inertia, which turns about its upright axis, twist to 0.5 and no farther.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(
      RigidBody{.inertia = 0.3 * Eigen::Matrix3d::Identity(), .angular_velocity = {0.0, 0.0, 2.0}, .name = "ball"});
  link_joint(model, {ball}, BallJoint{frames}, "joint");
  model.link(ball, HingeAngle{.frames = frames, .offset = 0.5, .direction = -1.0},
             NewtonImpactLaw{.restitution = 0.25});
  EventDriven simulation(model, {});
  ASSERT_TRUE(simulation.advance_to(0.24));
  EXPECT_NEAR(simulation.state().v(ball)[5], 2.0, 1e-9);
  ASSERT_TRUE(simulation.advance_to(0.3));
  EXPECT_NEAR(simulation.state().v(ball)[5], -0.5, 1e-9);
}

TEST(JointStops, AreRefusedByTheirFields) {
  using bad_input::expect_refused;
  const JointFrames frames = joint_to_ground(place(kOrigin), kOrigin);
  expect_refused([&] { (void)make_relation(CollarStop{.frames = frames}); }, {"CollarStop::radius", "0"});
  expect_refused([&] { (void)make_relation(CollarStop{.frames = frames, .direction = 2.0, .radius = 0.1}); },
                 {"CollarStop::direction", "1 or -1"});
  expect_refused([&] { (void)make_relation(CollarStop{.frames = frames, .offset = bad_input::kNaN, .radius = 0.1}); },
                 {"CollarStop::offset"});
  expect_refused([] { (void)make_relation(CollarStop{.radius = 0.1}); }, {"CollarStop::frames.first.normal"});
  expect_refused([&] { (void)make_relation(KeyStop{.frames = frames, .radius = -0.1}); }, {"KeyStop::radius", "-0.1"});
  expect_refused([&] { (void)make_relation(KeyStop{.frames = frames, .offset = 4.0, .radius = 0.1}); },
                 {"KeyStop::offset", "4"});
  expect_refused([&] { (void)make_relation(KeyStop{.frames = frames, .direction = 0.0, .radius = 0.1}); },
                 {"KeyStop::direction", "1 or -1"});
  expect_refused([&] { (void)make_relation(UniversalAngle{.frames = frames, .pin = 3}); },
                 {"UniversalAngle::pin", "3"});
  expect_refused([&] { (void)make_relation(UniversalAngle{.frames = frames, .offset = -4.0}); },
                 {"UniversalAngle::offset", "-4"});
  for (const double limit : {0.0, -1.0, 3.5})
    expect_refused([&] { (void)make_relation(BallSwing{.frames = frames, .limit = limit}); }, {"BallSwing::limit"});
  Eigen::VectorXd y = Eigen::VectorXd::Zero(1);
  // The body's axis turned onto the ground's normal.
  const JointFrames along = joint_to_ground(place(kOrigin), kOrigin, kUp, Eigen::Vector3d::UnitX());
  const auto lost = make_relation(UniversalAngle{.frames = along});
  expect_refused(
      [&] {
        lost->h(0.0, place(kOrigin, exponential({0.0, 0.5 * std::numbers::pi, 0.0})), y);
      },
      {"pins of a cross in one line"});
}

}  // namespace
}  // namespace nonsmooth::joint_stops_test
