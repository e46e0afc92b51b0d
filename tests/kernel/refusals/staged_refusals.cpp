// SPDX-License-Identifier: Apache-2.0
// What schemes of several stages do not take is refused when a simulation is made, with the scheme that takes it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <nonsmooth/kernel.hpp>
#include <problems/models.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/staged_circuits.hpp"

namespace nonsmooth::staged_refusals_test {
namespace {

using staged_circuits::Diode;
using staged_circuits::Zener;

/// The text of what is thrown when the model is to run; empty: it runs.
std::string refusal(const NonSmoothDynamicalSystem& model, const Integrator& integrator,
                    TimeSteppingOptions options = {}) {
  options.integrator = integrator;
  options.step = 1e-3;
  try {
    TimeStepping(model, options);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return {};
}

void expect_refused(const std::string& text, const std::string& found, const std::string& instead) {
  EXPECT_NE(text.find(found), std::string::npos) << text;
  EXPECT_NE(text.find(instead), std::string::npos) << text;
}

const Integrator kExplicit[] = {ExplicitEuler{}, RungeKutta4{}, AdamsBashforth2{}};
const Integrator kImplicit[] = {ImplicitRadau{}, Bdf2{}};

TEST(StagedRefusals, MultipliersThatDoNotFollowFromTheState) {
  const auto bridge = problems::diode_bridge();  // D is singular
  for (const Integrator& integrator : kExplicit)
    expect_refused(refusal(bridge.system, integrator), integrator->name() + " for", "ImplicitRadau");
  for (const Integrator& integrator : kImplicit) EXPECT_EQ(refusal(bridge.system, integrator), "");
  NonSmoothDynamicalSystem held;  // y = x >= 0 alone: relative degree 1
  held.link(held.add(FirstOrderLinearSystem{.A = {{0.0}}, .x0 = {1.0}}),
            FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, ComplementarityLaw{}, "stop");
  expect_refused(refusal(held, RungeKutta4{}), "stop, whose D is no P-matrix", "Bdf2");
  EXPECT_EQ(refusal(held, ImplicitRadau{3, true}), "");
}

TEST(StagedRefusals, PMatricesAreTakenThatAreNotDefinite) {
  // (1 -3; 0 1) has the principal minors 1, 1, 1, and x^T D x = -1 at (1, 1).
  NonSmoothDynamicalSystem model;
  model.link(model.add(FirstOrderLinearSystem{.A = {{0.0}}, .x0 = {1.0}}),
             FirstOrderLinearRelation{.C = {{1.0}, {1.0}}, .D = {{1.0, -3.0}, {0.0, 1.0}}, .B = {{-1.0, -1.0}}},
             ComplementarityLaw{});
  EXPECT_EQ(refusal(model, RungeKutta4{true}), "");
}

TEST(StagedRefusals, ExplicitSchemesCannotSlide) {
  EXPECT_EQ(refusal(Zener::model(), ExplicitEuler{}), "");
  expect_refused(refusal(Zener::model(), ExplicitEuler{true}), "the relay zener", "ImplicitRadau or Bdf2");
  EXPECT_EQ(refusal(Zener::model(), ImplicitRadau{2, true}), "");
}

TEST(StagedRefusals, SystemsThatAreNotTheirs) {
  for (const Integrator& integrator : {Integrator(RungeKutta4{}), Integrator(ImplicitRadau{})}) {
    const auto ball = problems::bouncing_ball();
    expect_refused(refusal(ball.system, integrator), integrator->name(), "MoreauJean");
    auto beside = Diode().model({1.0, -1.0});
    beside.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {0.0}, .name = "cart"});
    expect_refused(refusal(beside, integrator), "the mechanical system cart", "EulerMoreau");
    auto sweeping = Diode().model({1.0, -1.0});
    sweeping.add(SweepingProcess{.project = [](double, VectorRef) {}, .x0 = {0.0}, .name = "swept"});
    expect_refused(refusal(sweeping, integrator), "swept", "EulerMoreau");
  }
}

TEST(StagedRefusals, ASecondSchemeBesideThem) {
  auto model = Diode().model({1.0, -1.0});
  const auto other = model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}, .name = "other"});
  expect_refused(refusal(model, RungeKutta4{}, {.integrators = {{other, EulerMoreau{}}}}), "another scheme of other",
                 "one scheme for the whole model");
}

TEST(StagedRefusals, LawsThatVaryAndFormsThatAreNotReduced) {
  auto model = Diode().model({1.0, -1.0});
  expect_refused(refusal(model, RungeKutta4{}, {.form = Form::Global}), "Form::Global under RungeKutta4",
                 "Form::Reduced");
}

TEST(StagedRefusals, SingularMassesOfExplicitStages) {
  NonSmoothDynamicalSystem model;
  model.add(FirstOrderLinearSystem{
      .mass = {{1.0, 0.0}, {0.0, 0.0}}, .A = {{-1.0, 1.0}, {1.0, 1.0}}, .x0 = {1.0, -1.0}, .name = "descriptor"});
  expect_refused(refusal(model, RungeKutta4{}), "RungeKutta4", "descriptor");
  EXPECT_EQ(refusal(model, ImplicitRadau{3}), "");
  TimeStepping simulation(model, {.integrator = ImplicitRadau{3}, .step = 0.1});
  ASSERT_TRUE(simulation.advance_to(1.0));
  // x2 = -x1, x1' = -2 x1. Order 5: (2 h)^5 / 7200 ten times over, and less.
  EXPECT_NEAR(simulation.state().unknowns[0], std::exp(-2.0), 1e-6);
  EXPECT_NEAR(simulation.state().unknowns[1], -simulation.state().unknowns[0], 1e-14);
}

TEST(StagedRefusals, StagesOutOfRange) {
  for (const Index stages : {0, 4})
    expect_refused(refusal(Diode().model({1.0, -1.0}), ImplicitRadau{stages}), "ImplicitRadau::stages", "3");
}

/// A user's table.
class UsersTable final : public StagedIntegrator {
 public:
  explicit UsersTable(StageTable table) : table_(std::move(table)) {}
  [[nodiscard]] StageTable table(double /*ratio*/) const override { return table_; }

 private:
  StageTable table_;
};

/// Heun's method of two stages.
StageTable heun() {
  return {.a = Eigen::Matrix2d{{0.0, 0.0}, {1.0, 0.0}}, .b = Eigen::Vector2d{0.5, 0.5}, .c = Eigen::Vector2d{0.0, 1.0}};
}

TEST(StagedRefusals, TablesOfUsersThatAreNone) {
  const auto with = [](const StageTable& table) {
    return refusal(Diode().model({1.0, -1.0}), std::make_shared<const UsersTable>(table));
  };
  EXPECT_EQ(with(heun()), "");
  StageTable table = heun();
  table.b = Eigen::VectorXd::Ones(3);
  expect_refused(with(table), "shapes that differ", "b, c: s");
  table = heun();
  table.a(1, 0) = std::numeric_limits<double>::quiet_NaN();
  expect_refused(with(table), "not finite", "c in [0, 1]");
  table = heun();
  table.c[1] = 1.5;
  expect_refused(with(table), "outside the step", "c in [0, 1]");
  table = heun();
  table.v = 0.5;
  expect_refused(with(table), "keeps nothing", "kept()");
  table = {};
  expect_refused(with(table), "shapes that differ", "s >= 1");
}

TEST(StagedUsersTables, RunAsWhatTheyAre) {
  // One step of Heun's method of x' = -x from 1 is 1 - h + h^2 / 2; two implicit stages one after the other with a =
  // 1/2: (1 / (1 + h/2)), then the second from the slope of the first.
  NonSmoothDynamicalSystem model;
  model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}});
  const double h = 0.25;
  TimeStepping by_heun(model, {.integrator = std::make_shared<const UsersTable>(heun()), .step = h});
  ASSERT_TRUE(by_heun.step());
  EXPECT_NEAR(by_heun.state().unknowns[0], 1.0 - h + h * h / 2.0, 1e-15);
  const StageTable diagonal{
      .a = Eigen::Matrix2d{{0.5, 0.0}, {0.25, 0.5}}, .b = Eigen::Vector2d{0.75, 0.25}, .c = Eigen::Vector2d{0.5, 0.75}};
  TimeStepping by_diagonal(model, {.integrator = std::make_shared<const UsersTable>(diagonal), .step = h});
  ASSERT_TRUE(by_diagonal.step());
  const double first = 1.0 / (1.0 + 0.5 * h), second = (1.0 - 0.25 * h * first) / (1.0 + 0.5 * h);
  EXPECT_NEAR(by_diagonal.state().unknowns[0], 1.0 - h * (0.75 * first + 0.25 * second), 1e-15);
}

TEST(StagedUsersTables, WhoseSlopesStandAloneNeedARegularMass) {
  // F = M^-1 (f + g) is summed by the implicit midpoint rule, and needed behind the first of two diagonal stages.
  NonSmoothDynamicalSystem model;
  model.add(FirstOrderLinearSystem{
      .mass = {{1.0, 0.0}, {0.0, 0.0}}, .A = {{-1.0, 1.0}, {1.0, 1.0}}, .x0 = {1.0, -1.0}, .name = "descriptor"});
  const StageTable midpoint{
      .a = Eigen::MatrixXd::Constant(1, 1, 0.5), .b = Eigen::VectorXd::Ones(1), .c = Eigen::VectorXd::Constant(1, 0.5)};
  const StageTable diagonal{
      .a = Eigen::Matrix2d{{0.5, 0.0}, {0.5, 0.5}}, .b = Eigen::Vector2d{0.5, 0.5}, .c = Eigen::Vector2d{0.5, 1.0}};
  for (const StageTable& table : {midpoint, diagonal})
    expect_refused(refusal(model, std::make_shared<const UsersTable>(table)), "descriptor, whose mass is singular",
                   "ImplicitRadau");
}

TEST(StagedFailures, ACallableThatFailsLeavesTheState) {
  auto model = Diode().model({1.0, -1.0});
  model.add(FirstOrderSystem{.f = [](double t, ConstVectorRef, VectorRef f) { f[0] = t > 0.0025 ? std::nan("") : 1.0; },
                             .x0 = {0.0},
                             .name = "clock"});
  TimeStepping simulation(model, {.integrator = RungeKutta4{}, .step = 1e-3});
  ASSERT_TRUE(simulation.step());
  ASSERT_TRUE(simulation.step());
  const auto bits = hash_of(simulation.state());
  const StepReport report = simulation.step();
  EXPECT_EQ(report.outcome, StepReport::Outcome::CallableFailed);
  EXPECT_FALSE(report.taken);
  EXPECT_NE(report.message().find("clock"), std::string::npos) << report.message();
  EXPECT_EQ(hash_of(simulation.state()), bits);
}

}  // namespace
}  // namespace nonsmooth::staged_refusals_test
