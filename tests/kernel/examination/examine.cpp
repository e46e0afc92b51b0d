// SPDX-License-Identifier: Apache-2.0
// The examination of models, against what is known of them by construction.
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <problems/first_order.hpp>
#include <problems/models.hpp>

namespace nonsmooth::examine_test {
namespace {

using analysis::DegreeKind;
using analysis::examine;
using analysis::FirstOrderIsland;
using analysis::MechanicalIsland;
using analysis::ModelExamination;
using analysis::Verdict;

const analysis::SchemeVerdict& verdict_on(const ModelExamination& found, std::string_view scheme) {
  for (const analysis::SchemeVerdict& verdict : found.schemes) {
    if (verdict.scheme == scheme) return verdict;
  }
  throw std::runtime_error("no verdict on " + std::string(scheme));
}

/// x^(k) = lambda, 0 <= x ⟂ lambda >= 0, from x = 0 and x' = -1.
NonSmoothDynamicalSystem integrators(Index k) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(k, k);
  for (Index i = 0; i + 1 < k; ++i) A(i, i + 1) = 1.0;
  Eigen::VectorXd x0 = Eigen::VectorXd::Zero(k);
  if (k > 1) x0[1] = -1.0;
  NonSmoothDynamicalSystem model;
  const SystemHandle chain = model.add(FirstOrderLinearSystem{.A = A, .x0 = x0, .name = "chain"});
  model.link(chain,
             FirstOrderLinearRelation{.C = Eigen::MatrixXd(Eigen::RowVectorXd::Unit(k, 0)),
                                      .B = Eigen::MatrixXd(Eigen::VectorXd::Unit(k, k - 1))},
             ComplementarityLaw{}, "stop");
  return model;
}

TEST(Examine, ChainOfIntegratorsHasItsDegreeAndTheSchemesThatFollow) {
  for (const Index k : {1, 2, 3, 4}) {
    const ModelExamination found = examine(integrators(k));
    ASSERT_EQ(found.first_order.size(), 1u);
    const FirstOrderIsland& island = found.first_order.front();
    EXPECT_EQ(island.degree.uniform(), k);
    EXPECT_EQ(island.degree.of_output, std::vector<Index>{k});
    EXPECT_EQ(island.index.index, k);
    EXPECT_EQ(island.zero_dynamics.exists, Verdict::Holds);
    EXPECT_EQ(island.zero_dynamics.A_xi.rows(), 0);
    EXPECT_TRUE(island.controllable.complete.holds() && island.observable.complete.holds());
    // 1 / s is passive; 1 / s^k is not, k > 1.
    EXPECT_EQ(island.passivity.passive.verdict, k == 1 ? Verdict::Holds : Verdict::Fails);
    EXPECT_EQ(verdict_on(found, "EulerMoreau (theta = 1)").can, k <= 2);
    EXPECT_EQ(verdict_on(found, "EulerMoreau (theta = 1/2)").can, k == 1);
    EXPECT_FALSE(verdict_on(found, "EulerMoreau (theta = multiplier_weight = 1/2)").can);
    EXPECT_EQ(found.recommended, k == 1 ? "EulerMoreau (theta = 1/2)" : "HigherOrderMoreau");
    if (k > 1) {
      EXPECT_EQ(verdict_on(found, "HigherOrderMoreau").reason, "with link_higher_order() of stop");
    }
  }
}

TEST(Examine, RectifierIsPassiveOfIndexZeroAndTakesTheSchemeOfOrderTwo) {
  const ModelExamination found = examine(problems::rlc_diode().system);
  const FirstOrderIsland& island = found.first_order.front();
  EXPECT_TRUE(island.constant && !island.driven);
  EXPECT_EQ(island.laws, analysis::LawClass::Complementarity);
  EXPECT_EQ(island.degree.uniform(), 0);
  EXPECT_EQ(island.index.index, 0);
  EXPECT_TRUE(island.D.p.holds());
  EXPECT_TRUE(island.passivity.passive.holds());
  EXPECT_EQ(island.solutions.uniqueness, Verdict::Holds);
  EXPECT_EQ(found.recommended, "EulerMoreau (theta = multiplier_weight = 1/2)");
  // omega = 1 / sqrt(L C) = 10^4 rad/s while the diode blocks; exact but for the rounding of sqrt(L C).
  using Oscillator = problems::Oscillator;
  const double omega = 1.0 / std::sqrt(Oscillator::L * Oscillator::C);
  EXPECT_NEAR(found.step.fastest_oscillation, omega, 1e-12 * omega);
  EXPECT_NEAR(found.step.step, 2.0 * std::numbers::pi / (20.0 * omega), 1e-12 / omega);
}

/// Held at y = 0, the diode of the oscillator shorts it through R: v' = -(i_L + v / R) / C.
TEST(Examine, HeldRatesAreThoseWithTheRowAtZero) {
  using O = problems::Oscillator;
  const ModelExamination found = examine(problems::rlc_diode().system);
  const Eigen::VectorXcd& rates = found.first_order.front().held_rates;
  ASSERT_EQ(rates.size(), 2);
  // s^2 + s / (R C) + 1 / (L C) = 0: sum and product of the roots, to the rounding of a 2 x 2 eigenproblem.
  EXPECT_NEAR(rates.sum().real(), -1.0 / (O::R * O::C), 1e-10 / (O::R * O::C));
  EXPECT_NEAR(rates.prod().real(), 1.0 / (O::L * O::C), 1e-10 / (O::L * O::C));
}

/// The diode of the oscillator through R, with the node between as an unknown of its own: (v, i_L, v_R), 0 = v_R - R
/// lambda, y = v_R - v. The same as without.
TEST(Examine, DescriptorSystemsAreReduced) {
  using O = problems::Oscillator;
  NonSmoothDynamicalSystem model;
  const SystemHandle circuit =
      model.add(FirstOrderLinearSystem{.mass = Eigen::MatrixXd(Eigen::Vector3d(O::C, O::L, 0.0).asDiagonal()),
                                       .A = {{0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}},
                                       .x0 = {10.0, 0.0, 0.0}});
  model.link(circuit, FirstOrderLinearRelation{.C = {{-1.0, 0.0, 1.0}}, .B = {{-1.0}, {0.0}, {O::R}}},
             ComplementarityLaw{});
  const FirstOrderIsland reduced = examine(model).first_order.front(),
                         direct = examine(problems::rlc_diode().system).first_order.front();
  EXPECT_EQ(reduced.why_not, "");
  EXPECT_EQ(reduced.system.A.rows(), 2);
  EXPECT_NEAR(reduced.system.D(0, 0), O::R, 1e-12 * O::R);
  EXPECT_EQ(reduced.degree.uniform(), direct.degree.uniform());
  EXPECT_EQ(reduced.passivity.passive.verdict, direct.passivity.passive.verdict);
  EXPECT_EQ(reduced.solutions.uniqueness, Verdict::Holds);
}

TEST(Examine, NegativeFeedthroughHasSeveralSolutions) {
  NonSmoothDynamicalSystem model;
  const SystemHandle x = model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}});
  model.link(x, FirstOrderLinearRelation{.C = {{1.0}}, .D = {{-1.0}}, .B = {{1.0}}}, ComplementarityLaw{});
  const ModelExamination found = examine(model);
  EXPECT_EQ(found.first_order.front().solutions.uniqueness, Verdict::Fails);
  EXPECT_TRUE(found.first_order.front().D.p.fails());
}

TEST(Examine, RelaysHaveSolutionsByConvexityAndUniqueOnesByPassivity) {
  const auto relay = [](double b) {
    NonSmoothDynamicalSystem model;
    const SystemHandle x = model.add(FirstOrderLinearSystem{.x0 = {0.0}});
    model.link(x, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{b}}}, RelayLaw{});
    return examine(model).first_order.front().solutions;
  };
  EXPECT_EQ(relay(1.0).uniqueness, Verdict::Holds);  // x' in -Sgn x
  EXPECT_EQ(relay(1.0).existence, Verdict::Holds);
  EXPECT_EQ(relay(-1.0).uniqueness, Verdict::NotKnown);  // x' in Sgn x leaves 0 both ways
  EXPECT_EQ(relay(-1.0).existence, Verdict::Holds);
}

/// Degrees of nonlinear systems are Lie derivatives at the state, which the linearisation does not have.
TEST(Examine, DegreesOfNonlinearSystemsAreThoseAtTheState) {
  const auto degree = [](const Eigen::Vector2d& x0, FirstOrderRelation::Function h) {
    NonSmoothDynamicalSystem model;
    const SystemHandle system = model.add(FirstOrderSystem{
        .f = [](double, ConstVectorRef x, VectorRef f) { f << 1.0 + 0.0 * x[0], std::sin(x[0]); }, .x0 = x0});
    model.link(system,
               FirstOrderRelation{.h = std::move(h),
                                  .g = [](double, ConstVectorRef x, ConstVectorRef lambda,
                                          VectorRef r) { r[1] = (1.0 + x[0] * x[0]) * lambda[0]; }},
               ComplementarityLaw{});
    const ModelExamination found = examine(model);
    EXPECT_FALSE(found.first_order.front().constant);
    EXPECT_EQ(found.first_order.front().solutions.uniqueness, Verdict::NotKnown);
    return found.first_order.front().degree.of_output.front();
  };
  using C = ConstVectorRef;
  EXPECT_EQ(degree({0.3, 1.0}, [](double, C x, C lambda, VectorRef y) { y[0] = x[1] + 2.0 * lambda[0]; }), 0);
  EXPECT_EQ(degree({0.3, 1.0}, [](double, C x, C, VectorRef y) { y[0] = std::cos(x[0]) + x[1]; }), 1);
  // h = x_0 x_1: L_g h = x_0 (1 + x_0^2), which vanishes at x_0 = 0, where L_g L_f h = 1 and C A B = 0.
  EXPECT_EQ(degree({0.5, 1.0}, [](double, C x, C, VectorRef y) { y[0] = x[0] * x[1]; }), 1);
  EXPECT_EQ(degree({0.0, 0.0}, [](double, C x, C, VectorRef y) { y[0] = x[0] * x[1]; }), 2);
  // Nothing reaches x_0: not told, as a higher derivative might.
  EXPECT_EQ(degree({0.3, 1.0}, [](double, C x, C, VectorRef y) { y[0] = x[0]; }), -1);
}

TEST(Examine, InconsistentStartIsShownWithItsJump) {
  // The filter of the bridge is charged through it: 10 V over C and C_f in parallel, C = 1 uF, C_f = 0.3 uF.
  const ModelExamination found = examine(problems::diode_bridge_filter().system);
  ASSERT_TRUE(found.jump.known);
  ASSERT_FALSE(found.jump.events.empty());
  EXPECT_EQ(found.jump.events.front().kind, EventKind::Jump);
  EXPECT_NEAR(found.jump.change.cwiseAbs().maxCoeff(), 10.0 / 1.3, 1e-9);
}

/// A plate of mass m on four frictionless feet at (+-a, +-b): z, roll (about x) and pitch.
NonSmoothDynamicalSystem table(double m, double J_roll, double J_pitch, double a, double b, double unit) {
  NonSmoothDynamicalSystem model;
  const SystemHandle plate =
      model.add(LagrangianLinearSystem{.mass = Eigen::MatrixXd(Eigen::Vector3d(m, J_roll, J_pitch).asDiagonal()),
                                       .force = {-m, 0.0, 0.0},
                                       .q0 = {0.0, 0.0, 0.0}});
  for (const double x : {-a, a}) {
    for (const double y : {-b, b}) {
      Eigen::MatrixXd H(1, 3);
      H << unit, unit * y, -unit * x;
      model.link(plate, LagrangianLinearRelation{.H = H}, NewtonImpactLaw{0.5});
    }
  }
  return model;
}

TEST(Examine, TableOnFourFeetIsHyperstaticOnce) {
  const double m = 2.0, J_roll = 0.3, J_pitch = 0.7, a = 0.4, b = 0.25;
  const ModelExamination found = examine(table(m, J_roll, J_pitch, a, b, 1.0));
  const MechanicalIsland& island = found.mechanical.front();
  EXPECT_EQ(island.unilateral, 4);
  EXPECT_EQ(island.closed, 4);
  EXPECT_EQ(island.hyperstatic_contacts, 1);
  EXPECT_EQ(island.degrees_of_freedom, 3);
  EXPECT_EQ(island.unique_step, Verdict::Holds);
  EXPECT_EQ(island.solutions.existence, Verdict::NotKnown);  // dependent constraints
  // W's eigenvectors are (1,1,1,1), the two tilts and (1,-1,-1,1), by symmetry.
  Eigen::Vector4d expected(0.0, 4.0 / m, 4.0 * b * b / J_roll, 4.0 * a * a / J_pitch);
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(island.spectrum.size(), 4);
  EXPECT_LT((island.spectrum - expected).cwiseAbs().maxCoeff(), 16.0 * 2.3e-16 * expected.maxCoeff());
  EXPECT_EQ(examine(table(1e12 * m, 1e-3 * J_roll, J_pitch, a, b, 1e-9)).mechanical.front().hyperstatic_contacts, 1);
}

/// A rod of half length l under friction, theta from the floor: W_NN = (1 + 3 cos^2) / m, W_NT = 3 sin cos / m.
TEST(Examine, PainleveBoundOfTheRod) {
  const double m = 0.7, l = 0.5, theta = 1.0;
  for (const double mu : {1.0, 1.6}) {
    NonSmoothDynamicalSystem model;
    const SystemHandle rod =
        model.add(LagrangianLinearSystem{.mass = Eigen::MatrixXd(Eigen::Vector3d(m, m, m * l * l / 3.0).asDiagonal()),
                                         .force = {0.0, -m * 9.81, 0.0},
                                         .q0 = {0.0, l * std::sin(theta), theta}});
    model.link(
        rod,
        ScleronomousRelation{
            .rows = 2,
            .h = [l](ConstVectorRef q, VectorRef y) { y << q[1] - l * std::sin(q[2]), q[0] - l * std::cos(q[2]); }},
        NewtonImpactFrictionLaw{.friction = mu});
    const ModelExamination found = examine(model);
    const MechanicalIsland& island = found.mechanical.front();
    ASSERT_EQ(island.friction.size(), 1u);
    const double c = std::cos(theta), s = std::sin(theta);
    // H by forward differences: an error of sqrt(eps) l.
    EXPECT_NEAR(island.friction.front().bound, (1.0 + 3.0 * c * c) / (3.0 * s * c), 1e-7);
    EXPECT_EQ(island.friction.front().above(), mu > 1.5);
    EXPECT_EQ(island.unique_step, mu > 1.5 ? Verdict::Fails : Verdict::Holds);
  }
}

/// A hinge on the rod's other end changes the bound: eliminated before, as it acts at once.
TEST(Examine, PainleveBoundKnowsBilateralConstraints) {
  NonSmoothDynamicalSystem model;
  const SystemHandle block = model.add(LagrangianLinearSystem{
      .mass = Eigen::MatrixXd(Eigen::Vector3d(1.0, 1.0, 0.1).asDiagonal()), .q0 = {0.0, 0.0, 0.0}});
  model.link(block, LagrangianLinearRelation{.H = {{0.0, 1.0, 0.2}, {1.0, 0.0, 0.3}}},
             NewtonImpactFrictionLaw{.friction = 0.5});
  // W_NN = 1 + 0.4, W_NT = 0.6 without; the angle held: W_NT = 0.
  EXPECT_NEAR(examine(model).mechanical.front().friction.front().bound, 1.4 / 0.6, 1e-14);
  model.link(block, LagrangianLinearRelation{.H = {{0.0, 0.0, 1.0}}}, EqualityLaw{});
  EXPECT_TRUE(std::isinf(examine(model).mechanical.front().friction.front().bound));
}

/// Rolling friction weighs the rows behind T: 0.5 |W_NT| + 0.1 |W_NR| < W_NN, told as a bound of 0.5.
TEST(Examine, PainleveBoundKnowsRollingFriction) {
  NonSmoothDynamicalSystem model;
  const SystemHandle block = model.add(LagrangianLinearSystem{
      .mass = Eigen::MatrixXd(Eigen::Vector3d(1.0, 1.0, 0.1).asDiagonal()), .q0 = {0.0, 0.0, 0.0}});
  model.link(block, LagrangianLinearRelation{.H = {{0.0, 1.0, 0.2}, {1.0, 0.0, 0.3}, {0.0, 0.0, 1.0}}},
             NewtonImpactRollingFrictionLaw{.friction = 0.5, .rolling = 0.1});
  // W_NN = 1 + 0.4, W_NT = 0.6, W_NR = 2.
  const auto friction = examine(model).mechanical.front().friction.front();
  EXPECT_EQ(friction.friction, 0.5);
  EXPECT_NEAR(friction.bound, 1.4 / (0.6 + 0.2 * 2.0), 1e-14);
}

TEST(Examine, RedundantAndContradictingConstraintsAreNamed) {
  const auto with_second = [](double scale, double offset) {
    NonSmoothDynamicalSystem model;
    const SystemHandle body = model.add(LagrangianLinearSystem{.mass = {{1.0, 0.0}, {0.0, 1e6}}, .q0 = {0.0, -1.0}});
    model.link(body, LagrangianLinearRelation{.H = {{1.0, 1.0}}, .b = {1.0}}, EqualityLaw{}, "first");
    model.link(body, LagrangianLinearRelation{.H = {{scale, scale}}, .b = {scale + offset}}, EqualityLaw{}, "second");
    return examine(model).mechanical.front();
  };
  for (const double scale : {1.0, -3.0, 1e-9}) {
    const MechanicalIsland agreeing = with_second(scale, 0.0), opposed = with_second(scale, 0.1 * scale);
    for (const MechanicalIsland& island : {agreeing, opposed}) {
      EXPECT_EQ(island.redundant, std::vector<std::string>{"row 0 of second"});
      EXPECT_EQ(island.hyperstatic_degree, 1);
      EXPECT_EQ(island.degrees_of_freedom, 1);
    }
    EXPECT_TRUE(agreeing.contradicting.empty());
    EXPECT_EQ(opposed.contradicting, opposed.redundant);
    EXPECT_EQ(opposed.solutions.existence, Verdict::NotKnown);  // the law is about velocities, which agree
    EXPECT_EQ(agreeing.solutions.unique_multiplier, Verdict::Fails);
  }
}

TEST(Examine, PrescribedVelocityAgainstAWallContradicts) {
  NonSmoothDynamicalSystem model;
  const SystemHandle slide = model.add(LagrangianLinearSystem{
      .mass = {{1.0}}, .q0 = {0.0}, .v0 = {1.0}, .prescribed = {{0, [](double) { return 1.0; }}}});
  model.link(slide, LagrangianLinearRelation{.H = {{1.0}}}, EqualityLaw{}, "wall");
  const MechanicalIsland island = examine(model).mechanical.front();
  EXPECT_EQ(island.bilateral, 2);
  ASSERT_EQ(island.contradicting.size(), 1u);
}

/// Two masses on springs, k each to its wall, joined by a rigid bar: one frequency sqrt(2 k / 2 m).
TEST(Examine, RatesAreThoseThatConstraintsLeave) {
  const double k = 8.0, m = 0.5;
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> masses;
  for (int i = 0; i < 2; ++i)
    masses.push_back(model.add(LagrangianLinearSystem{.mass = {{m}}, .stiffness = {{k + 100.0 * i}}, .q0 = {0.0}}));
  model.link(masses, LagrangianLinearRelation{.H = {{1.0, -1.0}}}, EqualityLaw{});
  const ModelExamination found = examine(model, {.steps_a_period = 40.0});
  const double omega = std::sqrt((2.0 * k + 100.0) / (2.0 * m));
  EXPECT_NEAR(found.step.fastest_oscillation, omega, 1e-12 * omega);
  EXPECT_NEAR(found.step.step, 2.0 * std::numbers::pi / (40.0 * omega), 1e-12 / omega);
}

TEST(Examine, PenetrationThatIsAllowedBindsTheStep) {
  NonSmoothDynamicalSystem model;
  const SystemHandle ball = model.add(LagrangianLinearSystem{.mass = {{2.0}}, .force = {-2.0 * 9.81}, .q0 = {1.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{0.9});
  const ModelExamination found = examine(model, {.penetration = 1e-3});
  EXPECT_NEAR(found.mechanical.front().approach, std::sqrt(2.0 * 9.81), 1e-14);
  EXPECT_NEAR(found.step.step, 1e-3 / std::sqrt(2.0 * 9.81), 1e-17);
  EXPECT_TRUE(std::isinf(examine(model).step.step));
}

TEST(Examine, IslandsAreWhatInteractionsTie) {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> masses;
  for (int i = 0; i < 4; ++i) masses.push_back(model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {1.0 * i}}));
  const SystemHandle circuit = model.add(FirstOrderLinearSystem{.x0 = {1.0}, .name = "circuit"});
  model.link({masses[3], masses[1]}, LagrangianLinearRelation{.H = {{1.0, -1.0}}}, NewtonImpactLaw{});
  model.link(circuit, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, ComplementarityLaw{});
  const ModelExamination found = examine(model);
  ASSERT_EQ(found.mechanical.size(), 3u);
  EXPECT_EQ(found.mechanical[1].systems, (std::vector<std::string>{"system 1", "system 3"}));
  ASSERT_EQ(found.first_order.size(), 1u);
  EXPECT_EQ(found.first_order.front().systems, std::vector<std::string>{"circuit"});
}

TEST(Examine, DetectedContactsTieBodies) {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks;
  for (int i = 0; i < 3; ++i) {
    disks.push_back(
        model.add(LagrangianLinearSystem{.mass = Eigen::MatrixXd(Eigen::Vector3d(1.0, 1.0, 0.5).asDiagonal()),
                                         .q0 = {i < 2 ? 2.0 * i : 9.0, 0.0, 0.0}}));
  }
  model.detect(
      std::make_shared<DiskContacts>(disks, std::vector<double>(3, 1.0), NewtonImpactFrictionLaw{.friction = 0.3}));
  const ModelExamination found = examine(model);
  ASSERT_EQ(found.mechanical.size(), 2u);
  EXPECT_EQ(found.mechanical[0].systems.size(), 2u);
  EXPECT_EQ(found.mechanical[0].unilateral, 1);
  ASSERT_EQ(found.mechanical[0].friction.size(), 1u);
  EXPECT_TRUE(std::isinf(found.mechanical[0].friction.front().bound));  // centres of mass on the normal
}

TEST(Examine, SchemesOfModelsOfBothOrders) {
  NonSmoothDynamicalSystem model = integrators(2);
  model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {0.0}});
  const ModelExamination found = examine(model);
  EXPECT_FALSE(verdict_on(found, "MoreauJean (theta = 1/2)").can);  // the other half by theta = 1/2, which throws back
  EXPECT_EQ(found.recommended, "EulerMoreau (theta = 1)");
}

TEST(Examine, LinearisedGapsAreASchemeWhereTheirLawsAre) {
  // Of a ball over a floor: with Newton's law, and with Poisson's, which StewartTrinkle refuses by name. Of circuits it
  // is none.
  for (const bool newton : {true, false}) {
    NonSmoothDynamicalSystem model;
    const auto ball = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .force = {-9.81}, .q0 = {1.0}});
    model.link(ball, LagrangianLinearRelation{.H = {{1.0}}},
               newton ? Law(NewtonImpactLaw{.restitution = 0.5}) : Law(PoissonImpactLaw{.restitution = 0.5}), "floor");
    const ModelExamination found = examine(model);
    const analysis::SchemeVerdict& verdict = verdict_on(found, "StewartTrinkle");
    EXPECT_EQ(verdict.can, newton) << verdict.reason;
    EXPECT_EQ(verdict.reason.find("StewartTrinkle") != std::string::npos, !newton) << verdict.reason;
    EXPECT_TRUE(std::holds_alternative<Integrator>(verdict.integrator));
    EXPECT_EQ(found.recommended, "MoreauJean (theta = 1/2)");
  }
  EXPECT_THROW((void)verdict_on(examine(integrators(1)), "StewartTrinkle"), std::runtime_error);
}

TEST(Examine, KnowsTheSchemesOfMechanicsByTheMotionsThatTheyAreFor) {
  // A body on a ball joint; the same over a floor; two masses on springs of 1 and 1e12 N/m, linear, and as a system of
  // callables.
  const auto hung = [](bool floor) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(RigidBody{.position = {0.0, 0.0, -0.5}, .gravity = {0.0, 0.0, -9.81}});
    const auto q = model.initial_state().q(body);
    model.link({body}, BallJoint{joint_to_ground(q, Eigen::Vector3d::Zero())}, EqualityLaw{}, "joint");
    if (floor)
      model.link(body,
                 ScleronomousRelation{.h = [](ConstVectorRef q_, VectorRef y) { y[0] = q_[2] + 1.0; },
                                      .H = [](ConstVectorRef, MatrixRef H) { H(0, 2) = 1.0; }},
                 NewtonImpactLaw{}, "floor");
    return model;
  };
  EXPECT_EQ(examine(hung(false)).recommended, "D1MinusLinear");
  EXPECT_EQ(examine(hung(true)).recommended, "MoreauJean (theta = 1/2)");
  EXPECT_TRUE(verdict_on(examine(hung(true)), "D1MinusLinear").can);
  EXPECT_NE(verdict_on(examine(hung(false)), "ExactLinear").reason.find("ExactLinear"), std::string::npos);
  NonSmoothDynamicalSystem linear, general;
  linear.add(LagrangianLinearSystem{
      .mass = {{1.0, 0.0}, {0.0, 1.0}}, .stiffness = {{1.0, 0.0}, {0.0, 1e12}}, .q0 = {1.0, 0.0}});
  EXPECT_EQ(examine(linear).recommended, "ExactLinear");
  general.add(LagrangianSystem{
      .force = [](double, ConstVectorRef q, ConstVectorRef, VectorRef F) { F << -q[0], -1e12 * q[1]; },
      .force_dq = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J.diagonal() << -1.0, -1e12; },
      .q0 = {1.0, 0.0},
      .v0 = {0.0, 0.0}});
  EXPECT_EQ(examine(general).recommended, "GeneralisedAlpha (rho = 0.8)");
}

TEST(Examine, WhatIsTooLargeIsSaid) {
  const ModelExamination found = examine(integrators(4), {.most_states = 3});
  EXPECT_FALSE(found.first_order.front().why_not.empty());
  EXPECT_NE(to_string(found).find("most_states"), std::string::npos);
}

TEST(Examine, GeneralisedAlphaIsTriedOnLargeSparseSystemsAndNotOnDenseOnes) {
  // Springs from each mass to the ground, 300 of them, more than most_states, and one between two masses.
  const Index n = 300;
  Eigen::SparseMatrix<double> K(n, n);
  K.setIdentity();
  K.coeffRef(0, 1) = K.coeffRef(1, 0) = -0.5;
  K.makeCompressed();
  const auto verdict_of = [&](const MatrixData& stiffness, const char* scheme) {
    NonSmoothDynamicalSystem model;
    model.add(
        LagrangianLinearSystem{.stiffness = stiffness, .q0 = Eigen::VectorXd::Zero(n), .v0 = Eigen::VectorXd::Zero(n)});
    return verdict_on(examine(model), scheme);
  };
  EXPECT_TRUE(verdict_of(K, "GeneralisedAlpha (rho = 0.8)").can);
  for (const char* scheme : {"GeneralisedAlpha (rho = 0.8)", "ExactLinear"}) {
    const analysis::SchemeVerdict verdict = verdict_of(Eigen::MatrixXd(K), scheme);
    EXPECT_FALSE(verdict.can);
    EXPECT_NE(verdict.reason.find("most_states"), std::string::npos) << verdict.reason;
  }
  EXPECT_FALSE(verdict_of(K, "ExactLinear").can);
}

TEST(Examine, ReportNamesWhatMatters) {
  const std::string text = to_string(examine(integrators(3)));
  for (const char* part : {"chain", "stop", "uniform, 3", "HigherOrderMoreau", "found relative degree 3"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Examine, BadInput) {
  NonSmoothDynamicalSystem model = integrators(1);
  const State old = model.initial_state();
  model.add(FirstOrderLinearSystem{.x0 = {1.0}});
  EXPECT_THROW((void)examine(model, old), InvalidArgument);
  State damaged = model.initial_state();
  damaged.unknowns.resize(1);
  EXPECT_THROW((void)examine(model, damaged), InvalidArgument);
  damaged = model.initial_state();
  damaged.t = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)examine(model, damaged), InvalidArgument);
  EXPECT_THROW((void)examine(model, {.penetration = -1.0}), InvalidArgument);
  EXPECT_THROW((void)examine(model, {.steps_a_period = 0.0}), InvalidArgument);
  EXPECT_THROW((void)examine(model, {.most_states = 0}), InvalidArgument);
  EXPECT_THROW((void)examine(model, {.most_exact = 25}), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::examine_test
