// SPDX-License-Identifier: Apache-2.0
// One-step problems that running simulations dump are, bit for bit, those that they show, and are replayed by what
// their files say; failed runs are told in a paragraph.
#include <nonsmooth/io/problem_dump.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <thread>
#include <tuple>

#include <nonsmooth/io/failure_report.hpp>
#include <nonsmooth/io/observe.hpp>
#include <nonsmooth/kernel/adaptive_time_stepping.hpp>
#include <nonsmooth/kernel/disk_contacts.hpp>
#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/numerics/mixed.hpp>

#include "dump_scenes.hpp"
#include "problem_files.hpp"

namespace nonsmooth::problem_dumps_test {
namespace {

namespace fs = std::filesystem;
using namespace dump_test;
using problem_files_test::contains;
using problem_files_test::expect_same;
using problem_files_test::Files;

class Dumps : public Files {
 protected:
  std::vector<std::string> told;  // of a dump that has options()
  [[nodiscard]] ProblemDumpOptions options() {
    return {.tell = [this](std::string_view line) { told.emplace_back(line); }};
  }
};

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& one : fs::directory_iterator(folder)) names.push_back(one.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> names_of(const std::vector<fs::path>& paths) {
  std::vector<std::string> names;
  for (const fs::path& path : paths) names.push_back(path.filename().string());
  return names;
}

void expect_same_problem(const fs::path& path, const mixed::Problem& shown) {
  const ProblemFile file = read_problem(path);
  const auto* read = std::get_if<mixed::Problem>(&file.problem);
  ASSERT_NE(read, nullptr) << path;
  expect_same(read->q, shown.q);
  expect_same(read->W.to_dense(), shown.W.to_dense());
}

TEST_F(Dumps, OfEveryNthStepAreWhatTheSimulationShowed) {
  TimeStepping simulation(pressed_blocks(), {.step = 0.125});
  ProblemDumpOptions every = options();
  every.every = 3;
  ProblemDump dump(file("dumps"), simulation, every);
  std::map<Index, mixed::Problem> shown;
  const RunReport report =
      simulation.advance_to(1.0, observe(dump, [&](const State& x) { shown[x.steps] = simulation.problem().reduced; }));
  ASSERT_TRUE(report) << report.message();
  ASSERT_EQ(report.steps, 8);
  const std::vector<std::string> expected = {"step-000003.h5", "step-000006.h5"};
  EXPECT_EQ(names_in(file("dumps")), expected);
  EXPECT_EQ(names_of(dump.files()), expected);
  expect_same_problem(file("dumps") / expected[0], shown[3]);
  expect_same_problem(file("dumps") / expected[1], shown[6]);
  EXPECT_TRUE(
      contains(read_problem(file("dumps") / expected[0]).title, "step 3 to t = 0.375 s\nlevel velocity, 6 rows"));
  EXPECT_TRUE(told.empty());
}

TEST_F(Dumps, OfFailedStepsThatWereTakenAreOneFileAndTold) {
  TimeStepping simulation(pressed_blocks(), one_sweep(OnFailure::Accept));
  ProblemDump dump(file("run.h5"), simulation, options());
  mixed::Problem first;
  const RunReport report = simulation.advance_to(0.5, observe(dump, [&](const State& x) {
                                                   if (x.steps == 1) first = simulation.problem().reduced;
                                                 }));
  EXPECT_GE(report.steps_accepted, 2);
  EXPECT_EQ(names_in(file("run.h5").parent_path()), std::vector<std::string>{"run-failed-000001.h5"});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(contains(told[0], file("run-failed-000001.h5").string())) << told[0];
  EXPECT_TRUE(contains(told[0], "step 1 to t = 0.125 s failed and was taken")) << told[0];
  expect_same_problem(file("run-failed-000001.h5"), first);

  // What the title says solves it: the tolerance, and another algorithm than the one that failed.
  const ProblemFile dumped = read_problem(file("run-failed-000001.h5"));
  EXPECT_TRUE(contains(dumped.title, "nonsmooth solve run-failed-000001.h5 --solver \"")) << dumped.title;
  EXPECT_TRUE(contains(dumped.title, " --tolerance 1e-07")) << dumped.title;
  EXPECT_TRUE(contains(dumped.title, "\nworst: row 0 of ")) << dumped.title;
  const auto result =
      mixed::find("automatic").solver.solve(std::get<mixed::Problem>(dumped.problem), Limits{.tolerance = kTolerance});
  EXPECT_TRUE(result);
  // The wall and all faces carry the whole force: r = F h, up to |W^-1|_inf = 21 times the error 1e-7 max |q|.
  for (Index i = 0; i < result.r.size(); ++i) EXPECT_NEAR(result.r[i], 10.0 * 0.125, 1e-5);
}

/// Every problem that a simulation solved for its steps, with the end and length of its part; of each step together.
struct Watched {
  std::vector<std::tuple<mixed::Problem, double, double>> present;
  std::map<Index, std::vector<std::tuple<mixed::Problem, double, double>>> of_step;
  std::shared_ptr<const ProblemWatch> watch;

  explicit Watched(const TimeStepping& simulation) {
    watch = simulation.watch_problems([this](const OneStepNSProblem& problem, double t, double length) {
      present.emplace_back(problem.reduced, t, length);
    });
  }
  void operator()(const State& x) { of_step[static_cast<Index>(x.steps)] = std::exchange(present, {}); }
};

TEST_F(Dumps, OfAdaptiveStepsAreThoseOfTheWholeAndOfBothPartsWhateverWasRejected) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(on_line("ball", 0.0, -9.81));
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{}, "floor");
  const auto push = model.add(LagrangianLinearSystem{.stiffness = {{900.0}}, .q0 = {1.0}, .name = "spring"});
  (void)push;
  AdaptiveTimeStepping simulation(
      model, {.stepping = {.step = 0.25},
              .accuracy = {.position = {.absolute = 1e-4}, .velocity = {.absolute = 3e-3}, .span = 1.0}});
  ProblemDumpOptions every = options();
  every.every = 4;
  ProblemDump dump(file("dumps"), simulation, every);
  Watched watched(simulation);
  const RunReport report = simulation.advance_to(0.05, observe(dump, watched));
  ASSERT_TRUE(report) << report.message();
  ASSERT_GT(simulation.steps().rejected, 0);

  std::size_t files = 0;
  for (const auto& [step, problems] : watched.of_step) {
    // The ball rests: each step has a whole and two parts, and as much of every length that was rejected.
    EXPECT_EQ(problems.size() % 3, 0U);
    ASSERT_GE(problems.size(), 3U);
    if (step % 4 != 0) continue;
    const std::string stem = "step-" + std::string(6 - std::to_string(step).size(), '0') + std::to_string(step);
    for (std::size_t k = 0; k < problems.size(); ++k) {
      const auto& [problem, t, length] = problems[k];
      const bool is_last = k + 1 == problems.size();
      const fs::path path = file("dumps") / (stem + (is_last ? "" : "-" + std::to_string(k + 1)) + ".h5");
      ASSERT_TRUE(fs::exists(path)) << path;
      expect_same_problem(path, problem);
      EXPECT_TRUE(contains(read_problem(path).title, "step " + std::to_string(step) + ", problem " +
                                                         std::to_string(k + 1) + " of " +
                                                         std::to_string(problems.size()) + ": "));
      // u = v - g length: what the part falls without the floor; W and v are the same of all.
      EXPECT_NEAR(problem.q[0], -9.81 * length, 1e-14);
      ++files;
    }
    const double whole = std::get<2>(problems[problems.size() - 3]), part = std::get<2>(problems.back());
    EXPECT_EQ(part, 0.5 * whole);
  }
  EXPECT_EQ(names_in(file("dumps")).size(), files);
  EXPECT_GE(files, 6U);
}

TEST_F(Dumps, OfAStepThatWasSubdividedInVainIsThatOfTheWhole) {
  TimeStepping simulation(pressed_blocks(), one_sweep(OnFailure::Subdivide));
  ProblemDumpOptions all = options();
  all.every = 1;
  ProblemDump dump(file("dumps"), simulation, all);
  Watched watched(simulation);
  ASSERT_EQ(simulation.advance_to(0.5, observe(dump, watched)).outcome, RunReport::Outcome::StepFailed);
  EXPECT_EQ(names_in(file("dumps")), std::vector<std::string>{"failed-000001.h5"});
  ASSERT_GT(watched.present.size(), 1U);
  EXPECT_EQ(std::get<2>(watched.present.front()), 0.125);
  EXPECT_EQ(std::get<2>(watched.present[1]), 0.0625);
  expect_same_problem(file("dumps") / "failed-000001.h5", std::get<0>(watched.present.front()));
}

TEST_F(Dumps, OfAFailedPartThatWasTakenAreTold) {
  // The sweep does not solve the first part, nor the second: both are written, not the whole's.
  AdaptiveOptions adaptive{.stepping = one_sweep(OnFailure::Accept),
                           .accuracy = {.position = {10.0}, .velocity = {10.0}, .span = 1.0}};
  AdaptiveTimeStepping simulation(pressed_blocks(), adaptive);
  ProblemDump dump(file("dumps"), simulation, options());
  const StepReport report = simulation.step();
  ASSERT_TRUE(report.taken) << report.message();
  EXPECT_FALSE(report.ok());
  dump(simulation.state(), report);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(contains(told[0], "step 1 to t = ")) << told[0];
  const std::vector<std::string> names = names_in(file("dumps"));
  ASSERT_GE(names.size(), 2U);
  for (const std::string& name : names) {
    const std::string title = read_problem(file("dumps") / name).title;
    EXPECT_TRUE(contains(title, "step 1, problem ")) << title;
    EXPECT_TRUE(contains(title, ", which failed and was taken\nlevel velocity, 6 rows, iteration limit")) << title;
  }
}

TEST_F(Dumps, OfTheSlowestStepsReplaceOneAnother) {
  TimeStepping simulation(pressed_blocks(), {.step = 0.125});
  ProblemDumpOptions slowest = options();
  slowest.slowest = 2;
  ProblemDump dump(file("dumps"), simulation, slowest);
  // Steps 2, 3, ... of some microseconds, made longer by what is observed before them.
  const std::vector<int> milliseconds = {0, 0, 200, 0, 400, 0, 0, 600};
  const RunReport report = simulation.advance_to(1.0, observe(
                                                          [&](const State& x) {
                                                            std::this_thread::sleep_for(std::chrono::milliseconds(
                                                                milliseconds[static_cast<std::size_t>(x.steps - 1)]));
                                                          },
                                                          dump));
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(names_in(file("dumps")), (std::vector<std::string>{"slow-000005.h5", "slow-000008.h5"}));
  EXPECT_EQ(names_of(dump.files()), names_in(file("dumps")));
}

TEST_F(Dumps, StopAtAsManyFilesAsAreAllowedAndSaySo) {
  TimeStepping simulation(pressed_blocks(), {.step = 0.125});
  ProblemDumpOptions all = options();
  all.every = 1;
  all.most = 3;
  ProblemDump dump(file("dumps"), simulation, all);
  ASSERT_TRUE(simulation.advance_to(1.0, dump));
  EXPECT_EQ(names_in(file("dumps")).size(), 3U);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(contains(told[0], "3 one-step problems were dumped")) << told[0];
}

TEST_F(Dumps, GoIntoFclibWhereItCanHoldThem) {
  NonSmoothDynamicalSystem model;
  const auto flat = [](double) { return 0.0; };
  const auto disk = model.add(LagrangianLinearSystem{.force = {0.0, -9.81, 0.0}, .q0 = {0.0, 1.0, 0.0}});
  model.detect(DiskContacts({disk}, {1.0}, NewtonImpactFrictionLaw{.friction = 0.5},
                            {.height = flat, .slope = flat, .curvature = flat}));
  TimeStepping friction(model, {.step = 0.125});
  ProblemDumpOptions every = options();
  every.every = 1;
  ProblemDump dump(file("run.fclib.h5"), friction, every);
  ASSERT_TRUE(friction.advance_to(0.125, dump));
  ASSERT_EQ(names_of(dump.files()), std::vector<std::string>{"run-step-000001.fclib.h5"});
  EXPECT_EQ(read_problem(dump.files()[0]).format, FileFormat::Fclib);
  expect_same_problem(dump.files()[0], friction.problem().reduced);
  EXPECT_TRUE(told.empty());

  // Orthants are no friction: told once, and the run goes on.
  TimeStepping blocks(pressed_blocks(), {.step = 0.125});
  every.format = FileFormat::Fclib;
  ProblemDump refused(file("dumps"), blocks, every);
  ASSERT_TRUE(blocks.advance_to(1.0, refused));
  EXPECT_TRUE(names_in(file("dumps")).empty());
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(contains(told[0], "step-000001.fclib.h5 is not written")) << told[0];
}

TEST_F(Dumps, OfEventDrivenRunsAreOneFileAProblem) {
  // A ball falls on the ground from 1 m and stays: its rest is told by accelerations.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(on_line("ball", 1.0, -9.81));
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{}, "floor");
  EventDriven simulation(model);
  ProblemDumpOptions every = options();
  every.every = 1;
  ProblemDump dump(file("dumps"), simulation, every);
  int shown = 0;
  const RunReport report = simulation.advance_to(1.0, observe(dump, [&](const State&) { ++shown; }));
  ASSERT_TRUE(report) << report.message();
  EXPECT_GT(shown, 2);
  ASSERT_EQ(names_in(file("dumps")), std::vector<std::string>{"step-000001.h5"});
  // w = lambda / m + b, b = -g, m = 1.
  const ProblemFile dumped = read_problem(dump.files()[0]);
  const auto& problem = std::get<mixed::Problem>(dumped.problem);
  ASSERT_EQ(problem.q.size(), 1);
  EXPECT_EQ(problem.q[0], -9.81);
  EXPECT_EQ(problem.W.to_dense()(0, 0), 1.0);
  EXPECT_TRUE(contains(dumped.title, "level acceleration, 1 rows")) << dumped.title;
}

TEST_F(Dumps, RefuseWhatTheyCannotDo) {
  TimeStepping simulation(pressed_blocks(), {.step = 0.125});
  EXPECT_THROW(ProblemDump(file("d"), simulation, {.every = -1}), InvalidArgument);
  EXPECT_THROW(ProblemDump(file("d"), simulation, {.failed = -1}), InvalidArgument);
  EXPECT_THROW(ProblemDump(file("d"), simulation, {.most = 0}), InvalidArgument);
  EXPECT_THROW(ProblemDump(file("d"), simulation, {.format = FileFormat::SiconosText}), InvalidArgument);
  EXPECT_THROW(ProblemDump(file("d"), simulation, {.tolerance = 0.0}), InvalidArgument);
  EXPECT_THROW(ProblemDump(file("run.xyz"), simulation), InvalidArgument);
  EXPECT_THROW(ProblemDump(file("run.txt"), simulation), InvalidArgument);  // holds no blocks
  std::ofstream(file("taken")) << "a file";
  EXPECT_THROW(ProblemDump(file("taken"), simulation), FileError);
  EXPECT_THROW(dump_problem(OneStepNSProblem{}, file("none.h5")), InvalidArgument);
  ProblemDump gone(file("absent") / "run.h5", simulation, {.every = 1});
  EXPECT_THROW((void)simulation.advance_to(1.0, gone), FileError);
}

class FailedRuns : public Files {};

void expect_contains(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_TRUE(contains(text, part)) << "'" << part << "' in: " << text;
}

TEST_F(FailedRuns, AreToldWithNamesAndTheirProblemIsWritten) {
  TimeStepping simulation(pistons(), {.step = 0.0625});
  const RunReport report = simulation.advance_to(1.0);
  ASSERT_EQ(report.outcome, RunReport::Outcome::StepFailed);
  ASSERT_GT(report.steps, 0);
  const fs::path dump = file("failed.h5");
  const std::string text = dump_failed_step(simulation, report, dump);
  EXPECT_FALSE(contains(text, "\n")) << text;
  expect_contains(text, {"The run failed at t = ", "its one-step problem of 2 rows ended with \"infeasible\"",
                         "row 0 of left face on left piston and block", "row 0 of right face on block and right piston",
                         "Before it " + std::to_string(report.steps) + " steps of this call were taken.",
                         "Likely cause: what these rows ask for contradicts itself",
                         "What to try: ", "The problem is in " + dump.string() + ": nonsmooth solve " + dump.string()});
  expect_same_problem(dump, simulation.problem().reduced);
  // The file shows the contradiction by itself: the block between two pistons that approach with 2 m/s together.
  const ProblemFile file = read_problem(dump);
  const auto result = mixed::find("automatic").solver.solve(std::get<mixed::Problem>(file.problem));
  EXPECT_EQ(result.status, Status::Infeasible);
  EXPECT_NEAR(std::get<mixed::Problem>(file.problem).q.sum(), -2.0, 1e-14);
}

TEST_F(FailedRuns, OfTooFewIterationsNameTheWorstRowAndTheTolerance) {
  TimeStepping simulation(pressed_blocks(), one_sweep(OnFailure::Stop));
  const RunReport report = simulation.advance_to(1.0);
  ASSERT_EQ(report.outcome, RunReport::Outcome::StepFailed);
  const std::string text = dump_failed_step(simulation, report, file("failed.h5"));
  expect_contains(text, {"The run failed at t = 0 s: the step to t = 0.125 s was not taken", "\"iteration limit\"",
                         "where 1e-07 was asked.", "Worst: row 0 of face ", "It was the first step of this call.",
                         "more iterations are needed", "--tolerance 1e-07"});
  EXPECT_TRUE(fs::exists(file("failed.h5")));
}

TEST_F(FailedRuns, WithoutAProblemLeaveNoFile) {
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.force = VectorData([](double t, VectorRef F) {
                                     if (t > 0.3) throw std::runtime_error("no such force");
                                     F[0] = 1.0;
                                   }),
                                   .q0 = {0.0},
                                   .name = "sled"});
  TimeStepping simulation(model, {.step = 0.125});
  const RunReport report = simulation.advance_to(1.0);
  ASSERT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  const std::string text = dump_failed_step(simulation, report, file("failed.h5"));
  expect_contains(text, {"was not taken, as a function failed.", "sled", "no such force", "mend the function"});
  EXPECT_FALSE(contains(text, "failed.h5")) << text;
  EXPECT_FALSE(fs::exists(file("failed.h5")));
  EXPECT_EQ(report.problem, nullptr);
}

TEST_F(FailedRuns, ThatCannotBeWrittenAreToldAllTheSame) {
  TimeStepping simulation(pistons(), {.step = 0.0625});
  const RunReport report = simulation.advance_to(1.0);
  expect_contains(dump_failed_step(simulation, report, file("absent") / "failed.h5"),
                  {"The run failed at", "The problem could not be written: "});
  expect_contains(dump_failed_step(simulation, report, file("failed.fclib.h5")),
                  {"The run failed at", "The problem cannot be kept in "});
  EXPECT_THROW((void)dump_failed_step(simulation, report, file("failed.xyz")), InvalidArgument);
}

TEST_F(FailedRuns, ThatDidNotFailSayNothing) {
  TimeStepping simulation(pressed_blocks(), {.step = 0.125});
  const RunReport report = simulation.advance_to(1.0, [](const State& x) { return x.t < 0.5; });
  EXPECT_EQ(dump_failed_step(simulation, report, file("failed.h5")), "");
  EXPECT_FALSE(fs::exists(file("failed.h5")));
}

}  // namespace
}  // namespace nonsmooth::problem_dumps_test
