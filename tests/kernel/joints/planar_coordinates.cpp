// SPDX-License-Identifier: Apache-2.0
// Angles, ways, motors, gears and racks in the plane: derivatives, stops, motions in closed form.
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/fitted_order.hpp"

namespace nonsmooth::planar_coordinates_test {
namespace {

PlanarFrames askew() {
  return {.first = {.point = {0.3, -0.2}, .angle = 0.7}, .second = {.point = {-0.4, 0.1}, .angle = -0.3}};
}
PlanarFrames pinned(const Eigen::Vector2d& point = Eigen::Vector2d::Zero(), double angle = 0.0) {
  return planar_joint_to_ground(Eigen::Vector3d::Zero(), point, angle);
}
double wave(double t) { return std::sin(3.0 * t); }

struct NamedRelation {
  const char* name;
  std::shared_ptr<const MechanicalRelation> relation;
  Index bodies;
};

std::vector<NamedRelation> all_relations() {
  const auto rate = [](double t) { return 3.0 * std::cos(3.0 * t); };
  const auto second = [](double t) { return -9.0 * std::sin(3.0 * t); };
  std::vector<NamedRelation> result;
  for (const Index bodies : {1, 2}) {
    result.push_back({"angle", make_relation(PlanarAngle{askew(), 0.4, -1.0}), bodies});
    result.push_back({"position", make_relation(PlanarPosition{askew(), 0.4, -1.0}), bodies});
    result.push_back({"hinge motor", make_relation(PlanarHingeMotor{askew(), wave, rate, second}), bodies});
    result.push_back({"slider motor", make_relation(PlanarSliderMotor{askew(), wave, rate, second}), bodies});
    result.push_back({"gear", make_relation(PlanarGear{askew(), askew(), -1.5}), bodies + 1});
    result.push_back({"rack", make_relation(PlanarRack{askew(), askew(), 0.6}), bodies + 1});
  }
  return result;
}

TEST(PlanarCoordinates, DerivativesAreThoseOfTheirDifferences) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (const auto& [name, relation, bodies] : all_relations()) {
    ASSERT_EQ(relation->rows(), 1);
    const Index n = 3 * bodies;
    const double t = 0.3;
    Eigen::VectorXd q(n), v(n);
    for (Index i = 0; i < n; ++i) q[i] = uniform(random), v[i] = uniform(random);
    const auto y_at = [&r = *relation](double at, const Eigen::VectorXd& place) {
      Eigen::VectorXd y = Eigen::VectorXd::Zero(1);
      r.h(at, place, y);
      return y[0];
    };
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(1, n);
    Eigen::VectorXd h_t = Eigen::VectorXd::Zero(1), curvature = h_t;
    relation->H(t, q, H);
    relation->h_t(t, q, h_t);
    relation->curvature(t, q, v, curvature);
    const double s = 1e-5;  // s^2 third derivatives / 6 and eps / s: 1e-10
    for (Index j = 0; j < n; ++j) {
      const Eigen::VectorXd step = s * Eigen::VectorXd::Unit(n, j);
      EXPECT_NEAR(H(0, j), (y_at(t, q + step) - y_at(t, q - step)) / (2.0 * s), 1e-9)
          << name << ' ' << bodies << ' ' << j;
    }
    EXPECT_NEAR(h_t[0], (y_at(t + s, q) - y_at(t - s, q)) / (2.0 * s), 1e-8) << name;
    const double r = 1e-3;  // r^2 fourth derivatives / 12, of size 3^4, and 4 eps / r^2
    const double second = (y_at(t + r, q + r * v) - 2.0 * y_at(t, q) + y_at(t - r, q - r * v)) / (r * r);
    EXPECT_NEAR(curvature[0], second, 1e-5) << name << ' ' << bodies;
  }
}

TEST(PlanarCoordinates, GearsThatRubHaveTheRowOfTheMeshAndTheirFreedom) {
  struct Case {
    std::shared_ptr<const MechanicalRelation> rubs, mesh, freedom;
    Index of;  ///< which body is free against the carrier, 2
  };
  const std::vector<Case> cases{
      {make_relation(PlanarFrictionalGear{askew(), askew(), -1.5}), make_relation(PlanarGear{askew(), askew(), -1.5}),
       make_relation(PlanarAngle{askew()}), 0},
      {make_relation(PlanarFrictionalRack{askew(), askew(), 0.6}), make_relation(PlanarRack{askew(), askew(), 0.6}),
       make_relation(PlanarPosition{askew()}), 1}};
  Eigen::VectorXd q(9), v(9);
  for (Index i = 0; i < 9; ++i)
    q[i] = std::sin(1.0 + 2.0 * static_cast<double>(i)), v[i] = std::cos(static_cast<double>(i));
  for (const Case& of : cases) {
    ASSERT_EQ(of.rubs->rows(), 2);
    const auto all = [&](const MechanicalRelation& relation, const Eigen::VectorXd& at, const Eigen::VectorXd& rate) {
      Eigen::MatrixXd result = Eigen::MatrixXd::Zero(relation.rows(), at.size() + 2), H = result.leftCols(at.size());
      Eigen::VectorXd y = Eigen::VectorXd::Zero(relation.rows()), curvature = y;
      relation.h(0.0, at, y);
      relation.H(0.0, at, H);
      relation.curvature(0.0, at, rate, curvature);
      result << H, y, curvature;
      return result;
    };
    const Eigen::MatrixXd rubs = all(*of.rubs, q, v), mesh = all(*of.mesh, q, v);
    EXPECT_EQ(rubs.row(0), mesh.row(0));
    Eigen::VectorXd own(6), own_rate(6);
    own << q.segment<3>(3 * of.of), q.tail<3>();
    own_rate << v.segment<3>(3 * of.of), v.tail<3>();
    const Eigen::MatrixXd freedom = all(*of.freedom, own, own_rate);
    // The same sums in the same order.
    EXPECT_EQ(rubs.row(1).segment(3 * of.of, 3), freedom.row(0).head(3));
    EXPECT_EQ(rubs.row(1).segment(6, 3), freedom.row(0).segment(3, 3));
    EXPECT_EQ(rubs.row(1).tail(2), freedom.row(0).tail(2));
  }
}

TEST(PlanarCoordinates, AreClosedWhereTheirFramesAreMade) {
  // A pinion of 0.2 m on a rack below it, and a wheel that meshes with it, all on a carrier that is turned.
  NonSmoothDynamicalSystem model;
  const auto carrier = model.add(PlanarBody{.position = {1.0, 2.0}, .angle = 0.4, .name = "carrier"});
  const auto pinion = model.add(PlanarBody{.position = {1.2, 2.1}, .angle = 5.0, .name = "pinion"});
  const auto wheel = model.add(PlanarBody{.position = {1.6, 2.1}, .angle = -9.0, .name = "wheel"});
  const auto rack = model.add(PlanarBody{.position = {1.2, 1.9}, .angle = 0.1, .name = "rack"});
  const Eigen::Vector3d of_carrier(1.0, 2.0, 0.4), of_pinion(1.2, 2.1, 5.0), of_wheel(1.6, 2.1, -9.0),
      of_rack(1.2, 1.9, 0.1);
  const PlanarFrames pivot = planar_joint_between(of_pinion, of_carrier, {1.2, 2.1}),
                     axle = planar_joint_between(of_wheel, of_carrier, {1.6, 2.1}),
                     guide = planar_joint_between(of_rack, of_carrier, {1.2, 1.9});
  link_joint(model, {pinion, carrier}, PlanarHinge{pivot}, "pivot");
  link_joint(model, {wheel, carrier}, PlanarHinge{axle}, "axle");
  link_joint(model, {rack, carrier}, PlanarSlider{guide}, "guide");
  EXPECT_NO_THROW(link_joint(model, {pinion, wheel, carrier}, PlanarGear{pivot, axle, 1.0}, "gear"));
  EXPECT_NO_THROW(link_joint(model, {pinion, rack, carrier}, PlanarRack{pivot, guide, 0.2}, "rack"));
  PlanarFrames off = axle;
  off.first.angle += 1e-3;
  bad_input::expect_refused(
      [&] {
        link_joint(model, {pinion, wheel, carrier}, PlanarGear{pivot, off, 1.0}, "gear");
      },
      {"row 0 of gear", "y = 0.00099"});
  EXPECT_TRUE(redundant_constraints(model, model.initial_state()).empty());
}

TEST(PlanarGear, WheelsShareAMomentByTheirRatio) {
  // theta_1 = -rho theta_2: (J_1 + J_2 / rho^2) theta_1'' = M; a constant acceleration is exact.
  const double J1 = 0.3, J2 = 0.8, rho = 2.5, M = 1.4, T = 2.0;
  NonSmoothDynamicalSystem model;
  const auto first = model.add(PlanarBody{.inertia = J1}), second = model.add(PlanarBody{.inertia = J2});
  link_joint(model, {first}, PlanarHinge{pinned()}, "first axle");
  link_joint(model, {second}, PlanarHinge{pinned()}, "second axle");
  const auto gear = link_joint(model, {first, second}, PlanarGear{pinned(), pinned(), rho}, "gear");
  model.link(first, PlanarAngle{pinned()}, ActuatorLaw{.force = [=](double, double, double) { return M; }}, "motor");
  TimeStepping run(model, {.step = 1e-2});
  ASSERT_TRUE(run.advance_to(T));
  const double rate = M / (J1 + J2 / (rho * rho));
  EXPECT_NEAR(run.state().q(first)[2], 0.5 * rate * T * T, 1e-11);
  EXPECT_NEAR(run.state().q(second)[2], -0.5 * rate * T * T / rho, 1e-11);
  // What the teeth carry: the second wheel's J_2 theta_2'' = rho lambda.
  EXPECT_NEAR(run.state().force(gear)[0], -J2 * rate / rho / rho, 1e-10);
}

TEST(PlanarGear, APlanetTurnsAboutASunThatStands) {
  // Carrier at Omega, sun held: theta_sun - theta_carrier = -Omega t, so the planet turns at Omega (1 + 1 / rho).
  const double omega = 1.5, rho = 0.5, T = 6.0;  // one and a half turns of the carrier
  NonSmoothDynamicalSystem model;
  const auto carrier = model.add(PlanarBody{.angular_velocity = omega, .name = "carrier"});
  const auto sun = model.add(PlanarBody{.name = "sun"});
  const auto planet = model.add(PlanarBody{.position = {0.5, 0.0},
                                           .velocity = {0.0, 0.5 * omega},
                                           .angular_velocity = omega * (1.0 + 1.0 / rho),
                                           .name = "planet"});
  const Eigen::Vector3d origin = Eigen::Vector3d::Zero(), of_planet(0.5, 0.0, 0.0);
  link_joint(model, {carrier}, PlanarHinge{pinned()}, "bearing");
  link_joint(model, {sun}, PlanarFixed{pinned()}, "sun's foot");
  const PlanarFrames pivot = planar_joint_between(of_planet, origin, {0.5, 0.0});
  link_joint(model, {planet, carrier}, PlanarHinge{pivot}, "pivot");
  link_joint(model, {sun, planet, carrier}, PlanarGear{planar_joint_between(origin, origin, {0.0, 0.0}), pivot, rho},
             "gear");
  EventDriven run(model, {.relative_tolerance = 1e-10});
  const RunReport report = run.advance_to(T);
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(run.state().q(carrier)[2], omega * T, 1e-8);
  EXPECT_NEAR(run.state().q(planet)[2], omega * (1.0 + 1.0 / rho) * T, 1e-8);
  EXPECT_NEAR(run.state().q(planet)[0], 0.5 * std::cos(omega * T), 1e-8);
}

TEST(PlanarRack, APinionDrivesItsRack) {
  // z = R theta: (J + m R^2) theta'' = M.
  const double J = 0.3, m = 2.0, R = 0.2, M = 1.4, T = 2.0, slope = 0.5;
  NonSmoothDynamicalSystem model;
  const auto pinion = model.add(PlanarBody{.inertia = J}), rack = model.add(PlanarBody{.mass = m});
  const PlanarFrames way = pinned(Eigen::Vector2d::Zero(), slope);
  link_joint(model, {pinion}, PlanarHinge{pinned()}, "axle");
  link_joint(model, {rack}, PlanarSlider{way}, "guide");
  link_joint(model, {pinion, rack}, PlanarRack{pinned(), way, R}, "mesh");
  model.link(pinion, PlanarAngle{pinned()}, ActuatorLaw{.force = [=](double, double, double) { return M; }}, "motor");
  TimeStepping run(model, {.step = 1e-2});
  ASSERT_TRUE(run.advance_to(T));
  const double theta = 0.5 * M / (J + m * R * R) * T * T;
  EXPECT_NEAR(run.state().q(pinion)[2], theta, 1e-11);
  EXPECT_NEAR(run.state().q(rack)[0], R * theta * std::cos(slope), 1e-11);
  EXPECT_NEAR(run.state().q(rack)[1], R * theta * std::sin(slope), 1e-11);
}

/// A bead on a rod that turns at omega about the origin, r = r_0 cosh(omega t) from its middle.
struct BeadOnRod {
  static constexpr double kOmega = 1.2, kStart = 0.3;
  NonSmoothDynamicalSystem model;
  SystemHandle rod, bead;
  PlanarFrames frames;

  BeadOnRod() {
    rod = model.add(PlanarBody{.angular_velocity = kOmega,
                               .prescribed = {{.component = 2, .velocity = [](double) { return kOmega; }}},
                               .name = "rod"});
    bead = model.add(PlanarBody{
        .position = {kStart, 0.0}, .velocity = {0.0, kStart * kOmega}, .angular_velocity = kOmega, .name = "bead"});
    frames = {.first = {}, .second = {}};
    link_joint(model, {rod}, PlanarHinge{pinned()}, "bearing");
    const Eigen::Vector3d of_bead(kStart, 0.0, 0.0);
    PlanarFrames guide = planar_joint_between(of_bead, Eigen::Vector3d::Zero(), {kStart, 0.0});
    link_joint(model, {bead, rod}, PlanarSlider{guide}, "guide");
  }
};

TEST(PlanarPosition, AStopOnARodThatTurnsIsHitWhenTheBeadIsThere) {
  // The stop at r = 0.9: cosh(omega t_1) = 3, left at e of r' = omega (0.9^2 - 0.3^2)^(1/2).
  BeadOnRod b;
  const auto stop = b.model.link({b.bead, b.rod}, PlanarPosition{.frames = b.frames, .offset = 0.9, .direction = -1.0},
                                 NewtonImpactLaw{.restitution = 0.5}, "stop");
  EventDriven run(b.model, {.relative_tolerance = 1e-10});
  const double t1 = std::acosh(3.0) / BeadOnRod::kOmega, speed = BeadOnRod::kOmega * std::sqrt(0.81 - 0.09);
  ASSERT_TRUE(run.advance_to(0.9 * t1));
  EXPECT_NEAR(run.state().y(stop)[0], 0.9 - 0.3 * std::cosh(0.9 * t1 * BeadOnRod::kOmega), 1e-8);
  const RunReport report = run.advance_to(t1 + 1e-6);
  ASSERT_TRUE(report) << report.message();
  ASSERT_EQ(run.events().size(), 1U);
  EXPECT_NEAR(run.events()[0].t, t1, 1e-8);
  EXPECT_NEAR(run.state().u(stop)[0], 0.5 * speed, 1e-5);  // and what 1e-6 s of omega^2 r = 1.3 m/s^2 change
}

TEST(PlanarPosition, ASpringOnARodThatTurnsConvergesInSteps) {
  // r'' = -(k / m - omega^2) r: r_0 cos(w t) where the spring is at rest at r = 0.
  const double k = 10.0, T = 1.0, w = std::sqrt(k - BeadOnRod::kOmega * BeadOnRod::kOmega);
  const auto error = [&](double h) {
    BeadOnRod b;
    const auto spring =
        b.model.link({b.bead, b.rod}, PlanarPosition{.frames = b.frames}, SpringDamperLaw{.stiffness = k}, "spring");
    TimeStepping run(b.model, {.step = h});
    const RunReport report = run.advance_to(T);
    EXPECT_TRUE(report) << report.message();
    return std::abs(run.state().y(spring)[0] - BeadOnRod::kStart * std::cos(w * T));
  };
  EXPECT_NEAR(fitted_order(1e-2, 4, error), 1.0, 0.1);  // H turns: order 1, of errors h omega at most 1 % of themselves
  EXPECT_LE(error(1e-3), 3e-3);
}

TEST(PlanarHingeMotor, PrescribesAnAngleThroughManyTurns) {
  // theta = 10 t + sin t between two wheels in the plane, the second free: their moments are opposite.
  NonSmoothDynamicalSystem model;
  const auto first = model.add(PlanarBody{.inertia = 0.4, .angular_velocity = 11.0});
  const auto second = model.add(PlanarBody{.inertia = 0.1});
  link_joint(model, {first, second}, PlanarHinge{}, "hinge");
  const auto motor =
      model.link({first, second}, PlanarHingeMotor{.angle = [](double t) { return 10.0 * t + std::sin(t); }},
                 EqualityLaw{}, "motor");
  EventDriven run(model, {.relative_tolerance = 1e-10});
  const RunReport report = run.advance_to(3.0);
  ASSERT_TRUE(report) << report.message();
  const State& state = run.state();
  // Differences of the angle, 1e-7 of the acceleration.
  EXPECT_NEAR(state.q(first)[2] - state.q(second)[2], 30.0 + std::sin(3.0), 1e-7);
  EXPECT_NEAR(0.4 * state.v(first)[2] + 0.1 * state.v(second)[2], 4.4, 1e-10);
  EXPECT_NEAR(state.force(motor)[0], -0.08 * std::sin(3.0), 1e-6);
}

TEST(PlanarCoordinates, BadInputIsRefusedByItsField) {
  using bad_input::expect_refused;
  expect_refused([] { (void)make_relation(PlanarAngle{.offset = bad_input::kNaN}); }, {"PlanarAngle::offset"});
  expect_refused([] { (void)make_relation(PlanarAngle{.direction = 2.0}); }, {"PlanarAngle::direction", "1 or -1"});
  expect_refused([] { (void)make_relation(PlanarPosition{.offset = bad_input::kInfinity}); },
                 {"PlanarPosition::offset"});
  expect_refused([] { (void)make_relation(PlanarPosition{.direction = 0.0}); }, {"PlanarPosition::direction"});
  expect_refused([] { (void)make_relation(PlanarHingeMotor{}); }, {"PlanarHingeMotor", "angle or its velocity"});
  expect_refused([] { (void)make_relation(PlanarSliderMotor{}); }, {"PlanarSliderMotor", "position"});
  const auto rest = [](double) { return 0.0; };
  expect_refused([&] { (void)make_relation(PlanarHingeMotor{.angle = rest, .stiffness = bad_input::kNaN}); },
                 {"PlanarHingeMotor::stiffness"});
  expect_refused([&] { (void)make_relation(PlanarSliderMotor{.velocity = rest, .stiffness = 1.0}); },
                 {"PlanarSliderMotor::stiffness", "position"});
  expect_refused([] { (void)make_relation(PlanarGear{.ratio = 0.0}); }, {"PlanarGear::ratio", "0"});
  expect_refused([] { (void)make_relation(PlanarRack{}); }, {"PlanarRack::radius", "0"});
  expect_refused([] { (void)make_relation(PlanarAngle{.frames = {.first = {.angle = bad_input::kNaN}}}); },
                 {"PlanarAngle::frames.first.angle"});
  expect_refused(
      [] {
        NonSmoothDynamicalSystem model;
        const auto body = model.add(RigidBody{.name = "box"});
        model.link(body, PlanarAngle{}, SpringDamperLaw{.stiffness = 1.0});
      },
      {"a planar joint coordinate's bodies", "box of 7"});
  expect_refused(
      [] {
        NonSmoothDynamicalSystem model;
        const auto body = model.add(PlanarBody{});
        model.link(body, PlanarGear{}, EqualityLaw{});
      },
      {"PlanarGear's bodies", "2 or 3 bodies"});
}

}  // namespace
}  // namespace nonsmooth::planar_coordinates_test
