// SPDX-License-Identifier: Apache-2.0
// Bodies in space and in the plane: bad input, units, Jacobians of loads, closed forms of free bodies and of the heavy
// top, orders on SO(3).
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>
#include <problems/reference.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/fitted_order.hpp"
#include "kernel/free_bodies.hpp"

namespace nonsmooth::rigid_bodies_test {
namespace {

using bad_input::expect_refused;
using bad_input::kNaN;
using namespace free_bodies;

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kGravity = 9.81;

void run_to(Simulation& simulation, double t) {
  const RunReport report = simulation.advance_to(t);
  ASSERT_TRUE(report) << report.message();
}

TEST(RigidBodyInput, IsRefusedWithTheBodysNameOrItsPlace) {
  NonSmoothDynamicalSystem model;
  model.add(RigidBody{});
  const auto removed = model.add(RigidBody{});
  model.add(RigidBody{});
  expect_refused([&] { model.add(RigidBody{.inertia = principal(1.0, 1.0, 2.5), .name = "wheel"}); },
                 {"RigidBody::inertia of wheel", "2.5"});
  expect_refused(
      [&] {
        model.add(RigidBody{.orientation = {1.0, 0.1, 0.0, 0.0}, .name = "wheel"});
      },
      {"RigidBody::orientation of wheel", "unit quaternion"});
  expect_refused([&] { model.add(PlanarBody{.inertia = -1.0, .name = "disk"}); },
                 {"PlanarBody::inertia of disk", "-1"});
  expect_refused([&] { model.add(PlanarBody{.mass = 0.0}); }, {"PlanarBody::mass of system 3", "0"});
  model.remove(removed);  // its place is the next one's
  expect_refused([&] { model.add(RigidBody{.mass = 0.0}); }, {"RigidBody::mass of system 1", "0"});
  model.add(RigidBody{});
  expect_refused([&] { model.add(LagrangianLinearSystem{.mass = {{-2.0}}, .q0 = {0.0}, .name = "ball"}); },
                 {"LagrangianLinearSystem::mass of ball", "-2"});
}

TEST(RigidBodyInput, IsRefusedByName) {
  const auto refused = [](auto change, const std::string& argument, const std::string& found) {
    RigidBody body;
    change(body);
    expect_refused([&] { (void)make_system(body); }, {"RigidBody::" + argument, found});
  };
  refused([](RigidBody& b) { b.mass = 0.0; }, "mass", "0");
  refused([](RigidBody& b) { b.mass = kNaN; }, "mass", "nan");
  refused([](RigidBody& b) { b.inertia(0, 1) = 0.1; }, "inertia", "not symmetric");
  refused([](RigidBody& b) { b.inertia = principal(1.0, 1.0, -0.5); }, "inertia", "positive");
  refused([](RigidBody& b) { b.inertia = principal(1.0, 1.0, 2.1); }, "inertia", "2.1");
  refused([](RigidBody& b) { b.inertia(2, 2) = kNaN; }, "inertia", "nan");
  refused([](RigidBody& b) { b.orientation = {1.0, 0.1, 0.0, 0.0}; }, "orientation", "unit quaternion");
  refused([](RigidBody& b) { b.orientation.setZero(); }, "orientation", "unit quaternion");
  refused(
      [](RigidBody& b) {
        b.orientation = {1.0, 1e-4, 0.0, 0.0};
      },
      "orientation", "(1, 1e-04, 0, 0) of length 1.000000005");
  refused([](RigidBody& b) { b.inertia = principal(1e-8, 1e-8, 3e-8); }, "inertia", "3e-08");
  refused([](RigidBody& b) { b.loads = {PointSpring{.damping = -0.5}}; }, "loads[0]: PointSpring::damping", "-0.5");
  refused([](RigidBody& b) { b.loads = {LinearDrag{.translation = -0.5}}; }, "loads[0]: LinearDrag::translation",
          "-0.5");
  refused([](RigidBody& b) { b.loads = {LinearDrag{.rotation = -0.5}}; }, "loads[0]: LinearDrag::rotation", "-0.5");
  // Ten digits are a unit, everywhere.
  const Eigen::Vector4d digits(0.3651483717, 0.5477225575, 0.7302967433, -0.1825741858);
  EXPECT_NO_THROW((void)make_system(RigidBody{.orientation = digits}));
  Eigen::VectorXd place = Eigen::VectorXd::Zero(7);
  place.tail<4>() = digits;
  EXPECT_NO_THROW((void)joint_to_ground(place, Eigen::Vector3d::Zero()));
  refused([](RigidBody& b) { b.position[1] = kNaN; }, "position", "nan");
  refused([](RigidBody& b) { b.velocity[1] = kNaN; }, "velocity", "nan");
  refused([](RigidBody& b) { b.angular_velocity[1] = kNaN; }, "angular_velocity", "nan");
  refused([](RigidBody& b) { b.gravity[1] = kNaN; }, "gravity", "nan");
  refused([](RigidBody& b) { b.loads = {LinearDrag{}, GivenLoad{}}; }, "loads[1]: GivenLoad::load", "no function");
  refused(
      [](RigidBody& b) {
        b.loads = {LinearDrag{}, std::shared_ptr<const BodyLoad>{}};
      },
      "loads[1]", "a null pointer");
  refused([](RigidBody& b) { b.loads = {PointSpring{.rest_length = -1.0}}; }, "loads[0]: PointSpring::rest_length",
          "-1");
  refused(
      [](RigidBody& b) {
        b.loads = {FollowerForce{.force = {kNaN, 0.0, 0.0}}};
      },
      "loads[0]: FollowerForce::force", "nan");
  refused([](RigidBody& b) { b.prescribed = {{.component = 6, .velocity = [](double) { return 0.0; }}}; }, "prescribed",
          "6");
  expect_refused([] { (void)make_system(PlanarBody{.mass = -1.0}); }, {"PlanarBody::mass", "-1"});
  expect_refused([] { (void)make_system(PlanarBody{.inertia = 0.0}); }, {"PlanarBody::inertia", "0"});
  expect_refused([] { (void)make_system(PlanarBody{.angle = kNaN}); }, {"PlanarBody::angle", "nan"});
}

TEST(RigidBodyInput, APlateIsABody) {  // J_3 = J_1 + J_2, whatever its axes round to
  const Eigen::Matrix3d R = about({1.0, 2.0, 3.0}, 0.7).toRotationMatrix();
  EXPECT_TRUE(make_system(RigidBody{.inertia = R * principal(0.1, 0.2, 0.1 + 0.2) * R.transpose()}));
}

TEST(RigidBody, QuaternionStaysAUnitOverAMillionTurns) {
  // A product's length is divided out, which leaves some 3 eps, and norm() another 3. Of the turn, each of 10^6 steps
  // rounds by at most 8 eps.
  const auto body = make_system(RigidBody{});
  const Eigen::Vector3d w(1.1e-3, -2.3e-3, 0.7e-3);
  Eigen::VectorXd q = body->initial_position();
  Eigen::VectorXd move(6);
  move << 0.0, 0.0, 0.0, w;
  double worst = 0.0;
  for (int i = 0; i < 1'000'000; ++i) {
    body->retract(q, move);
    worst = std::max(worst, std::abs(q.tail<4>().norm() - 1.0));
  }
  EXPECT_LE(worst, 8.0 * kEps);
  const Eigen::Quaterniond Q(q[3], q[4], q[5], q[6]);
  EXPECT_LE(distance(Q, about(w, 1e6 * w.norm())), 1e6 * 8.0 * kEps);
}

TEST(FreeBody, QuaternionStaysAUnitOverManyStepsOfATumblingBody) {
  // The length is divided out in each step, as above. theta = 1/2 keeps |J Omega|^2 + h^2 / 4 |Omega x J Omega|^2 (see
  // body_batch.cpp), to some 16 eps of rounding a step, as Newton's iteration ends far below its tolerance: the body
  // tumbles to the end.
  const Asymmetric exact;
  const double h = 1e-2;
  const int steps = 200'000;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(exact.body());
  TimeStepping simulation(model, {.step = h});
  const auto kept = [&] {
    const Eigen::Vector3d Omega = simulation.state().v(body).tail<3>(), L = exact.J.cwiseProduct(Omega);
    return L.squaredNorm() + 0.25 * h * h * Omega.cross(L).squaredNorm();
  };
  const double start = kept();
  double worst = 0.0;
  for (int k = 0; k < steps; ++k) {
    ASSERT_TRUE(simulation.step());
    worst = std::max(worst, std::abs(simulation.state().q(body).tail<4>().norm() - 1.0));
  }
  EXPECT_LE(worst, 8.0 * kEps);
  EXPECT_NEAR(kept(), start, steps * 16.0 * kEps * start);
}

/// All kinds of loads, none in a place where something cancels.
std::vector<AnyBodyLoad> every_load() {
  const auto wind = [](double t, ConstVectorRef q, ConstVectorRef v, VectorRef load) {
    load << std::sin(q[0] + t), q[1] * v[0], v[3] * v[4], q[3] * q[4], v[2] * q[5], std::cos(v[5]);
  };
  GivenLoad in_space{.load = wind, .moment_axes = LoadAxes::Inertial, .point = {0.1, 0.2, -0.3}};
  GivenLoad in_the_body{.load = wind, .force_axes = LoadAxes::Body, .point = {0.3, -0.1, 0.2}};
  in_the_body.load_dv = [](double, ConstVectorRef q, ConstVectorRef v, MatrixRef J) {
    J(1, 0) = q[1], J(2, 3) = v[4], J(2, 4) = v[3], J(4, 2) = q[5], J(5, 5) = -std::sin(v[5]);
  };
  return {
      PointSpring{
          .point = {0.2, 0.1, -0.4}, .anchor = {1.0, 2.0, 0.5}, .stiffness = 7.0, .damping = 0.8, .rest_length = 0.6},
      FollowerForce{.point = {0.0, 0.3, 0.1}, .force = {1.0, -2.0, 0.5}, .moment = {0.1, 0.2, 0.3}},
      LinearDrag{.translation = 0.4, .rotation = 0.3}, in_space, in_the_body};
}

RigidBody loaded_body() {
  return {.mass = 1.7,
          .inertia = (Eigen::Matrix3d() << 1.0, 0.1, -0.2, 0.1, 1.4, 0.05, -0.2, 0.05, 1.9).finished(),
          .position = {0.3, -0.2, 0.9},
          .orientation = Eigen::Vector4d(0.5, -0.1, 0.7, 0.2).normalized(),
          .velocity = {0.4, -1.0, 0.2},
          .angular_velocity = {0.9, -0.6, 1.3},
          .gravity = {0.0, 0.0, -kGravity},
          .loads = every_load(),
          .name = "loaded body"};
}

TEST(RigidBody, JacobiansOfLoadsAreExact) {
  // Differences about the middle, s = 2^-16: s^2 / 6 of third derivatives, at most some 100 here: 4e-9; rounding
  // 8 eps |F| / s, |F| < 30: 4e-9. GivenLoads without a Jacobian take forward differences: sqrt(eps) of second
  // derivatives, at most 10, and as much of rounding: 3e-7.
  const auto body = make_system(loaded_body());
  const double s = 0x1p-16, t = 0.3;
  const Eigen::VectorXd q = body->initial_position(), v = body->initial_velocity();
  Eigen::MatrixXd dq = Eigen::MatrixXd::Zero(6, 6), dv = dq, difference_q(6, 6), difference_v(6, 6);
  body->force_dq(t, q, v, dq);
  body->force_dv(t, q, v, dv);
  const auto force = [&](const Eigen::VectorXd& at_q, const Eigen::VectorXd& at_v) {
    Eigen::VectorXd F = Eigen::VectorXd::Zero(6);
    body->force(t, at_q, at_v, F);
    return F;
  };
  for (Index j = 0; j < 6; ++j) {
    const Eigen::VectorXd step = s * Eigen::VectorXd::Unit(6, j);
    Eigen::VectorXd before = q, after = q;
    body->retract(before, -step);
    body->retract(after, step);
    difference_q.col(j) = (force(after, v) - force(before, v)) / (2.0 * s);
    difference_v.col(j) = (force(q, v + step) - force(q, v - step)) / (2.0 * s);
  }
  EXPECT_LE((dq - difference_q).lpNorm<Eigen::Infinity>(), 8e-9 + 3e-7);
  EXPECT_LE((dv - difference_v).lpNorm<Eigen::Infinity>(), 8e-9 + 3e-7);
}

TEST(RigidBody, PositionRatesAreTheDerivativeOfRetract) {
  // Six differences, of rounding 8 eps over s = 1 / (128 |v|): as tests/events/manifolds.cpp has it.
  const auto body = make_system(loaded_body());
  Eigen::VectorXd exact(7), differences(7);
  body->position_rates(body->initial_position(), body->initial_velocity(), exact);
  body->MechanicalSystem::position_rates(body->initial_position(), body->initial_velocity(), differences);
  EXPECT_LE((exact - differences).lpNorm<Eigen::Infinity>(), 2.0 * 8.0 * 256.0 * kEps);
}

TEST(FreeBody, AxisymmetricByEventsFollowsItsClosedForm) {
  // Errors of 1e-10 a step of some 200 of sizes below 3; an error of Omega turns the body by t times as much, t = 10.
  const Axisymmetric exact;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(exact.body());
  EventDriven simulation(model);
  const double T = 10.0, tolerance = 1e-10 * 200.0 * 3.0;
  run_to(simulation, T);
  EXPECT_LE((simulation.state().v(body).tail<3>() - exact.Omega_at(T)).norm(), tolerance);
  EXPECT_LE(distance(turn_of(simulation.state(), body), exact.turn_at(T)), T * tolerance);
  EXPECT_LE((simulation.state().q(body).head<3>() - T * Eigen::Vector3d(1.0, 0.0, -0.5)).norm(), tolerance);
}

TEST(FreeBody, AsymmetricByEventsFollowsJacobisFunctions) {
  // As above; errors of Omega grow in proportion to time (the period depends on energy), by 10 at most.
  const Asymmetric exact;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(exact.body());
  EventDriven simulation(model);
  const double T = 10.0, tolerance = 1e-10 * 300.0 * 3.0 * T;
  run_to(simulation, T);
  EXPECT_LE((simulation.state().v(body).tail<3>() - exact.Omega_at(T)).norm(), tolerance);
  EXPECT_LE(distance(turn_of(simulation.state(), body), exact.turn_at(T)), T * tolerance);
}

/// Order of the turn and of Omega at t = 1, steps from 1/16 to 1/256.
template <class Exact>
double measured_order(const Exact& exact, const Integrator& scheme,
                      GyroscopicTerm gyroscopic = GyroscopicTerm::Implicit) {
  return fitted_order(1.0 / 16.0, 4, [&](double h) {
    NonSmoothDynamicalSystem model;
    RigidBody described = exact.body();
    described.gyroscopic = gyroscopic;
    const auto body = model.add(described);
    TimeStepping simulation(model, {.integrator = scheme, .step = h});
    EXPECT_TRUE(simulation.advance_to(1.0));
    return error_of(exact, simulation, body);
  });
}

// Errors are c h^p (1 + O(h)), and O(h^2) for the symmetric rule: from h = 1/16 on a slope within 0.1 of p, 0.05 there.
TEST(FreeBody, SchemesHaveTheirOrdersOnTurns) {
  const auto expect = [](const char* name, double order, double expected) {
    RecordProperty(name, std::to_string(order));
    EXPECT_NEAR(order, expected, expected == 2.0 ? 0.05 : 0.1) << name;
  };
  const MoreauJean trapezoidal{.theta = 0.5}, implicit{.theta = 1.0};
  expect("MoreauJeanHalfAxisymmetric", measured_order(Axisymmetric{}, trapezoidal), 2.0);
  expect("MoreauJeanHalf", measured_order(Asymmetric{}, trapezoidal), 2.0);
  expect("MoreauJeanOneAxisymmetric", measured_order(Axisymmetric{}, implicit), 1.0);
  expect("MoreauJeanOne", measured_order(Asymmetric{}, implicit), 1.0);
  expect("MoreauJeanExplicitMoment", measured_order(Asymmetric{}, trapezoidal, GyroscopicTerm::Explicit), 1.0);
  expect("StewartTrinkleOne", measured_order(Asymmetric{}, StewartTrinkle{}), 1.0);
  expect("StewartTrinkleHalf", measured_order(Asymmetric{}, StewartTrinkle{.theta = 0.5}), 1.0);
}

/// A symmetric top about a point of its axis that is held: J about that point, gravity as its moment.
struct HeavyTop {
  double J1 = 0.5, J3 = 0.3, moment = 1.2, spin = 9.0, tilt = 0.6;  ///< m g l [N m]; rad/s, rad
  double a = J3 * spin / J1, beta = 2.0 * moment / J1, u0 = std::cos(tilt);
  // From rest of the axis u = cos theta moves between u0 and u1: udot^2 = beta (u0 - u) (u - u1) (u2 - u).
  double root = std::sqrt(a * a * a * a - 4.0 * beta * (a * a * u0 - beta));
  double u1 = (a * a - root) / (2.0 * beta), u2 = (a * a + root) / (2.0 * beta);

  [[nodiscard]] RigidBody body(const Eigen::Vector3d& Omega) const {
    GivenLoad gravity;
    gravity.load = [this](double, ConstVectorRef q, ConstVectorRef, VectorRef load) {
      const Eigen::Vector3d axis = Eigen::Quaterniond(q[3], q[4], q[5], q[6]) * Eigen::Vector3d::UnitZ();
      load.tail<3>() = axis.cross(Eigen::Vector3d(0.0, 0.0, -moment));
    };
    gravity.moment_axes = LoadAxes::Inertial;
    gravity.potential = [this](ConstVectorRef q) { return moment * (1.0 - 2.0 * (q[4] * q[4] + q[5] * q[5])); };
    return {.inertia = principal(J1, J1, J3),
            .orientation = {std::cos(0.5 * tilt), std::sin(0.5 * tilt), 0.0, 0.0},
            .angular_velocity = Omega,
            .loads = {gravity}};
  }
  /// Over half a nutation, u = (u0 + u1) / 2 + (u0 - u1) / 2 sin s: the integral of f(u) dt.
  template <class Integrand>
  [[nodiscard]] double over_half_a_nutation(const Integrand& f) const {
    return problems::integral_between(
        [&](double s) {
          const double u = 0.5 * (u0 + u1) + 0.5 * (u0 - u1) * std::sin(s);
          return f(u) / std::sqrt(beta * (u2 - u));
        },
        -0.5 * std::numbers::pi, 0.5 * std::numbers::pi);
  }
  [[nodiscard]] Eigen::Vector3d axis_at(double u, double azimuth) const {
    // The axis starts at Rx(tilt) z = (0, -sin, cos).
    return Eigen::Vector3d(std::sin(azimuth), -std::cos(azimuth), 0.0) * std::sqrt(1.0 - u * u) +
           u * Eigen::Vector3d::UnitZ();
  }
};

TEST(HeavyTop, PrecessesSteadily) {
  // J_3 spin W - J_1 W^2 cos theta = m g l. Errors of 1e-10 a step, 1000 steps of a motion that is stable: the axis is
  // off by these and by t times what the rate is.
  HeavyTop top;
  const double W = 0.7, T = 10.0;
  top.spin = (top.moment + top.J1 * W * W * top.u0) / (top.J3 * W);
  NonSmoothDynamicalSystem model;
  const auto body = model.add(top.body({0.0, W * std::sin(top.tilt), top.spin}));
  EventDriven simulation(model);
  run_to(simulation, T);
  const Eigen::Vector3d axis = turn_of(simulation.state(), body) * Eigen::Vector3d::UnitZ();
  EXPECT_LE((axis - top.axis_at(top.u0, W * T)).norm(), 1e-10 * 1000.0 * T);
}

TEST(HeavyTop, NutatesBetweenTheRootsOfItsCubic) {
  // Half a nutation, and a whole one, at which the axis is at rest again: errors as above with 400 steps in 3 s.
  const HeavyTop top;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(top.body({0.0, 0.0, top.spin}));
  const double half = top.over_half_a_nutation([](double) { return 1.0; });
  const double azimuth = top.over_half_a_nutation([&](double u) { return top.a * (top.u0 - u) / (1.0 - u * u); });
  EventDriven simulation(model);
  const double tolerance = 1e-10 * 400.0 * 3.0;
  const auto axis = [&]() -> Eigen::Vector3d { return turn_of(simulation.state(), body) * Eigen::Vector3d::UnitZ(); };
  Ledger ledger(simulation);
  const double energy = ledger.last().energy();
  run_to(simulation, half);
  EXPECT_LE((axis() - top.axis_at(top.u1, azimuth)).norm(), tolerance);
  run_to(simulation, 2.0 * half);
  EXPECT_LE((axis() - top.axis_at(top.u0, 2.0 * azimuth)).norm(), tolerance);
  // Energy, of sizes 12 J + 1 J, and the moments about the vertical and about the axis are kept.
  EXPECT_NEAR(ledger.record(simulation.state()).energy(), energy, 13.0 * tolerance);
  const Eigen::Vector3d Omega = simulation.state().v(body).tail<3>();
  const Eigen::Vector3d L =
      turn_of(simulation.state(), body) * Eigen::Vector3d(principal(top.J1, top.J1, top.J3) * Omega);
  EXPECT_NEAR(L[2], top.J3 * top.spin * top.u0, 3.0 * tolerance);
  EXPECT_NEAR(Omega[2], top.spin, 9.0 * tolerance);
}

TEST(HeavyTop, MoreauJeanHasItsOrder) {
  // At the end of a nutation; the spin of 9 rad/s turns by 0.3 a step of 1/32, so that the slope is within 0.1 of 2.
  const HeavyTop top;
  const double half = top.over_half_a_nutation([](double) { return 1.0; });
  const double azimuth = top.over_half_a_nutation([&](double u) { return top.a * (top.u0 - u) / (1.0 - u * u); });
  EXPECT_NEAR(fitted_order(half / 32.0, 4,
                           [&](double h) {
                             NonSmoothDynamicalSystem model;
                             const auto body = model.add(top.body({0.0, 0.0, top.spin}));
                             TimeStepping simulation(model, {.step = h});
                             const auto steps = std::lround(2.0 * half / h);
                             for (long k = 0; k < steps; ++k) EXPECT_TRUE(simulation.step());
                             const Eigen::Vector3d axis = turn_of(simulation.state(), body) * Eigen::Vector3d::UnitZ();
                             return (axis - top.axis_at(top.u0, 2.0 * azimuth)).norm();
                           }),
              2.0, 0.1);
}

}  // namespace
}  // namespace nonsmooth::rigid_bodies_test
