// SPDX-License-Identifier: Apache-2.0
// Models that a scheme cannot integrate: refused, or told, when the simulation is made.
#include <algorithm>
#include <cmath>
#include <memory>

#include "kernel/bad_input.hpp"

namespace nonsmooth::refused_models_test {
namespace {

using namespace bad_input;

TimeSteppingOptions with_scheme(const Integrator& scheme, double h) {
  TimeSteppingOptions options = with_step(h);
  options.integrator = scheme;
  return options;
}

/// x' = A x + B lambda, 0 <= x_1 ⟂ lambda >= 0: a chain of n integrators, whose relative degree is n.
NonSmoothDynamicalSystem chain(Index n, Eigen::VectorXd x0, double drift = 0.0) {
  NonSmoothDynamicalSystem model;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n), B = Eigen::MatrixXd::Zero(n, 1), C = Eigen::MatrixXd::Zero(1, n);
  for (Index i = 0; i + 1 < n; ++i) A(i, i + 1) = 1.0;
  B(n - 1, 0) = C(0, 0) = 1.0;
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
  b[n - 1] = drift;
  const auto system = model.add(FirstOrderLinearSystem{.A = A, .b = b, .x0 = std::move(x0), .name = "chain"});
  model.link(system, FirstOrderLinearRelation{.C = C, .B = B}, ComplementarityLaw{}, "stop");
  return model;
}

TEST(RefusedModel, RelativeDegreeThree) {
  const auto model = chain(3, Eigen::Vector3d(0.0, -1.0, 0.0));
  for (const double h : {0.1, 0.01, 0.001}) {
    expect_refused([&] { TimeStepping(model, with_scheme(EulerMoreau{.theta = 1.0}, h)); },
                   {"row 0 of stop", "relative degree 3", "at most 2"});
  }
  TimeSteppingOptions told = with_scheme(EulerMoreau{.theta = 1.0}, 0.1);
  told.examination = Examination::Report;
  const TimeStepping simulation(model, told);
  ASSERT_EQ(simulation.examination().size(), 1u);
  EXPECT_EQ(simulation.examination()[0].kind, Remark::Kind::RelativeDegree);
  EXPECT_EQ(simulation.examination()[0].value, 3.0);
  told.examination = Examination::Off;
  EXPECT_TRUE(TimeStepping(model, told).examination().empty());
}

// M xdot = M (A x + B lambda) is the same chain, however M is stored.
TEST(RefusedModel, RelativeDegreeUnderAMass) {
  const Eigen::Matrix3d A{{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}};
  const Eigen::Matrix3d full{{2.0, 1.0, 0.5}, {1.0, 3.0, 0.0}, {0.0, 0.25, 4.0}};
  const Eigen::Matrix3d diagonal = Eigen::Vector3d(2.0, 1e-9, 3e5).asDiagonal();
  const auto degree = [&](const MatrixData& mass, const Eigen::Matrix3d& M) {
    NonSmoothDynamicalSystem model;
    const auto system =
        model.add(FirstOrderLinearSystem{.mass = mass, .A = M * A, .x0 = Eigen::VectorXd::Zero(3), .name = "chain"});
    model.link(system, FirstOrderLinearRelation{.C = {{1.0, 0.0, 0.0}}, .B = M.col(2)}, ComplementarityLaw{}, "stop");
    TimeSteppingOptions options = with_scheme(EulerMoreau{.theta = 1.0}, 0.1);
    options.examination = Examination::Report;
    const Remarks remarks = TimeStepping(model, options).examination();
    return remarks.size() == 1 ? remarks[0].value : -1.0;
  };
  EXPECT_EQ(degree({}, Eigen::Matrix3d::Identity()), 3.0);
  EXPECT_EQ(degree(Eigen::Vector3d(2.0, 1e-9, 3e5).asDiagonal(), diagonal), 3.0);
  EXPECT_EQ(degree(Eigen::MatrixXd(diagonal), diagonal), 3.0);
  EXPECT_EQ(degree(MatrixData::Sparse(diagonal.sparseView()), diagonal), 3.0);
  EXPECT_EQ(degree(Eigen::MatrixXd(full), full), 3.0);
}

// A bounded multiplier makes no distributions: x''' = -sgn(x) is for every scheme.
TEST(RefusedModel, RelayOfRelativeDegreeThreeIsNotRefused) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.A = {{0, 1, 0}, {0, 0, 1}, {0, 0, 0}}, .x0 = {0.0, -1.0, 0.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{1, 0, 0}}, .B = {{0}, {0}, {1}}}, RelayLaw{});
  EXPECT_TRUE(TimeStepping(model, with_scheme(EulerMoreau{.theta = 1.0}, 0.1)).examination().empty());
}

// Relative degree 2: x_{1,k+1} = 0 makes x_2 jump to -(1 - theta) / theta of what it was where x_{1,k} was 0, to less
// where it was above.
TEST(RefusedModel, RelativeDegreeTwoIsTold) {
  const auto model = chain(2, Eigen::Vector2d(1.0, 0.0), -1.0);
  const TimeStepping bounces(model, with_scheme(EulerMoreau{.theta = 0.5}, 0.01));
  ASSERT_EQ(bounces.examination().size(), 1u);
  EXPECT_EQ(bounces.examination()[0].value, 2.0);
  expect_contains(bounces.examination()[0].message(), {"relative degree 2", "up to 1 of its speed", "theta = 1"});
  EXPECT_TRUE(TimeStepping(model, with_scheme(EulerMoreau{.theta = 1.0}, 0.01)).examination().empty());
  EXPECT_EQ(TimeStepping(model, with_scheme(ZeroOrderHold{}, 0.01)).examination().size(), 1u);
}

TEST(RefusedModel, MultiplierThatReachesNothing) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.A = {{-1, 0}, {0, -1}}, .x0 = {1.0, 1.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{1, 0}}, .B = {{0}, {1}}}, ComplementarityLaw{}, "loose");
  const TimeStepping simulation(model, with_scheme(EulerMoreau{.theta = 1.0}, 0.1));
  ASSERT_EQ(simulation.examination().size(), 1u);
  EXPECT_EQ(simulation.examination()[0].kind, Remark::Kind::Unreached);
  expect_contains(simulation.examination()[0].subject, {"row 0 of loose"});
}

// A = 1 + h^2 theta^2 K of theta = 1/2: zero at K = -400, negative at -900, where h <= 2 / 30 s would do. The refusal
// rounds down to two digits.
TEST(RefusedModel, StepBeyondAnUnstableStiffness) {
  for (const double stiffness : {-400.0, -900.0}) {
    NonSmoothDynamicalSystem model;
    auto system = ball();
    system.stiffness = {{stiffness}};
    model.add(system);
    expect_refused(
        [&] { TimeStepping(model, with_step(0.1)); },
        {"iteration matrix of ball", "not positive definite with h = 0.1", stiffness == -900.0 ? "0.066" : "0.099"});
    EXPECT_NO_THROW(TimeStepping(model, with_step(0.06)));
  }
  // The same of full and of sparse matrices: two springs that push outwards, one of them strong.
  for (const Index n : {2, 64}) {
    NonSmoothDynamicalSystem model;
    Eigen::MatrixXd K = Eigen::MatrixXd::Identity(n, n);
    K(0, 0) = -900.0;
    K(0, 1) = K(1, 0) = 1.0;
    LagrangianLinearSystem system{.q0 = Eigen::VectorXd::Zero(n).eval(), .name = "frame"};
    if (n == 2) {
      system.stiffness = K;
    } else {
      system.stiffness = Eigen::SparseMatrix<double>(K.sparseView());
    }
    model.add(system);
    expect_refused([&] { TimeStepping(model, with_step(0.1)); }, {"iteration matrix of frame", "0.066"});
    EXPECT_NO_THROW(TimeStepping(model, with_step(0.06)));
  }
}

// A component that the user dictates is cut out of the matrix: what its stiffness would do, nobody feels.
TEST(RefusedModel, PrescribedComponentsCountForNothing) {
  for (const bool coupled : {false, true}) {
    NonSmoothDynamicalSystem model;
    LagrangianLinearSystem system{.stiffness = {{-900.0, 0.0}, {0.0, 1.0}}, .q0 = {0.0, 0.0}};
    if (coupled) system.stiffness = {{-900.0, 5.0}, {5.0, 1.0}};
    system.prescribed = {{.component = 0, .velocity = [](double) { return 0.0; }}};
    model.add(system);
    EXPECT_NO_THROW(TimeStepping(model, with_step(0.1)));
  }
}

// x' = f + lambda^3 under a relay: dg/dlambda vanishes where Newton starts, and the multiplier acts all the same.
TEST(NewtonTest, AMultiplierThatActsFromWhereItGoes) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderSystem{.x0 = {1.0}});
  model.link(system,
             FirstOrderRelation{.h = [](double, ConstVectorRef x, ConstVectorRef, VectorRef y) { y[0] = x[0]; },
                                .g = [](double, ConstVectorRef, ConstVectorRef lambda,
                                        VectorRef r) { r[0] = lambda[0] * lambda[0] * lambda[0]; },
                                .g_dlambda = [](double, ConstVectorRef, ConstVectorRef lambda,
                                                MatrixRef J) { J(0, 0) = 3.0 * lambda[0] * lambda[0]; }},
             RelayLaw{});
  TimeStepping simulation(model, with_scheme(EulerMoreau{.theta = 1.0}, 0.1));
  ASSERT_TRUE(simulation.step());
  EXPECT_NEAR(simulation.state().x(system)[0], 0.9, 1e-12);
}

// x' = 20 x with theta = 1: 1 - 20 h is negative from h = 0.05 on, and each step turns the sign of x.
TEST(RefusedModel, StepThatTurnsAGrowingMode) {
  NonSmoothDynamicalSystem model;
  auto system = capacitor();
  system.A = {{20.0}};
  model.add(system);
  expect_refused([&] { TimeStepping(model, with_scheme(EulerMoreau{.theta = 1.0}, 0.1)); },
                 {"iteration matrix of capacitor", "turns the sign", "0.049"});
  EXPECT_NO_THROW(TimeStepping(model, with_scheme(EulerMoreau{.theta = 1.0}, 0.04)));
}

TEST(RefusedModel, MassesThatAreNone) {
  NonSmoothDynamicalSystem model;
  Eigen::SparseMatrix<double> mass(2, 2);
  mass.insert(0, 0) = mass.insert(1, 1) = 1.0;
  mass.insert(0, 1) = mass.insert(1, 0) = 2.0;
  expect_refused(
      [&] {
        model.add(LagrangianLinearSystem{.mass = mass, .q0 = {0.0, 0.0}});
      },
      {"LagrangianLinearSystem::mass", "not positive definite"});
  const auto of = [](double a, double b) {
    LagrangianSystem system;
    system.mass = [a, b](ConstVectorRef, MatrixRef M) {
      M(0, 0) = M(1, 1) = 1.0;
      M(0, 1) = a;
      M(1, 0) = b;
    };
    system.q0 = {0.0, 0.0};
    system.name = "arm";
    NonSmoothDynamicalSystem result;
    result.add(system);
    return result;
  };
  expect_refused([&] { TimeStepping(of(0.5, 0.0), with_step(0.1)); }, {"mass(q) of arm", "not symmetric", "M = M^T"});
  expect_refused([&] { EventDriven{of(0.5, 0.0)}; }, {"mass(q) of arm", "not symmetric"});
  expect_refused([&] { TimeStepping(of(2.0, 2.0), with_step(0.1)); }, {"mass(q) of arm", "not positive definite"});
  expect_refused([&] { EventDriven{of(2.0, 2.0)}; }, {"mass(q) of arm", "not positive definite"});
  EXPECT_NO_THROW(TimeStepping(of(0.5, 0.5), with_step(0.1)));
}

// 0.1 m inside: told by both schemes; repaired it stands on the floor, and a ball that falls from rest stays there.
TEST(RefusedModel, StartInsideAnObstacle) {
  for (const Integrator& scheme : {Integrator(SchatzmanPaoli{}), Integrator(MoreauJean{})}) {
    NonSmoothDynamicalSystem model;
    auto system = ball();
    system.q0 = {-0.1};
    const auto body = model.add(system);
    model.link(body, height(), NewtonImpactLaw{}, "floor");
    TimeSteppingOptions options = with_scheme(scheme, 1e-3);
    const TimeStepping inside(model, options);
    ASSERT_EQ(inside.examination().size(), 1u);
    EXPECT_EQ(inside.examination()[0].kind, Remark::Kind::Interpenetration);
    EXPECT_EQ(inside.examination()[0].value, 0.1);
    expect_contains(inside.examination()[0].message(), {"row 0 of floor", "0.1 inside", "repair_initial_state"});
    options.repair_initial_state = true;
    TimeStepping repaired(model, options);
    EXPECT_TRUE(repaired.examination().empty());
    EXPECT_TRUE(repaired.advance_to(0.1));
    // Of a plastic contact from rest on the floor nothing moves but by rounding and the projection's tolerance.
    EXPECT_NEAR(repaired.state().q(body)[0], 0.0, 2e-8);
    EXPECT_NEAR(repaired.state().v(body)[0], 0.0, 1e-4);
  }
}

// A pendulum as a mass on a circle, started off it by 0.02 m: to the nearest point of the circle.
TEST(RefusedModel, StartOffAConstraint) {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianSystem{.q0 = {0.0, -1.02}, .name = "bob"});
  model.link(mass,
             ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = q.norm() - 1.0; },
                                  .H = [](ConstVectorRef q, MatrixRef H) { H = q.transpose() / q.norm(); }},
             EqualityLaw{}, "rod");
  TimeSteppingOptions options = with_step(1e-3);
  const TimeStepping off(model, options);
  ASSERT_EQ(off.examination().size(), 1u);
  EXPECT_NEAR(off.examination()[0].value, 0.02, 1e-15);
  expect_contains(off.examination()[0].found, {"off its constraint"});
  options.repair_initial_state = true;
  const TimeStepping repaired(model, options);
  EXPECT_NEAR(repaired.state().q(mass)[0], 0.0, 1e-12);
  EXPECT_NEAR(repaired.state().q(mass)[1], -1.0, 1e-8);  // ProjectionOptions::bilateral_tolerance
}

/// A point on the unit circle as a manifold: q = (cos, sin), v the angle's rate.
class OnCircle : public MechanicalSystem {
 public:
  explicit OnCircle(double angle, double rate) : angle_(angle), rate_(rate) {}
  [[nodiscard]] std::string name() const override { return "bead"; }
  [[nodiscard]] Eigen::VectorXd initial_position() const override {
    return Eigen::Vector2d(std::cos(angle_), std::sin(angle_));
  }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return Eigen::VectorXd::Constant(1, rate_); }
  void mass(ConstVectorRef, MatrixRef M) const override { M(0, 0) = 1.0; }
  void force(double, ConstVectorRef, ConstVectorRef, VectorRef) const override {}

 private:
  double angle_, rate_;
};
class TurningOnCircle : public OnCircle {
 public:
  using OnCircle::OnCircle;
  void retract(VectorRef q, ConstVectorRef w) const override {
    const double c = std::cos(w[0]), s = std::sin(w[0]), x = q[0], y = q[1];
    q[0] = c * x - s * y;
    q[1] = s * x + c * y;
  }
};

TEST(RefusedModel, ManifoldWithoutRetract) {
  NonSmoothDynamicalSystem model;
  expect_refused([&] { model.add(std::make_shared<const OnCircle>(0.0, 1.0)); },
                 {"MechanicalSystem::retract", "2 coordinates and 1 velocities", "retract(q, w)"});
  EXPECT_EQ(model.num_systems(), 0);
}

/// An angle that wraps.
class WrappedAngle final : public MechanicalSystem {
 public:
  [[nodiscard]] std::string name() const override { return "wheel"; }
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return Eigen::VectorXd::Zero(1); }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return Eigen::VectorXd::Zero(1); }
  void mass(ConstVectorRef, MatrixRef M) const override { M(0, 0) = 1.0; }
  void force(double, ConstVectorRef, ConstVectorRef, VectorRef) const override {}
  void retract(VectorRef q, ConstVectorRef w) const override {
    MechanicalSystem::retract(q, w);
    q[0] = std::remainder(q[0], 2.0 * std::acos(-1.0));
  }
};

TEST(RefusedModel, ConstantJacobianOnARetract) {
  NonSmoothDynamicalSystem model;
  const auto bead = model.add(std::make_shared<const TurningOnCircle>(0.0, 1.0));
  const auto wheel = model.add(std::make_shared<const WrappedAngle>());
  expect_refused([&] { model.link(bead, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{}); },
                 {"a constant H on bead", "retract of its own", "y = h(q)"});
  expect_refused([&] { model.link(wheel, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{}); },
                 {"a constant H on wheel", "retract of its own", "y = h(q)"});
  EXPECT_EQ(model.num_interactions(), 0);
}

class WideFloor final : public MechanicalRelation {
 public:
  [[nodiscard]] Index rows() const override { return 1; }
  void h(double, ConstVectorRef q, VectorRef y) const override { y[0] = q[0]; }
  [[nodiscard]] const Eigen::MatrixXd* constant_jacobian() const override { return &jacobian_; }

 private:
  Eigen::MatrixXd jacobian_ = Eigen::MatrixXd::Ones(1, 2);
};

TEST(RefusedModel, ConstantJacobianOfAnotherShape) {
  NonSmoothDynamicalSystem model;
  const auto one = model.add(ball());
  expect_refused([&] { model.link(one, std::make_shared<const WideFloor>(), NewtonImpactLaw{}, "floor"); },
                 {"Relation::constant_jacobian of floor", "1 x 2", "1 x 1"});
  EXPECT_EQ(model.num_interactions(), 0);
}

class ThrowingRetract final : public OnCircle {
 public:
  using OnCircle::OnCircle;
  void retract(VectorRef, ConstVectorRef) const override { throw std::runtime_error("no chart"); }
};

TEST(RefusedModel, RetractThatThrows) {
  NonSmoothDynamicalSystem model;
  expect_refused([&] { model.add(std::make_shared<const ThrowingRetract>(0.0, 1.0)); },
                 {"MechanicalSystem::retract", "of bead threw", "no chart"});
}

/// One velocity with what else acts on it.
class Loaded final : public OnCircle {
 public:
  Loaded(std::vector<PrescribedVelocity> prescribed, std::vector<PrescribedImpulse> impulses)
      : OnCircle(0.0, 1.0), prescribed_(std::move(prescribed)), impulses_(std::move(impulses)) {}
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return Eigen::VectorXd::Zero(1); }
  [[nodiscard]] const std::vector<PrescribedVelocity>& prescribed() const override { return prescribed_; }
  [[nodiscard]] const std::vector<PrescribedImpulse>& impulses() const override { return impulses_; }

 private:
  std::vector<PrescribedVelocity> prescribed_;
  std::vector<PrescribedImpulse> impulses_;
};

TEST(RefusedModel, LoadsOfAUsersClassThatDoNotFit) {
  NonSmoothDynamicalSystem model;
  const auto rest = [](double) { return 0.0; };
  const auto refused = [&](std::vector<PrescribedVelocity> prescribed, std::vector<PrescribedImpulse> impulses,
                           const std::vector<std::string>& parts) {
    const auto system = std::make_shared<const Loaded>(std::move(prescribed), std::move(impulses));
    expect_refused([&] { model.add(system); }, parts);
  };
  refused({{7, rest}}, {}, {"MechanicalSystem::prescribed", "component 7", "[0, 0]"});
  refused({{0, rest}, {0, rest}}, {}, {"MechanicalSystem::prescribed", "component 0 twice"});
  refused({{0, {}}}, {}, {"MechanicalSystem::prescribed", "no function"});
  refused({}, {{1.0, {1.0, 2.0}}}, {"MechanicalSystem::impulses", "2 entries", "1"});
  refused({}, {{kNaN, {1.0}}}, {"MechanicalSystem::impulses", "finite"});
  EXPECT_EQ(model.num_systems(), 0);
}

/// A user's linear system: matrices by linear(), a push by feedback().
class Pushed final : public MechanicalSystem {
 public:
  explicit Pushed(MatrixData mass) {
    matrices_.q0 = matrices_.v0 = {0.0, 0.0};
    matrices_.mass = std::move(mass);
    push_ = [](const State&, VectorRef value) { value[1] = 3.0; };
  }
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return Eigen::Vector2d::Zero(); }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return Eigen::Vector2d::Zero(); }
  void mass(ConstVectorRef, MatrixRef M) const override { M = matrices_.mass.to_dense(2, true); }
  void force(double, ConstVectorRef, ConstVectorRef, VectorRef) const override {}
  [[nodiscard]] const Feedback& feedback() const override { return push_; }
  [[nodiscard]] const LagrangianLinearSystem* linear() const override { return &matrices_; }

 private:
  LagrangianLinearSystem matrices_;
  Feedback push_;
};

// v = M^-1 (0, 3) t, steps of 1/8 being exact but for rounding: (0, 3) t, or (-1, 2) t of the dense mass.
TEST(UserSystem, FeedbackBesideMatricesActs) {
  for (const bool dense : {false, true}) {
    NonSmoothDynamicalSystem model;
    const auto system =
        model.add(std::make_shared<const Pushed>(dense ? MatrixData({{2.0, 1.0}, {1.0, 2.0}}) : MatrixData()));
    const Eigen::VectorXd rate = dense ? Eigen::Vector2d(-1.0, 2.0) : Eigen::Vector2d(0.0, 3.0);
    TimeStepping simulation(model, with_step(0.125));
    EXPECT_LE((rates_of(model, simulation.state(), system) - rate).norm(), 1e-13);
    ASSERT_TRUE(simulation.advance_to(1.0));
    EXPECT_LE((simulation.state().v(system) - rate).norm(), 1e-13);  // 8 steps of some eps of 3 each, M of condition 3
  }
}

TEST(RefusedModel, MatricesOfAnotherSize) {
  NonSmoothDynamicalSystem model;
  try {
    model.add(std::make_shared<const Pushed>(MatrixData({{1.0}})));
    FAIL() << "1 x 1 for two velocities";
  } catch (const InvalidArgument& refused) {
    expect_contains(refused.what(), {"MechanicalSystem::linear: mass", "1 x 1", "2 x 2"});
  }
}

// The height y = q_2 of the bead without any derivative: H = cos(angle), from differences along the circle. It falls on
// the line y = 0 from angle pi / 4 at -1 rad/s and stops there; differences are good to sqrt(eps).
TEST(RefusedModel, DifferencesAlongRetract) {
  NonSmoothDynamicalSystem model;
  const auto bead = model.add(std::make_shared<const TurningOnCircle>(0.25 * std::acos(-1.0), -1.0));
  const auto line = model.link(bead, ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[1]; }},
                               NewtonImpactLaw{}, "line");
  TimeStepping simulation(model, with_step(1e-3));
  EXPECT_NEAR(simulation.state().u(line)[0], -std::sqrt(0.5), 1e-7);
  ASSERT_TRUE(simulation.advance_to(1.0));
  EXPECT_NEAR(simulation.state().q(bead).norm(), 1.0, 1e-12);
  EXPECT_NEAR(simulation.state().v(bead)[0], 0.0, 1e-7);
  EXPECT_NEAR(simulation.state().q(bead)[1], 0.0, 1e-3);  // a step's way: Moreau-Jean is of order 1 at impacts
  EXPECT_TRUE(compare_jacobians(model, model.initial_state()).empty());
}

// x' = lambda with lambda in Sgn(x), from 0: a step may end at h, 0 or -h; from there on at one place alone.
TEST(SeveralAnswers, RelayOfTheWrongSign) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.x0 = {0.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{-1.0}}}, RelayLaw{}, "wrong");
  TimeStepping simulation(model, with_scheme(EulerMoreau{.theta = 1.0}, 0.1));
  ASSERT_EQ(simulation.examination().size(), 1u);
  EXPECT_EQ(simulation.examination()[0].kind, Remark::Kind::Ambiguity);
  expect_contains(simulation.examination()[0].message(), {"wrong", "several answers"});
  const StepReport first = simulation.step();
  ASSERT_TRUE(first);
  ASSERT_EQ(first.other_ends, 2);
  ASSERT_EQ(simulation.alternatives().size(), 2u);
  std::vector<double> ends{simulation.state().x(system)[0]};
  for (const State& other : simulation.alternatives()) ends.push_back(other.x(system)[0]);
  std::sort(ends.begin(), ends.end());
  EXPECT_NEAR(ends[0], -0.1, 1e-12);
  EXPECT_NEAR(ends[1], 0.0, 1e-12);
  EXPECT_NEAR(ends[2], 0.1, 1e-12);
}

// Sliding on x = y under two relays determines one combination of them, and x depends on the other.
TEST(SeveralAnswers, TwoRelaysOnOneSurface) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.b = {0.0, -0.75}, .x0 = {1.5, 1.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{1, -1}, {1, -1}}, .B = {{2, 0}, {0, -2.25}}}, RelayLaw{}, "two");
  TimeStepping simulation(model, with_scheme(EulerMoreau{.theta = 1.0}, 0.01));
  const auto report = simulation.advance_to(1.0);
  EXPECT_TRUE(report);
  // Closed from 0.5 / 3.5 = 0.143 on: 86 steps of the 100, and the one that closes.
  EXPECT_GE(report.ambiguous_steps, 85);
  EXPECT_NEAR(report.first_ambiguity, 0.15, 0.011);
  expect_contains(report.message(), {"steps had several answers"});
}

// Nothing but D ties the rows, W = D: monotone by its diagonal, by Cholesky's factors alone, or by its skew part; P and
// not monotone (minors 1, 1 and 1); and neither (minors 1, 1 and 1 - 9).
TEST(SeveralAnswers, AreToldByTheMatrixOfAStep) {
  const auto told = [](const Eigen::MatrixXd& D) {
    NonSmoothDynamicalSystem model;
    const auto system = model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}});
    const Index m = D.rows();
    model.link(system,
               FirstOrderLinearRelation{.C = Eigen::MatrixXd::Zero(m, 1), .D = D, .B = Eigen::MatrixXd::Zero(1, m)},
               ComplementarityLaw{});
    const TimeStepping simulation(model, with_scheme(EulerMoreau{.theta = 1.0}, 0.1));
    for (const Remark& remark : simulation.examination())
      if (remark.kind == Remark::Kind::Ambiguity) return true;
    return false;
  };
  EXPECT_FALSE(told(Eigen::MatrixXd{{1.0, -0.5, 0.5}, {-0.5, 1.0, 0.0}, {0.5, 0.0, 1.0}}));
  EXPECT_FALSE(told(Eigen::MatrixXd{{1.0, 0.9, 0.9}, {0.9, 1.0, 0.9}, {0.9, 0.9, 1.0}}));
  EXPECT_FALSE(told(Eigen::MatrixXd{{0.0, 3.0}, {-3.0, 0.0}}));
  EXPECT_FALSE(told(Eigen::MatrixXd{{1.0, -9.0}, {0.0, 1.0}}));
  EXPECT_TRUE(told(Eigen::MatrixXd{{1.0, -3.0}, {-3.0, 1.0}}));
}

TEST(SeveralAnswers, AreNotLookedForWhereTheyAreUnique) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.A = {{0, 1}, {-1, 0}}, .x0 = {1.0, 0.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{1, 0}, {0, 1}}, .B = {{1, 0}, {0, 1}}}, RelayLaw{});
  EXPECT_TRUE(TimeStepping(model, with_scheme(EulerMoreau{.theta = 1.0}, 0.1)).examination().empty());
}

}  // namespace
}  // namespace nonsmooth::refused_models_test
