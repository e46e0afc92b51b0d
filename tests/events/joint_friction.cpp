// SPDX-License-Identifier: Apache-2.0
// Friction in joints by their own reactions, by events, against closed forms and a quadrature of its own.
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "event_log.hpp"

namespace nonsmooth::joint_friction_events_test {
namespace {

using namespace event_log;
using Eigen::Vector3d;

/// (position, quaternion) of a body that lies as space does.
const Eigen::VectorXd kOrigin = (Eigen::VectorXd(7) << 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0).finished();

GivenLoad moment_of_time(const std::function<double(double)>& moment) {
  return {.load = [moment](double t, ConstVectorRef, ConstVectorRef, VectorRef load) { load[5] = moment(t); },
          .moment_axes = LoadAxes::Inertial};
}

/// A wheel in the plane on a hinge at its centre, under its weight and a moment.
struct Wheel {
  static constexpr double kMass = 3.0, kInertia = 0.4, kFriction = 0.2, kRadius = 0.05;
  static constexpr double kBound = kFriction * kRadius * kMass * kGravity;
  NonSmoothDynamicalSystem model;
  SystemHandle wheel;
  InteractionHandle hinge;

  explicit Wheel(double spin, const std::function<double(double)>& moment = {}) {
    PlanarBody body{.mass = kMass, .inertia = kInertia, .angular_velocity = spin, .gravity = {0.0, -kGravity}};
    if (moment) body.loads = {moment_of_time(moment)};
    wheel = model.add(body);
    hinge = model.link(wheel, PlanarFrictionalHinge{planar_joint_to_ground(Vector3d::Zero(), {0.0, 0.0})},
                       PlanarHingeFrictionLaw{.friction = kFriction, .radius = kRadius}, "hinge");
  }
};

TEST(JointFrictionByEvents, AWheelSpinsDownByItsWeightAndStops) {
  for (const double spin : {2.0, -1.3}) {
    const double deceleration = Wheel::kBound / Wheel::kInertia, stop = std::abs(spin) / deceleration;
    const Wheel w(spin);
    EventDriven simulation(w.model);
    run_to(simulation, 0.5 * stop);
    EXPECT_NEAR(simulation.state().v(w.wheel)[2], 0.5 * spin, 1e-10);
    EXPECT_NEAR(simulation.state().force(w.hinge)[2], std::copysign(Wheel::kBound, -spin), 1e-10);
    run_to(simulation, 1.5 * stop);
    expect_times(times_of(simulation, EventKind::Stick), {stop}, 1e-9);
    EXPECT_TRUE(times_of(simulation, EventKind::Slip).empty());  // it slips from the start on
    EXPECT_EQ(events_of(simulation, EventKind::Stick).front().row, 2);
    EXPECT_LE(simulation.state().v(w.wheel).norm(), 1e-10);
    EXPECT_NEAR(simulation.state().q(w.wheel)[2], 0.5 * spin * stop, 1e-9);
    EXPECT_NEAR(simulation.state().force(w.hinge)[2], 0.0, 1e-9);
  }
}

TEST(JointFrictionByEvents, AMomentThatGrowsTurnsTheWheelFromItsBoundOn) {
  // Held to t = 1, then J w' = bound (t - 1), either way.
  for (const double sign : {1.0, -1.0}) {
    const Wheel w(0.0, [sign](double t) { return sign * t * Wheel::kBound; });
    EventDriven simulation(w.model);
    run_to(simulation, 1.4);
    expect_times(times_of(simulation, EventKind::Slip), {1.0}, 1e-9);
    EXPECT_NEAR(simulation.state().v(w.wheel)[2], sign * Wheel::kBound * 0.08 / Wheel::kInertia, 1e-9);
  }
}

/// A rod pendulum in the plane: its equation, with |R| of the motion itself.
struct Pendulum {
  static constexpr double kMass = 2.0, kArm = 0.4, kInertia = 0.05, kFriction = 0.3, kRadius = 0.06, kStart = 1.2;

  [[nodiscard]] static double turning(double theta, double omega, double direction) {
    double reaction = kMass * kGravity, result = 0.0;
    // What friction changes of R is mu r m l / (J + m l^2) = 4 % of itself: a contraction, to round-off.
    for (int i = 0; i < 14; ++i) {
      result = (-kMass * kGravity * kArm * std::sin(theta) - direction * kFriction * kRadius * reaction) /
               (kInertia + kMass * kArm * kArm);
      reaction = kMass * std::hypot(kArm * result + kGravity * std::sin(theta),
                                    kGravity * std::cos(theta) + kArm * omega * omega);
    }
    return result;
  }
  /// From rest at theta until it stops, by the classical method in steps of 1e-4 s: 1e-14 an orbit. The last step's
  /// length by the secant rule.
  struct Swing {
    double theta, time;
  };
  [[nodiscard]] static Swing swing(double theta) {
    const double direction = theta > 0.0 ? -1.0 : 1.0;
    double omega = 0.0, t = 0.0;
    const auto step = [&](double h, double& q, double& v) {
      const double k1 = turning(q, v, direction), k2 = turning(q + 0.5 * h * v, v + 0.5 * h * k1, direction);
      const double v3 = v + 0.5 * h * k2, k3 = turning(q + 0.5 * h * (v + 0.5 * h * k1), v3, direction);
      const double v4 = v + h * k3, k4 = turning(q + h * v3, v4, direction);
      q += h / 6.0 * (v + 2.0 * (v + 0.5 * h * k1) + 2.0 * v3 + v4);
      v += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    };
    for (double h = 1e-4;;) {
      double q = theta, v = omega;
      step(h, q, v);
      if (direction * v > 0.0) {
        theta = q, omega = v, t += h;
        continue;
      }
      if (h < 1e-15) return {theta, t};
      h *= 0.5;
    }
  }
};

TEST(JointFrictionByEvents, APendulumSlipsUpToWhereFrictionMakesItsOwnReaction) {
  // mu r m l / (J + m l^2) is what friction makes of R, times itself: below 1 one motion has forces that repeat.
  using P = Pendulum;
  constexpr double kSpin = -2.0, kLever = 0.3, kShort = 1e-6, kInertia = P::kInertia + P::kMass * P::kArm * P::kArm;
  const Eigen::Vector2d out(std::sin(P::kStart), -std::cos(P::kStart)), along(-out[1], out[0]);
  for (const double made : {0.5, 0.9, 0.97, 0.999}) {
    const double friction = made * kInertia / (kLever * P::kMass * P::kArm);
    double reaction = 0.0, acceleration = 0.0;
    for (int k = 0; k < 40000; ++k) {  // 0.999^40000 = 4e-18
      acceleration = (-P::kMass * kGravity * P::kArm * out[0] + friction * kLever * reaction) / kInertia;
      reaction = P::kMass *
                 std::hypot(P::kArm * acceleration + kGravity * out[0], -kGravity * out[1] + P::kArm * kSpin * kSpin);
    }
    NonSmoothDynamicalSystem model;
    const Eigen::Vector2d centre = P::kArm * out;
    const auto body = model.add(PlanarBody{.mass = P::kMass,
                                           .inertia = P::kInertia,
                                           .position = centre,
                                           .angle = P::kStart,
                                           .velocity = kSpin * P::kArm * along,
                                           .angular_velocity = kSpin,
                                           .gravity = {0.0, -kGravity}});
    const auto hinge = model.link(
        body, PlanarFrictionalHinge{planar_joint_to_ground(Vector3d(centre[0], centre[1], P::kStart), {0.0, 0.0})},
        PlanarHingeFrictionLaw{.friction = friction, .radius = kLever}, "hinge");
    EventDriven simulation(model);
    // It repeats to 1e-12 of itself, 1 / (1 - made) = 1e3 times as much off.
    EXPECT_NEAR(simulation.state().force(hinge)[2], friction * kLever * reaction, 1e-8 * reaction) << made;
    run_to(simulation, kShort);
    // The acceleration's rate, of up to 1e6 rad/s^3, in 1e-6 s.
    EXPECT_NEAR(simulation.state().v(body)[2] - kSpin, kShort * acceleration, 0.5 * kShort * kShort * 1e6) << made;
  }
}

struct Swinging {
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  InteractionHandle hinge;

  Swinging() {
    using P = Pendulum;
    const Eigen::Vector2d centre = P::kArm * Eigen::Vector2d(std::sin(P::kStart), -std::cos(P::kStart));
    body = model.add(PlanarBody{
        .mass = P::kMass, .inertia = P::kInertia, .position = centre, .angle = P::kStart, .gravity = {0.0, -kGravity}});
    hinge = model.link(
        body, PlanarFrictionalHinge{planar_joint_to_ground(Vector3d(centre[0], centre[1], P::kStart), {0.0, 0.0})},
        PlanarHingeFrictionLaw{.friction = P::kFriction, .radius = P::kRadius}, "hinge");
  }
};

TEST(JointFrictionByEvents, APendulumDecaysByItsOwnReactionAndSticksWithinItsCone) {
  using P = Pendulum;
  const Swinging swinging;
  const auto body = swinging.body;
  const auto hinge = swinging.hinge;
  EventDriven simulation(swinging.model);
  // At rest m g l |sin theta| <= mu r m g holds it.
  const double cone = std::asin(P::kFriction * P::kRadius / P::kArm);
  double theta = P::kStart, t = 0.0;
  int swings = 0;
  for (; std::abs(theta) > cone; ++swings) {
    const P::Swing half = P::swing(theta);
    run_to(simulation, t + 0.5 * half.time);
    const auto force = simulation.state().force(hinge);
    EXPECT_NEAR(std::abs(force[2]), P::kFriction * P::kRadius * force.head<2>().norm(), 1e-10);
    EXPECT_LT(force[2] * simulation.state().v(body)[2], 0.0);
    theta = half.theta;
    t += half.time;
    run_to(simulation, t);
    // Some ten steps of 1e-10 a swing, which add up; velocities pass zero here.
    EXPECT_NEAR(simulation.state().q(body)[2], theta, 1e-8) << swings;
    EXPECT_NEAR(simulation.state().v(body)[2], 0.0, 1e-7) << swings;
  }
  EXPECT_GT(swings, 5);
  run_to(simulation, t + 2.0);
  EXPECT_NEAR(simulation.state().q(body)[2], theta, 1e-8);
  EXPECT_LE(simulation.state().v(body).norm(), 1e-10);
  const std::vector<double> sticks = times_of(simulation, EventKind::Stick);
  ASSERT_FALSE(sticks.empty());
  EXPECT_NEAR(sticks.back(), t, 1e-7);
  EXPECT_NEAR(simulation.state().force(hinge)[2], P::kMass * kGravity * P::kArm * std::sin(theta), 1e-7);
}

TEST(JointFrictionByEvents, ASledgeIsBrakedUpItsGuideAndHeldOrRunsBack) {
  // Up at g (sin a + mu cos a); held where mu >= tan a, else back at g (sin a - mu cos a).
  const double slope = 0.4, v0 = 1.5, m = 2.0;
  for (const double mu : {0.5, 0.3}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(PlanarBody{.mass = m,
                                           .inertia = 0.1,
                                           .velocity = {v0, 0.0},
                                           .gravity = {-kGravity * std::sin(slope), -kGravity * std::cos(slope)}});
    const auto guide = model.link(body, PlanarFrictionalSlider{planar_joint_to_ground(Vector3d::Zero(), {0.0, 0.0})},
                                  PlanarSliderFrictionLaw{.friction = mu}, "guide");
    EventDriven simulation(model);
    const double up = kGravity * (std::sin(slope) + mu * std::cos(slope)), stop = v0 / up, T = 0.8;
    const double back = std::max(0.0, kGravity * (std::sin(slope) - mu * std::cos(slope)));
    run_to(simulation, T);
    EXPECT_NEAR(simulation.state().v(body)[0], -back * (T - stop), 1e-9) << mu;
    EXPECT_NEAR(simulation.state().q(body)[0], 0.5 * v0 * stop - 0.5 * back * std::pow(T - stop, 2), 1e-9) << mu;
    EXPECT_EQ(times_of(simulation, EventKind::Stick).size(), back > 0.0 ? 0u : 1u);
    EXPECT_NEAR(simulation.state().force(guide)[2],
                back > 0.0 ? mu * m * kGravity * std::cos(slope) : m * kGravity * std::sin(slope), 1e-8);
  }
}

TEST(JointFrictionByEvents, ABallInItsSocketSpinsDownAboutAnyAxisAndPrecessesNot) {
  // |R| = m g: J w' = -(mu r m g + preload) w / |w|.
  const double m = 2.0, J = 0.05, mu = 0.3, r = 0.04, preload = 0.02, spin = 6.0;
  const Vector3d axis = Vector3d(1.0, -2.0, 2.0) / 3.0;
  const double deceleration = (mu * r * m * kGravity + preload) / J, stop = spin / deceleration;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(RigidBody{.mass = m,
                                        .inertia = J * Eigen::Matrix3d::Identity(),
                                        .angular_velocity = spin * axis,
                                        .gravity = {0.0, 0.0, -kGravity}});
  const auto joint = model.link(ball, FrictionalBall{joint_to_ground(kOrigin, Vector3d::Zero())},
                                BallFrictionLaw{.friction = mu, .radius = r, .preload = preload}, "joint");
  EventDriven simulation(model);
  run_to(simulation, 0.7 * stop);
  EXPECT_LE((simulation.state().v(ball).tail<3>() - 0.3 * spin * axis).norm(), 1e-9);
  EXPECT_LE((simulation.state().force(joint).tail<3>() + deceleration * J * axis).norm(), 1e-9);
  run_to(simulation, 1.5 * stop);
  expect_times(times_of(simulation, EventKind::Stick), {stop}, 1e-9);
  EXPECT_LE(simulation.state().v(ball).norm(), 1e-10);
  EXPECT_NEAR(simulation.state().force(joint)[2], m * kGravity, 1e-9);
}

TEST(JointFrictionByEvents, AShaftInItsBushingStopsTurningAndSlidingAtOnce) {
  // Slip (around, along) of mass m each, J = m r^2: m s' = -mu m g s / |s|; pulled and twisted it is held to mu m g of
  // both together.
  const double m = 2.0, r = 0.03, mu = 0.25, J = m * r * r, bound = mu * m * kGravity;
  const auto shaft_of = [&](NonSmoothDynamicalSystem& model, double around, double along, double twist, double pull) {
    const GivenLoad load{.load =
                             [twist, pull](double, ConstVectorRef, ConstVectorRef, VectorRef value) {
                               value[0] = pull;
                               value[3] = twist;
                             },
                         .moment_axes = LoadAxes::Inertial};
    const auto shaft = model.add(RigidBody{.mass = m,
                                           .inertia = Vector3d(J, 0.02, 0.02).asDiagonal(),
                                           .velocity = {along, 0.0, 0.0},
                                           .angular_velocity = {around / r, 0.0, 0.0},
                                           .gravity = {0.0, 0.0, -kGravity},
                                           .loads = {load}});
    model.link(shaft, FrictionalCylindrical{joint_to_ground(kOrigin, Vector3d::Zero(), Vector3d::UnitX()), r},
               CylindricalFrictionLaw{.friction = mu}, "bushing");
    return shaft;
  };
  NonSmoothDynamicalSystem model;
  const auto shaft = shaft_of(model, 0.6, -0.8, 0.0, 0.0);
  EventDriven simulation(model);
  const double stop = m / bound;
  run_to(simulation, 0.5 * stop);
  EXPECT_NEAR(simulation.state().v(shaft)[0], -0.4, 1e-9);
  EXPECT_NEAR(simulation.state().v(shaft)[3], 0.3 / r, 1e-8);
  run_to(simulation, 1.2 * stop);
  expect_times(times_of(simulation, EventKind::Stick), {stop}, 1e-9);
  EXPECT_LE(simulation.state().v(shaft).norm(), 1e-9);
  for (const auto& [twist, pull] : {std::array{0.0, 0.9}, {0.0, 1.3}, {0.8, 0.5}, {0.8, 0.7}, {1.3, 0.0}}) {
    NonSmoothDynamicalSystem other;
    const auto pulled = shaft_of(other, 0.0, 0.0, twist * bound * r, pull * bound);
    EventDriven run(other);
    run_to(run, 0.1);
    const double whole = std::hypot(twist, pull), left = std::max(0.0, whole - 1.0) / whole * bound / m * 0.1;
    EXPECT_NEAR(run.state().v(pulled)[0], left * pull, 1e-9) << twist << ' ' << pull;
    EXPECT_NEAR(run.state().v(pulled)[3], left * twist / r, 1e-8) << twist << ' ' << pull;
  }
}

TEST(JointFrictionByEvents, AnImpactOnASledgeBrakesItByItsImpulse) {
  // A ball falls on it with w: P = m_b (1 + e) w goes into the guide, whose friction takes mu P off the sledge's
  // momentum, or what there is of it.
  const double m = 2.0, m_ball = 0.5, mu = 0.3, e = 0.4, height = 0.2, w = std::sqrt(2.0 * kGravity * height);
  const double P = m_ball * (1.0 + e) * w, fall = w / kGravity;
  for (const double v0 : {1.5, 0.7}) {
    NonSmoothDynamicalSystem model;
    const auto sledge =
        model.add(PlanarBody{.mass = m, .inertia = 0.1, .velocity = {v0, 0.0}, .gravity = {0.0, -kGravity}});
    const auto guide = model.link(sledge, PlanarFrictionalSlider{planar_joint_to_ground(Vector3d::Zero(), {0.0, 0.0})},
                                  PlanarSliderFrictionLaw{.friction = mu}, "guide");
    const auto ball = model.add(
        PlanarBody{.mass = m_ball, .inertia = 0.01, .position = {0.1, 0.05 + height}, .gravity = {0.0, -kGravity}});
    model.link({ball, sledge}, DiskOnHalfPlane{.disk = {.radius = 0.05}, .half_plane = {{0.0, 1.0}, 0.0}},
               NewtonImpactLaw{.restitution = e});
    EventDriven simulation(model);
    double taken = 0.0, after = 0.0;
    const auto report = simulation.advance_to(fall + 1e-3, [&](const State& state) {
      if (!(state.impulse(guide)[0] != 0.0) || taken != 0.0) return;
      taken = state.impulse(guide)[2];
      after = state.v(sledge)[0];
    });
    ASSERT_TRUE(report) << report.message();
    const double before = v0 - mu * kGravity * fall, left = std::max(0.0, before - mu * P / m);
    EXPECT_NEAR(after, left, 1e-9) << v0;
    EXPECT_NEAR(taken, -m * (before - left), 1e-9) << v0;
    EXPECT_NEAR(simulation.state().v(ball)[1], e * w - kGravity * 1e-3, 1e-9);
  }
}

/// A pendulum at its stop, which it comes to with w; what its law makes of it.
struct StruckPendulum {
  static constexpr double kMass = 2.0, kArm = 0.4, kInertia = 0.05, kFriction = 0.5, kRadius = 0.1, kSpin = 3.0;
  NonSmoothDynamicalSystem model;
  SystemHandle rod;
  InteractionHandle hinge, stop;

  explicit StruckPendulum(const Law& law) {
    rod = model.add(RigidBody{.mass = kMass,
                              .inertia = kInertia * Eigen::Matrix3d::Identity(),
                              .position = {kArm, 0.0, 0.0},
                              .velocity = {0.0, -kArm * kSpin, 0.0},
                              .angular_velocity = {0.0, 0.0, -kSpin}});
    Eigen::VectorXd place = kOrigin;
    place[0] = kArm;
    const JointFrames frames = joint_to_ground(place, Vector3d::Zero());
    hinge = model.link(rod, FrictionalHinge{frames}, HingeFrictionLaw{.friction = kFriction, .radius = kRadius});
    stop = model.link(rod, HingeAngle{.frames = frames}, law);
  }
};

TEST(JointFrictionByEvents, ThrowsNothingBackFromAStopByAnyLaw) {
  // Behind the stop the pendulum turns with e w, whatever its hinge rubs: the hinge's impulse is m l (1 + e) w along y,
  // its friction mu r times that against the turn, and the stop's impulse is what both ask for.
  using P = StruckPendulum;
  for (const double e : {0.0, 0.6, 1.0}) {
    const std::vector<std::pair<Law, bool>> laws{{NewtonImpactLaw{.restitution = e}, false},
                                                 {NewtonImpactLaw{}, true},
                                                 {PoissonImpactLaw{.restitution = e}, false},
                                                 {LiuZhaoBrogliatoImpactLaw{.restitution = e}, false}};
    for (std::size_t k = 0; k < laws.size(); ++k) {
      P pendulum(laws[k].first);
      if (laws[k].second)
        pendulum.model.add(
            GeneralisedNewtonImpact{.contacts = {pendulum.stop}, .restitution = Eigen::MatrixXd::Constant(1, 1, e)});
      const double changed = (1.0 + e) * P::kSpin, inertia = P::kInertia + P::kMass * P::kArm * P::kArm;
      const double rubs = e > 0.0 ? P::kFriction * P::kRadius * P::kMass * P::kArm * changed : 0.0;
      const EventDriven simulation(pendulum.model);
      const State& state = simulation.state();
      EXPECT_NEAR(state.v(pendulum.rod)[5], e * P::kSpin, 1e-9) << k;
      // At rest behind the impact friction and the stop hold the same freedom: what of it each takes is not told.
      if (e > 0.0) {
        EXPECT_NEAR(state.percussion(pendulum.hinge)[5], -rubs, 1e-9) << k;
        EXPECT_NEAR(state.percussion(pendulum.stop)[0], inertia * changed + rubs, 1e-9) << k;
      }
      // A step turns the rod by h w, and takes H at its end or middle.
      const double h = 1e-5;
      TimeStepping steps(pendulum.model, {.step = h});
      ASSERT_TRUE(steps.step());
      EXPECT_NEAR(steps.state().v(pendulum.rod)[5], e * P::kSpin, 2.0 * h * P::kSpin * P::kSpin) << k;
    }
  }
}

TEST(JointFrictionByEvents, ASlenderRodThatIsStruckInItsSocketIsBrakedAsAThickOne) {
  // A ball strikes it with v at its tip, at 2 l = 1 from the socket. With w its rate, I about the socket, P the ball's
  // impulse, R = m l w - P the socket's and mu r |R| its friction's: P = m_b ((1 + e) v - w), I w = P - mu r R. Its
  // inertia about its own axis takes no part.
  const double m = 1.0, l = 0.5, J = 0.02, m_ball = 0.3, e = 0.5, v = 3.0, mu = 20.0, r = 0.02;
  const double w = (1.0 + mu * r) * m_ball * (1.0 + e) * v / (J + m * l * l + mu * r * m * l + (1.0 + mu * r) * m_ball);
  for (const double thin : {1.0, 1e-2, 1e-4}) {
    NonSmoothDynamicalSystem model;
    const auto rod =
        model.add(RigidBody{.mass = m, .inertia = Vector3d(thin * J, J, J).asDiagonal(), .position = {l, 0.0, 0.0}});
    Eigen::VectorXd place = kOrigin;
    place[0] = l;
    const auto socket = model.link(rod, FrictionalBall{joint_to_ground(place, Vector3d::Zero())},
                                   BallFrictionLaw{.friction = mu, .radius = r}, "socket");
    const auto ball = model.add(RigidBody{.mass = m_ball,
                                          .inertia = 1e-4 * Eigen::Matrix3d::Identity(),
                                          .position = {2.0 * l, 0.0, 0.06 + 0.3},
                                          .velocity = {0.0, 0.0, -v}});
    model.detect(
        BodyContacts({{ball, {{.shape = Sphere{0.05}}}}, {rod, {{.shape = Sphere{0.01}, .position = {l, 0.0, 0.0}}}}},
                     {}, NewtonImpactLaw{.restitution = e}));
    EventDriven simulation(model);
    double rate = 0.0, moment = 0.0;
    const auto report = simulation.advance_to(0.11, [&](const State& state) {
      if (!(state.impulse(socket).norm() > 0.0) || moment != 0.0) return;
      moment = state.impulse(socket)[4];
      rate = state.v(rod)[4];
    });
    ASSERT_TRUE(report) << report.message();
    EXPECT_NEAR(rate, w, 1e-11) << thin;
    EXPECT_NEAR(moment, -mu * r * (m * l * w - m_ball * ((1.0 + e) * v - w)), 1e-11) << thin;
  }
}

TEST(JointFrictionByEvents, AStateGoesOnWithTheSameBits) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(PlanarBody{
      .mass = 2.0, .inertia = 0.05, .position = {0.4, 0.0}, .angle = 0.5 * kPi, .gravity = {0.0, -kGravity}});
  model.link(body, PlanarFrictionalHinge{planar_joint_to_ground(Vector3d(0.4, 0.0, 0.5 * kPi), {0.0, 0.0})},
             PlanarHingeFrictionLaw{.friction = 0.4, .radius = 0.05}, "hinge");
  EventDriven whole(model), parts(model);
  run_to(whole, 0.3);
  run_to(parts, 0.3);
  EventDriven fresh(model);
  fresh.set_state(parts.state());
  run_to(whole, 3.0);
  run_to(fresh, 3.0);
  EXPECT_EQ(whole.state().positions, fresh.state().positions);
  EXPECT_EQ(whole.state().unknowns, fresh.state().unknowns);
}

TEST(JointFrictionByEvents, ImplicitMethodsHaveTheSameDecay) {
  // Tolerances of 1e-10, of Ida some thousand steps of them a swing.
  const Pendulum::Swing half = Pendulum::swing(Pendulum::kStart);
  std::vector<SmoothIntegrator> methods{RadauIIA{}};
  if (Ida::available()) methods.insert(methods.end(), {SmoothIntegrator{Ida{}}, Cvode{Cvode::Method::Bdf}});
  for (const SmoothIntegrator& method : methods) {
    const Wheel w(2.0);
    EventDriven wheel(w.model, {.integrator = method});
    run_to(wheel, 10.0);
    expect_times(times_of(wheel, EventKind::Stick), {2.0 * Wheel::kInertia / Wheel::kBound}, 1e-8);
    const Swinging swinging;
    EventDriven pendulum(swinging.model, {.integrator = method});
    run_to(pendulum, half.time);
    EXPECT_NEAR(pendulum.state().q(swinging.body)[2], half.theta, 1e-7) << method.index();
  }
}

TEST(JointFrictionByEvents, ADrawerIsHeldHoweverStrongThePullFromItsAngleOn) {
  // Pulled off its axis by more than length / (2 mu), friction is more than the pull, whatever this is.
  const double mu = 0.3, length = 0.4;
  const auto run = [&](double above, double v0) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(PlanarBody{
        .mass = 2.0,
        .inertia = 0.1,
        .velocity = {v0, 0.0},
        .loads = {GivenLoad{.load = [](double, ConstVectorRef, ConstVectorRef, VectorRef load) { load[0] = 300.0; },
                            .point = {0.0, above, 0.0}}}});
    model.link(body, PlanarFrictionalSlider{planar_joint_to_ground(Vector3d::Zero(), {0.0, 0.0})},
               PlanarSliderFrictionLaw{.friction = mu, .bearing_length = length}, "guide");
    EventDriven simulation(model);
    EXPECT_TRUE(simulation.advance_to(0.01));
    return simulation.state().v(body)[0];
  };
  // From rest it is held, slower than that it moves by 300 (1 - 2 mu above / length) / m.
  EXPECT_NEAR(run(1.01 * length / (2.0 * mu), 0.0), 0.0, 1e-10);
  EXPECT_NEAR(run(0.5 * length / (2.0 * mu), 0.0), 0.01 * 0.5 * 300.0 / 2.0, 1e-9);
}

TEST(JointFrictionByEvents, GeneralisedAlphaHasTheSameDecayToSecondOrder) {
  // A constant deceleration is exact but for the last digits of Newton's iteration; a swing to h^2.
  const Wheel w(2.0);
  EventDriven wheel(w.model, {.integrator = GeneralisedAlpha{}, .step = 1e-2});
  run_to(wheel, 10.0);
  expect_times(times_of(wheel, EventKind::Stick), {2.0 * Wheel::kInertia / Wheel::kBound}, 1e-8);
  const Pendulum::Swing half = Pendulum::swing(Pendulum::kStart);
  std::array<double, 3> errors{}, speeds{};  // of the place where it turns, and what is left of the velocity there
  for (std::size_t k = 0; k < errors.size(); ++k) {
    const Swinging swinging;
    EventDriven pendulum(swinging.model, {.integrator = GeneralisedAlpha{}, .step = half.time / (100 << k)});
    run_to(pendulum, half.time);
    errors[k] = std::abs(pendulum.state().q(swinging.body)[2] - half.theta);
    speeds[k] = std::abs(pendulum.state().v(swinging.body)[2]);
  }
  for (std::size_t k = 1; k < errors.size(); ++k) {
    EXPECT_NEAR(std::log2(errors[k - 1] / errors[k]), 2.0, 0.2) << k;
    EXPECT_NEAR(std::log2(speeds[k - 1] / speeds[k]), 2.0, 0.1) << k;
  }
}

TEST(JointFrictionByEvents, AJointThatJamsAtTheStartIsNamed) {
  // A drawer that moves, pulled far off its axis below its centre: a unit of friction makes 1.2 of another.
  const double mu = 0.3, length = 0.4, below = 1.2 * length / (2.0 * mu);
  NonSmoothDynamicalSystem model;
  const GivenLoad pull{.load = [](double, ConstVectorRef, ConstVectorRef, VectorRef load) { load[0] = 30.0; },
                       .point = {0.0, 0.1, 0.0}};
  const auto body =
      model.add(PlanarBody{.mass = 2.0, .inertia = 0.1, .velocity = {1.0, 0.0}, .loads = {pull}, .name = "drawer"});
  model.link(body, PlanarFrictionalSlider{planar_joint_to_ground(Vector3d::Zero(), {0.0, -below})},
             PlanarSliderFrictionLaw{.friction = mu, .bearing_length = length}, "guide");
  EventDriven simulation(model);
  const auto report = simulation.advance_to(0.1);
  EXPECT_FALSE(report);
  EXPECT_NE(report.message().find("guide"), std::string::npos) << report.message();
  EXPECT_NE(report.message().find("friction"), std::string::npos) << report.message();
}

}  // namespace
}  // namespace nonsmooth::joint_friction_events_test
