// SPDX-License-Identifier: Apache-2.0
// What is seen of a picture, read from the SVG that gnuplot wrote and from the script that it was given.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/io/panels.hpp>

#include "figures.hpp"

namespace nonsmooth::figure_legends_test {

namespace {

using Point = std::pair<double, double>;  // [pixels], downwards

/// One curve of the SVG: its points, and where its name in the legend stands.
struct Drawn {
  std::vector<Point> points;
  std::string label;
  Point text{};
  std::string colour;
};

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// gnuplot's words for the name of a curve, a path and a mark.
const std::regex kName(R"re(translate\(([-\d.]+),([-\d.]+)\)"[^>]*>\s*<text><tspan[^>]*>([^<]*)</tspan>)re");
const std::regex kPath(R"re(<path stroke='([^']*)'[^>]*d='M([^']*)')re");
const std::regex kMark(
    R"re(<use xlink:href='#gpPt\d+' transform='translate\(([-\d.]+),([-\d.]+)\)[^>]*color='([^']*)')re");

std::vector<std::smatch> all_of(const std::string& text, const std::regex& pattern) {
  return {std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator()};
}

/// The strokes of a path, each of which begins with an M.
std::vector<std::vector<Point>> strokes_of(std::string path) {
  std::replace_if(
      path.begin(), path.end(), [](char c) { return c == 'L' || c == ','; }, ' ');
  std::vector<std::vector<Point>> strokes;
  std::istringstream stream(path);
  for (std::string stroke; std::getline(stream, stroke, 'M');) {
    std::istringstream numbers(stroke);
    std::vector<Point>& points = strokes.emplace_back();
    for (Point point; numbers >> point.first >> point.second;) points.push_back(point);
  }
  return strokes;
}

/// Each curve is a group <g id="gnuplot_plot_K...">. A text translated to its place is the name; strokes of more than
/// two points and marks are the data. A stroke of two is the sample beside the name (no curve here has two), of marks
/// it is the last.
std::vector<Drawn> curves_of(const std::string& svg) {
  std::vector<Drawn> curves;
  const std::string begin = "<g id=\"gnuplot_plot_", end = "</g>\n\t</g>\n";
  for (std::size_t at = svg.find(begin); at != std::string::npos; at = svg.find(begin, at + 1)) {
    const std::string group = svg.substr(at, svg.find(end, at) - at);
    Drawn curve;
    for (const std::smatch& name : all_of(group, kName)) {
      curve.text = {std::stod(name[1]), std::stod(name[2])};
      curve.label = name[3];
    }
    for (const std::smatch& path : all_of(group, kPath)) {
      curve.colour = path[1];
      for (const std::vector<Point>& stroke : strokes_of(path[2])) {
        if (stroke.size() > 2) curve.points.insert(curve.points.end(), stroke.begin(), stroke.end());
      }
    }
    std::vector<std::smatch> marks = all_of(group, kMark);
    if (!curve.label.empty() && !marks.empty()) marks.pop_back();
    for (const std::smatch& mark : marks) {
      curve.points.emplace_back(std::stod(mark[1]), std::stod(mark[2]));
      curve.colour = mark[3];
    }
    curves.push_back(curve);
  }
  return curves;
}

/// Names are written in letters of 14 pixels: their feet reach 4 pixels below the line that they stand on, their heads
/// 14 above. They lie between `text` and as far to the right as one likes; samples are to the left of them, as high. So
/// that no data are covered it is enough that the lowest name ends above the highest point of its panel.
void expect_legends_above_data(const Panel& panel, const std::filesystem::path& folder) {
  for (const int width : {400, 900}) {
    const Picture picture =
        draw({.title = "A title", .panels = {panel}, .width = width, .height = 500}, folder / "legend");
    ASSERT_TRUE(picture) << picture.message();
    double lowest_name = 0.0, highest_point = std::numeric_limits<double>::infinity();
    std::size_t names = 0, points = 0;
    for (const Drawn& curve : curves_of(read(picture.svg))) {
      if (!curve.label.empty()) {
        lowest_name = std::max(lowest_name, curve.text.second + 4.0);
        ++names;
        EXPECT_GT(curve.text.second - 14.0, 0.0) << curve.label << " is cut off";
      }
      points += curve.points.size();
      for (const Point& point : curve.points) highest_point = std::min(highest_point, point.second);
    }
    std::size_t labels = 0, given = 0;
    for (const Series& series : panel.series) {
      labels += series.label.empty() ? 0 : 1;
      given += series.x.size();
    }
    EXPECT_EQ(names, labels);
    EXPECT_GE(points, std::min<std::size_t>(given, 4));
    EXPECT_LT(lowest_name, highest_point) << width << " pixels wide";
  }
}

/// A curve that goes through all corners of its panel.
std::vector<double> corners(double low, double high) { return {high, low, high, low, high, high, low, high}; }
const std::vector<double> kInstants{0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};

/// CIE L*a*b* of an sRGB colour as somebody sees it who lacks a kind of cones (Machado, Oliveira, Fernandes 2009).
using Vision = std::array<std::array<double, 3>, 3>;
std::array<double, 3> seen(const std::string& colour, const Vision& vision) {
  std::array<double, 3> linear{}, rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = static_cast<double>(std::stoi(colour.substr(1 + 2 * i, 2), nullptr, 16)) / 255.0;
    linear[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  for (std::size_t i = 0; i < 3; ++i)
    rgb[i] = std::clamp(vision[i][0] * linear[0] + vision[i][1] * linear[1] + vision[i][2] * linear[2], 0.0, 1.0);
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116.0; };
  const double x = f((0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505),
               y = f(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]),
               z = f((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089);
  return {116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)};
}

std::vector<std::string> colours_in(const std::string& script) {
  std::vector<std::string> colours;
  static const std::regex plotted(R"re(\$panel\d+_\d+ using 1:2 [^\n]*lc rgb '(#[0-9A-F]{6})')re");
  const std::string first = script.substr(0, script.find("set terminal pngcairo"));  // once for each of both files
  for (auto it = std::sregex_iterator(first.begin(), first.end(), plotted); it != std::sregex_iterator(); ++it)
    colours.push_back((*it)[1]);
  return colours;
}

Panel fourteen() {
  Panel panel;
  for (int i = 0; i < 14; ++i) panel.series.push_back({.x = {0.0, 1.0}, .y = {0.0, 1.0}});
  return panel;
}

TEST_F(FigureTest, PanelsOfTheSameSeriesShareOneLegend) {
  const std::vector<double> y = corners(-1.0, 2.0), ten = corners(1e-3, 1e3);
  const auto panel = [](std::vector<double> values, bool turned) {
    Panel own = time_series(kInstants, "q [m]", {{values, "one"}, {values, "another, with a longer name"}});
    own.series.push_back({.x = {0.0, 7.0}, .y = {1.0, 1.0}, .label = "bound", .style = Series::Style::Guide});
    if (turned) {  // of the same samples, in another order
      std::swap(own.series[0], own.series[1]);
      own.series[0].style = Series::Style::Steps;
    }
    return own;
  };
  Panel logarithmic = panel(ten, true);
  logarithmic.y.logarithmic = true;
  for (const int width : {500, 1000}) {
    const Picture picture = draw({.title = "A title",
                                  .panels = {panel(y, false), logarithmic, panel(y, false)},
                                  .width = width,
                                  .height = 700,
                                  .columns = 2},
                                 folder_ / "shared");
    ASSERT_TRUE(picture) << picture.message();
    std::map<std::string, std::string> named;  // label -> colour of its sample
    std::map<std::string, std::size_t> coloured;
    double lowest_name = 0.0, highest_point = std::numeric_limits<double>::infinity();
    for (const Drawn& curve : curves_of(read(picture.svg))) {
      if (!curve.label.empty()) {
        EXPECT_TRUE(named.emplace(curve.label, curve.colour).second) << curve.label << " twice";
        EXPECT_TRUE(curve.points.empty());
        EXPECT_GT(curve.text.second - 14.0, 20.0) << "in the title";
        lowest_name = std::max(lowest_name, curve.text.second + 4.0);
      } else if (!curve.points.empty()) {
        ++coloured[curve.colour];
        for (const Point& point : curve.points) highest_point = std::min(highest_point, point.second);
      }
    }
    ASSERT_EQ(named.size(), 3U);
    EXPECT_LT(lowest_name, highest_point) << width << " pixels wide";
    EXPECT_EQ(coloured[named["one"]], 3U);
    EXPECT_EQ(coloured[named["another, with a longer name"]], 3U);
  }
  // A label more, or drawn in another way, and each has its own.
  Panel other = panel(y, false);
  other.series[0].style = Series::Style::Markers;
  const std::string script = gnuplot_script({.panels = {panel(y, false), other}}, folder_ / "own");
  EXPECT_NE(script.find("set multiplot layout 2,1"), std::string::npos);
  EXPECT_EQ(script.find("plot [0:1][0:1] NaN"), std::string::npos);
}

TEST_F(FigureTest, LegendsOfAllKindsCoverNoData) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::vector<double> y = corners(-1.0, 1.0);
  expect_legends_above_data(time_series(kInstants, "q [m]", {{y, "one"}, {y, "another, with a longer name"}}), folder_);
  expect_legends_above_data(phase_portrait("q [m]", "v [m/s]", {{kInstants, y, "orbit"}, {y, kInstants, "turned"}}),
                            folder_);
  const std::vector<double> h{0.1, 0.03, 0.01};
  expect_legends_above_data(convergence(h, "error [m]", {{{1.0, 1.0, 1.0}, "stays"}, {{1.0, 0.1, 0.01}, "falls"}}),
                            folder_);
  expect_legends_above_data(profiles({{"best", {1.0, 1.0, 1.0}}, {"slower", {2.0, 3.0, 4.0}}}), folder_);
  expect_legends_above_data(spectrum(kInstants, "q [m]", {{y, "one"}}), folder_);
  std::vector<Curve> many;
  for (int i = 0; i < 14; ++i) many.push_back({y, "number " + std::to_string(i)});
  expect_legends_above_data(time_series(kInstants, "q [m]", many), folder_);
}

TEST_F(FigureTest, NoTwoCurvesOfAnSvgHaveOneColour) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  std::vector<Curve> curves;
  for (int i = 0; i < 14; ++i)
    curves.push_back({corners(0.0, i), std::to_string(i), i % 2 == 0 ? Series::Style::Line : Series::Style::Dashed});
  const Picture picture = draw({.panels = {time_series(kInstants, "q [m]", curves)}}, folder_ / "colours");
  ASSERT_TRUE(picture) << picture.message();
  std::set<std::string> colours;
  for (const Drawn& curve : curves_of(read(picture.svg))) colours.insert(curve.colour);
  EXPECT_EQ(colours.size(), 14u);
}

// The full colours differ by Delta E = 16 and more, the darker ones, which are dashed, by 10, whichever cones there
// are; 2.3 is what eyes just notice. All are darker than white paper by 25 of 100.
TEST(FigureColours, AreToldApartWithAnyColourVision) {
  const std::vector<std::string> colours = colours_in(gnuplot_script({.panels = {fourteen()}}, "figure"));
  ASSERT_EQ(colours.size(), 14u);
  const std::map<std::string, Vision> visions{
      {"all cones", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
      {"protanopia",
       {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
      {"deuteranopia",
       {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
      {"tritanopia",
       {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}};
  for (const auto& [name, vision] : visions) {
    for (std::size_t i = 0; i < 14; ++i) {
      const auto a = seen(colours[i], vision);
      EXPECT_LT(a[0], 75.0) << colours[i] << ", " << name;
      for (std::size_t j = i < 7 ? 0 : 7; j < i; ++j) {
        const auto b = seen(colours[j], vision);
        EXPECT_GT(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), i < 7 ? 16.0 : 10.0)
            << colours[i] << " and " << colours[j] << ", " << name;
      }
    }
  }
}

TEST(FigureColours, ALabelKeepsItsColourInAllPanels) {
  const auto series = [](const char* label) { return Series{.x = {0.0, 1.0}, .y = {0.0, 1.0}, .label = label}; };
  const Figure figure{.panels = {{.series = {series("a"), series("b")}},
                                 {.series = {series("c"), series("a"), series("")}},
                                 {.series = {series("")}}}};
  const std::vector<std::string> colours = colours_in(gnuplot_script(figure, "figure"));
  ASSERT_EQ(colours.size(), 6u);
  EXPECT_EQ(colours[3], colours[0]);                                                  // a
  EXPECT_EQ(std::set<std::string>({colours[0], colours[1], colours[2]}).size(), 3u);  // a, b, c
  EXPECT_EQ(colours[4], colours[1]);  // without a label: what its panel leaves free
  EXPECT_EQ(colours[5], colours[0]);
}

/// A panel with a curve for each label.
Panel labelled(const std::vector<std::string>& labels) {
  Panel panel;
  for (const std::string& label : labels) panel.series.push_back({.x = {0.0, 1.0}, .y = {0.0, 1.0}, .label = label});
  return panel;
}

std::vector<std::string> numbered(const std::string& name, int count) {
  std::vector<std::string> list;
  for (int i = 0; i < count; ++i) list.push_back(name + std::to_string(i));
  return list;
}

// Ten labels in each of two panels, of which the last two of the first are the first two of the second, but turned
// round: 18 labels for 14 colours. The shared ones come first and so have the first colours, in both panels; no other
// label has these, and no panel has a colour twice.
TEST(FigureColours, LabelsOfSeveralPanelsKeepTheirsWhereLabelsAreMany) {
  std::vector<std::string> first = numbered("a", 8), second{"y", "x"};
  first.insert(first.end(), {"x", "y"});
  for (const std::string& label : numbered("b", 8)) second.push_back(label);
  const std::vector<std::string> colours =
      colours_in(gnuplot_script({.panels = {labelled(first), labelled(second)}}, "figure"));
  ASSERT_EQ(colours.size(), 20u);
  EXPECT_EQ(colours[8], colours[11]);  // x
  EXPECT_EQ(colours[9], colours[10]);  // y
  EXPECT_EQ(std::set<std::string>(colours.begin(), colours.begin() + 10).size(), 10u);
  EXPECT_EQ(std::set<std::string>(colours.begin() + 10, colours.end()).size(), 10u);
  EXPECT_EQ(std::set<std::string>(colours.begin(), colours.end()).size(), 14u);  // as many as there are
}

// Three groups of five labels, two groups in each of three panels: each two of the 15 labels meet somewhere, so that
// the fifteenth has no colour. Of fourteen each has one.
TEST(FigureColours, ALabelForWhichItsPanelsLeaveNoneIsRefused) {
  const auto join = [](std::vector<std::string> list, const std::vector<std::string>& more) {
    list.insert(list.end(), more.begin(), more.end());
    return labelled(list);
  };
  const auto a = numbered("a", 5), b = numbered("b", 5), c = numbered("c", 5);
  EXPECT_EQ(refused([&] {
              return gnuplot_script({.panels = {join(a, b), join(b, c), join(c, a)}}, "figure");
            }),
            "Figure::panels");
  const auto four = numbered("c", 4);
  EXPECT_EQ(refused([&] {
              return gnuplot_script({.panels = {join(a, b), join(b, four), join(four, a)}}, "figure");
            }),
            "no exception");
}

// Guides and ground take none, so that the first curve beside them has the first colour.
TEST(FigureColours, GuidesTakeNone) {
  const Series curve{.x = {0.0, 1.0}, .y = {0.0, 1.0}};
  Series guide = curve;
  guide.style = Series::Style::Guide;
  const auto alone = colours_in(gnuplot_script({.panels = {{.series = {curve}}}}, "figure"));
  const auto beside = colours_in(gnuplot_script({.panels = {{.series = {guide, curve}}}}, "figure"));
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(alone, beside);
}

}  // namespace
}  // namespace nonsmooth::figure_legends_test
