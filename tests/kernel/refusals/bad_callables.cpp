// SPDX-License-Identifier: Apache-2.0
// What goes wrong while time advances ends the step with the name and the time, and keeps everything before it.
#include <cmath>
#include <memory>
#include <stdexcept>

#include "kernel/bad_input.hpp"

namespace nonsmooth::bad_callables_test {
namespace {

using namespace bad_input;

/// Advances to t = 1 in steps of 0.1 and checks that step `last + 1` failed with `parts` and that the state stayed.
void expect_stopped(TimeStepping& simulation, Index last, const std::vector<std::string>& parts) {
  std::vector<double> recorded;
  State seen;
  const auto report = simulation.advance_to(1.0, [&](const State& state) {
    recorded.push_back(state.t);
    seen = state;
  });
  EXPECT_FALSE(report);
  EXPECT_EQ(report.last.outcome, StepReport::Outcome::CallableFailed);
  EXPECT_FALSE(report.last.taken);
  EXPECT_EQ(report.steps, last);
  EXPECT_EQ(static_cast<Index>(recorded.size()), last) << "everything recorded before stays";
  expect_contains(report.message(), parts);
  if (last > 0) {
    EXPECT_EQ(hash_of(simulation.state()), hash_of(seen)) << "the state stays where it was";
  }
  EXPECT_EQ(simulation.state().k, last);
}

TEST(BadCallable, ForceOfTimeThatThrows) {
  auto system = ball();
  system.force = [](double t, VectorRef f) {
    if (t > 0.35) throw std::runtime_error("no table beyond 0.35 s");
    f[0] = -9.81;
  };
  NonSmoothDynamicalSystem model;
  model.add(system);
  TimeStepping simulation(model, with_step(0.1));
  expect_stopped(simulation, 3, {"t = 0.4", "ball", "no table beyond 0.35 s"});
}

TEST(BadCallable, ForceOfTimeThatReturnsNaN) {
  auto system = ball();
  system.force = [](double t, VectorRef f) { f[0] = t > 0.35 ? kNaN : -9.81; };
  NonSmoothDynamicalSystem model;
  model.add(system);
  TimeStepping simulation(model, with_step(0.1));
  expect_stopped(simulation, 3, {"t = 0.4", "ball", "not finite"});
}

TEST(BadCallable, ForceThatThrowsSomethingElse) {
  LagrangianSystem system;
  system.q0 = {0.0};
  system.force = [](double t, ConstVectorRef, ConstVectorRef, VectorRef) {
    if (t > 0.25) throw 42;  // NOLINT: what a user may do
  };
  system.name = "pendulum";
  NonSmoothDynamicalSystem model;
  model.add(system);
  TimeStepping simulation(model, with_step(0.1));
  expect_stopped(simulation, 2, {"t = 0.3", "force", "pendulum", "no std::exception"});
}

TEST(BadCallable, NonlinearPartsThatReturnNaN) {
  LagrangianSystem good;
  good.q0 = {0.0};
  good.v0 = {1.0};
  good.name = "pendulum";
  const auto run = [](const LagrangianSystem& system, const std::vector<std::string>& parts) {
    NonSmoothDynamicalSystem model;
    model.add(system);
    TimeStepping simulation(model, with_step(0.1));
    expect_stopped(simulation, 0, parts);
  };
  auto system = good;
  system.mass = [](ConstVectorRef, MatrixRef M) { M(0, 0) = kNaN; };
  run(system, {"t = 0.1", "mass(q)", "pendulum", "not finite"});
  system = good;
  system.force = [](double, ConstVectorRef, ConstVectorRef, VectorRef F) { F[0] = kInfinity; };
  run(system, {"t = 0.1", "force", "pendulum", "not finite"});
  const auto no_force = [](double, ConstVectorRef, ConstVectorRef, VectorRef) {};
  system = good;
  system.force = no_force;
  system.force_dq = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = kNaN; };
  run(system, {"t = 0.1", "force_dq", "pendulum", "not finite"});
  system = good;
  system.force = no_force;
  system.force_dv = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = kNaN; };
  run(system, {"t = 0.1", "force_dv", "pendulum", "not finite"});
  system = good;
  system.mass = [](ConstVectorRef, MatrixRef M) { M(0, 0) = 0.0; };
  run(system, {"t = 0.1", "pendulum", "not positive"});
}

TEST(BadCallable, FirstOrderPartsThatReturnNaN) {
  auto system = capacitor();
  system.A = [](double t, MatrixRef A) { A(0, 0) = t > 0.25 ? kNaN : -1.0; };
  NonSmoothDynamicalSystem first;
  first.add(system);
  TimeStepping varying(first, with_step(0.1));
  expect_stopped(varying, 2, {"t = 0.3", "A(t)", "capacitor", "not finite"});

  system = capacitor();
  system.b = [](double t, VectorRef b) { b[0] = t > 0.25 ? kInfinity : 0.0; };
  NonSmoothDynamicalSystem second;
  second.add(system);
  TimeStepping driven(second, with_step(0.1));
  expect_stopped(driven, 2, {"t = 0.3", "capacitor", "not finite"});

  NonSmoothDynamicalSystem third;
  auto relation = output();
  relation.e = [](double t, VectorRef e) { e[0] = t > 0.25 ? kNaN : 0.0; };
  third.link(third.add(capacitor()), relation, ComplementarityLaw{});
  TimeStepping linked(third, with_step(0.1));
  expect_stopped(linked, 2, {"t = 0.3", "e(t)", "interaction 0", "not finite"});
}

TEST(BadCallable, PrescribedVelocity) {
  auto system = ball();
  system.prescribed = {{0, [](double t) { return t > 0.25 ? kNaN : 1.0; }}};
  NonSmoothDynamicalSystem model;
  model.add(system);
  TimeStepping simulation(model, with_step(0.1));
  expect_stopped(simulation, 2, {"t = 0.3", "prescribed velocity", "ball", "not finite"});
}

TEST(BadCallable, RelationThatFailsAfterTheVelocityWasFound) {
  // h is asked again at q_{k+1}, when the step has been computed: the state must still be the old one.
  NonSmoothDynamicalSystem model;
  ScleronomousRelation relation;
  relation.h = [](ConstVectorRef q, VectorRef y) {
    if (q[0] < 0.6) throw std::domain_error("below the chart");
    y[0] = q[0];
  };
  relation.H = [](ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; };
  model.link(model.add(ball()), relation, NewtonImpactLaw{});
  TimeStepping simulation(model, with_step(0.1));
  // theta = 1/2 is exact: q = 1 - 4.905 t^2 is 0.8038 at 0.2 s and 0.5586 at 0.3 s.
  expect_stopped(simulation, 2, {"t = 0.3", "h(q)", "interaction 0", "below the chart"});
}

TEST(BadCallable, JacobianThatReturnsNaN) {
  NonSmoothDynamicalSystem model;
  ScleronomousRelation relation;
  relation.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[0]; };
  relation.H = [](ConstVectorRef q, MatrixRef H) { H(0, 0) = q[0] < 0.6 ? kNaN : 1.0; };
  model.link(model.add(ball()), relation, NewtonImpactLaw{});
  TimeStepping simulation(model, with_step(0.1));
  expect_stopped(simulation, 2, {"t = 0.3", "H(q)", "interaction 0", "not finite"});
}

TEST(BadCallable, LawThatThrows) {
  class Moody final : public NonSmoothLaw {
   public:
    [[nodiscard]] LawShape shape(LawUse) const override { return {.shifts = true}; }
    void block(const LawContext&, LawBlock& block) const override { block.parts = {{BlockSet{}, 1}}; }
    void shift(const LawContext& context, VectorRef) const override {
      if (context.u[0] < -2.5) throw std::runtime_error("too fast for me");
    }
  };
  NonSmoothDynamicalSystem model;
  const auto body = model.add(ball());
  model.link(body, height(), std::make_shared<const Moody>());
  // Always active at velocity level: u >= 0 holds the ball, so it is given the speed by its initial condition.
  TimeStepping simulation(model, with_step(0.1));
  simulation.state().v(body)[0] = -3.0;
  update_outputs(simulation.model(), simulation.state());
  expect_stopped(simulation, 0, {"t = 0.1", "law", "too fast for me"});
}

TEST(BadCallable, AFailedStepCanBeTriedAgain) {
  // The second attempt succeeds and gives the bits of a run that never failed.
  const auto run = [](bool fails) {
    auto tries = std::make_shared<int>(0);
    auto system = ball();
    system.force = [tries, fails](double t, VectorRef f) {
      if (fails && t > 0.35 && (*tries)++ == 0) throw std::runtime_error("sensor offline");
      f[0] = -9.81 + std::sin(10.0 * t);
    };
    auto circuit = capacitor();
    auto misses = std::make_shared<int>(0);
    circuit.A = [misses, fails](double t, MatrixRef A) {
      if (fails && t > 0.55 && (*misses)++ == 0) throw std::runtime_error("sensor offline");
      A(0, 0) = -1.0 - t;
    };
    NonSmoothDynamicalSystem model;
    model.add(system);
    model.add(circuit);
    TimeStepping simulation(model, with_step(0.1));
    Index failures = 0;
    while (!simulation.advance_to(1.0)) {
      if (++failures == 3) break;
    }
    EXPECT_EQ(failures, fails ? 2 : 0);
    return hash_of(simulation.state());
  };
  EXPECT_EQ(run(true), run(false));
}

TEST(BadCallable, NewtonThatDoesNotSettle) {
  // F jumps with the sign of v: no v solves v - v_k = h F(v), and the iteration flips for ever.
  LagrangianSystem system;
  system.q0 = {0.0};
  system.v0 = {1e-3};
  system.force = [](double, ConstVectorRef, ConstVectorRef v, VectorRef F) { F[0] = v[0] >= 0.0 ? -1.0 : 1.0; };
  system.force_dq = system.force_dv = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {};
  system.name = "chatterer";
  NonSmoothDynamicalSystem model;
  model.add(system);
  auto options = with_step(0.1);
  options.integrator = MoreauJean{1.0, 0.5};
  TimeStepping stops(model, options);
  const auto report = stops.advance_to(1.0);
  EXPECT_FALSE(report);
  EXPECT_EQ(report.last.outcome, StepReport::Outcome::NewtonLimit);
  EXPECT_EQ(stops.state().t, 0.0);
  expect_contains(report.message(), {"t = 0.1", "Newton", "50 iterations", "on_failure"});

  options.on_failure = OnFailure::Accept;
  TimeStepping accepts(model, options);
  const auto accepted = accepts.advance_to(1.0);
  EXPECT_TRUE(accepted);
  EXPECT_GT(accepted.steps_accepted, 0);
  EXPECT_EQ(accepted.steps, 10);
  expect_contains(accepted.message(), {"accepted above tolerance"});
}

TEST(BadCallable, ProblemWithoutSolution) {
  // y = x - 1 = 0 and B = 0: no multiplier can do it.
  NonSmoothDynamicalSystem model;
  auto relation = output();
  relation.B = {{0.0}};
  relation.e = {-1.0};
  auto system = capacitor();
  system.A = {};
  system.x0 = {3.0};
  model.link(model.add(system), relation, EqualityLaw{});
  TimeStepping simulation(model, with_step(0.1));
  const auto report = simulation.advance_to(1.0);
  EXPECT_FALSE(report);
  EXPECT_EQ(report.last.outcome, StepReport::Outcome::SolverFailed);
  EXPECT_NE(report.last.solver, Status::Solved);
  EXPECT_EQ(simulation.state().t, 0.0);
  expect_contains(report.message(),
                  {"t = 0.1", "1 rows", "infeasible", "No motion satisfies row 0 of interaction 0 on capacitor,"});
}

TEST(BadCallable, ConstraintsThatContradictEachOtherAreNamed) {
  // x = 1 and x = 2 of one capacitor.
  NonSmoothDynamicalSystem model;
  const auto plate = model.add(capacitor());
  const auto hold = [&](double value, const char* name) {
    auto relation = output();
    relation.B = {{1.0}};
    relation.e = {-value};
    model.link(plate, relation, EqualityLaw{}, name);
  };
  hold(1.0, "one volt");
  hold(2.0, "two volts");
  TimeStepping stops(model, with_step(0.1));
  const auto failed = stops.step();
  EXPECT_EQ(failed.solver, Status::Infeasible);
  expect_contains(failed.message(),
                  {"No motion satisfies row 0 of one volt on capacitor and row 0 of two volts on capacitor at once"});
  EXPECT_EQ(failed.message().find("loosen"), std::string::npos) << failed.message();
  auto options = with_step(0.1);
  options.on_failure = OnFailure::Accept;
  TimeStepping accepts(model, options);
  const auto taken = accepts.step();
  EXPECT_TRUE(taken.taken);
  expect_contains(taken.message(), {"The step was taken."});
  EXPECT_EQ(taken.message().find("on_failure"), std::string::npos) << taken.message();
}

TEST(Observer, MayStop) {
  NonSmoothDynamicalSystem model;
  model.add(ball());
  TimeStepping simulation(model, with_step(0.1));
  const auto report = simulation.advance_to(1.0, [](const State& state) { return state.t < 0.45; });
  EXPECT_EQ(report.outcome, RunReport::Outcome::StoppedByObserver);
  EXPECT_EQ(report.steps, 5);
  expect_contains(report.message(), {"stopped by the observer"});
}

}  // namespace
}  // namespace nonsmooth::bad_callables_test
