// SPDX-License-Identifier: Apache-2.0
// What first-order models refuse, and the messages; callables that fail are told by the step.
#include <stdexcept>

#include "kernel/bad_input.hpp"

namespace nonsmooth::first_order_bad_input_test {
namespace {

using namespace bad_input;

class BadFirstOrder : public Linking {
 protected:
  void expect_law_refused(const Law& law, const std::vector<std::string>& parts) {
    expect_link_refused({electrical}, output(), law, parts);
  }
};

TimeSteppingOptions under(Integrator integrator) {
  auto options = with_step(0.1);
  options.integrator = integrator;
  return options;
}

TEST_F(BadFirstOrder, LawsOfMechanics) {
  const std::vector<std::string> impact = {"law", "impact law on a first-order relation", "ComplementarityLaw"};
  expect_law_refused(NewtonImpactLaw{}, impact);
  auto two = output();
  two.C = {{1.0}, {0.0}};
  two.B = {{1.0, 0.0}};
  expect_link_refused({electrical}, two, NewtonImpactFrictionLaw{.friction = 0.3}, impact);
  expect_link_refused({electrical}, two, StaticKineticFrictionLaw{.static_friction = 0.5, .kinetic_friction = 0.3},
                      impact);
  expect_link_refused({electrical}, two, CohesiveZoneLaw{.strength = 1.0}, impact);
  const std::vector<std::string> forces = {"law", "forces and displacements", "a mechanical relation"};
  expect_law_refused(SpringDashpotLaw{.stiffness = 1.0}, forces);
  expect_link_refused({electrical}, two, PlasticityLaw{.yield = 1.0}, forces);
  expect_link_refused({mechanical}, height(), ShockleyLaw{},
                      {"law", "ShockleyLaw on a mechanical relation", "first-order"});
}

TEST_F(BadFirstOrder, LawParametersOutOfRange) {
  expect_law_refused(ComplementarityLaw{.y_shift = kNaN}, {"ComplementarityLaw::y_shift", "finite"});
  expect_law_refused(ComplementarityLaw{.lambda_shift = kInfinity}, {"ComplementarityLaw::lambda_shift", "finite"});
  expect_law_refused(RelayLaw{1.0, -1.0}, {"RelayLaw", "lower = 1", "lower <= upper"});
  expect_law_refused(NormalConeLaw{}, {"NormalConeLaw::A", "empty", "faces x rows"});
  expect_law_refused(NormalConeLaw{.A = Eigen::MatrixXd::Ones(2, 1), .b = Eigen::VectorXd::Ones(3)},
                     {"NormalConeLaw::b", "3 entries", "2 entries"});
  expect_law_refused(NormalConeLaw{.A = Eigen::MatrixXd::Constant(1, 1, kNaN), .b = Eigen::VectorXd::Ones(1)},
                     {"NormalConeLaw::A", "not finite"});
  expect_law_refused(NormalConeLaw{.A = Eigen::MatrixXd::Ones(1, 1), .b = Eigen::VectorXd::Constant(1, kInfinity)},
                     {"NormalConeLaw::b", "finite"});
  expect_law_refused(NormalConeLaw{.A = Eigen::MatrixXd::Ones(3, 2), .b = Eigen::VectorXd::Ones(3)},
                     {"Interaction::relation", "1 rows", "a multiple of 2"});
  expect_law_refused(MixedComplementarityLaw{}, {"MixedComplementarityLaw: rows", "0", "at least 1"});
  expect_law_refused(MixedComplementarityLaw{.equalities = -1, .inequalities = 2},
                     {"MixedComplementarityLaw::equalities", "-1"});
  expect_law_refused(MixedComplementarityLaw{.equalities = 1, .inequalities = 1},
                     {"Interaction::relation", "1 rows", "a multiple of 2"});
  expect_law_refused(ShockleyLaw{.saturation = 0.0}, {"ShockleyLaw::saturation", "0"});
  expect_law_refused(ShockleyLaw{.thermal = -1.0}, {"ShockleyLaw::thermal", "-1"});
}

TEST_F(BadFirstOrder, GraphsThatAreNotMonotone) {
  const auto graph = [](std::vector<std::pair<double, double>> points) {
    return PiecewiseLinearLaw{.points = std::move(points)};
  };
  expect_law_refused(graph({}), {"PiecewiseLinearLaw::points", "no point", "at least one"});
  expect_law_refused(graph({{0.0, 0.0}, {1.0, -1.0}}), {"PiecewiseLinearLaw::points", "point 1", "monotone"});
  expect_law_refused(graph({{0.0, 0.0}, {1.0, 1.0}, {0.5, 2.0}}),
                     {"PiecewiseLinearLaw::points", "point 2", "monotone"});
  expect_law_refused(graph({{0.0, 0.0}, {0.0, 0.0}}), {"PiecewiseLinearLaw::points", "point 1", "no two points equal"});
  expect_law_refused(graph({{0.0, kNaN}}), {"PiecewiseLinearLaw::points", "not finite"});
  expect_law_refused(PiecewiseLinearLaw{.slope_before = -1.0}, {"PiecewiseLinearLaw::slope_before", "-1", ">= 0"});
  expect_law_refused(PiecewiseLinearLaw{.slope_after = kNaN}, {"PiecewiseLinearLaw::slope_after", "nan", ">= 0"});
}

TEST_F(BadFirstOrder, Relations) {
  FirstOrderRelation relation;
  expect_link_refused({electrical}, relation, EqualityLaw{}, {"FirstOrderRelation::h", "no function"});
  relation.h = [](double, ConstVectorRef, ConstVectorRef, VectorRef) {};
  expect_link_refused({electrical}, relation, EqualityLaw{}, {"FirstOrderRelation::g", "no function"});
  relation.g = relation.h;
  relation.rows = 0;
  expect_link_refused({electrical}, relation, EqualityLaw{}, {"FirstOrderRelation::rows", "0"});
  relation.rows = 1;
  expect_link_refused({mechanical}, relation, EqualityLaw{},
                      {"Interaction::systems", "mechanical ball", "first-order"});
  expect_link_refused({electrical}, relation, NewtonImpactLaw{}, {"law", "impact law on a first-order relation"});
  FirstOrderLinearRelation varying = output();
  varying.C = [](double, MatrixRef) {};
  expect_link_refused({electrical}, varying, EqualityLaw{}, {"FirstOrderLinearRelation::rows", "0"});
  varying = output();
  varying.rows = 2;
  expect_link_refused({electrical}, varying, EqualityLaw{}, {"FirstOrderLinearRelation::rows", "2"});
  varying = output();
  varying.B = {};
  expect_link_refused({electrical}, varying, EqualityLaw{}, {"FirstOrderLinearRelation::B", "nothing"});
}

TEST_F(BadFirstOrder, SweepingProcesses) {
  SweepingProcess process{.x0 = {0.0}, .name = "wall"};
  expect_refused([&] { model.add(process); }, {"SweepingProcess::project", "no function"});
  process.project = [](double, VectorRef) {};
  process.x0 = {};
  expect_refused([&] { model.add(process); }, {"SweepingProcess::x0", "no entry"});
  process.x0 = {kNaN};
  expect_refused([&] { model.add(process); }, {"SweepingProcess::x0", "finite"});
  process.x0 = {0.0};
  const auto wall = model.add(process);
  expect_link_refused({wall}, output(), ComplementarityLaw{},
                      {"Interaction::systems", "sweeping process wall", "its set is its law"});
  auto options = under(EulerMoreau{});
  options.integrators = {{wall, EulerMoreau{}}};
  expect_refused([&] { TimeStepping(model, options).step(); },
                 {"TimeSteppingOptions::integrators", "sweeping process wall", "catches up"});
}

TEST(BadFirstOrderSystem, Descriptions) {
  NonSmoothDynamicalSystem model;
  FirstOrderSystem system;
  expect_refused([&] { model.add(system); }, {"FirstOrderSystem::x0", "no entry"});
  system.x0 = {1.0, kInfinity};
  expect_refused([&] { model.add(system); }, {"FirstOrderSystem::x0", "finite"});
  system.x0 = {1.0, 2.0};
  system.mass = {{1.0}};
  expect_refused([&] { model.add(system); }, {"FirstOrderSystem::mass", "1 x 1", "2 x 2"});
  system.mass = [](double, MatrixRef) {};
  expect_refused([&] { model.add(system); }, {"FirstOrderSystem::mass", "a function of time", "constant"});
}

TEST(BadScheme, WeightsOutOfRange) {
  NonSmoothDynamicalSystem model;
  model.add(capacitor());
  for (const double weight : {0.0, -0.5, 1.5, kNaN}) {
    expect_refused([&] { TimeStepping(model, under(EulerMoreau{.multiplier_weight = weight})); },
                   {"EulerMoreau::multiplier_weight"});
    expect_refused([&] { TimeStepping(model, under(EulerMoreau{.relation_weight = weight})); },
                   {"EulerMoreau::relation_weight"});
  }
  expect_refused([&] { TimeStepping(model, under(EulerMoreau{.theta = 1.1})); }, {"EulerMoreau::theta"});
}

TEST(BadScheme, HoldsOfWhatIsNotLinearWithConstantA) {
  const auto expect_no_hold = [](const std::function<void(NonSmoothDynamicalSystem&)>& fill,
                                 const std::vector<std::string>& parts) {
    NonSmoothDynamicalSystem model;
    fill(model);
    expect_refused([&] { TimeStepping(model, under(ZeroOrderHold{})).step(); }, parts);
  };
  expect_no_hold(
      [](NonSmoothDynamicalSystem& model) {
        auto varying = capacitor();
        varying.A = [](double, MatrixRef) {};
        model.add(varying);
      },
      {"TimeSteppingOptions::integrator", "ZeroOrderHold for capacitor", "EulerMoreau", "constant A"});
  expect_no_hold([](NonSmoothDynamicalSystem& model) { model.add(FirstOrderSystem{.x0 = {1.0}, .name = "neuron"}); },
                 {"TimeSteppingOptions::integrator", "ZeroOrderHold for neuron", "EulerMoreau"});
  expect_no_hold(
      [](NonSmoothDynamicalSystem& model) {
        FirstOrderRelation relation;
        relation.h = [](double, ConstVectorRef, ConstVectorRef l, VectorRef y) { y = l; };
        relation.g = [](double, ConstVectorRef, ConstVectorRef l, VectorRef r) { r = l; };
        model.link(model.add(capacitor()), relation, EqualityLaw{});
      },
      {"ZeroOrderHold for capacitor", "EulerMoreau", "nonlinear input"});
  expect_no_hold([](NonSmoothDynamicalSystem& model) { model.add(ball()); },
                 {"TimeSteppingOptions::integrator", "ZeroOrderHold", "mechanical", "MoreauJean"});
}

TEST(BadScheme, OfTheOtherOrderOrOfTwoKindsOverOneInteraction) {
  NonSmoothDynamicalSystem model;
  const auto first = model.add(capacitor()), second = model.add(capacitor());
  auto options = under(EulerMoreau{});
  options.integrators = {{first, MoreauJean{}}};
  expect_refused([&] { TimeStepping(model, options).step(); },
                 {"TimeSteppingOptions::integrator", "MoreauJean for capacitor", "of first order"});
  model.link({first, second}, FirstOrderLinearRelation{.C = {{1.0, -1.0}}, .B = {{1.0}, {-1.0}}}, ComplementarityLaw{},
             "diode");
  options.integrators = {{first, EulerMoreau{.multiplier_weight = 0.5}}};
  expect_refused([&] { TimeStepping(model, options).step(); },
                 {"TimeSteppingOptions::integrators", "diode between systems of different weights", "same scheme"});
  options.integrators = {{first, ZeroOrderHold{}}};
  expect_refused([&] { TimeStepping(model, options).step(); }, {"diode between systems of different weights"});
}

TEST(BadScheme, SingularMatrices) {
  NonSmoothDynamicalSystem model;
  auto singular = capacitor();
  singular.A = {{10.0}};  // 1 - h theta A = 0
  model.add(singular);
  expect_refused([&] { TimeStepping(model, under(EulerMoreau{.theta = 1.0})).step(); },
                 {"iteration matrix of capacitor", "singular"});
  NonSmoothDynamicalSystem held;
  held.add(FirstOrderLinearSystem{.mass = {{1.0, 1.0}, {1.0, 1.0}}, .x0 = {1.0, 1.0}, .name = "network"});
  expect_refused([&] { TimeStepping(held, under(ZeroOrderHold{})).step(); },
                 {"mass and A of network", "det(s M - A) = 0 for every s", "rows 0, 1 "});
  NonSmoothDynamicalSystem nonlinear;
  nonlinear.add(FirstOrderSystem{.mass = {{1.0, 1.0}, {1.0, 1.0}}, .x0 = {1.0, 1.0}, .name = "network"});
  const StepReport report = TimeStepping(nonlinear, under(EulerMoreau{})).step();
  EXPECT_FALSE(report);
  EXPECT_EQ(report.outcome, StepReport::Outcome::CallableFailed);
  expect_contains(report.message(), {"the iteration matrix M - h theta df/dx", "network", "singular"});
}

TEST(BadFirstOrderCallable, EndsTheStepAndLeavesTheState) {
  const auto expect_failure = [](NonSmoothDynamicalSystem& model, const std::vector<std::string>& parts) {
    TimeStepping run(model, under(EulerMoreau{}));
    const std::uint64_t before = hash_of(run.state());
    const StepReport report = run.step();
    EXPECT_FALSE(report);
    EXPECT_FALSE(report.taken);
    EXPECT_EQ(report.outcome, StepReport::Outcome::CallableFailed);
    expect_contains(report.message(), parts);
    EXPECT_EQ(hash_of(run.state()), before);
  };
  const auto nan = [](double, ConstVectorRef, VectorRef value) { value.setConstant(kNaN); };
  {
    NonSmoothDynamicalSystem model;
    model.add(FirstOrderSystem{.f = nan, .x0 = {1.0}, .name = "neuron"});
    expect_failure(model, {"f(t, x) of neuron", "not finite"});
  }
  {
    NonSmoothDynamicalSystem model;
    model.add(FirstOrderSystem{.f = [](double, ConstVectorRef, VectorRef) { throw std::runtime_error("no data"); },
                               .x0 = {1.0},
                               .name = "neuron"});
    expect_failure(model, {"f(t, x) of neuron threw", "no data"});
  }
  {
    NonSmoothDynamicalSystem model;
    auto system = capacitor();
    system.feedback = [](const State&, VectorRef value) { value.setConstant(kNaN); };
    model.add(system);
    expect_failure(model, {"the feedback of capacitor", "not finite"});
  }
  {
    NonSmoothDynamicalSystem model;
    model.add(
        SweepingProcess{.project = [](double, VectorRef x) { x.setConstant(kNaN); }, .x0 = {1.0}, .name = "wall"});
    expect_failure(model, {"project(t, x) of wall", "not finite"});
  }
  {
    NonSmoothDynamicalSystem model;
    FirstOrderRelation relation;
    relation.h = [](double, ConstVectorRef, ConstVectorRef l, VectorRef y) { y = l; };
    relation.g = [](double, ConstVectorRef, ConstVectorRef, VectorRef r) { r.setConstant(kNaN); };
    model.link(model.add(capacitor()), relation, EqualityLaw{}, "synapse");
    expect_failure(model, {"g(t, x, lambda) of synapse", "not finite"});
  }
}

}  // namespace
}  // namespace nonsmooth::first_order_bad_input_test
