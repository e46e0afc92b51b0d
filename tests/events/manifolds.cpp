// SPDX-License-Identifier: Apache-2.0
// Systems whose configuration is on a manifold: qdot = T(q) v along their retract.
#include <cmath>
#include <memory>

#include <Eigen/Geometry>

#include <problems/point_on_the_circle.hpp>

#include "../kernel/fitted_order.hpp"
#include "event_log.hpp"

namespace nonsmooth::manifolds_test {
namespace {

using namespace event_log;

TEST(Manifold, PendulumOnTheCircleMeetsAStopAsTheAngleDoes) {
  NonSmoothDynamicalSystem circle, line;
  const auto a = circle.add(std::make_shared<const problems::PointOnTheCircle>(1.0, kGravity));
  const auto b = line.add(LagrangianSystem{
      .force = [](double, ConstVectorRef q, ConstVectorRef, VectorRef F) { F[0] = -kGravity * std::sin(q[0]); },
      .q0 = {1.0},
      .v0 = {0.0}});
  circle.link(a,
              ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[1] + 0.2; },
                                   .H = [](ConstVectorRef q, MatrixRef H) { H(0, 0) = q[0]; }},
              NewtonImpactLaw{0.5});
  line.link(b,
            ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = std::sin(q[0]) + 0.2; },
                                 .H = [](ConstVectorRef q, MatrixRef H) { H(0, 0) = std::cos(q[0]); }},
            NewtonImpactLaw{0.5});
  for (const bool implicit : {false, true}) {
    EventDrivenOptions options;
    if (implicit) options.integrator = RadauIIA{};
    EventDriven first(circle, options), second(line, options);
    run_to(first, 2.5);
    run_to(second, 2.5);
    // Errors of 1e-10 a step, some 100 steps, grow by exp(sqrt(g) t) = 500 at most.
    const double tolerance = 1e-10 * 100.0 * 500.0;
    const auto impacts = times_of(first, EventKind::Impact);
    ASSERT_GE(impacts.size(), 2U);
    expect_times(impacts, times_of(second, EventKind::Impact), tolerance);
    const double angle = second.state().q(b)[0];
    EXPECT_NEAR(first.state().q(a)[0], std::cos(angle), tolerance);
    EXPECT_NEAR(first.state().q(a)[1], std::sin(angle), tolerance);
    EXPECT_NEAR(first.state().v(a)[0], second.state().v(b)[0], kGravity * tolerance);
  }
}

/// Two wheels on one axle, of moment of inertia 2 each, as points on the circle; weights of `gravity` hang on the first
/// alone. A row sin(angle of the first - angle of the second) ties them.
struct TwoWheels {
  NonSmoothDynamicalSystem model;
  SystemHandle first, second;

  TwoWheels(double angle_of_first, double angle_of_second, const Law& law) {
    first = model.add(std::make_shared<const problems::PointOnTheCircle>(angle_of_first, kGravity));
    second = model.add(std::make_shared<const problems::PointOnTheCircle>(angle_of_second, 0.0));
    model.link({first, second},
               ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[1] * q[2] - q[0] * q[3]; },
                                    .H =
                                        [](ConstVectorRef q, MatrixRef H) {
                                          H(0, 0) = q[0] * q[2] + q[1] * q[3];
                                          H(0, 1) = -H(0, 0);
                                        }},
               law);
  }
};

// 4 angle'' = -2 g sin(angle), both wheels: angle'^2 = g (cos(angle) - cos(1)) from rest at 1.
TEST(Manifold, TwoWheelsThatAreTiedTurnAsOne) {
  const TwoWheels wheels(1.0, 1.0, EqualityLaw{});
  for (const bool implicit : {false, true}) {
    EventDrivenOptions options;
    if (implicit) options.integrator = RadauIIA{};
    EventDriven simulation(wheels.model, options);
    // Errors of 1e-10 a step, some 100 steps to each stop, grow by exp(sqrt(g / 2) t) = 100 at most.
    const double tolerance = 1e-10 * 100.0 * 100.0;
    for (const double t : {0.3, 0.8, 1.3, 2.0}) {
      run_to(simulation, t);
      const State& state = simulation.state();
      const double rate = state.v(wheels.first)[0];
      EXPECT_LE((state.q(wheels.first) - state.q(wheels.second)).norm(), tolerance) << t;
      EXPECT_NEAR(state.v(wheels.second)[0], rate, tolerance) << t;
      // Rates up to sqrt(g), and g times the error of the cosine.
      EXPECT_NEAR(rate * rate, kGravity * (state.q(wheels.first)[0] - std::cos(1.0)), 2.0 * kGravity * tolerance) << t;
    }
  }
}

// The first swings down from 1 with angle'^2 = 2 g (1 - cos(1)) =: s^2 at 0, where the second rests: equal inertias and
// e = 1/2 leave -s / 4 and -3 s / 4. The first keeps its energy then, the second its rate.
TEST(Manifold, TwoWheelsHitEachOther) {
  const TwoWheels wheels(1.0, 0.0, NewtonImpactLaw{0.5});
  EventDriven simulation(wheels.model);
  run_to(simulation, 0.9);
  const auto impacts = times_of(simulation, EventKind::Impact);
  ASSERT_EQ(impacts.size(), 1U);
  const double speed = std::sqrt(2.0 * kGravity * (1.0 - std::cos(1.0)));
  // Errors of 1e-10 a step, some 100 steps, grow by exp(sqrt(g) t) = 20 at most; of rates sqrt(g) times as large.
  const double tolerance = 1e-10 * 100.0 * 20.0;
  const State& state = simulation.state();
  const double rate = state.v(wheels.second)[0], angle = rate * (0.9 - impacts[0]);
  EXPECT_NEAR(rate, -0.75 * speed, kGravity * tolerance);
  EXPECT_NEAR(state.q(wheels.second)[0], std::cos(angle), kGravity * tolerance);
  EXPECT_NEAR(state.q(wheels.second)[1], std::sin(angle), kGravity * tolerance);
  const double own = state.v(wheels.first)[0];
  EXPECT_NEAR(0.5 * own * own - kGravity * state.q(wheels.first)[0], speed * speed / 32.0 - kGravity,
              2.0 * kGravity * tolerance);
}

/// A free rigid body about its centre of mass: q a unit quaternion (w, x, y, z), v the angular velocity in the body.
class FreeBody : public MechanicalSystem {
 public:
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return Eigen::Vector4d(1.0, 0.0, 0.0, 0.0); }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return Eigen::Vector3d(0.1, 2.0, 0.2); }
  void mass(ConstVectorRef, MatrixRef M) const override { M.diagonal() = inertia(); }
  void force(double, ConstVectorRef, ConstVectorRef v, VectorRef F) const override {
    const Eigen::Vector3d omega = v;
    F = inertia().cwiseProduct(omega).cross(omega);
  }
  void retract(VectorRef q, ConstVectorRef w) const override {
    const double angle = w.norm(), scale = angle > 0.0 ? std::sin(0.5 * angle) / angle : 0.5;
    const Eigen::Quaterniond turn(std::cos(0.5 * angle), scale * w[0], scale * w[1], scale * w[2]);
    const Eigen::Quaterniond turned = (Eigen::Quaterniond(q[0], q[1], q[2], q[3]) * turn).normalized();
    q << turned.w(), turned.x(), turned.y(), turned.z();
  }
  [[nodiscard]] static Eigen::Vector3d inertia() { return {1.0, 2.0, 3.0}; }
  /// In space.
  [[nodiscard]] static Eigen::Vector3d angular_momentum(const Eigen::VectorXd& q, const Eigen::Vector3d& omega) {
    return Eigen::Quaterniond(q[0], q[1], q[2], q[3]) * Eigen::Vector3d(inertia().cwiseProduct(omega));
  }
};

TEST(Manifold, FreeBodyKeepsItsAngularMomentumInSpace) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(std::make_shared<const FreeBody>());
  EventDriven simulation(model);
  const auto momentum = [&] {
    return FreeBody::angular_momentum(simulation.state().q(body), simulation.state().v(body));
  };
  const auto energy = [&] {
    const Eigen::Vector3d omega = simulation.state().v(body);
    return 0.5 * omega.dot(FreeBody::inertia().cwiseProduct(omega));
  };
  const Eigen::Vector3d before = momentum();
  const double energy_before = energy();
  run_to(simulation, 20.0);  // it tumbles: the middle axis is unstable
  // Errors of 1e-10 a step of some 1000 that neither quantity amplifies, sizes being 4.
  EXPECT_LE((momentum() - before).norm(), 1e-10 * 1000.0 * 4.0);
  EXPECT_NEAR(energy(), energy_before, 1e-10 * 1000.0 * 4.0);
  // retract(q, 0) normalises after each step, to a few eps.
  EXPECT_NEAR(simulation.state().q(body).norm(), 1.0, 8.0 * std::numeric_limits<double>::epsilon());
  EXPECT_LT(simulation.state().v(body)[1], 2.0);
}

class FreeBodyOfLengthTwo final : public FreeBody {
 public:
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return Eigen::Vector4d(2.0, 0.0, 0.0, 0.0); }
};

// T(q) of a quaternion of length 2 turns at half the rate: the state is normalised before the first step.
TEST(Manifold, AStateIsNormalisedFirst) {
  NonSmoothDynamicalSystem unit, twice;
  const auto a = unit.add(std::make_shared<const FreeBody>());
  const auto b = twice.add(std::make_shared<const FreeBodyOfLengthTwo>());
  EventDriven first(unit), second(twice);
  EXPECT_EQ(Eigen::VectorXd(second.state().q(b)), Eigen::VectorXd(Eigen::Vector4d(1.0, 0.0, 0.0, 0.0)));
  run_to(first, 1.0);
  run_to(second, 1.0);
  EXPECT_LE((first.state().q(a) - second.state().q(b)).norm(), 1e-10 * 100.0);  // 1e-10 a step
  State set = second.state();
  set.events = {};  // a start anew, not a run that goes on
  set.positions *= 3.0;
  second.set_state(set);
  EXPECT_NEAR(second.state().q(b).norm(), 1.0, 8.0 * std::numeric_limits<double>::epsilon());
}

/// Its mass ends at q = 1.
class FadingMass final : public MechanicalSystem {
 public:
  [[nodiscard]] std::string name() const override { return "drop"; }
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return Eigen::VectorXd::Zero(1); }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return Eigen::VectorXd::Constant(1, 1.0); }
  void mass(ConstVectorRef q, MatrixRef M) const override { M(0, 0) = 1.0 - q[0]; }
  void force(double, ConstVectorRef, ConstVectorRef, VectorRef) const override {}
};

TEST(Masses, OneThatEndsIsRefusedThere) {
  NonSmoothDynamicalSystem model;
  model.add(std::make_shared<const FadingMass>());
  EventDriven simulation(model);
  State state = simulation.state();
  for (const double q : {1.0, 1.5}) {
    state.positions[0] = q;
    try {
      simulation.set_state(state);
      (void)simulation.advance_to(1.0);
      FAIL() << "M = " << 1.0 - q;
    } catch (const InvalidArgument& refused) {
      EXPECT_EQ(refused.argument(), "EventDriven: mass of drop");
    }
  }
}

/// The same, which gives qdot = q * (0, v) / 2.
class FreeBodyOfGivenRates final : public FreeBody {
 public:
  void position_rates(ConstVectorRef q, ConstVectorRef v, VectorRef qdot) const override {
    const Eigen::Quaterniond rate =
        Eigen::Quaterniond(q[0], q[1], q[2], q[3]) * Eigen::Quaterniond(0.0, v[0], v[1], v[2]);
    qdot << 0.5 * rate.w(), 0.5 * rate.x(), 0.5 * rate.y(), 0.5 * rate.z();
  }
};

TEST(Manifold, PositionRatesAreTheDerivativeOfRetract) {
  const FreeBodyOfGivenRates body;
  const Eigen::Vector4d q = Eigen::Vector4d(0.5, -0.1, 0.7, 0.2).normalized();
  const Eigen::Vector3d v(0.3, -2.0, 1.0);
  for (const double size : {1.0, 1e-200, 1e200}) {
    Eigen::VectorXd exact(4), differences(4);
    const Eigen::Vector3d w = size * v;
    body.position_rates(q, w, exact);
    body.MechanicalSystem::position_rates(q, w, differences);
    // Rounding of a turn, 8 eps, over s = 1 / (128 * 2): weights of sum 1, twice.
    EXPECT_LE((exact - differences).lpNorm<Eigen::Infinity>() / size,
              2.0 * 8.0 * 256.0 * std::numeric_limits<double>::epsilon());
  }
  Eigen::VectorXd slowest = Eigen::VectorXd::Constant(4, 1.0);
  body.MechanicalSystem::position_rates(q, Eigen::Vector3d(1e-310, 0.0, 0.0), slowest);
  EXPECT_EQ(slowest, Eigen::VectorXd(Eigen::VectorXd::Zero(4)));
}

TEST(Manifold, GivenRatesAndDifferencesMoveAlike) {
  NonSmoothDynamicalSystem given, by_differences;
  const auto a = given.add(std::make_shared<const FreeBodyOfGivenRates>());
  const auto b = by_differences.add(std::make_shared<const FreeBody>());
  EventDriven first(given), second(by_differences);
  run_to(first, 2.0);
  run_to(second, 2.0);
  // Errors of 1e-10 a step of some 100, amplified by the middle axis: exp(sqrt(1/3) 2 * 2) = 10.
  const double tolerance = 2.0 * 1e-10 * 100.0 * 10.0;
  EXPECT_LE((first.state().q(a) - second.state().q(b)).lpNorm<Eigen::Infinity>(), tolerance);
}

/// An angle in [-pi, pi], from 3 on; with rates of its own or not.
class Wheel : public MechanicalSystem {
 public:
  [[nodiscard]] std::string name() const override { return "wheel"; }
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return Eigen::VectorXd::Constant(1, 3.0); }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return Eigen::VectorXd::Constant(1, 1.0); }
  void mass(ConstVectorRef, MatrixRef M) const override { M(0, 0) = 1.0; }
  void force(double, ConstVectorRef, ConstVectorRef, VectorRef) const override {}
  void retract(VectorRef q, ConstVectorRef w) const override { q[0] = std::remainder(q[0] + w[0], 2.0 * kPi); }
};
class WheelOfGivenRates final : public Wheel {
 public:
  void position_rates(ConstVectorRef, ConstVectorRef v, VectorRef qdot) const override { qdot = v; }
};

TEST(Manifold, AWrapIsToldOrRatesAreGiven) {
  const auto advance = [](std::shared_ptr<const MechanicalSystem> wheel, double& angle) {
    NonSmoothDynamicalSystem model;
    const auto handle = model.add(std::move(wheel));
    EventDrivenOptions options;
    options.largest_step = 0.01;  // does not step over the wrap at pi, some 0.02 to both sides of which say so
    EventDriven simulation(model, options);
    const RunReport report = simulation.advance_to(1.0);
    angle = simulation.state().q(handle)[0];
    return report;
  };
  double angle = 0.0;
  const RunReport told = advance(std::make_shared<const Wheel>(), angle);
  EXPECT_FALSE(told);
  EXPECT_NE(told.message().find("retract(q, w) of wheel"), std::string::npos) << told.message();
  EXPECT_NE(told.message().find("not smooth in w"), std::string::npos) << told.message();
  const RunReport given = advance(std::make_shared<const WheelOfGivenRates>(), angle);
  EXPECT_TRUE(given) << given.message();
  EXPECT_NEAR(angle, 4.0 - 2.0 * kPi, 1e-10 * 200.0);  // 1e-10 a step
}

/// A planar vehicle, q = (x, y, theta), v in its own axes; no force acts in space. At theta = 0 its retract is q + w.
class Vehicle : public MechanicalSystem {
 public:
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return Eigen::Vector3d::Zero(); }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return Eigen::Vector3d(1.0, 0.0, 1.0); }
  void mass(ConstVectorRef, MatrixRef M) const override { M.setIdentity(); }
  void force(double, ConstVectorRef, ConstVectorRef v, VectorRef F) const override {
    F << v[1] * v[2], -v[0] * v[2], 0.0;
  }
  void retract(VectorRef q, ConstVectorRef w) const override {
    const double c = std::cos(q[2]), s = std::sin(q[2]);
    q += Eigen::Vector3d(c * w[0] - s * w[1], s * w[0] + c * w[1], w[2]);
  }
};

// Its velocity in space stays (1, 0), while it turns at 1.
TEST(Manifold, VehicleInItsOwnAxesGoesStraight) {
  NonSmoothDynamicalSystem model;
  const auto vehicle = model.add(std::make_shared<const Vehicle>());
  EventDriven simulation(model);
  run_to(simulation, 2.0);
  // Errors of 1e-10 a step of some 100, which turns do not amplify but by their angle.
  const double tolerance = 1e-10 * 100.0 * 2.0;
  const Eigen::VectorXd q = simulation.state().q(vehicle);
  EXPECT_NEAR(q[0], 2.0, tolerance);
  EXPECT_NEAR(q[1], 0.0, tolerance);
  EXPECT_NEAR(q[2], 2.0, tolerance);
}

// Within a step its retract does not turn: h^2 / 2 beside the way.
TEST(Manifold, GeneralisedAlphaHasTheOrderOfRetract) {
  NonSmoothDynamicalSystem model;
  const auto vehicle = model.add(std::make_shared<const Vehicle>());
  const auto error = [&](double h) {
    EventDriven simulation(model, {.integrator = GeneralisedAlpha{}, .step = h});
    run_to(simulation, 2.0);
    return (simulation.state().q(vehicle) - Eigen::Vector3d(2.0, 0.0, 2.0)).norm();
  };
  EXPECT_NEAR(fitted_order(0.02, 3, error), 1.0, 0.1);
}

}  // namespace
}  // namespace nonsmooth::manifolds_test
