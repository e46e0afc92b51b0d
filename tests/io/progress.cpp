// SPDX-License-Identifier: Apache-2.0
// The line and the file of Progress say what the steps of a run said.
#include <nonsmooth/io/progress.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <sys/ioctl.h>

#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/io/observe.hpp>
#include <nonsmooth/kernel/disk_contacts.hpp>
#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "dump_scenes.hpp"
#include "run_files.hpp"
#include "run_processes.hpp"

namespace nonsmooth::progress_test {
namespace {

using namespace run_files_test;

class ProgressLines : public Files {
 protected:
  [[nodiscard]] static std::vector<std::string> lines_of(const std::filesystem::path& path) {
    std::vector<std::string> lines;
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
};

/// What stands behind "key": in a line of JSON, up to the next comma or the end.
std::string entry(const std::string& line, const std::string& key) {
  const std::size_t place = line.find("\"" + key + "\":");
  if (place == std::string::npos) return "absent";
  const std::size_t first = line.find_first_not_of(' ', place + key.size() + 3);
  return line.substr(first, line.find_first_of(",}", first) - first);
}

/// A disk that lies on the ground from the start.
NonSmoothDynamicalSystem lying_disk() {
  NonSmoothDynamicalSystem model;
  const auto flat = [](double) { return 0.0; };
  const auto disk =
      model.add(LagrangianLinearSystem{.mass = Eigen::MatrixXd(Eigen::Vector3d(1.0, 1.0, 0.5).asDiagonal()),
                                       .force = {0.0, -9.81, 0.0},
                                       .q0 = {0.0, 1.0, 0.0}});
  model.detect(DiskContacts({disk}, {1.0}, NewtonImpactFrictionLaw{.friction = 0.5},
                            {.height = flat, .slope = flat, .curvature = flat}));
  return model;
}

TEST_F(ProgressLines, HaveWhatEachStepSaid) {
  TimeStepping simulation(lying_disk(), {.step = 0.125});
  Progress progress{0.0, 1.0, ProgressOptions{.lines = file("p.jsonl"), .lines_every = 0.0, .terminal = false}};
  std::vector<StepReport> steps;
  const RunReport report = simulation.advance_to(1.0, [&](const State& x, const StepReport& step) {
    progress(x, step);
    steps.push_back(step);
  });
  ASSERT_TRUE(report) << report.message();
  const auto lines = lines_of(file("p.jsonl"));
  ASSERT_EQ(lines.size(), 8U);
  double wall = 0.0;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::string& line = lines[k];
    const double t = 0.125 * static_cast<double>(k + 1);  // no rounding
    EXPECT_EQ(std::stod(entry(line, "t")), t);
    EXPECT_EQ(std::stod(entry(line, "t_end")), 1.0);
    EXPECT_EQ(entry(line, "steps"), std::to_string(k + 1));
    EXPECT_EQ(entry(line, "contacts"), "1");
    EXPECT_EQ(entry(line, "rows"), "2");
    EXPECT_EQ(entry(line, "iterations"), std::to_string(steps[k].solver_iterations));
    EXPECT_EQ(std::stod(entry(line, "residual")), steps[k].certificate.residual);
    const double now = std::stod(entry(line, "wall_s"));
    EXPECT_GE(now, wall);
    wall = now;
    // Of the very numbers that the line has: two roundings each.
    EXPECT_NEAR(std::stod(entry(line, "rate")) * now, t, 1e-15);
    EXPECT_NEAR(std::stod(entry(line, "left_s")), now * (1.0 - t) / t, 1e-15 * now / t);
  }
}

TEST_F(ProgressLines, AreAddedToThoseBeforeAndLeaveOutWhatIsNotKnown) {
  for (int run = 0; run < 2; ++run) {
    Progress progress{0.0, 1.0, ProgressOptions{.lines = file("p.jsonl"), .lines_every = 1e300, .terminal = false}};
    for (int k = 1; k <= 100; ++k) progress.show(0.01 * k);
    progress.show(1.0);
    progress.show(1.0);
  }
  const auto lines = lines_of(file("p.jsonl"));
  ASSERT_EQ(lines.size(), 4U);  // the first and the last of each run
  for (const std::string& line : lines) {
    for (const char* key : {"steps", "contacts", "rows", "iterations", "residual"}) EXPECT_EQ(entry(line, key), "null");
  }
  EXPECT_EQ(std::stod(entry(lines[3], "t")), 1.0);
  EXPECT_EQ(std::stod(entry(lines[3], "left_s")), 0.0);
}

TEST_F(ProgressLines, OfEventDrivenRunsHaveTheLastProblemOfAnInstant) {
  // A ball falls from 1 m and rests: from then on its accelerations are a problem of one row.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-9.81}, .q0 = {1.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  EventDriven simulation(model);
  Progress progress{0.0, 1.0, ProgressOptions{.lines = file("p.jsonl"), .lines_every = 0.0, .terminal = false}};
  std::vector<std::string> shown;
  Progress bar{0.0, 1.0, [&](std::string_view line) { shown.emplace_back(line); }};
  ASSERT_TRUE(simulation.advance_to(1.0, [&](const State& x, const StepReport& step) {
    progress(x, step);
    bar(x, step);
  }));
  const auto lines = lines_of(file("p.jsonl"));
  ASSERT_FALSE(lines.empty());
  const mixed::Result& result = simulation.problem().result;
  EXPECT_EQ(entry(lines.back(), "rows"), "1");
  EXPECT_EQ(entry(lines.back(), "iterations"), std::to_string(result.iterations));
  EXPECT_EQ(std::stod(entry(lines.back(), "residual")), result.certificate.residual);
  EXPECT_EQ(entry(lines.back(), "steps"), "null");
  EXPECT_EQ(entry(lines.front(), "rows"), "null");  // in the air there is no problem
  ASSERT_FALSE(shown.empty());
  EXPECT_TRUE(contains(shown.back(), ", 1 rows, " + std::to_string(result.iterations) + " iterations, residual "))
      << shown.back();
}

TEST_F(ProgressLines, OfEventDrivenRunsWithoutAProblemSayTAlone) {
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {1.0}});
  EventDriven simulation(model);
  Progress progress{0.0, 1.0, ProgressOptions{.lines = file("p.jsonl"), .lines_every = 0.0, .terminal = false}};
  ASSERT_TRUE(simulation.advance_to(1.0, progress));
  const auto lines = lines_of(file("p.jsonl"));
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(std::stod(entry(lines.back(), "t")), 1.0);
  for (const char* key : {"steps", "rows", "iterations", "residual"}) EXPECT_EQ(entry(lines.back(), key), "null");
}

TEST_F(ProgressLines, OfAFullDiskEndTheFileAndNotTheRun) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  Progress progress{0.0, 1.0, ProgressOptions{.lines = "/dev/full", .lines_every = 0.0, .terminal = false}};
  testing::internal::CaptureStderr();
  for (int k = 1; k <= 8; ++k) progress.show(0.125 * k);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(told, "/dev/full: a line of progress could not be written; the run goes on without\n");
}

TEST_F(ProgressLines, RefusesWhatItCannotDo) {
  EXPECT_THROW(Progress(0.0, 1.0, ProgressOptions{.lines_every = -1.0}), InvalidArgument);
  EXPECT_THROW(Progress(0.0, 1.0, ProgressOptions{.lines_every = std::nan("")}), InvalidArgument);
  EXPECT_THROW(Progress(0.0, 1.0, ProgressOptions{.lines = file("absent") / "p.jsonl"}), FileError);
}

TEST(Progress, ShowsContactsIterationsAndResidual) {
  std::vector<std::string> lines;
  Progress progress{0.0, 1.0, [&](std::string_view line) { lines.emplace_back(line); }};
  TimeStepping simulation(lying_disk(), {.step = 0.125});
  ASSERT_TRUE(simulation.advance_to(1.0, progress));
  ASSERT_GE(lines.size(), 2U);
  EXPECT_EQ(lines.front().substr(0, 42), "[##..................] t = 0.125 of 1 (12.");
  EXPECT_TRUE(contains(lines.front(), " s/s, ")) << lines.front();
  EXPECT_TRUE(contains(lines.front(), " s to go, 1 contacts, ")) << lines.front();
  EXPECT_TRUE(contains(lines.back(), " iterations, residual ")) << lines.back();
}

TEST(Progress, EndsItsLineWhereARunEndsEarly) {
  std::vector<std::string> lines;
  Progress progress{0.0, 1.0, [&](std::string_view line) { lines.emplace_back(line); }};
  TimeStepping simulation(lying_disk(), {.step = 0.125});
  // A call that completes says nothing of the run's end, one that was stopped does, and the run may go on.
  ASSERT_TRUE(simulation.advance_to(0.25, progress));
  for (const std::string& line : lines) EXPECT_FALSE(line.ends_with('\n')) << line;
  const RunReport stopped =
      simulation.advance_to(1.0, observe(progress, [](const State& state) { return state.t < 0.5; }));
  EXPECT_EQ(stopped.t, 0.5);
  EXPECT_EQ(lines.back().substr(0, 42), "[##########..........] t = 0.5 of 1 (50 %)");
  EXPECT_TRUE(lines.back().ends_with('\n')) << lines.back();
  ASSERT_TRUE(simulation.advance_to(1.0, progress));
  EXPECT_EQ(lines.back().substr(0, 41), "[####################] t = 1 of 1 (100 %)");
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(), [](const std::string& line) { return line.ends_with('\n'); }), 2);
}

TEST(Progress, IsOverWhereAGridEndsARoundingBefore) {
  std::vector<std::string> lines;
  const double below = std::nextafter(1.0, 0.0);
  Progress progress{0.0, 1.0, [&](std::string_view line) { lines.emplace_back(line); }};
  progress.show(below);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].ends_with('\n')) << lines[0];
}

TEST_F(ProgressLines, HaveAStepThatFailedAsTheirLast) {
  TimeStepping simulation(dump_test::pistons(), {.step = 0.0625});
  Progress progress(0.0, 1.0, ProgressOptions{.lines = file("p.jsonl"), .lines_every = 1e6, .terminal = false});
  const RunReport report = simulation.advance_to(1.0, progress);
  ASSERT_EQ(report.outcome, RunReport::Outcome::StepFailed);
  const std::vector<std::string> lines = lines_of(file("p.jsonl"));
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(std::stod(entry(lines.back(), "t")), report.t);
  EXPECT_EQ(entry(lines.back(), "rows"), "2");
  EXPECT_EQ(std::stod(entry(lines.back(), "residual")), report.last.certificate.residual);
}

TEST(Progress, TakesEventDrivenRuns) {
  std::vector<std::string> lines;
  Progress progress{0.0, 1.0, [&](std::string_view line) { lines.emplace_back(line); }};
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {1.0}});
  EventDriven simulation(model);
  ASSERT_TRUE(simulation.advance_to(1.0, progress));
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.back().substr(0, 43), "[####################] t = 1 of 1 (100 %), ");
  EXPECT_FALSE(contains(lines.back(), "iterations")) << lines.back();
}

TEST(Progress, IsCutToTheWidthOfATerminal) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) GTEST_SKIP() << "no pseudo-terminals";
  const int other = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
  ASSERT_GE(other, 0);
  winsize size{};
  size.ws_col = 40;
  ASSERT_EQ(::ioctl(other, TIOCSWINSZ, &size), 0);
  const pid_t child = start_child([&]() -> int {
    ::dup2(other, STDERR_FILENO);
    Progress progress{0.0, 1.0};
    progress.show(1.0);
    return 0;
  });
  EXPECT_EQ(end_of(child), 0);
  std::string text(400, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(terminal, text.data(), text.size()))));
  const std::string expected = "\r\033[K[####################] t = 1 of 1 (100 ";  // 39 characters behind the codes
  EXPECT_EQ(text.substr(0, expected.size()), expected);
  EXPECT_EQ(text.substr(expected.size()), "\r\n");
  ::close(other);
  ::close(terminal);
}

}  // namespace
}  // namespace nonsmooth::progress_test
