// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "table.hpp"

using namespace nonsmooth;

Picture picture(const Table& round, const Table& other, const Table& apart, const std::filesystem::path& file) {
  const auto table = [](const Table& path, bool pillar) {
    Panel panel{.x = {.label = "x [m]", .low = -1.05, .high = 1.05},
                .y = {.label = "y [m]", .low = -1.05, .high = 1.05},
                .series = {{.x = path.column("x"), .y = path.column("y")}},
                .same_units = true};
    Series cushion;
    for (int i = 0; i <= 200; ++i) {
      cushion.x.push_back(kWay * std::cos(0.01 * i * std::numbers::pi));
      cushion.y.push_back(kWay * std::sin(0.01 * i * std::numbers::pi));
    }
    panel.series.push_back(cushion);
    if (pillar) panel.disks = {.x = {kPillarAt[0]}, .y = {kPillarAt[1]}, .radius = {kPillar + kBall}};
    return panel;
  };
  Panel distance = time_series(apart.column("t"), "distance of two balls [m]",
                               {{apart.column("round"), "round table"}, {apart.column("pillar"), "with a pillar"}});
  distance.y.low = 1e-10;
  distance.y.logarithmic = true;
  return draw({.title = "Billiards: a round table, the same with a pillar, and two balls 1e-9 m apart",
               .panels = {table(round, false), table(other, true), distance},
               .width = 930,
               .height = 350,
               .columns = 3},
              file);
}
