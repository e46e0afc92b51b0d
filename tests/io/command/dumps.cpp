// SPDX-License-Identifier: Apache-2.0
// What a run dumps is solved by the very command that stands in the file.
#include <gtest/gtest.h>

#include <algorithm>

#include <nonsmooth/io/failure_report.hpp>
#include <nonsmooth/io/problem_dump.hpp>
#include <nonsmooth/kernel/disk_contacts.hpp>

#include "../dump_scenes.hpp"
#include "helpers.hpp"

namespace nonsmooth::dumps_test {
namespace {

using namespace command_test;

/// The words of the line "nonsmooth ..." in a file's title, behind the first; the file by its whole path.
std::vector<std::string> command_in(const std::string& path) {
  const std::string title = read_problem(path).title;
  const std::size_t place = title.find("nonsmooth solve ");
  if (place == std::string::npos) return {};
  std::string line = title.substr(place);
  line = line.substr(0, line.find('\n'));
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; stream >> std::ws && stream.good();) {
    if (stream.peek() == '"') {
      stream.get();
      std::getline(stream, word, '"');
    } else {
      stream >> word;
    }
    words.push_back(word);
  }
  words.erase(words.begin());
  words.at(1) = path;
  return words;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(CommandSolve, ReplaysProblemsThatARunDumped) {
  const Folder folder;
  TimeStepping blocks(dump_test::pressed_blocks(), {.step = 0.125});
  ProblemDump dump(folder.at("dumps"), blocks, {.every = 1});
  ASSERT_TRUE(blocks.advance_to(0.25, dump));
  NonSmoothDynamicalSystem model;
  const auto flat = [](double) { return 0.0; };
  const auto disk = model.add(LagrangianLinearSystem{.force = {0.0, -9.81, 0.0}, .q0 = {0.0, 1.0, 0.0}});
  model.detect(DiskContacts({disk}, {1.0}, NewtonImpactFrictionLaw{.friction = 0.5},
                            {.height = flat, .slope = flat, .curvature = flat}));
  TimeStepping friction(model, {.step = 0.125, .solver = friction::GaussSeidel{.tolerance = 1e-6}});
  ProblemDump contacts(folder.at("run.fclib.h5"), friction, {.every = 1});
  ASSERT_TRUE(friction.advance_to(0.25, contacts));
  std::vector<std::filesystem::path> files = dump.files();
  ASSERT_EQ(files.size(), 2U);
  for (const auto& path : contacts.files()) files.push_back(path);
  ASSERT_EQ(files.size(), 4U);
  for (const auto& path : files) {
    const std::vector<std::string> command = command_in(path.string());
    ASSERT_GE(command.size(), 4U) << read_problem(path).title;
    EXPECT_TRUE(has(command, "--tolerance"));
    const auto outcome = command_test::run(command);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("solved"), std::string::npos) << outcome.out;
  }
  EXPECT_TRUE(has(command_in(files[2].string()), "--solver")) << read_problem(files[2]).title;
  EXPECT_TRUE(has(command_in(files[2].string()), "1e-06")) << read_problem(files[2]).title;
}

TEST(CommandSolve, FindsTheContradictionOfAFailedStepAgain) {
  const Folder folder;
  TimeStepping simulation(dump_test::pistons(), {.step = 0.0625});
  const RunReport report = simulation.advance_to(1.0);
  ASSERT_EQ(report.outcome, RunReport::Outcome::StepFailed);
  const std::string path = folder.at("failed.h5");
  const std::string text = dump_failed_step(simulation, report, path);
  EXPECT_NE(text.find("nonsmooth solve " + path), std::string::npos) << text;
  const auto outcome = run({"solve", path});
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.out.find("infeasible"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace nonsmooth::dumps_test
