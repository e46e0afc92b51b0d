// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <nonsmooth/io/arguments.hpp>
#include <nonsmooth/io/bounds.hpp>
#include <nonsmooth/io/progress.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::example_helpers_test {
namespace {

Arguments parse(std::vector<const char*> words) {
  words.insert(words.begin(), "example");
  return Arguments(static_cast<int>(words.size()), words.data(), {"disks"});
}

std::string complaint(const std::vector<const char*>& words) {
  try {
    (void)parse(words).integer("disks", 1);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no exception";
}

TEST(Arguments, ReadsWhatExamplesTake) {
  EXPECT_FALSE(parse({}).check());
  EXPECT_FALSE(parse({}).pictures());
  EXPECT_EQ(parse({}).integer("disks", 7), 7);
  const std::string folder = (std::filesystem::temp_directory_path() / "nonsmooth_arguments" / "pictures").string();
  const Arguments arguments = parse({"--disks", "12", "--check", "--pictures", folder.c_str()});
  EXPECT_TRUE(arguments.check());
  EXPECT_EQ(arguments.pictures(), std::filesystem::path(folder));
  EXPECT_TRUE(std::filesystem::is_directory(folder));
  EXPECT_EQ(arguments.integer("disks", 7), 12);
  std::filesystem::remove_all(std::filesystem::path(folder).parent_path());
}

TEST(Arguments, NamesWhatIsWrong) {
  EXPECT_EQ(complaint({"--disk"}), "command line: found '--disk', expected --check, --pictures DIR, --disks N");
  EXPECT_EQ(complaint({"--pictures"}), "--pictures: found nothing after it, expected its value");
  EXPECT_EQ(complaint({"--disks", "2", "--disks", "3"}), "--disks: found it twice, expected it once");
  for (const char* bad : {"0", "-3", "1.5", "many", "99999999999999999999"}) {
    EXPECT_EQ(complaint({"--disks", bad}),
              "--disks: found '" + std::string(bad) + "', expected an integer of at least 1");
  }
}

TEST(Arguments, HelpIsPrintedAndABadCommandLineEndsWithTwo) {
  int runs = 0;
  const auto run = [&](std::vector<const char*> words, std::ostringstream& out, std::ostringstream& err) {
    words.insert(words.begin(), "/some/where/example_field");
    return run_example(
        static_cast<int>(words.size()), words.data(), {"disks"},
        [&](const Arguments& arguments) {
          ++runs;
          return arguments.integer("disks", 1) == 1 ? 0 : 1;
        },
        out, err);
  };
  const std::string usage = "Usage: example_field [--check] [--pictures DIR] [--disks N]\n";
  {
    std::ostringstream out, err;
    EXPECT_EQ(run({"--check", "--help"}, out, err), 0);
    EXPECT_TRUE(out.str().starts_with(usage)) << out.str();
    EXPECT_EQ(err.str(), "");
  }
  {
    std::ostringstream out, err;
    EXPECT_EQ(run({"--fast"}, out, err), 2);
    EXPECT_TRUE(err.str().starts_with("example_field: command line: found '--fast'")) << err.str();
    EXPECT_NE(err.str().find(usage), std::string::npos);
    EXPECT_EQ(out.str(), "");
  }
  EXPECT_EQ(runs, 0);
  std::ostringstream out, err;
  EXPECT_EQ(run({"--disks", "many"}, out, err), 2);  // thrown inside the example
  EXPECT_EQ(err.str(), "example_field: --disks: found 'many', expected an integer of at least 1\n");
  EXPECT_EQ(run({"--disks", "2"}, out, err), 1);
  EXPECT_EQ(run({}, out, err), 0);
  EXPECT_EQ(runs, 3);
}

TEST(Bounds, HoldUntilOneFigureLeaves) {
  Bounds bounds;
  EXPECT_TRUE(bounds.hold());
  bounds.near("height [m]", 1.05, 1.0, 0.1);
  EXPECT_TRUE(bounds.hold());
  EXPECT_NE(bounds.report().find("height [m]"), std::string::npos);
  Bounds left = bounds;
  left.within("speed [m/s]", 2.0, 0.0, 1.0);
  EXPECT_FALSE(left.hold());
  EXPECT_NE(left.report().find("OUTSIDE"), std::string::npos);
  bounds.near("never", std::numeric_limits<double>::quiet_NaN(), 0.0, 1.0);
  EXPECT_FALSE(bounds.hold());
}

TEST(Progress, ShowsTheEndOnceAndNotTooOften) {
  std::vector<std::string> lines;
  Progress progress{0.0, 10.0, [&](std::string_view line) { lines.emplace_back(line); }};
  for (int k = 1; k <= 1000; ++k) progress.show(0.01 * k);
  progress.show(10.0);
  ASSERT_GE(lines.size(), 2U);
  EXPECT_LT(lines.size(), 20U);
  EXPECT_EQ(lines.back().substr(0, 45), "[####################] t = 10 of 10 (100 %), ");
  EXPECT_EQ(lines.back().back(), '\n');
}

TEST(Progress, RefusesAnEmptyInterval) {
  EXPECT_THROW(Progress(1.0, 1.0), InvalidArgument);
  EXPECT_THROW(Progress(0.0, std::numeric_limits<double>::infinity()), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::example_helpers_test
