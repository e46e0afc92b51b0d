// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <nonsmooth/io/figure.hpp>
#include <nonsmooth/numerics/error.hpp>

using namespace nonsmooth;
namespace fs = std::filesystem;

namespace {

/// Asked of the shell, not of draw(): a picture that it fails to draw is no reason to skip.
bool has_gnuplot() { return std::system("gnuplot --version >/dev/null 2>&1") == 0; }

class FigureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("nonsmooth figure's " + std::to_string(getpid()) + " " +
                                           ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

Figure line() {
  return {.title = "A line",
          .panels = {{.x = {.label = "time [s]"},
                      .y = {.label = "q [m]"},
                      .series = {{.x = {0.0, 1.0, 2.0}, .y = {0.0, 1.0, 4.0}, .label = "q"}}}}};
}

std::string first_bytes(const fs::path& path, std::size_t count) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(count, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  return bytes;
}

template <class Call>
std::string refused(Call call) {
  try {
    (void)call();
  } catch (const InvalidArgument& error) {
    return error.argument();
  }
  return "no exception";
}

/// PATH for the time of a test.
class Path {
 public:
  explicit Path(const std::string& value) : before_(std::getenv("PATH") ? std::getenv("PATH") : "") {
    setenv("PATH", value.c_str(), 1);
  }
  ~Path() { setenv("PATH", before_.c_str(), 1); }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;

 private:
  std::string before_;
};

}  // namespace

TEST_F(FigureTest, DrawsPngAndSvg) {
  for (const std::string extension : {".png", ".svg"}) {
    const fs::path path = folder_ / ("it's a picture" + extension);
    Figure figure = line();
    figure.panels.push_back(
        {.x = {.label = "x [m]", .low = -2.0, .high = 2.0},
         .series = {{.x = {-2.0, 0.0, 2.0}, .y = {0.0, 0.1, 0.0}, .style = Series::Style::Ground}},
         .disks = {
             .x = {-1.0, 1.0}, .y = {1.0, 1.0}, .radius = {0.5, 0.7}, .value = {1.0, 2.0}, .colour = {.label = "v"}}});
    const Picture picture = draw(figure, path);
    if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
    ASSERT_TRUE(picture) << picture.message();
    EXPECT_EQ(picture.path, path);
    EXPECT_EQ(first_bytes(path, 4), extension == ".png" ? "\x89PNG" : "<?xm");
    EXPECT_FALSE(fs::exists(path.string() + ".gnuplot"));
  }
}

// The strongest of three is drawn last and widest, 9 pixels times 23/24; one without a value has a line all the same.
TEST_F(FigureTest, DrawsSegmentsByTheirValue) {
  Figure figure;
  figure.panels.push_back({.segments = {.x_0 = {0.0, 1.0, 2.0},
                                        .y_0 = {0.0, 0.0, 0.0},
                                        .x_1 = {1.0, 2.0, 3.0},
                                        .y_1 = {1.0, 1.0, 1.0},
                                        .value = {4.0, 0.0, 1.0},
                                        .colour = {.label = "force [N]"}}});
  const std::string script = gnuplot_script(figure, folder_ / "segments.png");
  std::vector<std::size_t> at;
  for (const char* width : {"lw 0.375 lc palette", "lw 2.625 lc palette", "lw 8.625 lc palette"}) {
    at.push_back(script.find(width));
    ASSERT_NE(at.back(), std::string::npos) << width << script;
  }
  EXPECT_TRUE(std::is_sorted(at.begin(), at.end()));
  EXPECT_NE(script.find("0 0 1 1 4"), std::string::npos) << script;
  EXPECT_NE(script.find("set cblabel 'force [N]'"), std::string::npos);
  const Picture picture = draw(figure, folder_ / "segments.png");
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  EXPECT_TRUE(picture) << picture.message();
}

TEST_F(FigureTest, LeavesAScriptWhereThereIsNoGnuplot) {
  const Path nowhere(folder_.string());
  const Picture picture = draw(line(), folder_ / "line.png");
  EXPECT_EQ(picture.status, Picture::Status::ScriptOnly);
  EXPECT_FALSE(picture);
  EXPECT_EQ(picture.path, folder_ / "line.png.gnuplot");
  EXPECT_TRUE(fs::exists(picture.path));
  EXPECT_NE(picture.message().find("no gnuplot was found"), std::string::npos);
}

TEST_F(FigureTest, SaysWhatGnuplotSaid) {
  {
    std::ofstream program(folder_ / "gnuplot");
    program << "#!/bin/sh\necho no terminal >&2\nexit 1\n";
  }
  fs::permissions(folder_ / "gnuplot", fs::perms::owner_all);
  const Path fake(folder_.string());
  const Picture picture = draw(line(), folder_ / "line.png");
  EXPECT_EQ(picture.status, Picture::Status::Failed);
  EXPECT_NE(picture.message().find("no terminal"), std::string::npos);
}

TEST_F(FigureTest, RunsNothingHiddenInText) {
  const fs::path trace = folder_ / "trace";
  const std::string attack = "x'; system('touch \"" + trace.string() + "\"') # `touch trace` \n system('touch trace')";
  Figure figure = line();
  figure.title = attack;
  figure.panels[0].x.label = attack;
  figure.panels[0].series[0].label = attack;
  const Picture picture = draw(figure, folder_ / "a'; system('touch trace'); '.png");
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  EXPECT_TRUE(picture) << picture.message();
  EXPECT_FALSE(fs::exists(trace));
  EXPECT_FALSE(fs::exists("trace"));
}

TEST_F(FigureTest, RefusesWhatItCannotDraw) {
  const fs::path path = folder_ / "figure.png";
  EXPECT_EQ(refused([&] { return draw(line(), folder_ / "figure.jpg"); }), "draw: path");
  EXPECT_EQ(refused([&] { return draw(line(), folder_ / "fig\nure.png"); }), "draw: path");
  EXPECT_EQ(refused([&] { return draw(Figure{}, path); }), "Figure::panels");
  Figure figure = line();
  figure.width = 0;
  EXPECT_EQ(refused([&] { return draw(figure, path); }), "Figure::width");
  figure = line();
  figure.panels[0].series[0].y.pop_back();
  EXPECT_EQ(refused([&] { return draw(figure, path); }), "Figure::panels[0].series[0].y");
  figure = line();
  figure.panels[0].disks = {.x = {1.0}, .y = {1.0}, .radius = {}};
  EXPECT_EQ(refused([&] { return draw(figure, path); }), "Figure::panels[0].disks.radius");
  figure.panels[0].disks = {};
  const SegmentScene segment{.x_0 = {0.0}, .y_0 = {0.0}, .x_1 = {1.0}, .y_1 = {1.0}, .value = {2.0}};
  figure.panels[0].segments = segment;
  figure.panels[0].segments.value = {};
  EXPECT_EQ(refused([&] { return draw(figure, path); }), "Figure::panels[0].segments.value");
  figure.panels[0].segments.value = {-1.0};
  EXPECT_EQ(refused([&] { return draw(figure, path); }), "Figure::panels[0].segments.value");
  figure.panels[0].segments = segment;
  figure.panels[0].segments.widest = 0.0;
  EXPECT_EQ(refused([&] { return draw(figure, path); }), "Figure::panels[0].segments.widest");
  figure = line();
  figure.panels[0].series[0].y.assign(3, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(refused([&] { return draw(figure, path); }), "Figure::panels[0]");
}
