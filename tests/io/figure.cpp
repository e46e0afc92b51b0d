// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <nonsmooth/io/figure.hpp>

#include "figures.hpp"

namespace nonsmooth::figure_test {
namespace {

namespace fs = std::filesystem;

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

TEST_F(FigureTest, DrawsPngAndSvgAtOnce) {
  Figure figure = line();
  figure.panels.push_back(
      {.x = {.label = "x [m]", .low = -2.0, .high = 2.0},
       .series = {{.x = {-2.0, 0.0, 2.0}, .y = {0.0, 0.1, 0.0}, .style = Series::Style::Ground}},
       .disks = {
           .x = {-1.0, 1.0}, .y = {1.0, 1.0}, .radius = {0.5, 0.7}, .value = {1.0, 2.0}, .colour = {.label = "v"}}});
  for (const std::string ending : {"", ".png", ".svg", ".1"}) {  // the last belongs to the name
    const std::string base = ending == ".1" ? "run.1" : "it's a picture";
    const fs::path svg = folder_ / (base + ".svg"), png = folder_ / (base + ".png");
    fs::remove(svg);
    fs::remove(png);
    const Picture picture = draw(figure, folder_ / (ending == ".1" ? base : base + ending));
    if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
    ASSERT_TRUE(picture) << picture.message();
    EXPECT_EQ(picture.svg, svg);
    EXPECT_EQ(picture.png, png);
    EXPECT_EQ(picture.message(), svg.string() + ", " + png.string());
    EXPECT_EQ(first_bytes(svg, 4), "<?xm");
    EXPECT_EQ(first_bytes(png, 4), "\x89PNG");
    // Width and height of the figure, as PNG's header has them: two numbers of 4 bytes, behind 16.
    EXPECT_EQ(first_bytes(png, 24).substr(16), std::string("\0\0\x03\x84\0\0\x02\x58", 8));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), ending == ".1" ? 4 : 2) << "a script is left";
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
  const std::string script = gnuplot_script(figure, folder_ / "segments");
  std::vector<std::size_t> at;
  for (const char* width : {"lw 0.375 lc palette", "lw 2.625 lc palette", "lw 8.625 lc palette"}) {
    at.push_back(script.find(width));
    ASSERT_NE(at.back(), std::string::npos) << width << script;
  }
  EXPECT_TRUE(std::is_sorted(at.begin(), at.end()));
  EXPECT_NE(script.find("0 0 1 1 4"), std::string::npos) << script;
  EXPECT_NE(script.find("set cblabel 'force [N]'"), std::string::npos);
  const Picture picture = draw(figure, folder_ / "segments");
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  EXPECT_TRUE(picture) << picture.message();
}

// Steps are 1, 2, 2.5 and 5 times powers of ten, the least of which there are at most as many as asked for; so there
// are no fewer than that over 2.5. A panel of 600 pixels keeps 520 for its axis: ten of at least 28 pixels; one of 200
// keeps 120, and four. Along a logarithmic axis gnuplot takes powers.
TEST_F(FigureTest, NumbersStandApart) {
  const auto step_along = [&](const char* axis, const Figure& figure) {
    const std::string script = gnuplot_script(figure, folder_ / "tics"), words = std::string("set ") + axis + "tics ";
    const std::string text = script.substr(script.find(words) + words.size());
    return text.starts_with("autofreq") ? 0.0 : std::stod(text);
  };
  for (const double high : {1e-6, 0.3, 1.0, 7.0, 12.0, 999.0, 1e6}) {
    Figure figure = line();
    figure.panels[0].series[0].y = {0.0, 0.5 * high, high};
    const double step = step_along("y", figure);
    EXPECT_LE(high / step, 10.0 * (1.0 + 1e-6)) << high;
    EXPECT_GE(high / step, 10.0 / 2.5) << high;
    figure.height = 200;
    EXPECT_LE(high / step_along("y", figure), 120.0 / 28.0 * (1.0 + 1e-6)) << high;
    EXPECT_GE(high / step_along("y", figure), 120.0 / 28.0 / 2.5) << high;
    figure.panels[0].y.logarithmic = true;
    EXPECT_EQ(step_along("y", figure), 0.0);
  }
  Figure figure = line();
  figure.panels[0].x.high = 0.5;  // what lies beyond is not looked at: y is 0 alone, which has no length
  EXPECT_EQ(step_along("y", figure), 0.0);
}

// Disks are shown to their rims, with a tenth of the radius beside: the second from 1 - 2.2 to 1 + 2.2.
TEST_F(FigureTest, ShowsWholeDisks) {
  Figure figure;
  figure.panels.push_back({.disks = {.x = {0.0, 1.0}, .y = {0.0, 0.0}, .radius = {1.0, 2.0}}});
  const std::string script = gnuplot_script(figure, folder_ / "disks");
  EXPECT_NE(script.find("plot [-1.2:3.2] [-2.2:2.2]"), std::string::npos) << script;
  EXPECT_NE(script.find("set size ratio -1"), std::string::npos);
}

TEST_F(FigureTest, LeavesAScriptWhereThereIsNoGnuplot) {
  const Path nowhere(folder_.string());
  const Picture picture = draw(line(), folder_ / "line");
  EXPECT_EQ(picture.status, Picture::Status::ScriptOnly);
  EXPECT_FALSE(picture);
  EXPECT_EQ(picture.script, folder_ / "line.gnuplot");
  EXPECT_TRUE(fs::exists(picture.script));
  EXPECT_NE(picture.message().find("no gnuplot was found"), std::string::npos);
}

TEST_F(FigureTest, SaysWhatGnuplotSaid) {
  {
    std::ofstream program(folder_ / "gnuplot");
    program << "#!/bin/sh\necho no terminal >&2\nexit 1\n";
  }
  fs::permissions(folder_ / "gnuplot", fs::perms::owner_all);
  const Path fake(folder_.string());
  const Picture picture = draw(line(), folder_ / "line");
  EXPECT_EQ(picture.status, Picture::Status::Failed);
  EXPECT_NE(picture.message().find("no terminal"), std::string::npos);
}

TEST_F(FigureTest, KeepsOldPicturesUntilNewOnesAreDrawnAndScriptsThatItDidNotLeave) {
  const auto text = [](const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::vector<fs::path> own{folder_ / "line.svg", folder_ / "line.png", folder_ / "line.gnuplot"};
  for (const fs::path& path : own) std::ofstream(path) << "own " << path.filename().string();
  {
    const Path nowhere(folder_.string());
    for (int twice = 0; twice < 2; ++twice) {  // the second time in the place of the script that the first one left
      const Picture picture = draw(line(), folder_ / "line");
      EXPECT_EQ(picture.status, Picture::Status::ScriptOnly);
      EXPECT_EQ(picture.script, folder_ / "line.nonsmooth.gnuplot");
      EXPECT_EQ(text(picture.script), gnuplot_script(line(), folder_ / "line"));
      for (const fs::path& path : own) EXPECT_EQ(text(path), "own " + path.filename().string());
      EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 4);
      EXPECT_EQ(draw(line(), folder_ / "other").script, folder_ / "other.gnuplot");
      fs::remove(folder_ / "other.gnuplot");
    }
  }
  const Picture picture = draw(line(), folder_ / "line");
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  ASSERT_TRUE(picture) << picture.message();
  EXPECT_EQ(first_bytes(folder_ / "line.svg", 4), "<?xm");
  EXPECT_EQ(first_bytes(folder_ / "line.png", 4), "\x89PNG");
  EXPECT_EQ(text(folder_ / "line.gnuplot"), "own line.gnuplot");
}

TEST_F(FigureTest, RunsNothingHiddenInText) {
  const fs::path trace = folder_ / "trace";
  const std::string attack = "x'; system('touch \"" + trace.string() + "\"') # `touch trace` \n system('touch trace')";
  Figure figure = line();
  figure.title = attack;
  figure.panels[0].x.label = attack;
  figure.panels[0].series[0].label = attack;
  const Picture picture = draw(figure, folder_ / "a'; system('touch trace'); '");
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  EXPECT_TRUE(picture) << picture.message();
  EXPECT_FALSE(fs::exists(trace));
  EXPECT_FALSE(fs::exists("trace"));
}

TEST_F(FigureTest, RefusesWhatItCannotDraw) {
  const fs::path path = folder_ / "figure";
  EXPECT_EQ(refused([&] { return draw(line(), folder_ / ""); }), "draw: stem");
  EXPECT_EQ(refused([&] { return draw(line(), folder_ / "figure.pdf"); }), "draw: stem");
  EXPECT_EQ(refused([&] { return draw(line(), folder_ / "fig\nure"); }), "draw: stem");
  EXPECT_EQ(refused([&] { return draw(Figure{}, path); }), "Figure::panels");
  Figure figure = line();
  figure.width = 0;
  EXPECT_EQ(refused([&] { return draw(figure, path); }), "Figure::width");
  figure = line();
  figure.columns = 0;
  EXPECT_EQ(refused([&] { return draw(figure, path); }), "Figure::columns");
  figure = line();
  figure.panels[0].series.resize(15, figure.panels[0].series[0]);  // the palette has fourteen colours
  EXPECT_EQ(refused([&] { return draw(figure, path); }), "Figure::panels[0].series");
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

TEST(PlainText, IsShownLetterByLetter) { EXPECT_EQ(plain_text("v_C^2 {a} @&~\\"), "v\\_C\\^2 \\{a\\} \\@\\&\\~\\\\"); }

}  // namespace
}  // namespace nonsmooth::figure_test
