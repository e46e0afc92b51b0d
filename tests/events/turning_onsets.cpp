// SPDX-License-Identifier: Apache-2.0
// Slips that begin at a speed of zero under a force and a moment about the vertical at once, of bodies on three to
// twelve feet whose friction acts below the mass centre, against closed forms.
#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "event_log.hpp"

namespace nonsmooth::turning_onsets_test {
namespace {

using namespace event_log;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kFriction = 0.5, kMass = 1.3, kEnd = 1.5;
const Vector3d kInertia(0.03, 0.05, 0.06);  // a turn about z stays one, and needs no moment about x and y
/// Velocities of order one: some hundred steps with 1e-10 of them each.
constexpr double kIntegrated = 1e-8;
/// A push that is below what friction holds by 1e-8 of it counts as at it; its slope is of order one.
constexpr double kInstant = 1e-8;

/// What a foot that does not move bears of its bound, any less than all of it.
const Vector2d kOfPivot(0.3, -0.4);

/// A body on feet below the corners of a prism, by its motion from t = 1 on: v = x^p a, w = x^p c, x = t - 1, p = 2.
///
/// The slips u_i = v + w x r_i of the feet r_i have directions n_i that depend on its turn alone, their friction is T_i
/// = -mu N_i n_i. The N_i are balanced, sum N_i = m g, sum r_i x (T_i, N_i) = 0 about x and y, r_i having the height
/// -h, and shared as by equal springs: N_i = (z_0 + z_1 y_i - z_2 x_i) / d_i, d_i = 1 / m + y_i^2 / J_x + x_i^2 / J_y,
/// which are three equations for z. The push is m v' - sum T_i, its moment J_z w' - sum (r_i x T_i)_z; before t = 1 it
/// is a part of what it is there, which friction holds: what it can hold is a convex set, linear in the N_i, and these
/// are linear in the part.
struct Scene {
  std::string name;
  std::vector<Vector2d> feet;
  double height;
  Vector2d a;
  double c;
  std::function<double(double)> before = [](double t) { return t; };  ///< that part, by time
  int power = 2;                                                      ///< p
  double until = 1.0;      ///< when the motion begins, later than t = 1: never
  bool with_body = false;  ///< a turns with the body, so that it turns about one point of its own

  void push(double t, Vector2d& force, double& moment) const {
    const double x = t < until ? 0.0 : t - 1.0, theta = c * std::pow(x, power + 1) / (power + 1);
    const double rate = t < until ? 0.0 : power * std::pow(x, power - 1);
    const Eigen::Rotation2Dd turned(theta);
    const Vector2d ahead = with_body ? Vector2d(turned * a) : a;
    const auto count = feet.size();
    Eigen::MatrixXd balance(3, count), shares(count, 3);
    std::vector<Vector2d> along(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Vector2d& r = feet[i];  // in the axes of the body, as moments about x and y
      const Vector2d inertial = turned * r;
      along[i] = with_body ? Vector2d(turned * Vector2d(a + c * Vector2d(-r[1], r[0])))
                           : Vector2d(a + c * Vector2d(-inertial[1], inertial[0]));
      along[i] = along[i].norm() > 0.0 ? Vector2d(along[i].normalized()) : kOfPivot;
      const Vector2d n = turned.inverse() * along[i];
      const double d = 1.0 / kMass + r[1] * r[1] / kInertia[0] + r[0] * r[0] / kInertia[1];
      const auto k = static_cast<Index>(i);
      shares.row(k) << 1.0 / d, r[1] / d, -r[0] / d;
      balance.col(k) << 1.0, r[1] - kFriction * height * n[1], -r[0] + kFriction * height * n[0];
    }
    const Eigen::VectorXd N =
        shares * (balance * shares).eval().partialPivLu().solve(Vector3d(kMass * kGravity, 0.0, 0.0));
    force = kMass * rate * ahead;
    if (with_body) force += kMass * c * std::pow(x, 2 * power) * Vector2d(-ahead[1], ahead[0]);
    moment = kInertia[2] * rate * c;
    for (std::size_t i = 0; i < count; ++i) {
      const Vector2d T = -kFriction * N[static_cast<Index>(i)] * along[i], r = turned * feet[i];
      force -= T;
      moment -= r[0] * T[1] - r[1] * T[0];
    }
    if (t < until) force *= before(t), moment *= before(t);
  }
};

std::vector<Vector2d> square() { return {{0.3, 0.3}, {-0.3, 0.3}, {-0.3, -0.3}, {0.3, -0.3}}; }
std::vector<Vector2d> rectangle() { return {{0.4, 0.2}, {-0.4, 0.2}, {-0.4, -0.2}, {0.4, -0.2}}; }
std::vector<Vector2d> trapezium() { return {{0.35, 0.2}, {-0.25, 0.3}, {-0.3, -0.25}, {0.3, -0.3}}; }
std::vector<Vector2d> oval(int count) {
  std::vector<Vector2d> feet;
  for (int k = 0; k < count; ++k) {
    const double angle = 2.0 * kPi * k / count;
    feet.emplace_back(0.3 * std::cos(angle), 0.25 * std::sin(angle));
  }
  return feet;
}
std::vector<Vector2d> triangle() { return {{0.3, 0.05}, {-0.2, 0.3}, {-0.15, -0.3}}; }

/// The body of the scene on the ground z = 0.
struct Pushed {
  NonSmoothDynamicalSystem model;
  SystemHandle body;

  explicit Pushed(const Scene& scene) {
    body = model.add(
        RigidBody{.mass = kMass,
                  .inertia = kInertia.asDiagonal(),
                  .position = {0.0, 0.0, scene.height},
                  .gravity = {0.0, 0.0, -kGravity},
                  .loads = {GivenLoad{.load = [scene](double t, ConstVectorRef, ConstVectorRef, VectorRef load) {
                    Vector2d force;
                    load.setZero();
                    scene.push(t, force, load[5]);
                    load.head<2>() = force;
                  }}}});
    std::vector<ShapeOnBody> shapes(1);
    std::vector<Vector2d> feet;
    for (const Vector2d& r : scene.feet) {
      if (std::find(feet.begin(), feet.end(), r) == feet.end()) {
        feet.push_back(r);
        continue;
      }
      const Vector3d foot(r[0], r[1], -scene.height), above(r[0], r[1], 0.1);  // doubled, by a spike
      shapes.push_back(
          {.shape = ConvexPolyhedron({foot, above, above + 0.1 * Vector3d::UnitX(), above + 0.1 * Vector3d::UnitY()})});
    }
    std::vector<Vector3d> corners;
    for (const double z : {-scene.height, 0.1}) {
      for (const Vector2d& r : feet) corners.emplace_back(r[0], r[1], z);
    }
    shapes.front() = {.shape = ConvexPolyhedron(corners)};
    model.detect(BodyContacts({{body, shapes}}, {{.shape = HalfSpace{}}},
                              NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 3}));
  }
};

void expect_velocities(const Scene& scene, const Pushed& pushed, const EventDriven& simulation) {
  const double gained = std::pow(simulation.state().t - 1.0, scene.power);
  const auto v = simulation.state().v(pushed.body);
  const Eigen::Rotation2Dd turned(scene.with_body ? scene.c * gained * (simulation.state().t - 1.0) / (scene.power + 1)
                                                  : 0.0);
  EXPECT_LE((v.head<2>() - gained * (turned * scene.a)).norm(), kIntegrated) << scene.name;
  EXPECT_NEAR(v[5], gained * scene.c, 10.0 * kIntegrated) << scene.name;
}

void expect_motion(const Scene& scene, const Pushed& pushed, const EventDriven& simulation) {
  const auto slips = times_of(simulation, EventKind::Slip);
  EXPECT_EQ(slips.size(), scene.feet.size()) << scene.name;
  for (const double t : slips) EXPECT_NEAR(t, 1.0, kInstant) << scene.name;
  EXPECT_TRUE(events_of(simulation, EventKind::Stick).empty()) << scene.name;
  EXPECT_TRUE(events_of(simulation, EventKind::Opening).empty()) << scene.name;
  expect_velocities(scene, pushed, simulation);
}

void expect_onset(const Scene& scene) {
  const Pushed pushed(scene);
  EventDriven simulation(pushed.model);
  const auto report = simulation.advance_to(kEnd);
  ASSERT_TRUE(report) << scene.name << ": " << report.message();
  expect_motion(scene, pushed, simulation);
  EXPECT_LE(report.steps, 400) << scene.name;  // not thousands: steps grow with the slip
}

/// From `angle` on, turning by c, at a height h.
void expect_onset(const char* name, const std::vector<Vector2d>& feet, double height, double angle, double c) {
  std::ostringstream scene;
  scene << name << " at h = " << height << ", angle " << angle << ", c = " << c;
  expect_onset(Scene{scene.str(), feet, height, Vector2d(std::cos(angle), std::sin(angle)), c});
}

TEST(TurningOnsets, OfABoxAtSeveralHeightsAnglesAndMoments) {
  for (const double height : {1e-8, 0.1, 0.25}) {
    for (const double angle : {0.0, 0.4, 2.0, -1.7}) {
      for (const double c : {0.5, -2.0, 6.0}) expect_onset("square", square(), height, angle, c);
    }
  }
}

TEST(TurningOnsets, OfOtherFeet) {
  // Of the trapezium no two feet are as far from the centre: springs are equal by their mobilities. Of more than eight
  // the problem of accelerations leaves some without a load at the onset.
  for (const double angle : {0.0, 0.4, 2.0}) {
    for (const double c : {0.5, -3.0}) {
      expect_onset("rectangle", rectangle(), 0.15, angle, c);
      expect_onset("trapezium", trapezium(), 0.15, angle, c);
      expect_onset("triangle", triangle(), 0.1, angle, c);
    }
  }
  expect_onset("hexagon", oval(6), 0.1, 0.4, -3.0);
  expect_onset("dodecagon", oval(12), 0.1, 2.0, -3.0);
}

TEST(TurningOnsets, AboutAPointNearAFoot) {
  // That foot slips slower than the others, by 0.6 m over its distance from the centre of the turn.
  const double c = -3.0;
  for (const double distance : {0.1, 0.01, 0.002}) {
    for (const double angle : {0.3, 2.0}) {
      const Vector2d centre = square()[0] + distance * Vector2d(std::cos(angle), std::sin(angle));
      expect_onset(Scene{"centre of the turn at " + std::to_string(distance) + " m from a foot", square(), 0.1,
                         Vector2d(c * centre[1], -c * centre[0]), c});
    }
  }
}

/// As far as it is known where the push bends or jumps.
const EventDrivenOptions kScheduled{.events = {{.name = "bend", .instants = {1.0}}}};

/// Turning by c about a point of its own at `distance` from a foot, and `angle`.
Scene about_a_foot(const char* name, const std::vector<Vector2d>& feet, double distance, double angle, double c) {
  std::ostringstream what;
  what << name << " about a point at " << distance << " m from a foot, angle " << angle << ", c = " << c;
  const Vector2d away = distance * Vector2d(std::cos(angle), std::sin(angle));
  // a = -c k x (r + away): of that foot what is left is exact.
  Scene scene{what.str(), feet, 0.1, c * Vector2d(feet[0][1], -feet[0][0]), c};
  scene.a += c * Vector2d(away[1], -away[0]);
  scene.with_body = true;
  return scene;
}

void expect_run(const Scene& scene, const EventDrivenOptions& options = {}) {
  const Pushed pushed(scene);
  EventDriven simulation(pushed.model, options);
  const auto report = simulation.advance_to(kEnd);
  ASSERT_TRUE(report) << scene.name << ": " << report.message();
  expect_velocities(scene, pushed, simulation);
  EXPECT_TRUE(events_of(simulation, EventKind::Opening).empty()) << scene.name;
  EXPECT_LE(report.steps, 800) << scene.name;
}

TEST(TurningOnsets, AboutAFootAndNearIt) {
  // A foot that the body turns about sticks. One that slips at a ten-thousandth of the others begins with them.
  for (const auto& [name, feet] : {std::pair{"square", square()}, std::pair{"trapezium", trapezium()},
                                   std::pair{"triangle", triangle()}, std::pair{"hexagon", oval(6)}}) {
    for (const double c : {-3.0, 2.0}) {
      for (const double distance : {0.0, 1e-4, 3e-4, 1e-3}) expect_run(about_a_foot(name, feet, distance, 2.0, c));
    }
  }
}

TEST(TurningOnsets, AboutADoubledFoot) {
  // Of two contacts at one place, both sticking, each bears half of what they have together.
  for (auto feet : {square(), trapezium(), triangle(), oval(6)}) {
    feet.push_back(feet[0]);
    for (const double c : {-3.0, 2.0}) {
      const Scene scene = about_a_foot("doubled", feet, 0.0, 2.0, c);
      const Pushed pushed(scene);
      EventDriven simulation(pushed.model);
      const auto report = simulation.advance_to(kEnd, [&](const State& state) {
        std::vector<Vector3d> forces;
        for (Index row = 0; row + 2 < state.forces.size(); row += 3) {
          if (state.forces[row] > 0.0) forces.emplace_back(state.forces.segment<3>(row));
        }
        if (state.t < 1.1 || forces.size() != feet.size()) return;
        std::size_t pairs = 0;
        for (std::size_t i = 0; i < forces.size(); ++i) {
          for (std::size_t k = i + 1; k < forces.size(); ++k)
            pairs += (forces[i] - forces[k]).norm() <= 1e-9 * forces[i].norm() ? 1 : 0;
        }
        EXPECT_EQ(pairs, 1u) << state.t;
      });
      ASSERT_TRUE(report) << report.message();
      expect_velocities(scene, pushed, simulation);
      EXPECT_EQ(times_of(simulation, EventKind::Slip).size(), feet.size() - 2);
      EXPECT_LE(report.steps, 800);
    }
  }
}

TEST(TurningOnsets, AForceAndAMomentThatJumpBeyondFriction) {
  // From half of what friction holds, and from nothing, to a motion v = (t - 1) a, w = (t - 1) c.
  for (const auto& [name, feet] : {std::pair{"square", square()}, std::pair{"trapezium", trapezium()},
                                   std::pair{"triangle", triangle()}, std::pair{"hexagon", oval(6)}}) {
    for (const double before : {0.0, 0.5}) {
      for (const double distance : {0.0, 1e-4, 1e-3, 0.03, 0.3, 1.0}) {
        Scene scene = about_a_foot(name, feet, distance, 0.7, -3.0);
        scene.power = 1;
        scene.before = [before](double) { return before; };
        expect_run(scene, kScheduled);
      }
    }
  }
}

TEST(TurningOnsets, AtAScheduledInstant) {
  // The push is on the boundary of what friction holds at that instant, to round-off, whatever it was before.
  const std::vector<std::pair<std::string, std::function<double(double)>>> before{
      {"grows", [](double t) { return t; }},
      {"jumps up", [](double) { return 0.5; }},
      {"begins", [](double) { return 0.0; }},
      {"turns back", [](double) { return -0.5; }}};
  for (const auto& feet : {square(), trapezium(), triangle()}) {
    for (const double angle : {0.0, 2.0}) {
      for (const double c : {0.0, -2.0}) {
        for (const auto& [what, part] : before) {
          const std::string name = what + " at angle " + std::to_string(angle) + ", c = " + std::to_string(c);
          const Scene scene{name, feet, 0.1, Vector2d(std::cos(angle), std::sin(angle)), c, part};
          const Pushed pushed(scene);
          EventDriven simulation(pushed.model, kScheduled);
          const auto report = simulation.advance_to(kEnd);
          ASSERT_TRUE(report) << name << ": " << report.message();
          expect_motion(scene, pushed, simulation);
          EXPECT_LE(report.steps, 250) << name;
        }
      }
    }
  }
}

/// Another mechanism in the model.
struct Neighbour {
  std::string name;
  std::function<void(NonSmoothDynamicalSystem&)> add;
};

/// A mass on the plane z = 0 that slides along x, and is struck from above at t = 1.
Neighbour mass_on_floor(const std::string& name, double mass, double speed, double impulse) {
  return {name, [=](NonSmoothDynamicalSystem& model) {
            const auto system = model.add(LagrangianLinearSystem{.mass = (mass * Vector3d::Ones()).asDiagonal(),
                                                                 .force = {0.0, 0.0, -mass * kGravity},
                                                                 .q0 = Vector3d::Zero(),
                                                                 .v0 = {speed, 0.0, 0.0},
                                                                 .impulses = {{1.0, {0.0, 0.0, -impulse}}}});
            model.link(system, on_floor(3), NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 3});
          }};
}

void expect_onset_beside(const Scene& scene, const Neighbour& neighbour, const EventDrivenOptions& options) {
  const std::string name = scene.name + " beside " + neighbour.name;
  Pushed pushed(scene);
  neighbour.add(pushed.model);
  EventDriven simulation(pushed.model, options);
  const auto report = simulation.advance_to(kEnd);
  ASSERT_TRUE(report) << name << ": " << report.message();
  expect_velocities(scene, pushed, simulation);
  const auto slips = times_of(simulation, EventKind::Slip);
  EXPECT_EQ(slips.size(), scene.feet.size()) << name;
  for (const double t : slips) EXPECT_NEAR(t, 1.0, kInstant) << name;
  EXPECT_LE(report.steps, 400) << name;
}

TEST(TurningOnsets, AtTheInstantAtWhichSomethingHappensFarAway) {
  // What is struck, or comes to rest, at that instant shares nothing with the body, nor does a joint that rubs.
  const Neighbour wheel{"a wheel on a hinge that rubs", [](NonSmoothDynamicalSystem& model) {
                          const auto body = model.add(PlanarBody{
                              .mass = 3.0, .inertia = 0.4, .angular_velocity = 50.0, .gravity = {0.0, -kGravity}});
                          model.link(body, PlanarFrictionalHinge{planar_joint_to_ground(Vector3d::Zero(), {0.0, 0.0})},
                                     PlanarHingeFrictionLaw{.friction = 0.2, .radius = 0.05});
                        }};
  for (const Neighbour& neighbour : {mass_on_floor("a mass that is struck", 1.0, 0.0, 1.0),
                                     mass_on_floor("a mass that stops", 1.0, kFriction * kGravity, 0.0), wheel}) {
    for (const auto& feet : {square(), trapezium(), triangle()}) {
      for (const double before : {0.5, 0.0}) {
        const Scene scene{"jump from " + std::to_string(before), feet, 0.1, Vector2d(-0.4, 0.9), -2.0,
                          [before](double) { return before; }};
        expect_onset_beside(scene, neighbour, kScheduled);
      }
    }
  }
}

TEST(TurningOnsets, BesideHeavyAndLightMasses) {
  // What counts as no force is relative to those of the mechanism, whatever others weigh: 1e-9 of the weight of the
  // largest mass is 3e-3 of the load of a foot.
  for (const double mass : {1e-4, 1e3, 1e6}) {
    const Neighbour neighbour = mass_on_floor("a mass of " + std::to_string(mass), mass, 0.0, 0.0);
    expect_onset_beside({"growing push", trapezium(), 0.1, {-0.4, 0.9}, -2.0}, neighbour, {});
    const auto before = [](double) { return 0.5; };
    expect_onset_beside({"jump", trapezium(), 0.1, {-0.4, 0.9}, -2.0, before}, neighbour, kScheduled);
  }
}

TEST(TurningOnsets, OfPushesInAnyDirection) {
  // Forces and moments that grow, 0.4 s beyond where the first of them slips at all; many turn the body about a foot.
  for (int k = 0; k < 24; ++k) {
    const double angle = 0.26 * k, part = std::cos(1.1 * k);
    const Vector3d push(std::cos(angle), std::sin(angle), 0.4 * part);
    NonSmoothDynamicalSystem model;
    const auto body = model.add(
        RigidBody{.mass = kMass,
                  .inertia = kInertia.asDiagonal(),
                  .position = {0.0, 0.0, 0.15},
                  .gravity = {0.0, 0.0, -kGravity},
                  .loads = {GivenLoad{.load = [push](double t, ConstVectorRef, ConstVectorRef, VectorRef load) {
                    const double size = kFriction * kMass * kGravity * 2.0 * t;
                    load.setZero();
                    load.head<2>() = size * push.head<2>();
                    load[5] = size * push[2];
                  }}}});
    model.detect(BodyContacts({{body, {{.shape = Box{{0.3, 0.3, 0.15}}}}}}, {{.shape = HalfSpace{}}},
                              NewtonImpactFrictionLaw{.friction = kFriction, .dimension = 3}));
    EventDriven simulation(model);
    const auto report = simulation.advance_to(0.9);
    ASSERT_TRUE(report) << k << ": " << report.message();
    EXPECT_GT(simulation.state().v(body).norm(), 0.1) << k;
    EXPECT_LE(report.steps, 800) << k;
  }
}

TEST(TurningOnsets, WhereARunIsLookedAtOrBegins) {
  for (const auto& feet : {square(), triangle()}) {
    for (const double c : {0.0, -2.0}) {
      const Scene scene{"c = " + std::to_string(c), feet, 0.1, {0.9, 0.4}, c};
      const Pushed pushed(scene);
      EventDriven looked_at(pushed.model);
      run_to(looked_at, 1.0);
      run_to(looked_at, kEnd);
      expect_motion(scene, pushed, looked_at);
      EventDriven beginning(pushed.model, {}, 1.0);
      run_to(beginning, kEnd);
      expect_velocities(scene, pushed, beginning);
    }
  }
}

TEST(TurningOnsets, APushThatJumpsToWhatFrictionHoldsAndFallsAgain) {
  // It is at the boundary at that instant alone.
  for (const auto& feet : {square(), trapezium(), triangle()}) {
    for (const double c : {0.0, -2.0}) {
      Scene scene{"c = " + std::to_string(c), feet, 0.1, {0.9, 0.4}, c};
      scene.until = 2.0 * kEnd;
      scene.before = [](double t) { return t < 1.0 ? 0.5 : 2.0 - t; };
      const Pushed pushed(scene);
      EventDriven simulation(pushed.model, kScheduled);
      run_to(simulation, kEnd);
      EXPECT_TRUE(events_of(simulation, EventKind::Slip).empty()) << scene.name;
      EXPECT_LE(simulation.state().v(pushed.body).norm(), 1e-12) << scene.name;
    }
  }
}

}  // namespace
}  // namespace nonsmooth::turning_onsets_test
