// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <vector>

using namespace nonsmooth;

Picture picture(const Table& back, const Table& on, const std::filesystem::path& file) {
  const auto& t = back.column("t");
  const std::vector<Curve> angles{{back.column("roll"), "roll"}, {back.column("pitch"), "pitch"}};
  return draw({.title = "Rattleback",
               .panels = {{.x = {.label = "time [s]", .low = 0.0, .high = t.back()},
                           .y = {.label = "spin [rad/s]"},
                           .series = {{.x = t, .y = back.column("spin"), .label = "spun at -5 rad/s"},
                                      {.x = on.column("t"), .y = on.column("spin"), .label = "spun at 5 rad/s"}}},
                          time_series(t, "angle [rad]", angles)},
               .width = 760,
               .height = 620},
              file);
}
