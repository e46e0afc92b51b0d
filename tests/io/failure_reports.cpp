// SPDX-License-Identifier: Apache-2.0
// The paragraph about a run that failed, for each way in which one can: what, where, since when, the likely cause, what
// to try.
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/resource.h>

#include <nonsmooth/io/failure_report.hpp>
#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/laws.hpp>
#include <nonsmooth/kernel/relations.hpp>
#include <nonsmooth/kernel/systems.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>

#include "dump_scenes.hpp"
#include "run_files.hpp"
#include "run_processes.hpp"

namespace nonsmooth::failure_reports_test {
namespace {

using namespace run_files_test;
using Ending = RunReport::Outcome;

class FailureReports : public Files {};

void expect_told(const Simulation& simulation, const RunReport& report, Ending ending,
                 const std::vector<std::string>& parts) {
  ASSERT_EQ(report.outcome, ending) << report.message();
  const std::string text = explain_failure(simulation, report);
  EXPECT_FALSE(contains(text, "\n")) << text;
  for (const std::string& part : parts) EXPECT_TRUE(contains(text, part)) << "'" << part << "' in: " << text;
  for (const char* always : {"The run failed at t = ", "Likely cause: ", "What to try: "})
    EXPECT_TRUE(contains(text, always)) << text;
}

TEST_F(FailureReports, OfAMotionWithoutBound) {
  // x' = x^2 from 1: x = 1 / (1 - t).
  NonSmoothDynamicalSystem model;
  model.add(FirstOrderSystem{
      .f = [](double, ConstVectorRef x, VectorRef f) { f[0] = x[0] * x[0]; }, .x0 = {1.0}, .name = "runaway"});
  EventDriven simulation(model);
  expect_told(simulation, simulation.advance_to(2.0), Ending::IntegratorFailed,
              {"a smooth phase could not be integrated.", "x 0 of runaway", "a motion that grows without bound"});
}

TEST_F(FailureReports, OfImpactsThatDependOnOneAnother) {
  // Newton's and Poisson's law act on one another at a common body.
  NonSmoothDynamicalSystem model;
  const auto lower = model.add(dump_test::on_line("lower", 1.0, -9.81)),
             upper = model.add(dump_test::on_line("upper", 1.0, -9.81));
  model.link(lower, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5}, "floor");
  model.link({lower, upper}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, PoissonImpactLaw{.restitution = 0.5},
             "between");
  EventDriven simulation(model);
  expect_told(simulation, simulation.advance_to(1.0), Ending::ImpactUnsolved,
              {"the impacts of this instant were not solved.", "floor on lower", "between on lower and upper",
               "impacts at one instant that contradict each other"});
}

TEST_F(FailureReports, OfEventsWithoutEnd) {
  // A floor of the user's own, of which nobody knows: nothing carries the impacts through where they accumulate.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(dump_test::on_line("ball", 1.0, -9.81));
  EventDrivenOptions options;
  options.events = {{.name = "hand-made floor",
                     .guard = [ball](const State& state) { return state.q(ball)[0]; },
                     .direction = UserEvent::Direction::Falling,
                     .action = [ball](State& state) { state.v(ball)[0] *= -0.5; }}};
  EventDriven simulation(model, options);
  expect_told(simulation, simulation.advance_to(10.0), Ending::Chattering,
              {"events followed one another without end.", "hand-made floor", "impacts that accumulate"});
}

TEST_F(FailureReports, OfNewtonsIteration) {
  // v+ = v - h sign(v+) from v = 0 has no answer at v+ != 0: iterates jump between the sides.
  LagrangianSystem chatterer;
  chatterer.q0 = {0.0};
  chatterer.force = [](double, ConstVectorRef, ConstVectorRef v, VectorRef F) { F[0] = v[0] >= 0.0 ? -1.0 : 1.0; };
  chatterer.force_dq = chatterer.force_dv = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {};
  chatterer.name = "chatterer";
  NonSmoothDynamicalSystem model;
  model.add(chatterer);
  TimeStepping simulation(model, {.integrator = MoreauJean{.theta = 1.0}, .step = 0.125});
  expect_told(simulation, simulation.advance_to(1.0), Ending::StepFailed,
              {"the step to t = 0.125 s was not taken, as Newton did not converge in ", "velocity 0 of chatterer",
               "It was the first step of this call.", "a Jacobian that does not belong to its function"});
}

TEST_F(FailureReports, OfAProjection) {
  // q = 0 held, q >= 1 asked: velocities have an answer, positions have none.
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(dump_test::on_line("mass", 0.0));
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, EqualityLaw{}, "held");
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}, .b = {-1.0}}, NewtonImpactLaw{}, "wall");
  TimeSteppingOptions options{.step = 0.125};
  options.projection.kind = Projection::Direct;
  TimeStepping simulation(model, options);
  expect_told(simulation, simulation.advance_to(1.0), Ending::StepFailed,
              {"the step to t = 0.125 s was not taken, as positions were still off their constraints after ",
               " on mass", "constraints on positions that contradict each other"});
}

TEST_F(FailureReports, SayWhenAcceptedFailuresBegan) {
  // One sweep solves no step from the first on; at t = 0.5 a function ends the run.
  NonSmoothDynamicalSystem model = dump_test::pressed_blocks();
  model.add(LagrangianLinearSystem{.force = VectorData([](double t, VectorRef F) {
                                     if (t > 0.5) throw std::runtime_error("no such force");
                                     F[0] = 1.0;
                                   }),
                                   .q0 = {0.0},
                                   .name = "sled"});
  TimeStepping simulation(model, dump_test::one_sweep(OnFailure::Accept));
  double first = 0.0;
  const RunReport report = simulation.advance_to(1.0, [&](const State&, const StepReport& step) {
    if (!step.ok() && first == 0.0) first = step.t;
  });
  ASSERT_GT(report.steps_accepted, 0);
  EXPECT_EQ(report.first_accepted, first);
  EXPECT_EQ(first, 0.125);
  expect_told(simulation, report, Ending::CallableFailed,
              {"had failed too and were accepted, the first to t = 0.125 s (worst residual ", "mend the function"});
  EXPECT_TRUE(contains(report.message(), "above tolerance (worst residual ")) << report.message();
  EXPECT_TRUE(contains(report.message(), "), the first to t = 0.125 s")) << report.message();
}

// ---- observers

/// Two carts that a spring holds together.
NonSmoothDynamicalSystem oscillator() {
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.stiffness = Eigen::Matrix2d{{1.0, -1.0}, {-1.0, 1.0}}, .q0 = {0.0, 1.0}});
  return model;
}

TEST_F(FailureReports, OfAnObserverAdviseAboutTheObserver) {
  EventDriven simulation(oscillator());
  const RunReport report =
      simulation.advance_to(1.0, [](const State&) { throw std::runtime_error("the table is full"); });
  EXPECT_TRUE(report.observer_threw);
  expect_told(simulation, report, Ending::CallableFailed,
              {"an observer failed.", "the table is full", "the model is not to blame", "make room where it writes"});
  EXPECT_FALSE(contains(explain_failure(simulation, report), "function of the model"));
  // A call that goes on does so without it, and a function that fails is told as one.
  EXPECT_TRUE(simulation.advance_to(1.0));
  NonSmoothDynamicalSystem model;
  bool fails = false;
  model.add(FirstOrderSystem{.f =
                                 [&fails](double, ConstVectorRef, VectorRef f) {
                                   if (fails) throw std::domain_error("no root");
                                   f[0] = 1.0;
                                 },
                             .x0 = {1.0}});
  EventDriven failing(model, {.step = 0.125});
  const RunReport of_function = failing.advance_to(1.0, [&](const State&) { fails = true; });
  EXPECT_FALSE(of_function.observer_threw);
  expect_told(failing, of_function, Ending::CallableFailed, {"a function failed.", "no root", "mend the function"});
}

TEST_F(FailureReports, OfAFunctionThatAnObserverAsksForAdviseAboutTheFunction) {
  // A weight on the ground: where the observer asks for a state, its force is asked.
  bool fails = false;
  NonSmoothDynamicalSystem model;
  const auto weight = model.add(LagrangianSystem{.force =
                                                     [&fails](double, ConstVectorRef, ConstVectorRef, VectorRef F) {
                                                       if (fails) throw std::domain_error("no root");
                                                       F[0] = -9.81;
                                                     },
                                                 .q0 = {0.0},
                                                 .v0 = {0.0}});
  model.link(weight, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  EventDriven simulation(model, {.step = 0.125});
  State state;
  const RunReport report = simulation.advance_to(1.0, EventDrivenObserver{.segment = [&](const SmoothSegment& segment) {
                                                   fails = true;
                                                   segment.evaluate(segment.end(), state);
                                                   return true;
                                                 }});
  EXPECT_EQ(report.outcome, Ending::CallableFailed);
  EXPECT_FALSE(report.observer_threw);
  EXPECT_TRUE(contains(explain_failure(simulation, report), "mend the function")) << report.message();
}

TEST_F(FailureReports, OfAFullDiskUnderEventDriven) {
  // A limit on the size of files ends writing as a full disk does; the child's own, for it cannot be lifted again.
  const std::string said = file("said").string();
  const pid_t child = start_child([&]() -> int {
    const struct rlimit limit { 1'000'000, 1'000'000 };
    ::setrlimit(RLIMIT_FSIZE, &limit);
    EventDriven own(oscillator(), {.step = 1e-3});
    Recorder recorder(file("run.h5"), own, {.file = {.chunk_steps = 16}});
    const RunReport report = own.advance_to(1000.0, recorder);
    std::FILE* const out = std::fopen(said.c_str(), "w");
    std::fputs((explain_failure(own, report) + "\n" + (report.observer_threw ? "observer" : "model")).c_str(), out);
    std::fclose(out);
    return report.outcome == Ending::CallableFailed ? 7 : 0;
  });
  ASSERT_EQ(end_of(child), 7);
  std::ifstream stream(said);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  for (const char* part : {"an observer failed.", "run.h5: no room on the disk", "are in the file",
                           "Likely cause: what was shown the run", "make room where it writes", "\nobserver"}) {
    EXPECT_TRUE(contains(text, part)) << "'" << part << "' in: " << text;
  }
  const RunFile run(file("run.h5"));
  EXPECT_GT(run.num_steps(), 16);
  EXPECT_TRUE(contains(text, std::to_string(run.num_steps()) + " steps")) << text;
}

}  // namespace
}  // namespace nonsmooth::failure_reports_test
