// SPDX-License-Identifier: Apache-2.0
// Each outcome of a step that is not Completed says where and when: the interaction, its row, the bodies, the instant.
#include <cmath>
#include <stdexcept>

#include "kernel/bad_input.hpp"
#include "kernel/closed_forms.hpp"
#include "kernel/projection.hpp"

namespace nonsmooth::failure_messages_test {
namespace {

using bad_input::expect_contains;
using closed_forms::moreau_jean;

void expect_no_advice_to_loosen(const std::string& message) {
  EXPECT_EQ(message.find("loosen"), std::string::npos) << message;
}

LagrangianLinearSystem named(std::string name, double q0, double v0 = 0.0) {
  LagrangianLinearSystem system;
  system.q0 = {q0};
  system.v0 = {v0};
  system.name = std::move(name);
  return system;
}

TEST(FailureMessage, OfAnInfeasibleProblemNamesTheRowsAndTheirBodies) {
  // Two pistons that must not stop push a block from both sides: 0 <= u of both contacts has no answer.
  NonSmoothDynamicalSystem model;
  auto left = named("left piston", 0.0), right = named("right piston", 1.0);
  left.prescribed = {{.component = 0, .velocity = [](double) { return 1.0; }}};
  right.prescribed = {{.component = 0, .velocity = [](double) { return -1.0; }}};
  const auto free = model.add(named("bystander", 5.0));
  const auto one = model.add(left), other = model.add(right), block = model.add(named("block", 0.5));
  model.link(free, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{}, "elsewhere");
  model.link({one, block}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-0.5}}, NewtonImpactLaw{}, "left face");
  model.link({block, other}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-0.5}}, NewtonImpactLaw{},
             "right face");
  TimeSteppingOptions options = moreau_jean(0.1);
  TimeStepping simulation(model, options);
  const StepReport report = simulation.step();
  EXPECT_EQ(report.outcome, StepReport::Outcome::SolverFailed);
  EXPECT_EQ(report.solver, Status::Infeasible);
  expect_contains(report.message(), {"t = 0.1 s", "row 0 of left face on left piston and block",
                                     "row 0 of right face on block and right piston", "contradicts"});
  EXPECT_EQ(report.message().find("elsewhere"), std::string::npos) << report.message();
  expect_no_advice_to_loosen(report.message());
}

TEST(FailureMessage, OfASolverThatStoppedNamesTheWorstRowTakenOrNot) {
  // A chain of blocks pressed together: one sweep does not solve it.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> blocks;
  for (int k = 0; k < 6; ++k) {
    auto block = named("block " + std::to_string(k), 0.0);
    block.force = {k == 5 ? -10.0 : 0.0};
    blocks.push_back(model.add(block));
  }
  model.link(blocks[0], LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{}, "wall");
  for (std::size_t k = 1; k < 6; ++k) {
    model.link({blocks[k - 1], blocks[k]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, NewtonImpactLaw{},
               "face " + std::to_string(k));
  }
  TimeSteppingOptions options = moreau_jean(0.1);
  options.solver = mixed::GaussSeidel{.max_sweeps = 1};
  for (const OnFailure on_failure : {OnFailure::Stop, OnFailure::Accept}) {
    options.on_failure = on_failure;
    TimeStepping simulation(model, options);
    const StepReport report = simulation.step();
    ASSERT_EQ(report.outcome, StepReport::Outcome::SolverFailed);
    EXPECT_EQ(report.taken, on_failure == OnFailure::Accept);
    expect_contains(report.message(), {"t = 0.1 s", "6 rows", "Worst: row 0 of face ", " on block ", " and block "});
    expect_no_advice_to_loosen(report.message());
  }
}

TEST(FailureMessage, OfAMotionThatOverflowsNamesTheUnknown) {
  NonSmoothDynamicalSystem model;
  auto runaway = named("runaway", 0.0);
  runaway.q0 = runaway.v0 = {0.0, 0.0};
  runaway.mass = Eigen::Vector2d(1.0, 1e-10).asDiagonal();
  runaway.force = {0.0, 1e300};
  model.add(named("calm", 0.0));
  model.add(runaway);
  TimeStepping simulation(model, moreau_jean(1.0));
  const StepReport report = simulation.step();
  EXPECT_EQ(report.outcome, StepReport::Outcome::SolverFailed);
  EXPECT_EQ(report.solver, Status::NumericalFailure);
  EXPECT_FALSE(report.taken);
  expect_contains(report.message(), {"t = 1 s", "Not finite: velocity 1 of runaway"});
  expect_no_advice_to_loosen(report.message());
}

TEST(FailureMessage, OfNewtonNamesTheUnknownThatIsLeastSettled) {
  // The second coordinate's force jumps with the sign of its velocity: the iteration flips for ever.
  LagrangianSystem chatterer;
  chatterer.q0 = {0.0, 0.0};
  chatterer.v0 = {1.0, 1e-3};
  chatterer.force = [](double, ConstVectorRef, ConstVectorRef v, VectorRef F) { F[1] = v[1] >= 0.0 ? -1.0 : 1.0; };
  chatterer.force_dq = chatterer.force_dv = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {};
  chatterer.name = "chatterer";
  LagrangianSystem settled;
  settled.q0 = {0.0};
  settled.v0 = {1.0};
  settled.force = [](double, ConstVectorRef, ConstVectorRef v, VectorRef F) { F[0] = -v[0] * std::abs(v[0]); };
  settled.name = "drag";
  NonSmoothDynamicalSystem model;
  model.add(settled);
  model.add(chatterer);
  TimeSteppingOptions options = moreau_jean(0.1, 1.0);
  for (const OnFailure on_failure : {OnFailure::Stop, OnFailure::Accept}) {
    options.on_failure = on_failure;
    TimeStepping simulation(model, options);
    const StepReport report = simulation.step();
    EXPECT_EQ(report.outcome, StepReport::Outcome::NewtonLimit);
    expect_contains(report.message(), {"t = 0.1 s", "Furthest from convergence: velocity 1 of chatterer"});
  }
}

TEST(FailureMessage, OfNewtonNamesTheMultiplierThatIsLeastSettled) {
  // Newton's method on the cube root of lambda - 1 doubles its distance from the answer each time; x does not move.
  FirstOrderRelation root;
  root.rows = 1;
  root.h = [](double, ConstVectorRef, ConstVectorRef lambda, VectorRef y) { y[0] = std::cbrt(lambda[0] - 1.0); };
  root.h_dlambda = [](double, ConstVectorRef, ConstVectorRef lambda, MatrixRef D) {
    D(0, 0) = 1.0 / (3.0 * std::pow(std::cbrt(lambda[0] - 1.0), 2));
  };
  root.g = [](double, ConstVectorRef, ConstVectorRef, VectorRef) {};
  NonSmoothDynamicalSystem model;
  FirstOrderLinearSystem store = bad_input::capacitor();
  const auto capacitor = model.add(store);
  model.link(capacitor, bad_input::output(), ComplementarityLaw{}, "diode");
  model.link(capacitor, root, EqualityLaw{}, "root");
  TimeSteppingOptions options = bad_input::with_step(0.1);
  options.integrator = EulerMoreau{1.0};
  TimeStepping simulation(model, options);
  const StepReport report = simulation.step();
  EXPECT_EQ(report.outcome, StepReport::Outcome::NewtonLimit);
  expect_contains(report.message(), {"t = 0.1 s", "the multiplier in row 0 of root on capacitor"});
}

TEST(FailureMessage, OfAProjectionNamesTheWorstRowWithItsGap) {
  // q = 0 held, q >= 1 asked: velocities have an answer, positions have none.
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(named("mass", 0.0));
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, EqualityLaw{}, "held");
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}, .b = {-1.0}}, NewtonImpactLaw{}, "wall");
  TimeSteppingOptions options = projecting::options(Projection::Direct, 1e-2);
  for (const OnFailure on_failure : {OnFailure::Stop, OnFailure::Accept}) {
    options.on_failure = on_failure;
    TimeStepping simulation(model, options);
    const StepReport report = simulation.step();
    EXPECT_EQ(report.outcome, StepReport::Outcome::ProjectionLimit);
    expect_contains(report.message(), {"t = 0.01 s", "Worst: row 0 of ", " on mass, where y = "});
    expect_no_advice_to_loosen(report.message());
  }
  // A rod whose Jacobian is wrong: its own row is the worst.
  NonSmoothDynamicalSystem wrong;
  auto bob = named("bob", 0.0);
  bob.q0 = {1.0, 0.0};
  bob.v0 = {0.0, 5.0};
  bob.mass = Eigen::Matrix2d::Identity();
  ScleronomousRelation rod;
  rod.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[1] - 0.001; };
  rod.H = [](ConstVectorRef, MatrixRef H) { H << 1.0, 0.0; };
  wrong.link(wrong.add(bob), rod, EqualityLaw{}, "rod");
  options.examination = Examination::Off;
  options.on_failure = OnFailure::Stop;
  TimeStepping simulation(wrong, options);
  const StepReport report = simulation.step();
  EXPECT_EQ(report.outcome, StepReport::Outcome::ProjectionLimit);
  expect_contains(report.message(), {"Worst: row 0 of rod on bob, where y = 0.049"});  // 5 m/s for 0.01 s, less 0.001
}

TEST(FailureMessage, OfACallableNamesItWhereverItIsAsked) {
  bool broken = false;
  ScleronomousRelation track;
  track.h = [&broken](ConstVectorRef q, VectorRef y) {
    if (broken) throw std::runtime_error("no table");
    y[0] = q[0];
  };
  track.H = [](ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; };
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(named("ball", 1.0));
  model.link(ball, track, NewtonImpactLaw{}, "track");
  TimeStepping simulation(model, moreau_jean(0.1));
  ASSERT_TRUE(simulation.step());
  simulation.state().q(ball)[0] = 2.0;  // outputs are asked for anew
  broken = true;
  const StepReport report = simulation.step();
  EXPECT_EQ(report.outcome, StepReport::Outcome::CallableFailed);
  expect_contains(report.message(), {"t = 0.2 s", "h(q) of track threw: no table"});
}

}  // namespace
}  // namespace nonsmooth::failure_messages_test
