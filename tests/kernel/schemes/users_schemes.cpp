// SPDX-License-Identifier: Apache-2.0
// A scheme that a user derives, on each kind of mechanical system, against closed forms of its recurrence.
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include <Eigen/SparseCore>

#include <nonsmooth/kernel.hpp>
#include <problems/explicit_midpoint.hpp>

#include "kernel/bad_input.hpp"

namespace nonsmooth::users_schemes_test {
namespace {

using bad_input::expect_refused;
using problems::ExplicitMidpoint;

constexpr double kEps = std::numeric_limits<double>::epsilon();

static_assert(std::is_convertible_v<std::shared_ptr<const ExplicitMidpoint>, Integrator>);
static_assert(std::is_convertible_v<std::shared_ptr<ExplicitMidpoint>, Integrator>);

TimeSteppingOptions midpoint(double h) { return {.integrator = std::make_shared<const ExplicitMidpoint>(), .step = h}; }

struct Oscillator {
  const char* name;
  LagrangianLinearSystem linear{};
  LagrangianSystem general{};  ///< where `linear` has no mass
  Eigen::VectorXd shape;       ///< of a mode, unit size
  double frequency;            ///< [rad/s]
};

void PrintTo(const Oscillator& oscillator, std::ostream* out) { *out << oscillator.name; }

constexpr double kStiffness = 9.0;

Oscillator diagonal() {
  return {"Diagonal", {.mass = {{1.0}}, .stiffness = {{kStiffness}}, .q0 = {1.0}}, {}, Eigen::VectorXd::Ones(1), 3.0};
}

Oscillator dense() {
  const Eigen::Vector2d mode(std::sqrt(0.5), -std::sqrt(0.5));  // of K: 9, of (1, 1): 1
  return {
      "Dense", {.mass = {{1.0, 0.0}, {0.0, 1.0}}, .stiffness = {{5.0, -4.0}, {-4.0, 5.0}}, .q0 = mode}, {}, mode, 3.0};
}

/// A chain of masses between walls, in its first mode.
Oscillator sparse() {
  constexpr int n = 40;
  Eigen::SparseMatrix<double> mass(n, n), stiffness(n, n);
  mass.setIdentity();
  for (int i = 0; i < n; ++i) {
    stiffness.insert(i, i) = 2.0 * kStiffness;
    if (i > 0) stiffness.insert(i, i - 1) = -kStiffness;
    if (i + 1 < n) stiffness.insert(i, i + 1) = -kStiffness;
  }
  Eigen::VectorXd mode(n);
  const double angle = std::numbers::pi / (n + 1);
  for (int i = 0; i < n; ++i) mode[i] = std::sin(angle * (i + 1));
  mode.normalize();
  const double frequency = 2.0 * std::sqrt(kStiffness) * std::sin(0.5 * angle);
  return {"Sparse", {.mass = mass, .stiffness = stiffness, .q0 = mode}, {}, mode, frequency};
}

Oscillator general() {
  LagrangianSystem system;
  system.force = [](double, ConstVectorRef q, ConstVectorRef, VectorRef F) { F[0] = -kStiffness * q[0]; };
  system.q0 = {1.0};
  return {"General", {}, system, Eigen::VectorXd::Ones(1), 3.0};
}

class MidpointOscillator : public testing::TestWithParam<Oscillator> {};

TEST_P(MidpointOscillator, FollowsItsRecurrence) {
  // In a mode of frequency w a step is q+ = c q + h (1 - (w h)^2/4) v, v+ = -h w^2 q + c v with c = 1 - (w h)^2/2 =
  // cos phi, so that from (1, 0) q_k = cos(k phi) and v_k = -h w^2 sin(k phi) / sin phi. A step rounds by some 8 eps
  // of terms of size 1 and w, by at most 3 w in v, and no mode of the recurrence grows: 400 steps leave 400 * 8 eps
  // * (1 + 3 w), twice that for what turns between q and v.
  const Oscillator& given = GetParam();
  const double h = 0.05, w = given.frequency;
  const double phi = 2.0 * std::asin(0.5 * w * h);
  NonSmoothDynamicalSystem model;
  const auto body = given.linear.mass.empty() ? model.add(given.general) : model.add(given.linear);
  TimeStepping simulation(model, midpoint(h));
  const double tolerance = 400.0 * 16.0 * kEps * (1.0 + 3.0 * 3.0);
  for (int k = 1; k <= 400; ++k) {
    ASSERT_TRUE(simulation.step());
    const double q = std::cos(k * phi), v = -h * w * w * std::sin(k * phi) / std::sin(phi);
    ASSERT_LE((simulation.state().q(body) - q * given.shape).norm(), tolerance) << k;
    ASSERT_LE((simulation.state().v(body) - v * given.shape).norm(), tolerance) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Batches, MidpointOscillator, testing::Values(diagonal(), dense(), sparse(), general()),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(UsersScheme, TakesForcesOfTimeAtTheMiddle) {
  // M = 1, f = t^2: v_k = h^3 sum_{j<k} (j + 1/2)^2 = h^3 k (4 k^2 - 1) / 12, exact for h = 2^-4 but for 100 roundings
  // of at most v_100 eps. A second system, coupled by a mass that is not diagonal, has f in both of its rows.
  const double h = 0.0625;
  NonSmoothDynamicalSystem model;
  const auto alone = model.add(LagrangianLinearSystem{
      .mass = {{1.0}},
      .force = [](double t, VectorRef f) { f[0] = t * t; },
      .q0 = {0.0},
  });
  const auto coupled = model.add(LagrangianLinearSystem{
      .mass = {{2.0, 1.0}, {1.0, 2.0}},
      .force = [](double t, VectorRef f) { f.setConstant(3.0 * t * t); },
      .q0 = {0.0, 0.0},
  });
  TimeStepping simulation(model, midpoint(h));
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(simulation.step());
  const double expected = h * h * h * 100.0 * (4e4 - 1.0) / 12.0;
  const double tolerance = 400.0 * kEps * expected;
  EXPECT_NEAR(simulation.state().v(alone)[0], expected, tolerance);
  EXPECT_NEAR(simulation.state().v(coupled)[0], expected, tolerance);
  EXPECT_NEAR(simulation.state().v(coupled)[1], expected, tolerance);
}

TEST(UsersScheme, TakesAVaryingMassAtTheMiddle) {
  // (1 + q^2) dv = -(q + v/4) dt, in a loop of the scheme's own formulas. The simulation rounds otherwise, by some 4
  // eps a step of terms below 2; the motion is damped, and errors do not grow by more than e^t over t = 5: 500 * 4 eps
  // * e^5 = 3e5 eps.
  const double h = 0.01;
  LagrangianSystem system;
  system.mass = [](ConstVectorRef q, MatrixRef M) { M(0, 0) = 1.0 + q[0] * q[0]; };
  system.force = [](double, ConstVectorRef q, ConstVectorRef v, VectorRef F) { F[0] = -q[0] - 0.25 * v[0]; };
  system.q0 = {1.0};
  system.v0 = {0.5};
  NonSmoothDynamicalSystem model;
  const auto body = model.add(system);
  TimeStepping simulation(model, midpoint(h));
  double q = 1.0, v = 0.5;
  for (int k = 0; k < 500; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report);
    EXPECT_LE(report.newton_iterations, 2) << "explicit: the second iterate confirms the first";
    const double middle = q + 0.5 * h * v;
    const double before = v;
    v += h * (-middle - 0.25 * v) / (1.0 + middle * middle);
    q += 0.5 * h * (before + v);
    ASSERT_NEAR(simulation.state().q(body)[0], q, 3e5 * kEps) << k;
    ASSERT_NEAR(simulation.state().v(body)[0], v, 3e5 * kEps) << k;
  }
}

TEST(UsersScheme, StandsBesideOthersOnOneModel) {
  // Two equal oscillators: the one with MoreauJean keeps its energy, the other v^2 (1 - h^2 w^2/4) + w^2 q^2, each to
  // 16 eps of 9 a step.
  const LagrangianLinearSystem oscillator{.mass = {{1.0}}, .stiffness = {{kStiffness}}, .q0 = {1.0}};
  const double h = 0.05;
  NonSmoothDynamicalSystem model;
  const auto implicit = model.add(oscillator), users = model.add(oscillator);
  TimeStepping simulation(model, {.step = h, .integrators = {{users, std::make_shared<const ExplicitMidpoint>()}}});
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(simulation.step());
    const State& state = simulation.state();
    const double q = state.q(implicit)[0], v = state.v(implicit)[0], a = state.q(users)[0], b = state.v(users)[0];
    ASSERT_NEAR(v * v + kStiffness * q * q, kStiffness, 100.0 * 16.0 * kEps * kStiffness) << k;
    ASSERT_NEAR(b * b * (1.0 - 0.25 * h * h * kStiffness) + kStiffness * a * a, kStiffness,
                100.0 * 16.0 * kEps * kStiffness)
        << k;
  }
}

/// What a test makes of it.
class Given final : public OneStepIntegrator {
 public:
  explicit Given(const SchemeCoefficients& coefficients) : coefficients_(coefficients) {}
  [[nodiscard]] std::string name() const override { return "Given"; }
  [[nodiscard]] SchemeCoefficients coefficients() const override { return coefficients_; }

 private:
  SchemeCoefficients coefficients_;
};

TEST(UsersScheme, WritesContactsAtTheLevelOfPositions) {
  // Implicit in q, 0 <= y_{k+1} ⟂ p: v_k = -g h k and q_k = 1 - g h^2 k (k + 1) / 2 until that is negative, at k = 45
  // for g = 10, h = 0.01, then q = 0 to h times what the solver leaves of u, 1e-9, and p = g h once v is 0. Roundings
  // of a fall: 44 of v <= 4.4 and q <= 1 each.
  const double g = 10.0, h = 0.01;
  SchemeCoefficients coefficients;
  coefficients.theta = coefficients.position = 1.0;
  coefficients.level = SchemeCoefficients::Level::Position;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .force = {-g}, .q0 = {1.0}});
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  TimeStepping simulation(model, {.integrator = std::make_shared<const Given>(coefficients), .step = h});
  for (int k = 1; k <= 60; ++k) {
    ASSERT_TRUE(simulation.step());
    const double q = simulation.state().q(ball)[0], free = 1.0 - 0.5 * g * h * h * k * (k + 1.0);
    if (free > 0.0) {
      ASSERT_NEAR(q, free, 44.0 * 8.0 * kEps) << k;
    } else {
      ASSERT_NEAR(q, 0.0, h * 1e-9) << k;
    }
    if (k >= 47) {
      ASSERT_NEAR(simulation.state().impulse(floor)[0], g * h, 1e-9) << k;
    }
  }
}

/// Implicit in q, with its rows at the level of positions.
std::shared_ptr<const OneStepIntegrator> at_positions() {
  SchemeCoefficients coefficients;
  coefficients.theta = coefficients.position = 1.0;
  coefficients.level = SchemeCoefficients::Level::Position;
  return std::make_shared<const Given>(coefficients);
}

TEST(UsersScheme, LooksBackAtPositionsBesideASchemeThatKeepsItsUnknown) {
  // 0 <= y_{k+1} + e y_{k-1} ⟂ p with e = 1/2, from y_0 = 2.25 h, v = -1: y = 1.25 h, 0.25 h, then -e 1.25 h and
  // -e 0.25 h, and away with v = e from there: -0.125 h + e h (k - 4). All are multiples of h / 8, exact for h = 2^-4:
  // what is left is what the solver leaves of u, 1e-9, in two steps, carried on for seven. The other body moves freely
  // under the scheme that keeps z.
  const double h = 0.0625;
  NonSmoothDynamicalSystem model;
  const auto other = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {1.0}, .v0 = {1.0}});
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {2.25 * h}, .v0 = {-1.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5});
  TimeStepping simulation(model, {.integrator = SchatzmanPaoli{}, .step = h, .integrators = {{ball, at_positions()}}});
  for (int k = 1; k <= 10; ++k) {
    ASSERT_TRUE(simulation.step());
    const double y = k < 3 ? 2.25 - k : k == 3 ? -0.625 : -0.125 + 0.5 * (k - 4);
    ASSERT_NEAR(simulation.state().q(ball)[0], h * y, 10.0 * h * 1e-9) << k;
    ASSERT_NEAR(simulation.state().q(other)[0], 1.0 + h * k, 1e-15 * k) << k;
  }
}

TEST(UsersScheme, LooksBackAtPositionsOverTheLastStepsLength) {
  // As above, but the third step is of 2 h: y_3 = -e y_1 = -0.625 h, whatever the length of the step that ends there.
  const double h = 0.0625;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {2.25 * h}, .v0 = {-1.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5});
  const TimeSteppingOptions options{.integrator = at_positions(), .step = h};
  State state = model.initial_state();
  Workspace workspace;
  for (const double length : {h, h, 2.0 * h}) ASSERT_TRUE(step(model, options, length, state, workspace));
  EXPECT_NEAR(state.q(ball)[0], -0.625 * h, 2.0 * h * 1e-9);
}

/// A point on the unit circle: two coordinates, one velocity.
class OnCircle final : public MechanicalSystem {
 public:
  [[nodiscard]] std::string name() const override { return "wheel"; }
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return Eigen::Vector2d(1.0, 0.0); }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return Eigen::VectorXd::Ones(1); }
  void mass(ConstVectorRef, MatrixRef M) const override { M(0, 0) = 1.0; }
  void force(double, ConstVectorRef, ConstVectorRef, VectorRef F) const override { F[0] = 0.0; }
  void retract(VectorRef q, ConstVectorRef w) const override {
    const double angle = std::atan2(q[1], q[0]) + w[0];
    q[0] = std::cos(angle);
    q[1] = std::sin(angle);
  }
};

TEST(UsersScheme, AtPositionsTakesAManifold) {
  // Nothing acts: the wheel turns on by h v a step, 50 roundings of a rotation each.
  NonSmoothDynamicalSystem model;
  const auto wheel = model.add(std::make_shared<const OnCircle>());
  TimeStepping simulation(model, {.integrator = at_positions(), .step = 0.1});
  const Eigen::VectorXd start = simulation.state().q(wheel), v = simulation.state().v(wheel);
  for (int k = 0; k < 50; ++k) ASSERT_TRUE(simulation.step());
  Eigen::VectorXd turned = start;
  OnCircle().retract(turned, 5.0 * v);
  EXPECT_LE((simulation.state().q(wheel) - turned).norm(), 50.0 * 8.0 * kEps);
}

TEST(UsersScheme, CoefficientsAreChecked) {
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {1.0}});
  const auto refused = [&](const SchemeCoefficients& coefficients, const std::string& part) {
    expect_refused(
        [&] { TimeStepping(model, {.integrator = std::make_shared<const Given>(coefficients), .step = 0.1}); },
        {"TimeSteppingOptions::integrator", "of Given", part});
  };
  refused({.theta = 1.5}, "[0, 1]");
  refused({.explicit_point = std::numeric_limits<double>::quiet_NaN()}, "[0, 1]");
  refused({.multiplier_weight = 0.0}, "multiplier_weight");
  refused({.velocity = 0.5}, "keeps its unknown");
  refused({.position = 0.5, .level = SchemeCoefficients::Level::Position}, "level of positions");
  refused({.position = 0.5, .level = SchemeCoefficients::Level::LinearisedGap}, "linearised gaps");
  refused({.position = 1.0, .level = SchemeCoefficients::Level::LinearisedGap, .keeps_unknown = true}, "is kept");
  refused({.position = 1.0, .forecast = 0.5, .level = SchemeCoefficients::Level::LinearisedGap}, "the forecast");
  refused({.level = SchemeCoefficients::Level::HalfExplicit}, "half-explicit");
  refused({.theta = 0.0, .configuration_weight = 1.0, .level = SchemeCoefficients::Level::HalfExplicitRates},
          "half-explicit");
  refused({.recovery = 1.5}, "the recovery");
  refused({.reach = -1.0}, "the reach");
  refused({.theta = 0.75, .exponential = true}, "beside a flow");
  refused({.position = 1.0, .exponential = true}, "beside a flow");
  refused({.exponential = true, .generalised_alpha = true}, "beside a flow");
  refused({.position = 1.0, .generalised_alpha = true}, "beside a flow");
  refused({.first_order = true, .generalised_alpha = true}, "of mechanics in a scheme of first order");
  refused({.first_order = true, .explicit_point = 0.5}, "explicit point");
  refused({.relation_weight = 0.5}, "of first order in a scheme of mechanics");
  refused({.multiplier_weight = 0.5}, "of first order in a scheme of mechanics");
  refused({.first_order = true, .position = 1.0}, "of mechanics in a scheme of first order");
  refused({.first_order = true, .forecast = 0.0}, "of mechanics in a scheme of first order");
  refused({.first_order = true, .configuration_weight = 0.5}, "of mechanics in a scheme of first order");
  refused({.first_order = true, .explicit_configuration = true}, "of mechanics in a scheme of first order");
  refused({.first_order = true, .position = 1.0, .level = SchemeCoefficients::Level::Position}, "of mechanics");
  refused({.first_order = true, .multiplier_weight = 0.5, .exponential = true}, "multiplier_weight below 1");
  expect_refused(
      [&] {
        TimeStepping(
            model, {.integrator = std::make_shared<const Given>(SchemeCoefficients{.first_order = true}), .step = 0.1});
      },
      {"TimeSteppingOptions::integrator", "Given for a model of mechanical systems", "MoreauJean"});
  expect_refused([&] { TimeStepping(model, {.integrator = std::shared_ptr<const OneStepIntegrator>(), .step = 0.1}); },
                 {"TimeSteppingOptions::integrator", "no scheme"});
}

TEST(UsersScheme, RefusesWhatItCannotDo) {
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.mass = {{1.0}},
                                   .q0 = {1.0},
                                   .prescribed = {{.component = 0, .velocity = [](double) { return 1.0; }}},
                                   .name = "slide"});
  expect_refused([&] { TimeStepping(model, midpoint(0.1)); },
                 {"ExplicitMidpoint for slide", "prescribes no velocities"});
}

TEST(Integrators, AreTheSameWhereTheirDescriptionsAre) {
  EXPECT_EQ(Integrator(), Integrator(MoreauJean{}));
  EXPECT_EQ(Integrator(EulerMoreau{.theta = 1.0}), Integrator(EulerMoreau{.theta = 1.0}));
  EXPECT_NE(Integrator(EulerMoreau{.theta = 1.0}), Integrator(EulerMoreau{.theta = 0.5}));
  EXPECT_NE(Integrator(MoreauJean{.theta = 0.5}), Integrator(SchatzmanPaoli{.theta = 0.5}));
  const auto users = std::make_shared<const ExplicitMidpoint>();
  EXPECT_EQ(Integrator(users), Integrator(users));
  EXPECT_NE(Integrator(users), Integrator(std::make_shared<const ExplicitMidpoint>()));
}

}  // namespace
}  // namespace nonsmooth::users_schemes_test
