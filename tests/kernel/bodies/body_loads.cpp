// SPDX-License-Identifier: Apache-2.0
// Loads on bodies against closed forms, and bodies in the plane.
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::body_loads_test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

void run_to(Simulation& simulation, double t) {
  const RunReport report = simulation.advance_to(t);
  ASSERT_TRUE(report) << report.message();
}

TEST(BodyLoads, DragSlowsDownAsTheExponential) {
  // Errors of 1e-10 a step, some 100 of sizes below 3; about a principal axis nothing couples.
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.mass = 2.0,
                                        .inertia = Eigen::Vector3d(1.0, 2.0, 2.5).asDiagonal(),
                                        .velocity = {3.0, -1.0, 0.0},
                                        .angular_velocity = {0.0, 0.0, 1.5},
                                        .loads = {LinearDrag{.translation = 0.6, .rotation = 0.5}}});
  EventDriven simulation(model);
  run_to(simulation, 4.0);
  const auto v = simulation.state().v(body);
  const Eigen::Vector3d expected = std::exp(-0.3 * 4.0) * Eigen::Vector3d(3.0, -1.0, 0.0);
  EXPECT_LE((v.head<3>() - expected).norm(), 1e-10 * 100.0 * 3.0);
  EXPECT_LE((v.tail<3>() - std::exp(-0.2 * 4.0) * Eigen::Vector3d(0.0, 0.0, 1.5)).norm(), 1e-10 * 100.0 * 3.0);
}

TEST(BodyLoads, FollowerForceRoundsACircle) {
  // Thrust f along the body's x, which turns at w: a = f/m (cos wt, sin wt), so that from (0, -f/(m w)) the speed stays
  // and after t = 2 pi / w the body is back. The error as above, twice integrated over t = 3.2.
  const double m = 1.5, f = 0.9, w = 2.0, T = 3.14159265358979323846;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.mass = m,
                                        .velocity = {0.0, -f / (m * w), 0.0},
                                        .angular_velocity = {0.0, 0.0, w},
                                        .loads = {FollowerForce{.force = {f, 0.0, 0.0}}}});
  EventDriven simulation(model);
  run_to(simulation, T);
  EXPECT_LE(simulation.state().q(body).head<3>().norm(), 1e-10 * 100.0 * 10.0);
  EXPECT_LE((simulation.state().v(body).head<3>() - Eigen::Vector3d(0.0, -f / (m * w), 0.0)).norm(),
            1e-10 * 100.0 * 3.0);
}

/// A user's load: what pulls the centre of mass to the origin, -k x / |x|^3.
class Attraction final : public BodyLoad {
 public:
  explicit Attraction(double k) : k_(k) {}

  void add(const Motion& at, Force& F) const override {
    const Eigen::Vector3d x = at.q.head<3>();
    F.head<3>() -= k_ / std::pow(x.norm(), 3) * x;
  }
  void add_dq(const Motion& at, Jacobian& J) const override {
    const Eigen::Vector3d x = at.q.head<3>();
    const double r = x.norm();
    J.topLeftCorner<3, 3>() -= k_ / (r * r * r) * (Eigen::Matrix3d::Identity() - 3.0 / (r * r) * x * x.transpose());
  }
  void add_dv(const Motion&, Jacobian&) const override {}
  [[nodiscard]] double potential(const Position& q) const override { return -k_ / q.head<3>().norm(); }

 private:
  double k_;
};

TEST(BodyLoads, AUsersLoadHoldsABodyOnItsOrbit) {
  // r = 1, speed sqrt(k / m) = 1: once round in 2 pi. 100 steps of 1e-10; an error of the speed grows to 3 t = 20 times
  // as much of the way. In steps of theta = 1/2 the circle is one of the rule: |x| = 1 to h^2, times that growth.
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.mass = 2.0,
                                        .position = {1.0, 0.0, 0.0},
                                        .velocity = {0.0, 1.0, 0.0},
                                        .loads = {std::make_shared<const Attraction>(2.0)}});
  const double T = 2.0 * std::acos(-1.0), h = T / 1000.0;
  EventDriven by_events(model);
  Ledger ledger(by_events);
  EXPECT_NEAR(ledger.last().energy(), -1.0, 8.0 * kEps);  // 1/2 m v^2 - k / r
  run_to(by_events, T);
  EXPECT_LE((by_events.state().q(body).head<3>() - Eigen::Vector3d::UnitX()).norm(), 1e-10 * 100.0 * 20.0);
  TimeStepping in_steps(model, {.step = h});
  run_to(in_steps, T);
  EXPECT_LE((in_steps.state().q(body).head<3>() - Eigen::Vector3d::UnitX()).norm(), 20.0 * h * h);
}

TEST(BodyLoads, JacobiansOfAUsersLoadAreThoseOfItsBody) {
  // Differences about the middle, s = 2^-16: s^2 / 6 of third derivatives below 200, and rounding 8 eps / s.
  const auto body =
      make_system(RigidBody{.position = {0.8, -0.6, 0.5}, .loads = {std::make_shared<const Attraction>(2.0)}});
  const Eigen::VectorXd q = body->initial_position(), v = body->initial_velocity();
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, 6);
  body->force_dq(0.0, q, v, J);
  const double s = 0x1p-16;
  for (Index j = 0; j < 6; ++j) {
    Eigen::VectorXd before = q, after = q, low = Eigen::VectorXd::Zero(6), high = low;
    body->retract(before, -s * Eigen::VectorXd::Unit(6, j));
    body->retract(after, s * Eigen::VectorXd::Unit(6, j));
    body->force(0.0, before, v, low);
    body->force(0.0, after, v, high);
    EXPECT_LE((J.col(j) - (high - low) / (2.0 * s)).lpNorm<Eigen::Infinity>(), 2e-8) << j;
  }
}

/// A constant force in space, whose Jacobians are those of no drag.
class SteadyWind final : public BodyLoad {
 public:
  explicit SteadyWind(const Eigen::Vector3d& force) : force_(force) {}

  void add(const Motion&, Force& F) const override { F.head<3>() += force_; }
  void add_dq(const Motion&, Jacobian&) const override {}
  void add_dv(const Motion&, Jacobian&) const override {}
  [[nodiscard]] const LinearDrag* drag() const override { return &none_; }

 private:
  Eigen::Vector3d force_;
  LinearDrag none_{};
};

TEST(BodyLoads, ALoadThatSaysWhichDragItIsMovesAsGravityDoes) {
  // 100 steps, in each of which Newton's iteration ends within 1e-10 of velocities below 10.
  const auto fall = [](RigidBody body) {
    body.mass = 2.0, body.angular_velocity = {1.0, 2.0, 3.0};
    body.inertia = Eigen::Vector3d(1.0, 2.0, 2.5).asDiagonal();
    NonSmoothDynamicalSystem model;
    const auto falling = model.add(std::move(body));
    TimeStepping simulation(model, {.step = 1e-2});
    run_to(simulation, 1.0);
    return Eigen::VectorXd(simulation.state().q(falling));
  };
  const Eigen::Vector3d gravity(0.0, 0.0, -9.81);
  const Eigen::VectorXd expected = fall({.gravity = gravity});
  EXPECT_LE((fall({.loads = {std::make_shared<const SteadyWind>(2.0 * gravity)}}) - expected).norm(),
            1e-10 * 100.0 * 10.0);
}

TEST(BodyLoads, SpringsAndGravityKeepEnergyThatTheLedgerKnows) {
  // Energies below 100 J change by what 1e-10 a step does to q and v: 1e-10 * 100 * 1000 steps.
  NonSmoothDynamicalSystem model;
  (void)model.add(RigidBody{
      .mass = 1.2,
      .inertia = Eigen::Vector3d(0.4, 0.5, 0.6).asDiagonal(),
      .angular_velocity = {1.0, 2.0, -0.5},
      .gravity = {0.0, 0.0, -9.81},
      .loads = {PointSpring{.point = {0.3, 0.0, 0.2}, .anchor = {0.0, 0.0, 2.0}, .stiffness = 40.0, .rest_length = 1.0},
                PointSpring{.point = {-0.3, 0.1, 0.2}, .anchor = {0.5, 0.0, 2.0}, .stiffness = 30.0}}});
  EventDriven simulation(model);
  Ledger ledger(simulation);
  const double energy = ledger.last().energy();
  run_to(simulation, 3.0);
  EXPECT_NEAR(ledger.record(simulation.state()).energy(), energy, 1e-10 * 100.0 * 1000.0);
}

TEST(PlanarBody, IsLinearWithoutLoads) {
  const auto free = make_system(PlanarBody{.mass = 2.0, .inertia = 3.0, .gravity = {0.0, -9.81}});
  ASSERT_NE(free->linear(), nullptr);
  EXPECT_TRUE(free->linear()->mass.is_diagonal());
  EXPECT_EQ(free->linear()->mass.to_dense(3).diagonal(), Eigen::Vector3d(2.0, 2.0, 3.0));
  EXPECT_EQ(make_system(PlanarBody{.loads = {LinearDrag{}}})->linear(), nullptr);
}

TEST(PlanarBody, FollowsAParabola) {
  // MoreauJean with theta = 1/2 is exact in a constant field: 1000 steps of 8 eps of sizes below 60.
  NonSmoothDynamicalSystem model;
  const auto body = model.add(PlanarBody{.mass = 2.0,
                                         .inertia = 0.5,
                                         .position = {1.0, 2.0},
                                         .angle = 0.3,
                                         .velocity = {3.0, 4.0},
                                         .angular_velocity = 5.0,
                                         .gravity = {0.0, -9.81}});
  TimeStepping simulation(model, {.step = 1e-3});
  run_to(simulation, 1.0);
  const double tolerance = 1000.0 * 8.0 * kEps * 60.0;
  EXPECT_LE((simulation.state().q(body) - Eigen::Vector3d(4.0, 6.0 - 0.5 * 9.81, 5.3)).norm(), tolerance);
  EXPECT_LE((simulation.state().v(body) - Eigen::Vector3d(3.0, 4.0 - 9.81, 5.0)).norm(), tolerance);
}

TEST(PlanarBody, MovesAsABodyInSpaceThatTurnsAboutZ) {
  // The same loads, step by step: the turn is an angle here and a quaternion there, and Newton's iteration ends within
  // its tolerance, 1e-10 of velocities of some 3 a step.
  const std::vector<AnyBodyLoad> loads{
      PointSpring{
          .point = {0.4, 0.1, 0.0}, .anchor = {1.0, 1.0, 0.0}, .stiffness = 20.0, .damping = 0.5, .rest_length = 0.3},
      FollowerForce{.point = {0.0, 0.2, 0.0}, .force = {1.0, 0.0, 0.0}, .moment = {0.0, 0.0, 0.1}},
      LinearDrag{.translation = 0.1, .rotation = 0.2}};
  NonSmoothDynamicalSystem plane, space;
  const auto flat = plane.add(PlanarBody{.mass = 2.0,
                                         .inertia = 0.5,
                                         .angle = 0.3,
                                         .velocity = {1.0, -0.5},
                                         .angular_velocity = 2.0,
                                         .gravity = {0.0, -9.81},
                                         .loads = loads});
  const auto body = space.add(RigidBody{.mass = 2.0,
                                        .inertia = 0.5 * Eigen::Matrix3d::Identity(),
                                        .orientation = {std::cos(0.15), 0.0, 0.0, std::sin(0.15)},
                                        .velocity = {1.0, -0.5, 0.0},
                                        .angular_velocity = {0.0, 0.0, 2.0},
                                        .gravity = {0.0, -9.81, 0.0},
                                        .loads = loads});
  TimeStepping first(plane, {.step = 1e-2}), second(space, {.step = 1e-2});
  for (int k = 1; k <= 100; ++k) {
    ASSERT_TRUE(first.step());
    ASSERT_TRUE(second.step());
    const auto q = first.state().q(flat);
    const auto p = second.state().q(body);
    const double tolerance = 1e-10 * 3.0 * k;
    ASSERT_LE((q.head<2>() - p.head<2>()).norm(), tolerance) << k;
    const double half = 0.5 * q[2], sign = std::cos(half) * p[3] + std::sin(half) * p[6] < 0.0 ? -1.0 : 1.0;
    ASSERT_NEAR(p[3], sign * std::cos(half), tolerance) << k;
    ASSERT_NEAR(p[6], sign * std::sin(half), tolerance) << k;
  }
}

}  // namespace
}  // namespace nonsmooth::body_loads_test
