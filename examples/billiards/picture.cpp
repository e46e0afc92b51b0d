// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "table.hpp"

using namespace nonsmooth;

Picture picture(const Table& round, const Table& other, const Table& apart, const std::filesystem::path& file) {
  const auto table = [](const Table& path, bool pillar) {
    Panel panel{.x = {.label = "x [m]", .low = -1.05, .high = 1.05},
                .y = {.label = "y [m]", .low = -1.05, .high = 1.05},
                .series = {{.x = path.column("x"), .y = path.column("y")}}};
    Series cushion;
    for (int i = 0; i <= 200; ++i) {
      cushion.x.push_back(kWay * std::cos(0.01 * i * std::numbers::pi));
      cushion.y.push_back(kWay * std::sin(0.01 * i * std::numbers::pi));
    }
    panel.series.push_back(cushion);
    panel.disks = {.x = {kPillarAt[0]}, .y = {kPillarAt[1]}, .radius = {pillar ? kPillar + kBall : 1e-6}};
    return panel;
  };
  const auto logarithm = [&](const std::string& column, const std::string& label) {
    Series result{.x = apart.column("t"), .label = label};
    for (const double distance : apart.column(column)) result.y.push_back(std::log10(std::max(distance, 1e-12)));
    return result;
  };
  const Panel distance{.x = {.label = "time [s]"},
                       .y = {.label = "log_{10} of the distance of two balls [m]", .low = -10.0, .high = 3.0},
                       .series = {logarithm("round", "round table"), logarithm("pillar", "with a pillar")}};
  return draw({.title = "Billiards: a round table, the same with a pillar, and two balls 1e-9 m apart",
               .panels = {table(round, false), table(other, true), distance},
               .width = 700,
               .height = 1500},
              file);
}
