// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

using namespace nonsmooth;

Picture picture(const Loading& coarse, const Loading& fine, double exact, const std::filesystem::path& file) {
  const Panel curves{.x = {.label = "settlement [m]"},
                     .y = {.label = "pressure / cohesion", .low = 0.0},
                     .series = {{.x = coarse.settlement, .y = coarse.pressure, .label = "128 triangles"},
                                {.x = fine.settlement, .y = fine.pressure, .label = "288 triangles"},
                                {.x = {0.0, fine.settlement.back()},
                                 .y = {exact, exact},
                                 .label = "{/Symbol p} + 2",
                                 .style = Series::Style::Guide}}};
  Panel zone{.x = {.label = "x [m]"}, .y = {.label = "y [m]", .low = -2.1, .high = 0.2}, .disks = fine.zone};
  zone.disks.colour = {.label = "plastic shear [%]", .low = 0.0, .high = 16.0};
  zone.series.push_back({.x = {0.0, 1.0}, .y = {0.0, 0.0}});  // the footing
  return draw(
      {.title = "Footing on clay: load and plastic zone", .panels = {curves, zone}, .width = 640, .height = 640}, file);
}
