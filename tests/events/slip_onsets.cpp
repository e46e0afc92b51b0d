// SPDX-License-Identifier: Apache-2.0
// Slips that begin at a speed of zero, as a push grows past what friction holds, of bodies on one to four contacts,
// against closed forms.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::slip_onsets_test {
namespace {

using namespace event_log;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kFriction = 0.5, kMass = 1.3, kInertia = 0.03, kHalf = 0.3, kHeight = 0.1, kEnd = 1.5;
constexpr double kHeld = kFriction * kMass * kGravity;
/// Velocities of order one: some hundred steps with 1e-10 of them each.
constexpr double kIntegrated = 1e-8;
/// An onset is where margins, with slopes of order m g / s, are zero to 1e-14 m g. Where shares of friction are found
/// anew on the way, a push that is below the bound by 1e-8 of it counts as at it.
constexpr double kInstant = 1e-8;

/// A push by time, by what friction holds; when it is 1, and its integral from there on less that of friction.
struct Growth {
  std::string name;
  std::function<double(double)> of;
  double onset;
  std::function<double(double)> gained;  ///< integral of (of - 1) from the onset to t
};

std::vector<Growth> growths() {
  const double a = 1.5, s = std::asin(1.0 / a);
  return {
      {"linear", [](double t) { return t; }, 1.0, [](double t) { return 0.5 * (t - 1.0) * (t - 1.0); }},
      {"quadratic", [](double t) { return t * t; }, 1.0, [](double t) { return (t * t * t - 1.0) / 3.0 - (t - 1.0); }},
      {"sine", [=](double t) { return a * std::sin(t); }, s,
       [=](double t) { return a * (std::cos(s) - std::cos(t)) - (t - s); }}};
}

/// A body on points of the ground z = 0 below its corners, pushed at its centre, by a force and a moment about z.
struct Pushed {
  NonSmoothDynamicalSystem model;
  SystemHandle body;

  Pushed(const Shape& shape, double height, const std::function<void(double, Vector3d&, double&)>& push) {
    body =
        model.add(RigidBody{.mass = kMass,
                            .inertia = kInertia * Eigen::Matrix3d::Identity(),
                            .position = {0.0, 0.0, height},
                            .gravity = {0.0, 0.0, -kGravity},
                            .loads = {GivenLoad{.load = [=](double t, ConstVectorRef, ConstVectorRef, VectorRef load) {
                              Vector3d force = Vector3d::Zero();
                              double moment = 0.0;
                              push(t, force, moment);
                              load.head<3>() = force;
                              load[5] = moment;
                            }}}});
    model.detect(BodyContacts({{body, {{.shape = shape}}}}, {{.shape = HalfSpace{}}},
                              NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 3}));
  }
};

/// Prism whose feet are at the corners of a regular polygon.
ConvexPolyhedron prism(int feet) {
  std::vector<Vector3d> points;
  for (const double z : {-kHeight, kHeight}) {
    for (int k = 0; k < feet; ++k) {
      const double angle = 2.0 * kPi * k / feet + 0.2;
      points.emplace_back(kHalf * std::cos(angle), kHalf * std::sin(angle), z);
    }
  }
  return ConvexPolyhedron(points);
}

void expect_one_slip(const EventDriven& simulation, double onset, std::size_t contacts, const std::string& scene) {
  const auto slips = times_of(simulation, EventKind::Slip);
  EXPECT_EQ(slips.size(), contacts) << scene;
  for (const double t : slips) EXPECT_NEAR(t, onset, kInstant) << scene;
  EXPECT_TRUE(events_of(simulation, EventKind::Stick).empty()) << scene;
  EXPECT_TRUE(events_of(simulation, EventKind::Opening).empty()) << scene;
}

/// A push along `angle` that grows past friction: m v = mu m g int (s(t) - 1) along it, and no turn.
void expect_pushed_along(const Shape& shape, std::size_t feet, const Growth& growth, double angle) {
  const std::string scene = growth.name + " at " + std::to_string(angle);
  const Vector3d along(std::cos(angle), std::sin(angle), 0.0);
  const Pushed body(shape, kHeight, [&](double t, Vector3d& force, double&) { force = kHeld * growth.of(t) * along; });
  EventDriven simulation(body.model);
  const auto report = simulation.advance_to(kEnd);
  ASSERT_TRUE(report) << scene << ": " << report.message();
  expect_one_slip(simulation, growth.onset, feet, scene);
  const Vector3d v = kFriction * kGravity * growth.gained(kEnd) * along;
  EXPECT_LE((simulation.state().v(body.body).head<3>() - v).norm(), kIntegrated) << scene;
  EXPECT_LE(simulation.state().v(body.body).tail<3>().norm(), 10.0 * kIntegrated) << scene;
  EXPECT_LE(report.steps, 250) << scene;  // not thousands: steps grow with the slip
}

TEST(SlipOnsets, ABoxIsPushedAlongAnEdgeADiagonalAndAtAnyAngle) {
  for (const Growth& growth : growths()) {
    for (const double angle : {0.0, 0.3, 0.25 * kPi, 1.1, 2.9, -1.7})
      expect_pushed_along(Box{{kHalf, kHalf, kHeight}}, 4, growth, angle);
  }
}

TEST(SlipOnsets, ABoxIsTurnedByAMoment) {
  // Each corner has a direction of its own: J w = mu m g r int (s(t) - 1).
  const double r = kHalf * std::sqrt(2.0);
  for (const Growth& growth : growths()) {
    for (const double sign : {1.0, -1.0}) {
      const Pushed box(Box{{kHalf, kHalf, kHeight}}, kHeight,
                       [&](double t, Vector3d&, double& moment) { moment = sign * kHeld * r * growth.of(t); });
      EventDriven simulation(box.model);
      const auto report = simulation.advance_to(kEnd);
      ASSERT_TRUE(report) << growth.name << ": " << report.message();
      expect_one_slip(simulation, growth.onset, 4, growth.name);
      const double w = sign * kHeld * r / kInertia * growth.gained(kEnd);
      EXPECT_NEAR(simulation.state().v(box.body)[5], w, 1e-9 * std::abs(w) + kIntegrated) << growth.name;
      EXPECT_LE(simulation.state().v(box.body).head<3>().norm(), kIntegrated) << growth.name;
      EXPECT_LE(report.steps, 250) << growth.name;
    }
  }
}

TEST(SlipOnsets, APrismOnThreeFeetIsPushedAtAnyAngle) {
  for (const Growth& growth : growths()) {
    for (const double angle : {0.0, 0.7, 2.0}) expect_pushed_along(prism(3), 3, growth, angle);
  }
}

/// A mass on the plane z = 0, pushed along it by a force of time.
struct Mass {
  NonSmoothDynamicalSystem model;
  SystemHandle body;

  Mass(const std::function<Vector2d(double)>& push, const Law& law) {
    body = model.add(LagrangianLinearSystem{.mass = (kMass * Vector3d::Ones()).asDiagonal(),
                                            .force = [=](double t, VectorRef F) { F << push(t), -kMass * kGravity; },
                                            .q0 = Vector3d::Zero(),
                                            .v0 = Vector3d::Zero()});
    model.link(body, on_floor(3), law);
  }
};

TEST(SlipOnsets, APushThatTurnsAsItGrowsBeginsASlipThatTurns) {
  // Backwards from the motion: v = s (cos(theta), sin(theta)) with s = b (t - 1)^2 and theta = a (t - 1) from t = 1 on
  // needs m v' + mu m g v / s; before it, what is at t = 1 times t holds.
  for (const double a : {0.5, 3.0, -8.0}) {
    const double b = 1.2;
    const auto velocity = [=](double t) {
      const double x = t - 1.0;
      return Vector2d(b * x * x * Vector2d(std::cos(a * x), std::sin(a * x)));
    };
    const auto push = [=](double t) {
      if (t < 1.0) return Vector2d(kHeld * t, 0.0);
      const double x = t - 1.0;
      const Vector2d n(std::cos(a * x), std::sin(a * x)), across(-n[1], n[0]);
      return Vector2d(kMass * (2.0 * b * x * n + a * b * x * x * across) + kHeld * n);
    };
    const Mass mass(push, NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 3});
    EventDriven simulation(mass.model, {.events = {{.name = "bend", .instants = {1.0}}}});
    const auto report = simulation.advance_to(2.0);
    ASSERT_TRUE(report) << a << ": " << report.message();
    EXPECT_LE((simulation.state().v(mass.body).head<2>() - velocity(2.0)).norm(), kIntegrated) << a;
    EXPECT_LE(report.steps, 400) << a;
  }
}

TEST(SlipOnsets, APushPastAnEllipseOffItsAxes) {
  // v = b (t - 1)^2 n: the push is m v' + p_N (mu_1^2 n_1, mu_2^2 n_2) / |(mu_1 n_1, mu_2 n_2)|, which points
  // elsewhere.
  const double b = 0.9, second = 0.2;
  for (const double angle : {0.3, 1.0, 2.2}) {
    const Vector2d n(std::cos(angle), std::sin(angle)), scaled(kFriction * n[0], second * n[1]);
    const Vector2d brake = kMass * kGravity / scaled.norm() * Vector2d(kFriction * scaled[0], second * scaled[1]);
    const auto push = [=](double t) {
      return t < 1.0 ? Vector2d(t * brake) : Vector2d(brake + 2.0 * kMass * b * (t - 1.0) * n);
    };
    const Mass mass(push, NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 3, .second_friction = second});
    EventDriven simulation(mass.model, {.events = {{.name = "bend", .instants = {1.0}}}});
    const auto report = simulation.advance_to(2.0);
    ASSERT_TRUE(report) << angle << ": " << report.message();
    EXPECT_LE((simulation.state().v(mass.body).head<2>() - b * n).norm(), kIntegrated) << angle;
    EXPECT_LE(report.steps, 400) << angle;
  }
}

TEST(SlipOnsets, ABoxOnASlopeWhoseGravityTurns) {
  // tan(w t) = mu at the onset t_0; then v' = g (sin(w t) - mu cos(w t)).
  const double w = 0.6, onset = std::atan(kFriction) / w;
  for (const double angle : {0.0, 0.5}) {
    const Vector3d along(std::cos(angle), std::sin(angle), 0.0);
    const Pushed box(Box{{kHalf, kHalf, kHeight}}, kHeight, [&](double t, Vector3d& force, double&) {
      force = kMass * kGravity * (std::sin(w * t) * along + (1.0 - std::cos(w * t)) * Vector3d::UnitZ());
    });
    EventDriven simulation(box.model);
    const auto report = simulation.advance_to(kEnd);
    ASSERT_TRUE(report) << angle << ": " << report.message();
    expect_one_slip(simulation, onset, 4, std::to_string(angle));
    const double v =
        kGravity / w *
        (std::cos(w * onset) - std::cos(w * kEnd) - kFriction * (std::sin(w * kEnd) - std::sin(w * onset)));
    EXPECT_LE((simulation.state().v(box.body).head<3>() - v * along).norm(), kIntegrated) << angle;
  }
}

TEST(SlipOnsets, ARunGoesOnFromAStateWithinAnOnsetWithTheSameBits) {
  const Vector3d along(std::cos(0.3), std::sin(0.3), 0.0);
  const Pushed box(Box{{kHalf, kHalf, kHeight}}, kHeight,
                   [&](double t, Vector3d& force, double&) { force = kHeld * t * along; });
  for (const double stop : {1.0 + 1e-7, 1.0 + 1e-4, 1.01}) {
    EventDriven first(box.model), second(box.model);
    run_to(first, stop);
    second.set_state(first.state());
    run_to(first, kEnd);
    run_to(second, kEnd);
    EXPECT_EQ(first.state().unknowns, second.state().unknowns) << stop;
    EXPECT_EQ(first.state().positions, second.state().positions) << stop;
  }
}

TEST(SlipOnsets, AnyIntegratorThatControlsItsErrors) {
  const Vector3d along(std::cos(0.3), std::sin(0.3), 0.0);
  const Pushed box(Box{{kHalf, kHalf, kHeight}}, kHeight,
                   [&](double t, Vector3d& force, double&) { force = kHeld * t * along; });
  for (const SmoothIntegrator& integrator :
       {SmoothIntegrator(DormandPrince{.order = 5}), SmoothIntegrator(RadauIIA{})}) {
    EventDriven simulation(box.model, {.integrator = integrator});
    run_to(simulation, kEnd);
    expect_one_slip(simulation, 1.0, 4, std::to_string(integrator.index()));
    EXPECT_LE((simulation.state().v(box.body).head<3>() - kFriction * kGravity * 0.125 * along).norm(), kIntegrated);
  }
}

}  // namespace
}  // namespace nonsmooth::slip_onsets_test
