// SPDX-License-Identifier: Apache-2.0
// Dumped problems of runs are solved again beside how they ended then: found from the run, from a folder, by name.
#include <gtest/gtest.h>

#include <cmath>

#include <nonsmooth/io/observe.hpp>
#include <nonsmooth/io/problem_dump.hpp>
#include <nonsmooth/io/recorder.hpp>

#include "../dump_scenes.hpp"
#include "helpers.hpp"

namespace nonsmooth::command_test {
namespace {

using namespace dump_test;

/// Two pistons crush a block: the run fails on a problem without a solution, which its Recorder keeps.
RunReport record_failure(const std::string& path) {
  TimeStepping simulation(pistons(), {.step = 0.0625});
  Recorder recorder(path, simulation);
  return simulation.advance_to(1.0, recorder);
}

/// Pressed blocks that one sweep does not solve: steps fail and are taken.
void dump_unsolved(const std::string& place) {
  TimeStepping simulation(pressed_blocks(), one_sweep(OnFailure::Accept));
  ProblemDump dump(place, simulation, {.failed = 2, .tell = [](std::string_view) {}});
  const RunReport report = simulation.advance_to(0.5, dump);
  ASSERT_EQ(dump.files().size(), 2U);
  ASSERT_GE(report.steps_accepted, 2);
}

/// The words of a line of a table, apart by at least two spaces.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    at = line.find_first_not_of(' ', at);
    if (at == std::string::npos) break;
    const std::size_t end = std::min(line.find("  ", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

TEST(Replay, OfARunThatFailedFindsItsContradictionAgain) {
  const Folder folder;
  const RunReport report = record_failure(folder.at("run.h5"));
  ASSERT_EQ(report.outcome, RunReport::Outcome::StepFailed);
  const Outcome told = run({"run-info", folder.at("run.h5")});
  EXPECT_NE(told.out.find("failed step  " + folder.at("run.failed.h5")), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("nonsmooth replay " + folder.at("run.h5")), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("failed at t = "), std::string::npos) << told.out;
  EXPECT_EQ(members(run({"run-info", "--json", folder.at("run.h5")}).out)["failed_step"], folder.at("run.failed.h5"));

  const Outcome replayed = run({"replay", folder.at("run.h5")});
  EXPECT_EQ(replayed.code, command::not_solved) << replayed.err;
  const std::vector<std::string> all = lines(replayed.out);
  ASSERT_EQ(all.size(), 3U) << replayed.out;
  EXPECT_EQ(cells(all[0]), (std::vector<std::string>{"file", "step", "t_s", "rows", "solver", "status_then", "status",
                                                     "residual_then", "residual", "iterations", "elapsed_s"}));
  const std::vector<std::string> row = cells(all[1]);
  ASSERT_EQ(row.size(), 11U) << all[1];
  EXPECT_EQ(name_of(row[0]), "run.failed.h5");
  EXPECT_EQ(row[1], std::to_string(report.steps + 1));
  EXPECT_EQ(std::stod(row[2]), report.last.t);  // a multiple of 1/16: few digits
  EXPECT_EQ(row[3], "2");
  EXPECT_EQ(row[5], "infeasible");
  EXPECT_EQ(row[6], "infeasible");
  // 3 digits of the residual.
  EXPECT_NEAR(std::stod(row[7]), report.last.certificate.residual, 5e-3 * report.last.certificate.residual);
  EXPECT_EQ(all[2], "0 of 1 problem solved, as then");
  EXPECT_NE(replayed.err.find("run.failed.h5: infeasible"), std::string::npos) << replayed.err;
}

TEST(Replay, OfAFolderSaysWhatIsSolvedNow) {
  const Folder folder;
  dump_unsolved(folder.at("dumps"));
  std::filesystem::copy_file(folder.at("dumps/failed-000001.h5"), folder.at("dumps/renamed.h5"));
  // What lies beside them and was not dumped: a run, another problem, a text.
  (void)record_failure(folder.at("dumps/run.h5"));
  std::filesystem::remove(folder.at("dumps/run.failed.h5"));
  (void)folder.write("dumps/lcp.h5", interior_lcp());
  (void)folder.write_text("dumps/notes.txt", "a note");
  const Outcome told = run({"replay", folder.at("dumps")});
  EXPECT_EQ(told.code, command::success) << told.err;
  const std::vector<std::string> all = lines(told.out);
  ASSERT_EQ(all.size(), 5U) << told.out;
  const std::vector<std::string> names = {"failed-000001.h5", "failed-000002.h5", "renamed.h5"};
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::vector<std::string> row = cells(all[k + 1]);
    ASSERT_EQ(row.size(), 11U) << all[k + 1];
    EXPECT_EQ(name_of(row[0]), names[k]);
    EXPECT_EQ(row[1], k == 1 ? "2" : "1");
    EXPECT_EQ(row[5], "iteration limit");
    EXPECT_EQ(row[6], "solved");
    EXPECT_GT(std::stod(row[7]), kTolerance);
    EXPECT_LE(std::stod(row[8]), kTolerance);
  }
  EXPECT_EQ(all[4], "3 of 3 problems solved, 3 of them not solved then");
}

TEST(Replay, TakesSolverAndLimitsFromTheDumpOrTheLine) {
  const Folder folder;
  dump_unsolved(folder.at("dumps"));
  const std::string file = folder.at("dumps/failed-000001.h5");
  // Of the dump: Gauss and Seidel at 1e-7, as its title says.
  const auto own = members(run({"replay", "--json", file}).out);
  EXPECT_EQ(own.at("solver"), "block gauss-seidel") << read_problem(file).title;
  const Outcome by_hand = run({"solve", "--json", "--solver", "block gauss-seidel", "--tolerance", "1e-7", file});
  auto solved = members(by_hand.out);
  EXPECT_EQ(own.at("iterations"), solved["iterations"]);
  EXPECT_EQ(own.at("residual"), solved["residual"]);
  EXPECT_EQ(own.at("status_then"), "iteration limit");
  EXPECT_EQ(own.at("step"), "1");
  EXPECT_EQ(own.at("t"), "0.125");
  EXPECT_EQ(own.at("rows"), "6");
  EXPECT_EQ(own.at("iterations_then"), "1");
  const Outcome described = run({"info", file});
  EXPECT_NE(
      described.out.find("title      step 1 to t = 0.125 s, which failed and was taken\n             level velocity, 6 "
                         "rows, iteration limit by block gauss-seidel after 1 iterations"),
      std::string::npos)
      << described.out;
  EXPECT_NE(described.out.find("\n             nonsmooth solve failed-000001.h5 --solver \"block gauss-seidel\""),
            std::string::npos)
      << described.out;
  // Of the line: one sweep as then, the same end; a tolerance that one sweep reaches; another algorithm.
  const Outcome one_more = run({"replay", "--json", "--max-iterations", "1", file});
  EXPECT_EQ(one_more.code, command::not_solved);
  EXPECT_EQ(members(one_more.out)["status"], "iteration limit");
  const auto verdict = members(lines(one_more.out).back());
  EXPECT_EQ(verdict.at("problems"), "1");
  EXPECT_EQ(verdict.at("solved"), "0");
  EXPECT_EQ(verdict.at("solved_that_were_not"), "0");
  const double residual = std::stod(own.at("residual_then"));
  const Outcome loose = run({"replay", "--max-iterations", "1", "--tolerance", std::to_string(2.0 * residual), file});
  EXPECT_EQ(loose.code, command::success) << loose.out << loose.err;
  const Outcome other = run({"replay", "--json", "--solver", "fischer-burmeister", file});
  EXPECT_EQ(other.code, command::success) << other.err;
  EXPECT_EQ(members(other.out)["solver"], "fischer-burmeister");
  EXPECT_EQ(run({"replay", "--solver", "simplex", file}).code, command::bad_input);
  EXPECT_EQ(run({"replay", "--tolerance", "0", file}).code, command::bad_input);
}

TEST(Replay, OfARunTakesWhatWasDumpedBesideItInTheOrderOfSteps) {
  const Folder folder;
  {
    TimeStepping simulation(pistons(), {.step = 0.0625});
    Recorder recorder(folder.at("run.h5"), simulation);
    ProblemDump dump(folder.at("run.h5"), simulation, {.failed = 0, .every = 1});
    ProblemDump other(folder.at("another-run.h5"), simulation, {.failed = 0, .every = 1});
    ASSERT_FALSE(simulation.advance_to(1.0, observe(recorder, dump, other)));
  }
  const Outcome told = run({"replay", "--json", folder.at("run.h5")});
  std::vector<std::string> all = lines(told.out);
  ASSERT_GE(all.size(), 2U) << told.out << told.err;
  all.pop_back();
  double last = 0.0;
  for (const std::string& line : all) {
    auto row = members(line);
    EXPECT_TRUE(name_of(row["file"]).starts_with("run")) << row["file"];
    EXPECT_GE(std::stod(row["t"]), last);
    last = std::stod(row["t"]);
  }
  EXPECT_EQ(name_of(members(all.back())["file"]), "run.failed.h5");
}

TEST(Replay, TakesProblemsOfAnyOriginAndSaysNothingOfThen) {
  const Folder folder;
  const std::string solvable = folder.write("good.h5", interior_lcp()), none = folder.write("bad.h5", infeasible_lcp());
  const Outcome told = run({"replay", solvable, none});
  EXPECT_EQ(told.code, command::not_solved);
  const std::vector<std::string> all = lines(told.out);
  ASSERT_EQ(all.size(), 4U) << told.out;
  const std::vector<std::string> row = cells(all[1]);
  EXPECT_EQ(row[1] + row[2] + row[5] + row[7], "----") << all[1];
  EXPECT_EQ(row[6], "solved");
  EXPECT_EQ(all[3], "1 of 2 problems solved");
  auto json = members(run({"replay", "--json", solvable}).out);
  EXPECT_EQ(json["step"] + json["t"] + json["status_then"] + json["residual_then"], "nullnullnullnull");
}

TEST(Replay, RefusesByNameAndGoesOn) {
  const Folder folder;
  const std::string solvable = folder.write("good.h5", interior_lcp());
  {
    TimeStepping simulation(pressed_blocks(), {.step = 0.125});
    Recorder recorder(folder.at("whole.h5"), simulation);
    ASSERT_TRUE(simulation.advance_to(0.25, recorder));
  }
  std::filesystem::create_directory(folder.at("empty"));
  const std::string text = folder.write_text("text.h5", "no problem");
  const std::string damaged = folder.write_text("failed-000007.h5", read_text(folder.at("good.h5")).substr(0, 700));
  const Outcome told =
      run({"replay", folder.at("none.h5"), folder.at("whole.h5"), folder.at("empty"), text, damaged, solvable});
  EXPECT_EQ(told.code, command::bad_input);
  const std::vector<std::string> said = lines(told.err);
  ASSERT_EQ(said.size(), 5U) << told.err;
  EXPECT_NE(said[0].find("none.h5: cannot be opened"), std::string::npos) << said[0];
  EXPECT_NE(said[1].find("whole.h5, beside which no problem"), std::string::npos) << said[1];
  EXPECT_NE(said[1].find("whole.failed.h5"), std::string::npos) << said[1];
  EXPECT_NE(said[2].find("empty, in which nothing was dumped"), std::string::npos) << said[2];
  EXPECT_NE(said[3].find("text.h5"), std::string::npos) << said[3];
  EXPECT_NE(said[3].find("neither a problem ("), std::string::npos) << said[3];
  EXPECT_NE(said[4].find("failed-000007.h5"), std::string::npos) << said[4];
  EXPECT_NE(told.out.find("1 of 1 problem solved"), std::string::npos) << told.out;
  // A dump in a folder that is damaged is said, not left out.
  const Outcome in_folder = run({"replay", std::filesystem::path(damaged).parent_path().string()});
  EXPECT_EQ(in_folder.code, command::bad_input);
  EXPECT_NE(in_folder.err.find("failed-000007.h5"), std::string::npos) << in_folder.err;
}

}  // namespace
}  // namespace nonsmooth::command_test
