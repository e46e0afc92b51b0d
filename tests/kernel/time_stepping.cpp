// SPDX-License-Identifier: Apache-2.0
// The time grid, the order of the stages, observers, solvers and reports of TimeStepping.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <nonsmooth/kernel.hpp>

#include <problems/models.hpp>

namespace nonsmooth::time_stepping_test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

LagrangianLinearSystem falling(double height = 1.0) {
  LagrangianLinearSystem ball;
  ball.force = {-9.81};
  ball.q0 = {height};
  return ball;
}

LagrangianLinearRelation height() {
  LagrangianLinearRelation relation;
  relation.H = {{1.0}};
  return relation;
}

TimeSteppingOptions every(double h) {
  TimeSteppingOptions options;
  options.step = h;
  return options;
}

TEST(TimeGrid, IsMultiplesOfTheStepWithoutAccumulatedRounding) {
  NonSmoothDynamicalSystem model;
  model.add(falling());
  TimeStepping simulation(model, every(0.1), 3.0);
  Index k = 0;
  simulation.advance_to(103.0, [&](const State& x) {
    ++k;
    EXPECT_EQ(x.t, 3.0 + static_cast<double>(k) * 0.1);
    EXPECT_EQ(x.k, k);
  });
  EXPECT_EQ(k, 1000) << "rounding adds no step";
}

TEST(TimeGrid, TheLastStepEndsAtTAndTheGridStartsAnewThere) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(falling());
  TimeStepping simulation(model, every(0.3));
  const auto report = simulation.advance_to(1.0);
  EXPECT_EQ(report.steps, 4);
  EXPECT_EQ(simulation.state().t, 1.0);
  EXPECT_EQ(simulation.state().t_origin, 1.0);
  EXPECT_EQ(simulation.state().k, 0);
  // Free fall is exact for theta = 1/2 with any steps.
  EXPECT_NEAR(simulation.state().q(body)[0], 1.0 - 0.5 * 9.81, 16.0 * kEps);
  simulation.step();
  EXPECT_EQ(simulation.state().t, 1.0 + 0.3);
}

TEST(TimeGrid, ReachedTimesNeedNoStep) {
  NonSmoothDynamicalSystem model;
  model.add(falling());
  TimeStepping simulation(model, every(0.1));
  EXPECT_EQ(simulation.advance_to(0.0).steps, 0);
  EXPECT_EQ(simulation.advance_to(0.5).steps, 5);
  const auto before = hash_of(simulation.state());
  EXPECT_EQ(simulation.advance_to(0.5).steps, 0);
  EXPECT_EQ(simulation.advance_to(std::nextafter(0.5, 1.0)).steps, 0) << "an ulp is no step";
  EXPECT_EQ(hash_of(simulation.state()), before);
}

TEST(TimeGrid, APauseDoesNotChangeTheMotion) {
  const problems::Model m = problems::bouncing_ball();
  TimeStepping whole(m.system, m.options), parts(m.system, m.options);
  whole.advance_to(5.0);
  for (const double T : {0.5, 1.0, 2.5, 5.0}) parts.advance_to(T);
  EXPECT_EQ(hash_of(whole.state()), hash_of(parts.state()));
}

TEST(IndexSets, AContactActsFromTheForecastGapOn) {
  // y + forecast h u <= 0: with y = 0.04, u = -1, h = 0.1 the contact acts for forecast >= 0.4 only.
  for (const double forecast : {0.0, 0.3, 0.39, 0.41, 1.0}) {
    NonSmoothDynamicalSystem model;
    LagrangianLinearSystem ball;
    ball.q0 = {0.04};
    ball.v0 = {-1.0};
    const auto body = model.add(ball);
    const auto floor = model.link(body, height(), NewtonImpactLaw{1.0});
    auto options = every(0.1);
    options.integrator = MoreauJean{0.5, forecast};
    TimeStepping simulation(model, options);
    const auto report = simulation.step();
    EXPECT_EQ(report.rows, forecast < 0.4 ? 0 : 1);
    EXPECT_NEAR(simulation.state().impulse(floor)[0], forecast < 0.4 ? 0.0 : 2.0, 4.0 * kEps);
    EXPECT_NEAR(simulation.state().v(body)[0], forecast < 0.4 ? -1.0 : 1.0, 4.0 * kEps);
  }
}

TEST(IndexSets, RowsOfOneInteractionActOneByOne) {
  NonSmoothDynamicalSystem model;
  LagrangianLinearSystem two;
  two.q0 = {0.0, 1.0};
  two.v0 = {-1.0, -1.0};
  const auto body = model.add(two);
  LagrangianLinearRelation floors;
  floors.H = {{1.0, 0.0}, {0.0, 1.0}};
  const auto contact = model.link(body, floors, NewtonImpactLaw{0.5});
  TimeStepping simulation(model, every(1e-2));
  EXPECT_EQ(simulation.step().rows, 1);
  EXPECT_NEAR(simulation.state().impulse(contact)[0], 1.5, 4.0 * kEps);
  EXPECT_EQ(simulation.state().impulse(contact)[1], 0.0);
  EXPECT_NEAR(simulation.state().v(body)[0], 0.5, 4.0 * kEps);
  EXPECT_EQ(simulation.state().v(body)[1], -1.0);
}

TEST(TimeStepping, BothOrdersInOneModel) {
  // A ball and a circuit that know nothing of each other move as if alone; the scheme named serves its order, the other
  // order gets its default.
  const problems::Model ball = problems::bouncing_ball();
  problems::Model both = ball;
  FirstOrderLinearSystem decay;
  decay.A = {{-2.0}};
  decay.x0 = {1.0};
  const auto circuit = both.system.add(decay);
  FirstOrderLinearRelation relation;
  relation.C = {{1.0}};
  relation.B = {{1.0}};
  relation.e = {-0.5};
  const auto diode = both.system.link(circuit, relation, ComplementarityLaw{});
  TimeStepping alone(ball.system, ball.options), together(both.system, both.options);
  for (int k = 0; k < 400; ++k) {
    ASSERT_TRUE(alone.step());
    ASSERT_TRUE(together.step());
    // The one-step problems differ in rows, so the answers may differ by rounding: one ulp an impact, 12 impacts.
    ASSERT_NEAR(together.state().v(ball.bodies[0])[0], alone.state().v(ball.bodies[0])[0], 400.0 * 4.0 * kEps * 4.5);
  }
  // x' = -2 x + lambda, 0 <= x - 1/2 ⟂ lambda >= 0 stops at 1/2, where lambda = 1 (theta = 1/2: (x + x-) = 1).
  EXPECT_NEAR(together.state().x(circuit)[0], 0.5, 4.0 * kEps);
  EXPECT_NEAR(together.state().lambda(diode)[0], 1.0, 64.0 * kEps / 5e-3);
}

TEST(TimeStepping, SweepsAndDirectMethodsFindTheSameMotion) {
  // Gauss-Seidel leaves 1e-12 of max|q| <= 5 m/s a step, the direct method rounding; an impact multiplies what is there
  // by at most 1 and contacts are engaged at the same steps while the difference is below the gaps: 2000 steps.
  problems::Model m = problems::bouncing_disk();
  auto sweeps = m.options;
  mixed::GaussSeidel solver;
  solver.tolerance = 1e-12;
  sweeps.solver = solver;
  TimeStepping direct(m.system, m.options), iterative(m.system, sweeps);
  for (Index k = 0; k < m.steps; ++k) {
    ASSERT_TRUE(direct.step());
    ASSERT_TRUE(iterative.step());
  }
  const Eigen::VectorXd difference = direct.state().unknowns - iterative.state().unknowns;
  // The angle's rate is u / R, ten times the velocities.
  EXPECT_LT(difference.lpNorm<Eigen::Infinity>(), 10.0 * 2000.0 * 5e-12);
}

TEST(TimeStepping, TheFreeFunctionIsTheStep) {
  const problems::Model m = problems::diode_bridge();
  TimeStepping simulation(m.system, m.options);
  State state = m.system.initial_state();
  Workspace workspace;
  for (int k = 0; k < 300; ++k) {
    ASSERT_TRUE(simulation.step());
    ASSERT_TRUE(step(m.system, m.options, m.options.step, state, workspace));
    ASSERT_EQ(hash_of(simulation.state()), hash_of(state));
  }
}

TEST(TimeStepping, ReportsOfAStep) {
  const problems::Model m = problems::bouncing_ball();
  TimeStepping simulation(m.system, m.options);
  auto report = simulation.step();
  EXPECT_TRUE(report);
  EXPECT_TRUE(report.message().empty());
  EXPECT_EQ(report.rows, 0);
  EXPECT_EQ(report.t, 5e-3);
  EXPECT_EQ(report.newton_iterations, 0) << "nothing is nonlinear";
  simulation.advance_to(9.5);
  report = simulation.step();
  EXPECT_EQ(report.rows, 1);
  EXPECT_EQ(report.solver, Status::Solved);
  EXPECT_LE(report.certificate.residual, 1e-10);
  const auto run = simulation.advance_to(10.0);
  EXPECT_TRUE(run);
  EXPECT_TRUE(run.message().empty());
  EXPECT_LE(run.worst_residual, 1e-10);
  EXPECT_EQ(run.steps_accepted, 0);
}

TEST(TimeStepping, ObserversSeeEachStepOnceAndMayStop) {
  NonSmoothDynamicalSystem model;
  model.add(falling());
  TimeStepping simulation(model, every(0.1));
  std::vector<double> seen;
  EXPECT_TRUE(simulation.advance_to(1.0, [&](const State& x) { seen.push_back(x.t); }));
  ASSERT_EQ(seen.size(), 10u);
  EXPECT_EQ(seen.front(), 0.1);
  EXPECT_EQ(seen.back(), 1.0);
  const auto report = simulation.advance_to(2.0, [](const State&) { return false; });
  EXPECT_EQ(report.outcome, RunReport::Outcome::StoppedByObserver);
  EXPECT_EQ(report.steps, 1);
  EXPECT_TRUE(report) << "an observer's wish is no failure";
  EXPECT_EQ(simulation.advance_to(2.0).steps, 9) << "and can be taken up again";
}

TEST(TimeStepping, AnObserverThatThrowsLeavesAWholeState) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(falling());
  TimeStepping simulation(model, every(0.1));
  EXPECT_THROW(simulation.advance_to(1.0,
                                     [](const State& x) {
                                       if (x.t > 0.25) throw std::runtime_error("disk full");
                                     }),
               std::runtime_error);
  EXPECT_EQ(simulation.state().k, 3);
  EXPECT_TRUE(simulation.advance_to(1.0));
  EXPECT_NEAR(simulation.state().q(body)[0], 1.0 - 0.5 * 9.81, 16.0 * kEps);
}

TEST(TimeStepping, InitialConditionsCanBeWrittenIntoTheState) {
  const problems::Model m = problems::bouncing_ball();
  TimeStepping simulation(m.system, m.options);
  simulation.state().q(m.bodies[0])[0] = 2.0;
  simulation.state().v(m.bodies[0])[0] = -3.0;
  update_outputs(simulation.model(), simulation.state());
  EXPECT_EQ(simulation.state().y(m.contacts[0])[0], 2.0);
  EXPECT_EQ(simulation.state().u(m.contacts[0])[0], -3.0);
}

TEST(TimeStepping, DriversCanBeMoved) {
  const problems::Model m = problems::bouncing_ball();
  TimeStepping first(m.system, m.options), reference(m.system, m.options);
  first.advance_to(0.5);
  reference.advance_to(1.0);
  TimeStepping second = std::move(first);
  second.advance_to(1.0);
  EXPECT_EQ(hash_of(second.state()), hash_of(reference.state()));
}

}  // namespace
}  // namespace nonsmooth::time_stepping_test
