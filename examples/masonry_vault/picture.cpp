// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <limits>
#include <string>

#include <Eigen/Geometry>

using namespace nonsmooth;

namespace {

Series outlines(const Run& run, const State& x) {
  Series lines{.style = Series::Style::Bodies};
  for (const SystemHandle stone : run.stones) {
    const auto q = x.q(stone);
    const Eigen::Quaterniond turn(q[3], q[4], q[5], q[6]);
    auto corners = run.stone.outline(0.0);
    corners.push_back(corners.front());
    for (const Eigen::Vector3d& corner : corners) {
      const Eigen::Vector3d place = turn * corner;
      lines.x.push_back(q[0] + place[0]);
      lines.y.push_back(q[2] + place[2]);
    }
    lines.x.push_back(std::numeric_limits<double>::quiet_NaN());
    lines.y.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  return lines;
}

}  // namespace

Picture picture(const Run& stands, const Run& falls, const std::filesystem::path& file) {
  const auto seen = [](const Run& run, const State& x) {
    return Panel{.x = {"x [m]", -2.5, 2.5},
                 .y = {"z [m]", 0.0, 2.4},
                 .series = {{.x = {-2.5, 2.5}, .y = {0.0, 0.0}, .style = Series::Style::Ground}, outlines(run, x)},
                 .same_units = true};
  };
  const auto line = [](const Run& run, const std::string& label) {
    return Series{.x = run.table.column("t"), .y = run.table.column("crown"), .label = label};
  };
  return draw({.title = "A vault of 16 stones",
               .panels = {seen(stands, stands.end),
                          seen(falls, falls.middle),
                          seen(falls, falls.end),
                          {.x = {.label = "time [s]"},
                           .y = {.label = "crown [m]"},
                           .series = {line(stands, "2 % thicker"), line(falls, "2 % thinner")}}},
               .width = 960,
               .height = 620,
               .columns = 2},
              file);
}
