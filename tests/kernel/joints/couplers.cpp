// SPDX-License-Identifier: Apache-2.0
// Coordinates bound to one another at any ratio: sliders, a rope on a drum, a finger, in space and in the plane.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "kernel/bad_input.hpp"
#include "kernel/joint_bodies.hpp"

namespace nonsmooth::couplers_test {
namespace {

using bad_input::expect_refused;
using bad_input::kNaN;
using jointed::exponential;
using jointed::place;

constexpr double kTurn = 2.0 * std::numbers::pi, kGravity = 9.81;
const Eigen::Vector3d kOrigin = Eigen::Vector3d::Zero(), kUp = Eigen::Vector3d::UnitZ(),
                      kRight = Eigen::Vector3d::UnitX();

/// Two weights on vertical guides, z_1 = ratio z_2: (m_1 ratio^2 + m_2) z_2'' = -(m_1 ratio + m_2) g, and the coupler
/// carries m_1 (z_1'' + g).
struct Weights {
  static constexpr double kFirst = 2.0, kSecond = 3.0, kRatio = -0.75;
  static constexpr double kAcceleration =
      -kGravity * (kFirst * kRatio + kSecond) / (kFirst * kRatio * kRatio + kSecond);
  NonSmoothDynamicalSystem model;
  SystemHandle first, second;
  InteractionHandle coupler;

  explicit Weights(double offset = 0.0) {
    first = weight(kFirst, kOrigin, "first");
    second = weight(kSecond, kRight, "second");
    coupler = link_joint(model, {first, second},
                         Coupler{.first = SliderPosition{.frames = frames_at(kOrigin), .offset = -offset},
                                 .second = SliderPosition{.frames = frames_at(kRight)},
                                 .ratio = kRatio,
                                 .offset = offset},
                         "coupler");
  }
  [[nodiscard]] static JointFrames frames_at(const Eigen::Vector3d& at) {
    return joint_to_ground(place(at), at, kUp, kRight);
  }
  SystemHandle weight(double mass, const Eigen::Vector3d& at, const std::string& name) {
    const SystemHandle body =
        model.add(RigidBody{.mass = mass, .position = at, .gravity = {0.0, 0.0, -kGravity}, .name = name});
    link_joint(model, {body}, SliderJoint{frames_at(at)}, name + "'s guide");
    return body;
  }
};

TEST(Coupler, SlidersMoveTogetherAtARatio) {
  const double T = 1.0, way = 0.5 * Weights::kAcceleration * T * T;
  // Offsets of the coordinate and of the coupler make up for each other.
  for (const double offset : {0.0, 0.3}) {
    const Weights w(offset);
    const auto expect = [&](const State& state, double tolerance) {
      EXPECT_NEAR(state.q(w.second)[2], way, tolerance);
      EXPECT_NEAR(state.q(w.first)[2], Weights::kRatio * way, tolerance);
      EXPECT_NEAR(state.force(w.coupler)[0], Weights::kFirst * (Weights::kRatio * Weights::kAcceleration + kGravity),
                  1e2 * tolerance);
    };
    // Rates that are constant are exact in both but for the rounding of 100 steps, and of solutions to 1e-12 or so.
    TimeStepping stepping(w.model, {.step = 1e-2});
    ASSERT_TRUE(stepping.advance_to(T));
    expect(stepping.state(), 1e-9);
    EventDriven events(w.model);
    ASSERT_TRUE(events.advance_to(T));
    expect(events.state(), 1e-9);
  }
}

/// A weight on a rope off a drum of radius r: z = r theta, theta'' = -m g r / (J + m r^2).
struct Drum {
  static constexpr double kMass = 1.0, kInertia = 0.02, kRadius = 0.0731;
  static constexpr double kSpinUp = -kMass * kGravity * kRadius / (kInertia + kMass * kRadius * kRadius);
  NonSmoothDynamicalSystem model;
  SystemHandle drum, weight;
  InteractionHandle rope;

  explicit Drum(bool drum_first) {
    const Eigen::Vector3d axle = Eigen::Vector3d::UnitY();
    drum = model.add(RigidBody{.inertia = kInertia * Eigen::Matrix3d::Identity(), .name = "drum"});
    weight =
        model.add(RigidBody{.mass = kMass, .position = kRight, .gravity = {0.0, 0.0, -kGravity}, .name = "weight"});
    const JointFrames pin = joint_to_ground(place(kOrigin), kOrigin, axle, kRight);
    const JointFrames guide = joint_to_ground(place(kRight), kRight, kUp, kRight);
    link_joint(model, {drum}, HingeJoint{pin}, "pin");
    link_joint(model, {weight}, SliderJoint{guide}, "guide");
    const HingeAngle turn{.frames = pin, .turns = 0};
    const SliderPosition way{.frames = guide};
    rope = drum_first ? link_joint(model, {drum, weight}, Coupler{turn, way, 1.0 / kRadius}, "rope")
                      : link_joint(model, {weight, drum}, Coupler{way, turn, kRadius}, "rope");
  }
};

TEST(Coupler, RopeRunsOffADrumForAnyNumberOfTurns) {
  const double T = 3.0, turned = 0.5 * Drum::kSpinUp * T * T;
  ASSERT_GT(std::abs(turned), 20.0 * kTurn);
  for (const bool drum_first : {false, true}) {
    const Drum d(drum_first);
    const auto expect = [&](const State& state, double tolerance) {
      EXPECT_NEAR(state.q(d.weight)[2], Drum::kRadius * turned, tolerance);
      EXPECT_NEAR(state.v(d.drum)[4], Drum::kSpinUp * T, tolerance / Drum::kRadius);
      EXPECT_NEAR(state.y(d.rope)[0], 0.0, tolerance / Drum::kRadius);  // no turn was lost
    };
    // Turns about a principal axis are exact: 3000 steps add the rounding of a way of 9 m, 1e-15, up to 1e-11.
    TimeStepping stepping(d.model, {.step = 1e-3});
    ASSERT_TRUE(stepping.advance_to(T));
    expect(stepping.state(), 1e-9);
    // The integrator: 1e-10 a step in quaternions, some hundreds of them.
    EventDriven events(d.model);
    ASSERT_TRUE(events.advance_to(T));
    expect(events.state(), 1e-6);
  }
}

/// A finger on the ground whose second joint turns by 0.8 of the first, which a motor turns.
struct Finger {
  static constexpr double kRatio = 0.8;
  NonSmoothDynamicalSystem model;
  SystemHandle proximal, distal;

  explicit Finger(bool driven) {
    const Eigen::Vector3d knuckle(0.2, 0.0, 0.0), tip(0.3, 0.0, 0.0), across = Eigen::Vector3d::UnitY();
    proximal = model.add(RigidBody{.mass = 0.3, .inertia = 1e-3 * Eigen::Matrix3d::Identity(), .name = "proximal"});
    distal = model.add(
        RigidBody{.mass = 0.2, .inertia = 5e-4 * Eigen::Matrix3d::Identity(), .position = tip, .name = "distal"});
    const JointFrames base = joint_to_ground(place(kOrigin), kOrigin, across, kRight);
    const JointFrames joint = joint_between(place(tip), place(kOrigin), knuckle, across, kRight);
    link_joint(model, {proximal}, HingeJoint{base}, "base");
    link_joint(model, {distal, proximal}, HingeJoint{joint}, "joint");
    link_joint(model, {proximal, distal},
               Coupler{.first = HingeAngle{.frames = joint},
                       .second = HingeAngle{.frames = base},
                       .ratio = kRatio,
                       .first_bodies = {1, 0},
                       .second_bodies = {0, 2}},
               "mimic");
    if (driven) model.link(proximal, HingeMotor{.frames = base, .angle = angle, .velocity = rate}, EqualityLaw{});
  }
  static double angle(double t) { return 0.6 * (1.0 - std::cos(2.0 * t)); }
  static double rate(double t) { return 1.2 * std::sin(2.0 * t); }
};

TEST(Coupler, JointMimicsAnotherOnAChain) {
  const Finger f(true);
  EventDriven simulation(f.model);
  for (const double t : {0.4, 0.9, 1.5}) {
    ASSERT_TRUE(simulation.advance_to(t));
    const auto q = simulation.state().q(f.distal);
    // As seen from space both turns add up.
    EXPECT_NEAR(2.0 * std::atan2(q[5], q[3]), (1.0 + Finger::kRatio) * Finger::angle(t), 1e-8);
    EXPECT_NEAR(simulation.state().v(f.distal)[4], (1.0 + Finger::kRatio) * Finger::rate(t), 1e-7);
  }
}

TEST(Coupler, DerivativesAreThoseOfItsRow) {
  // Anywhere, as Newton's iterates are: all bodies moved and turned off their joints, with any velocities.
  const auto verify = [](const NonSmoothDynamicalSystem& model) {
    State state = model.initial_state();
    for (Index i = 0; 7 * i < state.positions.size(); ++i) {
      const double s = 0.1 * static_cast<double>(i + 1);
      state.positions.segment<3>(7 * i) += Eigen::Vector3d(s, -0.5 * s, 2.0 * s);
      state.positions.segment<4>(7 * i + 3) = exponential({2.0 * s, -s, 3.0 * s});
    }
    for (Index i = 0; i < state.unknowns.size(); ++i) state.unknowns[i] = std::sin(1.0 + static_cast<double>(i));
    update_outputs(model, state);
    EXPECT_NO_THROW(verify_jacobians(model, state));
  };
  verify(Weights().model);
  verify(Drum(true).model);
  verify(Drum(false).model);
  verify(Finger(false).model);
}

TEST(Coupler, CountedAngleStandsBesideOneInARange) {
  // A worm and the sector that it turns; the worm counts 12 turns either way. Values to some eps of 80.
  const JointFrames pin = joint_to_ground(place(kOrigin), kOrigin);
  const double ratio = 50.3;
  const auto worm =
      make_relation(Coupler{HingeAngle{.frames = pin, .turns = 0}, HingeAngle{.frames = pin}, ratio, 0.25});
  EXPECT_TRUE(worm->follows_outputs());
  EXPECT_FALSE(make_relation(Coupler{HingeAngle{.frames = pin}, HingeAngle{.frames = pin}})->follows_outputs());
  Eigen::VectorXd y = Eigen::VectorXd::Constant(1, kNaN);
  for (int k = 0; k <= 1500; ++k) {
    const double sector = 1e-3 * k, turned = ratio * sector + 1e-2;
    Eigen::VectorXd q(14);
    q << place(kOrigin, exponential(turned * kUp)), place(kOrigin, exponential(sector * kUp));
    worm->h(0.0, q, y);
    ASSERT_NEAR(y[0], 1e-2 - 0.25, 1e-12) << k;
  }
}

TEST(Coupler, StepsOfHalfATurnAndMoreAreTold) {
  // A stop between a rotor and a slide at rest, y = +-(theta or r theta) + 1e4 turns. 800 rad/s and 5 ms: 4 rad, 0.637
  // turns a step; 600 rad/s: 3 rad, which is below pi. In the units of y half a turn is pi or r pi.
  const double r = 0.0731, far = 1e4 * kTurn;
  for (const bool rotor_first : {true, false}) {
    for (const double spin : {600.0, 800.0}) {
      NonSmoothDynamicalSystem model;
      const SystemHandle rotor = model.add(RigidBody{.inertia = Eigen::Vector3d(0.2, 0.3, 0.4).asDiagonal(),
                                                     .angular_velocity = {0.0, 0.0, spin},
                                                     .name = "rotor"});
      const SystemHandle slide = model.add(RigidBody{.position = kRight, .name = "slide"});
      const JointFrames pin = joint_to_ground(place(kOrigin), kOrigin);
      link_joint(model, {rotor}, HingeJoint{pin}, "pin");
      const HingeAngle turn{.frames = pin, .turns = 0};
      const SliderPosition way{.frames = joint_to_ground(place(kRight), kRight, kUp, kRight)};
      const InteractionHandle stop =
          rotor_first ? model.link({rotor, slide}, Coupler{turn, way, 1.0, -far}, NewtonImpactLaw{0.5}, "stop")
                      : model.link({slide, rotor}, Coupler{way, turn, r, -far}, NewtonImpactLaw{0.5}, "stop");
      TimeStepping simulation(model, {.step = 5e-3});
      const RunReport report = simulation.advance_to(0.1);
      ASSERT_TRUE(report) << report.message();
      if (spin < 700.0) {
        EXPECT_TRUE(report.findings.empty());
        // 20 roundings of 6e4 are below 1e-9.
        EXPECT_NEAR(simulation.state().y(stop)[0], far + (rotor_first ? 1.0 : -r) * spin * 0.1, 1e-8);
        continue;
      }
      ASSERT_EQ(report.findings.size(), 1u);
      const RunRemark& told = report.findings[0];
      EXPECT_EQ(told.kind, RunRemark::Kind::TurnUnknown);
      EXPECT_EQ(told.subject, "stop");
      EXPECT_EQ(told.count, 20);
      EXPECT_NEAR(told.worst, 4.0 / kTurn, 1e-12);
    }
  }
}

TEST(Coupler, OfThePlaneCountsBothAngles) {
  // The drum with its weight, and a second drum that the first one drives at an irrational ratio: theta_1 = ratio
  // theta_2, theta_2'' = -m g r / (J + m r^2 + J ratio^2).
  const double J = Drum::kInertia, m = Drum::kMass, r = Drum::kRadius, ratio = std::numbers::sqrt2;
  NonSmoothDynamicalSystem model;
  const auto other = model.add(PlanarBody{.inertia = J, .name = "other"});
  const auto drum = model.add(PlanarBody{.inertia = J, .name = "drum"});
  const auto weight = model.add(PlanarBody{.mass = m, .gravity = {0.0, -kGravity}, .name = "weight"});
  const Eigen::Vector3d q = Eigen::Vector3d::Zero();
  const PlanarFrames pin = planar_joint_to_ground(q, {0.0, 0.0});
  const PlanarFrames guide = planar_joint_to_ground(q, {0.0, 0.0}, 0.25 * kTurn);
  for (const auto& wheel : {other, drum}) link_joint(model, {wheel}, PlanarHinge{pin});
  link_joint(model, {weight}, PlanarSlider{guide});
  link_joint(model, {weight, drum}, PlanarCoupler{PlanarPosition{guide}, PlanarAngle{pin}, r}, "rope");
  link_joint(model, {other, drum}, PlanarCoupler{PlanarAngle{pin}, PlanarAngle{pin}, ratio}, "belt");
  const double T = 3.0, turned = -0.5 * m * kGravity * r / (J + m * r * r + J * ratio * ratio) * T * T;
  ASSERT_GT(std::abs(turned), 5.0 * kTurn);
  const auto expect = [&](const State& state) {  // linear: exact but for rounding
    EXPECT_NEAR(state.q(drum)[2], turned, 1e-9);
    EXPECT_NEAR(state.q(other)[2], ratio * turned, 1e-9);
    EXPECT_NEAR(state.q(weight)[1], r * turned, 1e-9);
  };
  TimeStepping stepping(model, {.step = 1e-2});
  ASSERT_TRUE(stepping.advance_to(T));
  expect(stepping.state());
  EventDriven events(model);
  ASSERT_TRUE(events.advance_to(T));
  expect(events.state());
}

TEST(Coupler, RefusesByNames) {
  const JointFrames pin = joint_to_ground(place(kOrigin), kOrigin);
  const HingeAngle angle{.frames = pin}, counted{.frames = pin, .turns = 0};
  const SliderPosition way{.frames = pin};
  expect_refused([&] { (void)make_relation(Coupler{angle, way, 0.0}); }, {"Coupler::ratio", "0"});
  expect_refused([&] { (void)make_relation(Coupler{angle, way, 1.0, kNaN}); }, {"Coupler::offset"});
  expect_refused(
      [&] {
        (void)make_relation(Coupler{counted, counted});
      },
      {"Coupler", "two angles that count their turns", "GearJoint"});
  expect_refused(
      [&] {
        (void)make_relation(Coupler{.first = angle, .second = way, .first_bodies = {1, 1}});
      },
      {"Coupler::first_bodies", "1 twice"});
  expect_refused(
      [&] {
        (void)make_relation(Coupler{.first = angle, .second = way, .second_bodies = {1, -1}});
      },
      {"Coupler::second_bodies", "-1"});
  SliderPosition sideways = way;
  sideways.direction = 2.0;
  expect_refused([&] { (void)make_relation(Coupler{angle, sideways}); }, {"Coupler::second.direction", "2"});
  HingeAngle outside = angle;
  outside.offset = 4.0;
  expect_refused([&] { (void)make_relation(Coupler{outside, way}); }, {"Coupler::first::offset", "4"});
  expect_refused(
      [&] {
        (void)make_relation(PlanarCoupler{PlanarAngle{}, PlanarAngle{}, 0.0});
      },
      {"PlanarCoupler::ratio"});
  NonSmoothDynamicalSystem model;
  const auto a = model.add(RigidBody{}), b = model.add(RigidBody{}), c = model.add(RigidBody{});
  const auto flat = model.add(PlanarBody{});
  expect_refused(
      [&] {
        model.link({a}, Coupler{angle, way}, EqualityLaw{});
      },
      {"Coupler::second_bodies", "place 1 of 1 bodies"});
  expect_refused(
      [&] {
        model.link({a, b, c}, Coupler{.first = angle, .second = way, .first_bodies = {0, 3}, .second_bodies = {1, 3}},
                   EqualityLaw{});
      },
      {"a coupler's bodies", "body 2, of which it has no coordinate"});
  expect_refused([&] { model.link({a, flat}, Coupler{angle, way}, EqualityLaw{}); }, {"a coupler's bodies"});
  // A screw of one body.
  EXPECT_NO_THROW(model.link(
      {a}, Coupler{.first = counted, .second = way, .ratio = 30.0, .first_bodies = {0, 1}, .second_bodies = {0, 1}},
      EqualityLaw{}));
}

}  // namespace
}  // namespace nonsmooth::couplers_test
