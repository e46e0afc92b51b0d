// SPDX-License-Identifier: Apache-2.0
// Malformed mechanical models: laws that a relation or a scheme cannot serve, and parts of the wrong size.
#include <memory>

#include "kernel/bad_input.hpp"

namespace nonsmooth::mechanics_bad_input_test {
namespace {

using namespace bad_input;

class BadMechanics : public Linking {
 protected:
  [[nodiscard]] static LagrangianLinearRelation spring(double compliance = 0.01) {
    LagrangianLinearRelation relation = height();
    relation.compliance = {{compliance}};
    return relation;
  }
  [[nodiscard]] static CompliantRelation soft(Index rows = 1) {
    CompliantRelation relation;
    relation.rows = rows;
    relation.h = [](ConstVectorRef q, ConstVectorRef lambda, VectorRef y) {
      for (Index i = 0; i < y.size(); ++i) y[i] = q[0] + 0.01 * lambda[i];
    };
    return relation;
  }
  /// What a first step of the model says.
  void expect_step_refused(const TimeSteppingOptions& options, const std::vector<std::string>& parts) {
    expect_refused(
        [&] {
          TimeStepping simulation(model, options);
          simulation.step();
        },
        parts);
  }
};

TimeSteppingOptions with_scheme(const Integrator& scheme) {
  TimeSteppingOptions options = with_step(0.1);
  options.integrator = scheme;
  return options;
}

TEST_F(BadMechanics, ImpactLawsOnCompliantRelations) {
  const std::vector<std::string> parts{"law", "an impact law on a compliant relation", "ComplementarityLaw",
                                       "an impact has none, only an impulse"};
  expect_link_refused({mechanical}, spring(), NewtonImpactLaw{}, parts);
  expect_link_refused({mechanical}, soft(), NewtonImpactLaw{}, parts);
  expect_link_refused({mechanical}, soft(2), NewtonImpactFrictionLaw{}, parts);
  expect_link_refused({mechanical}, soft(2), StaticKineticFrictionLaw{}, parts);
  expect_link_refused({mechanical}, soft(2), CohesiveZoneLaw{}, parts);
}

TEST_F(BadMechanics, ComplementarityOnRigidRelations) {
  const std::vector<std::string> parts{"law", "ComplementarityLaw on a mechanical relation", "NewtonImpactLaw",
                                       "a compliance"};
  ScleronomousRelation fixed;
  fixed.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[0]; };
  RheonomousRelation moving;
  moving.h = [](double, ConstVectorRef q, VectorRef y) { y[0] = q[0]; };
  expect_link_refused({mechanical}, height(), ComplementarityLaw{}, parts);
  expect_link_refused({mechanical}, fixed, ComplementarityLaw{}, parts);
  expect_link_refused({mechanical}, moving, ComplementarityLaw{}, parts);
}

TEST_F(BadMechanics, LawsOfTheOtherOrder) {
  expect_link_refused({mechanical}, height(), ShockleyLaw{},
                      {"law", "ShockleyLaw on a mechanical relation", "a first-order relation"});
  expect_link_refused({electrical}, output(), SpringDashpotLaw{.stiffness = 1.0},
                      {"law", "a law of forces and displacements on a first-order relation", "a mechanical relation"});
  auto two = output();
  two.C = {{1.0}, {1.0}};
  two.B = {{1.0, 1.0}};
  expect_link_refused({electrical}, two, PlasticityLaw{.yield = 1.0},
                      {"law", "a law of forces and displacements on a first-order relation"});
  expect_link_refused({electrical}, two, CohesiveZoneLaw{}, {"law", "an impact law on a first-order relation"});
  expect_link_refused({electrical}, two, StaticKineticFrictionLaw{},
                      {"law", "an impact law on a first-order relation"});
}

TEST_F(BadMechanics, RelationsWithoutFunctionRowsOrShape) {
  expect_link_refused({mechanical}, RheonomousRelation{}, NewtonImpactLaw{}, {"RheonomousRelation::h", "no function"});
  expect_link_refused({mechanical}, CompliantRelation{}, ComplementarityLaw{}, {"CompliantRelation::h", "no function"});
  RheonomousRelation moving;
  moving.rows = 0;
  expect_link_refused({mechanical}, moving, NewtonImpactLaw{}, {"RheonomousRelation::rows", "0", "at least 1"});
  expect_link_refused({mechanical}, soft(0), ComplementarityLaw{}, {"CompliantRelation::rows", "0", "at least 1"});
  expect_link_refused({mechanical}, soft(3), PlasticityLaw{.yield = 1.0, .rows = 2},
                      {"Interaction::relation", "3 rows", "multiple of 2"});
  auto relation = spring();
  relation.compliance = {{1.0, 0.0}, {0.0, 1.0}};
  expect_link_refused({mechanical}, relation, ComplementarityLaw{},
                      {"LagrangianLinearRelation::compliance", "2 x 2", "1 x 1"});
  expect_link_refused({mechanical}, spring(-0.1), ComplementarityLaw{},
                      {"LagrangianLinearRelation::compliance", "not positive semidefinite", "springs give way"});
  LagrangianLinearRelation saddle;
  saddle.H = {{1.0}, {1.0}};
  saddle.compliance = {{0.1, 0.2}, {0.2, 0.1}};
  expect_link_refused({mechanical}, saddle, ComplementarityLaw{}, {"not positive semidefinite"});
  expect_link_refused({mechanical}, spring(kNaN), ComplementarityLaw{},
                      {"LagrangianLinearRelation::compliance", "not finite"});
}

TEST_F(BadMechanics, ParametersOfLawsOutOfRange) {
  const auto refused = [this](const Law& law, const std::vector<std::string>& parts) {
    LagrangianLinearRelation relation;
    relation.H = {{1.0}, {1.0}};
    expect_link_refused({mechanical}, relation, law, parts);
  };
  refused(NewtonImpactFrictionLaw{.dimension = 4}, {"NewtonImpactFrictionLaw::dimension", "4", "2", "3"});
  refused(StaticKineticFrictionLaw{.static_friction = 0.25, .kinetic_friction = 0.5},
          {"StaticKineticFrictionLaw::static_friction", "0.25", "0.5"});
  refused(StaticKineticFrictionLaw{.static_friction = 0.2, .kinetic_friction = -0.1},
          {"StaticKineticFrictionLaw::kinetic_friction", "-0.1"});
  refused(StaticKineticFrictionLaw{.stick_velocity = 0.0}, {"StaticKineticFrictionLaw::stick_velocity", "0"});
  refused(CohesiveZoneLaw{.strength = -1.0}, {"CohesiveZoneLaw::strength", "-1"});
  refused(CohesiveZoneLaw{.opening = 0.0}, {"CohesiveZoneLaw::opening", "0"});
  refused(CohesiveZoneLaw{.friction = kNaN}, {"CohesiveZoneLaw::friction", "nan"});
  refused(SpringDashpotLaw{}, {"SpringDashpotLaw::stiffness", "0"});
  refused(SpringDashpotLaw{.stiffness = 1.0, .damping = -1.0}, {"SpringDashpotLaw::damping", "-1"});
  refused(MixedComplementarityLaw{}, {"MixedComplementarityLaw: rows", "0", "at least 1"});
  refused(MixedComplementarityLaw{.equalities = -1, .inequalities = 3}, {"MixedComplementarityLaw::equalities", "-1"});
  refused(PlasticityLaw{.yield = -1.0}, {"PlasticityLaw::yield", "-1"});
  refused(PlasticityLaw{.yield = 1.0, .rows = 1}, {"PlasticityLaw::rows", "1", "at least 2"});
  const auto drucker_prager = [](double friction, double dilation) {
    return PlasticityLaw{
        .surface = PlasticityLaw::Surface::DruckerPrager, .yield = 1.0, .friction = friction, .dilation = dilation};
  };
  refused(drucker_prager(0.0, 0.0), {"PlasticityLaw::friction", "0"});
  refused(drucker_prager(0.5, 0.75), {"PlasticityLaw::dilation", "0.75", "0.5"});
  refused(drucker_prager(0.5, -0.1), {"PlasticityLaw::dilation", "-0.1"});
}

TEST_F(BadMechanics, GraphsAndPolyhedra) {
  const auto graph = [](std::vector<std::pair<double, double>> points, double before = 0.0, double after = 0.0) {
    return PiecewiseLinearLaw{.points = std::move(points), .slope_before = before, .slope_after = after};
  };
  const std::string points = "PiecewiseLinearLaw::points";
  expect_link_refused({mechanical}, height(), graph({}), {points, "no point"});
  expect_link_refused({mechanical}, height(), graph({{0.0, 0.0}, {0.0, 0.0}}),
                      {points, "point 1", "no two points equal"});
  expect_link_refused({mechanical}, height(), graph({{0.0, 0.0}, {1.0, 1.0}, {2.0, 0.5}}),
                      {points, "point 2", "neither coordinate falls"});
  expect_link_refused({mechanical}, height(), graph({{0.0, 0.0}, {-1.0, 1.0}}), {points, "point 1"});
  expect_link_refused({mechanical}, height(), graph({{0.0, kNaN}}), {points, "not finite"});
  expect_link_refused({mechanical}, height(), graph({{kInfinity, 0.0}}), {points, "not finite"});
  expect_link_refused({mechanical}, height(), graph({{0.0, 0.0}}, -1.0), {"PiecewiseLinearLaw::slope_before", "-1"});
  expect_link_refused({mechanical}, height(), graph({{0.0, 0.0}}, 0.0, kNaN),
                      {"PiecewiseLinearLaw::slope_after", "nan"});

  expect_link_refused({mechanical}, height(), NormalConeLaw{}, {"NormalConeLaw::A", "an empty matrix"});
  NormalConeLaw cone;
  cone.A = Eigen::MatrixXd::Ones(2, 1);
  cone.b = Eigen::VectorXd::Ones(3);
  expect_link_refused({mechanical}, height(), cone, {"NormalConeLaw::b", "3 entries", "2 entries"});
  cone.b = Eigen::Vector2d(1.0, kInfinity);
  expect_link_refused({mechanical}, height(), cone, {"NormalConeLaw::b", "inf", "finite"});
  cone.A(0, 0) = kNaN;
  expect_link_refused({mechanical}, height(), cone, {"NormalConeLaw::A", "not finite"});
}

TEST_F(BadMechanics, PositionLevelLawsNeedATheta) {
  for (const auto& [relation, law] : {std::pair<LagrangianLinearRelation, Law>{spring(), ComplementarityLaw{}},
                                      {spring(), EqualityLaw{}},
                                      {height(), SpringDashpotLaw{.stiffness = 1.0}}}) {
    const auto contact = model.link(mechanical, relation, law, "soft stop");
    expect_step_refused(with_scheme(MoreauJean{.theta = 0.0}),
                        {"TimeSteppingOptions::integrator", "MoreauJean of position weight 0 with soft stop",
                         "about positions", "theta > 0"});
    model.remove(contact);
  }
}

TEST_F(BadMechanics, SchemesThatDisagreeAcrossAnInteraction) {
  const auto other = model.add(ball());
  LagrangianLinearRelation gap;
  gap.H = {{-1.0, 1.0}};
  gap.compliance = {{0.1}};
  const auto contact = model.link({mechanical, other}, gap, ComplementarityLaw{}, "buffer");
  auto options = with_step(0.1);
  options.integrators = {{other, MoreauJean{.theta = 1.0}}};
  expect_step_refused(
      options, {"TimeSteppingOptions::integrators", "buffer between systems of different weights of the position",
                "one theta of it, where a law is about positions"});
  model.remove(contact);
  gap.compliance = {};
  model.link({mechanical, other}, gap, NewtonImpactLaw{}, "bumper");
  options.integrators = {{other, SchatzmanPaoli{}}};
  expect_step_refused(options, {"TimeSteppingOptions::integrators", "bumper between systems of different levels",
                                "the same scheme on both sides"});
}

TEST_F(BadMechanics, SchatzmanPaoliForWhatItCannotDo) {
  const auto paoli = with_scheme(SchatzmanPaoli{});
  const auto refused_law = [&](const LagrangianLinearRelation& relation, const Law& law) {
    const auto contact = model.link(mechanical, relation, law, "contact");
    expect_step_refused(paoli, {"SchatzmanPaoli", "the law or the compliance of contact",
                                "NewtonImpactLaw or EqualityLaw", "MoreauJean"});
    model.remove(contact);
  };
  LagrangianLinearRelation two;
  two.H = {{1.0}, {1.0}};
  refused_law(two, NewtonImpactFrictionLaw{});
  refused_law(two, StaticKineticFrictionLaw{});
  refused_law(two, CohesiveZoneLaw{});
  refused_law(two, PlasticityLaw{.yield = 1.0});
  refused_law(height(), RelayLaw{});
  refused_law(height(), SpringDashpotLaw{.stiffness = 1.0});
  refused_law(height(), PiecewiseLinearLaw{.slope_before = kInfinity});
  refused_law(spring(), ComplementarityLaw{});
  refused_law(spring(), EqualityLaw{});

  NonSmoothDynamicalSystem led;
  auto slider = ball();
  slider.prescribed = {{.component = 0, .velocity = [](double) { return 1.0; }}};
  led.add(slider);
  expect_refused([&] { TimeStepping(led, paoli).step(); }, {"SchatzmanPaoli for ball", "prescribes no velocities"});
}

TEST_F(BadMechanics, SchemesOfTheOtherOrder) {
  auto options = with_step(0.1);
  options.integrators = {{mechanical, EulerMoreau{}}};
  expect_step_refused(options, {"EulerMoreau for ball", "MoreauJean or SchatzmanPaoli", "mechanical"});
  options.integrators = {{mechanical, ZeroOrderHold{}}};
  expect_step_refused(options, {"ZeroOrderHold for ball", "MoreauJean or SchatzmanPaoli"});
  options.integrators = {{electrical, MoreauJean{}}};
  expect_step_refused(options, {"MoreauJean for capacitor", "EulerMoreau or ZeroOrderHold"});
  options.integrators = {{electrical, SchatzmanPaoli{}}};
  expect_step_refused(options, {"SchatzmanPaoli for capacitor", "EulerMoreau or ZeroOrderHold"});
  options = with_scheme(MoreauJean{.configuration_weight = 1.5});
  expect_step_refused(options, {"MoreauJean::configuration_weight", "1.5", "[0, 1]"});
  options = with_scheme(SchatzmanPaoli{.theta = -0.1});
  expect_step_refused(options, {"SchatzmanPaoli::theta", "-0.1", "[0, 1]"});
}

TEST(BadMechanicalSystem, ImpulsesAndPartsOfAnotherSize) {
  NonSmoothDynamicalSystem model;
  auto system = ball();
  system.impulses = {{.instant = 0.1, .impulse = {1.0, 2.0}}};
  expect_refused([&] { model.add(system); }, {"LagrangianLinearSystem::impulses", "2 entries", "1 entry"});
  system.impulses = {{.instant = 0.1}};
  expect_refused([&] { model.add(system); }, {"LagrangianLinearSystem::impulses", "0 entries", "1 entry"});
  system.impulses = {{.instant = kNaN, .impulse = {1.0}}};
  expect_refused([&] { model.add(system); }, {"LagrangianLinearSystem::impulses: instant", "nan"});
  system.impulses = {{.instant = 0.1, .impulse = {kInfinity}}};
  expect_refused([&] { model.add(system); }, {"LagrangianLinearSystem::impulses", "inf", "finite"});

  LagrangianSystem nonlinear;
  nonlinear.q0 = {0.0};
  nonlinear.impulses = {{.instant = 0.1, .impulse = {1.0, 2.0}}};
  expect_refused([&] { model.add(nonlinear); }, {"LagrangianSystem::impulses", "2 entries", "1 entry"});
  nonlinear.impulses = {};
  nonlinear.external = {1.0, 2.0};
  expect_refused([&] { model.add(nonlinear); }, {"LagrangianSystem::external", "2 entries", "1 entry"});
  nonlinear.external = {};
  nonlinear.prescribed = {{.component = 1, .velocity = [](double) { return 0.0; }}};
  expect_refused([&] { model.add(nonlinear); }, {"LagrangianSystem::prescribed", "component 1", "[0, 0]"});
  nonlinear.prescribed = {{.component = 0}};
  expect_refused([&] { model.add(nonlinear); }, {"LagrangianSystem::prescribed", "no function"});
  EXPECT_EQ(model.num_systems(), 0);
}

TEST(BadMechanicalSystem, PartsThatReturnNaN) {
  // Each part names itself through the force that it belongs to; the state stays.
  for (int part = 0; part < 4; ++part) {
    LagrangianSystem system;
    system.q0 = {0.0};
    system.name = "arm";
    if (part == 0) system.gyroscopic = [](ConstVectorRef, ConstVectorRef, VectorRef F) { F[0] = kNaN; };
    if (part == 1) system.internal = [](double, ConstVectorRef, ConstVectorRef, VectorRef F) { F[0] = kNaN; };
    if (part == 2) system.external = [](double, VectorRef F) { F[0] = kNaN; };
    if (part == 3) {
      system.internal = [](double, ConstVectorRef, ConstVectorRef, VectorRef F) { F[0] = 0.0; };
      system.internal_dq = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = kNaN; };
    }
    NonSmoothDynamicalSystem model;
    model.add(system);
    TimeStepping simulation(model, with_step(0.1));
    const auto report = simulation.step();
    EXPECT_EQ(report.outcome, StepReport::Outcome::CallableFailed) << part;
    expect_contains(report.message(), {part == 3 ? "force_dq" : "force(t, q, v)", "arm", "not finite"});
    EXPECT_EQ(simulation.state().t, 0.0);
  }
}

TEST(BadMechanicalRelation, PartsThatReturnNaN) {
  const auto expect = [](const auto& relation, const Law& law, const std::string& what) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(ball());
    model.link(body, relation, law, "gauge");
    TimeStepping simulation(model, with_step(0.1));
    const auto report = simulation.step();
    EXPECT_EQ(report.outcome, StepReport::Outcome::CallableFailed) << what;
    expect_contains(report.message(), {what, "gauge", "not finite"});
  };
  RheonomousRelation moving;
  moving.h = [](double, ConstVectorRef q, VectorRef y) { y[0] = q[0]; };
  moving.h_t = [](double t, ConstVectorRef, VectorRef value) { value[0] = t > 0.0 ? kNaN : 0.0; };
  expect(moving, EqualityLaw{}, "h_t");
  CompliantRelation soft;
  soft.h = [](ConstVectorRef q, ConstVectorRef lambda, VectorRef y) { y[0] = q[0] + 0.1 * lambda[0]; };
  soft.D = [](ConstVectorRef, ConstVectorRef, MatrixRef D) { D(0, 0) = kNaN; };
  expect(soft, ComplementarityLaw{}, "D(q, lambda)");
}

}  // namespace
}  // namespace nonsmooth::mechanics_bad_input_test
