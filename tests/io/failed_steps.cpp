// SPDX-License-Identifier: Apache-2.0
// The report of a run that failed keeps the problem that was not solved, of both simulations; a Recorder and a
// ProblemDump write it beside the run, and everybody who tells of the failure names the file.
#include <fstream>

#include <nonsmooth/io/failure_report.hpp>
#include <nonsmooth/io/observe.hpp>
#include <nonsmooth/io/problem_dump.hpp>
#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/kernel/event_driven.hpp>

#include "dump_scenes.hpp"
#include "run_files.hpp"

namespace nonsmooth::failed_steps_test {
namespace {

namespace fs = std::filesystem;
using namespace dump_test;
using namespace run_files_test;
using problem_files_test::expect_same;
using Ending = RunReport::Outcome;

constexpr double kGravity = 9.81;
constexpr double kFriction = 4.0 / 3.0 + 0.1;

/// Painlevé's rod at tan(phi) = 2, l = 1, I = 1/3, sliding to the left: with E = H_N^T + mu H_T^T
///
///     W = 1 + 3 cos^2 phi - 3 mu sin phi cos phi = 1.6 - 1.2 mu,  b = -g:
///
/// no lambda >= 0 has W lambda + b >= 0 for mu > 4/3.
NonSmoothDynamicalSystem painleve_rod() {
  const double phi = std::atan(2.0);
  NonSmoothDynamicalSystem model;
  const auto rod = model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, 1.0 / 3.0).asDiagonal(),
                                                    .force = {0.0, -kGravity, 0.0},
                                                    .q0 = {0.0, std::sin(phi), phi},
                                                    .v0 = {-1.0, 0.0, 0.0},
                                                    .name = "slender rod"});
  ScleronomousRelation tip;
  tip.rows = 2;
  tip.h = [](ConstVectorRef q, VectorRef y) { y << q[1] - std::sin(q[2]), q[0] - std::cos(q[2]); };
  tip.H = [](ConstVectorRef q, MatrixRef H) {
    H(0, 1) = H(1, 0) = 1.0;
    H(0, 2) = -std::cos(q[2]);
    H(1, 2) = std::sin(q[2]);
  };
  model.link(rod, tip, NewtonImpactFrictionLaw{.friction = kFriction}, "tip");
  return model;
}

/// y = 1 - t - lambda with 0 <= lambda ⟂ y >= 0: from t = 1 on neither side of the law holds.
NonSmoothDynamicalSystem circuit_without_a_branch() {
  NonSmoothDynamicalSystem model;
  const auto store = model.add(FirstOrderLinearSystem{.x0 = {1.0}, .name = "capacitor"});
  model.link(store,
             FirstOrderLinearRelation{.C = {{0.0}, {0.0}},
                                      .D = {{1.0, 0.0}, {0.0, -1.0}},
                                      .B = {{0.0, 0.0}},
                                      .e = [](double t, VectorRef e) { e << 1.0, 1.0 - t; }},
             ComplementarityLaw{}, "diode");
  return model;
}

void expect_same_problem(const OneStepNSProblem& one, const OneStepNSProblem& other) {
  expect_same(one.reduced.q, other.reduced.q);
  expect_same(one.reduced.W.to_dense(), other.reduced.W.to_dense());
  EXPECT_EQ(one.result.status, other.result.status);
}

class FailedSteps : public Files {};

TEST_F(FailedSteps, AreKeptInTheReportOfTimeStepping) {
  InteractionHandle left_face;
  TimeStepping simulation(pistons(&left_face), {.step = 0.0625});
  const RunReport report = simulation.advance_to(1.0);
  ASSERT_EQ(report.outcome, Ending::StepFailed);
  ASSERT_NE(report.problem, nullptr);
  expect_same_problem(*report.problem, simulation.problem());
  EXPECT_EQ(report.problem->result.status, Status::Infeasible);
  // A copy of its own: the simulation goes on in another model, and the report still names the rows.
  simulation.edit([&](NonSmoothDynamicalSystem& model) { model.remove(left_face); });
  ASSERT_TRUE(simulation.advance_to(0.375));
  EXPECT_TRUE(contains(report.problem->place(0), "left face")) << report.problem->place(0);
  EXPECT_NEAR(report.problem->reduced.q.sum(), -2.0, 1e-14);  // of u_1 + u_2 = -2 m/s
}

TEST_F(FailedSteps, AreWrittenOfARunThatALambdaShowedToTheRecorder) {
  TimeStepping simulation(pistons(), {.step = 0.0625});
  Recorder recorder(file("pistons.h5"), simulation);
  const RunReport report =
      simulation.advance_to(1.0, [&](const State& x, const StepReport& step) { recorder(x, step); });
  ASSERT_EQ(report.outcome, Ending::StepFailed);
  testing::internal::CaptureStderr();
  recorder.close();
  EXPECT_TRUE(contains(testing::internal::GetCapturedStderr(), "pistons.failed.h5"));
  const RunFile run(file("pistons.h5"));
  const std::string& end = run.parts().back().end;
  EXPECT_EQ(end.find("failed at t = 0.25 s: "), 0U) << end;
  EXPECT_TRUE(contains(end, "pistons.failed.h5")) << end;
  EXPECT_EQ(failed_step_of(run), std::optional(file("pistons.failed.h5")));
}

/// Steps as a driver of its own does, to the step that is not taken.
StepReport first_failure(TimeStepping& simulation) {
  for (int k = 0; k < 16; ++k) {
    StepReport report = simulation.step();
    if (!report.taken) return report;
    EXPECT_EQ(report.problem, nullptr) << "of a step that was taken";
  }
  ADD_FAILURE() << "no step failed";
  return {};
}

TEST_F(FailedSteps, AreKeptInTheReportOfOneStep) {
  InteractionHandle left_face;
  TimeStepping simulation(pistons(&left_face), {.step = 0.0625});
  const StepReport report = first_failure(simulation);
  ASSERT_NE(report.problem, nullptr);
  expect_same_problem(*report.problem, simulation.problem());
  EXPECT_EQ(report.problem->num_rows(), report.rows);
  EXPECT_EQ(report.problem->result.status, Status::Infeasible);
  // One subdivided in vain tells of the whole step, and keeps its problem, not that of the last part.
  TimeStepping subdivided(pistons(), {.step = 0.0625, .on_failure = OnFailure::Subdivide, .max_subdivisions = 2});
  const StepReport whole = first_failure(subdivided);
  ASSERT_NE(whole.problem, nullptr);
  EXPECT_EQ(whole.certificate.residual, report.certificate.residual);
  expect_same_problem(*whole.problem, *report.problem);
  // A copy of its own.
  simulation.edit([&](NonSmoothDynamicalSystem& model) { model.remove(left_face); });
  EXPECT_TRUE(simulation.step().taken);
  EXPECT_TRUE(contains(report.problem->place(0), "left face")) << report.problem->place(0);
  EXPECT_NEAR(report.problem->reduced.q.sum(), -2.0, 1e-14);  // of u_1 + u_2 = -2 m/s
}

TEST_F(FailedSteps, AreKeptInTheReportOfAStepOfAState) {
  const NonSmoothDynamicalSystem model = pistons();
  State state = model.initial_state(0.0);
  Workspace workspace;
  StepReport report;
  for (int k = 0; k < 16 && report.taken; ++k) report = step(model, {.step = 0.0625}, 0.0625, state, workspace);
  ASSERT_FALSE(report.taken);
  ASSERT_NE(report.problem, nullptr);
  EXPECT_EQ(report.problem->result.status, Status::Infeasible);
  EXPECT_TRUE(contains(report.problem->place(0), "left face")) << report.problem->place(0);
}

TEST_F(FailedSteps, AreKeptInTheReportOfEventDriven) {
  EventDriven rod(painleve_rod());
  const RunReport report = rod.advance_to(1e-3);
  ASSERT_EQ(report.outcome, Ending::NoMode) << report.message();
  ASSERT_NE(report.problem, nullptr);
  EXPECT_EQ(report.problem->level, OneStepNSProblem::Level::Acceleration);
  ASSERT_EQ(report.problem->reduced.q.size(), 1);
  // Numbers of size 1 and 10, to some roundings of each product.
  EXPECT_NEAR(report.problem->reduced.W.to_dense()(0, 0), 1.6 - 1.2 * kFriction, 1e-14);
  EXPECT_NEAR(report.problem->reduced.q[0], -kGravity, 1e-14);
  EXPECT_FALSE(report.problem->result.ok());

  EventDriven circuit(circuit_without_a_branch());
  const RunReport of_circuit = circuit.advance_to(2.0);
  ASSERT_EQ(of_circuit.outcome, Ending::NoMode) << of_circuit.message();
  ASSERT_NE(of_circuit.problem, nullptr);
  EXPECT_EQ(of_circuit.problem->level, OneStepNSProblem::Level::Mode);
  EXPECT_EQ(of_circuit.problem->num_rows(), 2);
  // The same again of a call that cannot go on.
  const RunReport again = circuit.advance_to(2.0);
  EXPECT_EQ(again.outcome, Ending::NoMode);
  ASSERT_NE(again.problem, nullptr);
  expect_same_problem(*again.problem, *of_circuit.problem);
}

TEST_F(FailedSteps, OnNoProblemKeepNone) {
  NonSmoothDynamicalSystem model = pressed_blocks();
  model.add(LagrangianLinearSystem{.force = VectorData([](double t, VectorRef F) {
                                     if (t > 0.3) throw std::runtime_error("no such force");
                                     F[0] = 1.0;
                                   }),
                                   .q0 = {0.0},
                                   .name = "sled"});
  TimeStepping stepping(model, {.step = 0.125});
  Recorder recorder(file("run.h5"), stepping);
  const RunReport report = stepping.advance_to(1.0, recorder);
  ASSERT_EQ(report.outcome, Ending::CallableFailed);
  EXPECT_EQ(report.problem, nullptr);  // the simulation still shows that of the step before
  EXPECT_FALSE(stepping.problem().empty());
  recorder.close();
  const RunFile run(file("run.h5"));
  EXPECT_FALSE(fs::exists(file("run.failed.h5")));
  EXPECT_TRUE(contains(run.parts()[0].end, "failed at t = 0.25 s: step to t = 0.375 s: ")) << run.parts()[0].end;
  EXPECT_TRUE(contains(run.parts()[0].end, "no such force")) << run.parts()[0].end;

  TimeStepping good(pressed_blocks(), {.step = 0.125});
  EXPECT_EQ(good.advance_to(1.0).problem, nullptr);
}

// ---- what a Recorder writes

/// The run fails, and its file, its report and the paragraph name the dump.
template <class Simulated>
void expect_announced(Simulated& simulation, Recorder& recorder, double T, const fs::path& path) {
  const fs::path dump = failed_step_path(path);
  const RunReport report = simulation.advance_to(T, recorder);
  ASSERT_FALSE(report);
  recorder.close();
  EXPECT_EQ(dump.filename().string(), path.stem().string() + ".failed.h5");
  for (const std::string& text : {report.message(), explain_failure(simulation, report), report.detail}) {
    EXPECT_TRUE(contains(text, "The problem is in " + dump.string() + ": nonsmooth replay " + path.string())) << text;
  }
  const RunFile run(path);
  ASSERT_EQ(run.parts().size(), 1U);
  EXPECT_TRUE(run.parts()[0].closed);
  EXPECT_TRUE(contains(run.parts()[0].end, "failed at t = ")) << run.parts()[0].end;
  EXPECT_TRUE(contains(run.parts()[0].end, dump.string())) << run.parts()[0].end;
  EXPECT_EQ(failed_step_of(run), dump);
  const ProblemFile written = read_problem(dump);
  const auto* problem = std::get_if<mixed::Problem>(&written.problem);
  ASSERT_NE(problem, nullptr);
  expect_same(problem->q, report.problem->reduced.q);
  expect_same(problem->W.to_dense(), report.problem->reduced.W.to_dense());
}

TEST_F(FailedSteps, ARecorderWritesThatOfTimeStepping) {
  TimeStepping simulation(pistons(), {.step = 0.0625});
  Recorder recorder(file("run.h5"), simulation);
  expect_announced(simulation, recorder, 1.0, file("run.h5"));
  const std::string title = read_problem(file("run.failed.h5")).title;
  const auto steps = std::as_const(simulation).state().steps;
  EXPECT_TRUE(contains(title, "step " + std::to_string(steps + 1) + " to t = ")) << title;
  EXPECT_TRUE(contains(title, ", which was not taken\nof the run ")) << title;
  EXPECT_EQ(RunFile(file("run.h5")).num_steps(), steps + 1);
}

TEST_F(FailedSteps, ARecorderWritesThatOfEventDriven) {
  EventDriven simulation(circuit_without_a_branch());
  Recorder recorder(file("circuit.h5"), simulation);
  expect_announced(simulation, recorder, 2.0, file("circuit.h5"));
  EXPECT_TRUE(contains(read_problem(file("circuit.failed.h5")).title, "the last instant at t = 1 s, where the run"));
}

TEST_F(FailedSteps, AreNotWrittenWhereNobodyWantsThem) {
  TimeStepping simulation(pistons(), {.step = 0.0625});
  Recorder recorder(file("run.h5"), simulation, {.failed_step = false});
  const RunReport report = simulation.advance_to(1.0, recorder);
  ASSERT_NE(report.problem, nullptr);
  recorder.close();
  EXPECT_FALSE(fs::exists(file("run.failed.h5")));
  EXPECT_FALSE(contains(report.message(), "run.failed.h5"));
  EXPECT_EQ(failed_step_of(RunFile(file("run.h5"))), std::nullopt);
}

TEST_F(FailedSteps, OfAnotherRunAreNotTakenForThisOnes) {
  {
    TimeStepping simulation(pistons(), {.step = 0.0625});
    Recorder recorder(file("run.h5"), simulation);
    ASSERT_FALSE(simulation.advance_to(1.0, recorder));
  }
  {
    TimeStepping simulation(pressed_blocks(), {.step = 0.125});
    Recorder recorder(file("run.h5"), simulation, {.file = {.overwrite = true}});
    ASSERT_TRUE(simulation.advance_to(1.0, recorder));
  }
  ASSERT_TRUE(fs::exists(file("run.failed.h5")));
  EXPECT_EQ(failed_step_of(RunFile(file("run.h5"))), std::nullopt);
  EXPECT_EQ(RunFile(file("run.h5")).parts()[0].end, "closed");
  // Nor is a file that is no problem.
  std::ofstream(file("run.failed.h5")) << "a note";
  EXPECT_EQ(failed_step_of(RunFile(file("run.h5"))), std::nullopt);
}

TEST_F(FailedSteps, ThatCannotBeWrittenAreTold) {
  TimeStepping simulation(pistons(), {.step = 0.0625});
  Recorder recorder(file("run.h5"), simulation);
  fs::create_directories(file("run.failed.h5") / "occupied");
  const RunReport report = simulation.advance_to(1.0, recorder);
  ASSERT_FALSE(report);
  EXPECT_TRUE(contains(report.message(), "Its problem could not be written to " + file("run.failed.h5").string()))
      << report.message();
  recorder.close();
  EXPECT_EQ(RunFile(file("run.h5")).num_steps(), std::as_const(simulation).state().steps + 1);
}

TEST_F(FailedSteps, EndARunThatGoesOnAsItsLastCallDid) {
  InteractionHandle left_face;
  TimeStepping simulation(pistons(&left_face), {.step = 0.0625});
  Recorder recorder(file("run.h5"), simulation);
  ASSERT_FALSE(simulation.advance_to(1.0, recorder));
  simulation.edit([&](NonSmoothDynamicalSystem& model) { model.remove(left_face); });
  ASSERT_TRUE(simulation.advance_to(0.375, recorder));
  recorder.close();
  const RunFile run(file("run.h5"));
  ASSERT_EQ(run.parts().size(), 2U);
  EXPECT_EQ(run.parts()[1].end, "closed");
  EXPECT_EQ(failed_step_of(run), file("run.failed.h5"));  // the problem is there all the same
}

TEST_F(FailedSteps, ThatWereTakenAreOneFileToldOnce) {
  TimeStepping simulation(pressed_blocks(), one_sweep(OnFailure::Accept));
  Recorder recorder(file("run.h5"), simulation);
  mixed::Problem first;
  const RunReport report = simulation.advance_to(0.5, observe(recorder, [&](const State& state) {
                                                   if (state.steps == 1) first = simulation.problem().reduced;
                                                 }));
  ASSERT_TRUE(report);
  ASSERT_GE(report.steps_accepted, 2);
  const std::string sentence = "Of step 1 to t = 0.125 s, which failed and was taken. The problem is in " +
                               file("run.failed.h5").string() + ": nonsmooth replay " + file("run.h5").string() +
                               " solves its 6 rows again.";
  EXPECT_TRUE(contains(report.message(), sentence)) << report.message();
  const ProblemFile written = read_problem(file("run.failed.h5"));
  expect_same(std::get<mixed::Problem>(written.problem).q, first.q);
  EXPECT_TRUE(contains(written.title, "step 1 to t = 0.125 s, which failed and was taken\nof the run "));
  EXPECT_FALSE(contains(simulation.advance_to(1.0, recorder).message(), "run.failed.h5"));
  recorder.close();
  EXPECT_EQ(failed_step_of(RunFile(file("run.h5"))), file("run.failed.h5"));
}

TEST_F(FailedSteps, ThatWereTakenDoNotEndARun) {
  for (const bool stops : {false, true}) {
    TimeStepping simulation(pressed_blocks(), one_sweep(OnFailure::Accept));
    Recorder recorder(file("run.h5"), simulation, {.file = {.overwrite = true}});
    const RunReport report =
        simulation.advance_to(0.5, observe(recorder, [stops](const State& state) { return !stops || state.t < 0.25; }));
    ASSERT_TRUE(report);
    EXPECT_TRUE(contains(report.detail, "Of step 1 ")) << report.detail;
    recorder.close();
    const std::string end = RunFile(file("run.h5")).parts()[0].end;
    if (stops) {
      EXPECT_TRUE(contains(end, "stopped by an observer at t = 0.25 s. Of step 1 ")) << end;
    } else {
      EXPECT_EQ(end, "closed");
    }
  }
}

TEST_F(FailedSteps, OfSomebodyWhoStepsAreKeptToo) {
  TimeStepping simulation(pressed_blocks(), one_sweep(OnFailure::Stop));
  Recorder recorder(file("run.h5"), simulation);
  const StepReport report = simulation.step();
  ASSERT_FALSE(report.taken);
  recorder.record(report);
  // No report of a call tells it: the recorder does, where it closes.
  testing::internal::CaptureStderr();
  recorder.close();
  const std::string told = "Of step 1 to t = 0.125 s, which was not taken. The problem is in " +
                           file("run.failed.h5").string() + ": nonsmooth replay ";
  EXPECT_TRUE(contains(testing::internal::GetCapturedStderr(), "Recorder: " + told));
  const std::string end = RunFile(file("run.h5")).parts()[0].end;
  EXPECT_TRUE(contains(end, "closed. " + told)) << end;
  EXPECT_EQ(failed_step_of(RunFile(file("run.h5"))), file("run.failed.h5"));
  const ProblemFile written = read_problem(file("run.failed.h5"));
  EXPECT_TRUE(contains(written.title, "step 1 to t = 0.125 s, which was not taken\n")) << written.title;
  expect_same(std::get<mixed::Problem>(written.problem).q, simulation.problem().reduced.q);
}

// ---- what a ProblemDump writes

TEST_F(FailedSteps, AProblemDumpWritesThoseThatWereNotTaken) {
  TimeStepping simulation(pistons(), {.step = 0.0625});
  ProblemDump dump(file("dumps"), simulation);
  int behind = 0;
  const RunReport report = simulation.advance_to(1.0, observe(dump, [&](const State&) { ++behind; }));
  ASSERT_FALSE(report);
  ASSERT_EQ(dump.files().size(), 1U);
  const std::string number = std::to_string(std::as_const(simulation).state().steps + 1);
  EXPECT_EQ(dump.files()[0].filename().string(), "failed-" + std::string(6 - number.size(), '0') + number + ".h5");
  EXPECT_TRUE(contains(report.detail, "The problem is in " + dump.files()[0].string())) << report.detail;
  EXPECT_EQ(behind, report.steps);
  const ProblemFile file = read_problem(dump.files()[0]);
  expect_same(std::get<mixed::Problem>(file.problem).q, report.problem->reduced.q);
}

}  // namespace
}  // namespace nonsmooth::failed_steps_test
