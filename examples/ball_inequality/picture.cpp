// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <cmath>
#include <limits>
#include <numbers>

using namespace nonsmooth;

namespace {

void add_circle(Series& series, const Eigen::Vector2d& centre, double radius) {
  for (int step = 0; step <= 120; ++step) {
    const double angle = 2.0 * std::numbers::pi * step / 120.0;
    series.x.push_back(centre[0] + radius * std::cos(angle));
    series.y.push_back(centre[1] + radius * std::sin(angle));
  }
  series.x.push_back(std::numeric_limits<double>::quiet_NaN());
  series.y.push_back(std::numeric_limits<double>::quiet_NaN());
}

Panel disc(const Eigen::Vector2d& c, const std::vector<Way>& ways) {
  const auto& x = ways.back().result.x;
  Panel panel{.x = {"x_1", -1.2, 1.5}, .y = {"x_2", -1.2, 1.2}, .same_units = true};
  Series field{.label = "field around c", .style = Series::Style::Guide};
  for (const double radius : {0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0}) add_circle(field, c, radius);
  Series circle{.label = "disc", .style = Series::Style::Bodies};
  add_circle(circle, Eigen::Vector2d::Zero(), 1.0);
  panel.series = {circle, field};
  if (c.norm() > 1.0) panel.series.push_back({.x = {c[0], x[0]}, .y = {c[1], x[1]}, .style = Series::Style::Guide});
  for (const Way& way : ways) {
    const bool few = way.points.size() < 12;
    Series line{.label = way.name, .style = few ? Series::Style::Markers : Series::Style::Line};
    for (std::size_t k = 0; k < way.points.size() && k < 60; ++k) {
      line.x.push_back(way.points[k][0]);
      line.y.push_back(way.points[k][1]);
    }
    panel.series.push_back(line);
  }
  return panel;
}

}  // namespace

Picture picture(const Eigen::Vector2d& inside, const std::vector<Way>& ways, const Eigen::Vector2d& outside,
                const std::vector<Way>& others, const std::filesystem::path& file) {
  return draw({.title = "A field that turns, on a disc: its centre inside, and outside",
               .panels = {disc(inside, ways), disc(outside, others)},
               .width = 1000,
               .height = 520,
               .columns = 2},
              file);
}
