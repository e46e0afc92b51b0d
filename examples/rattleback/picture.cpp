// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <string>

using namespace nonsmooth;

Picture picture(const Table& back, const Table& on, const std::filesystem::path& file) {
  const auto line = [](const Table& run, const std::string& column, const std::string& label) {
    return Series{.x = run.column("t"), .y = run.column(column), .label = label};
  };
  return draw({.title = "Rattleback",
               .panels = {{.x = {.label = "time [s]"},
                           .y = {.label = "spin [rad/s]", .low = -6.0, .high = 6.0},
                           .series = {line(back, "spin", "spun at -5 rad/s"), line(on, "spin", "spun at 5 rad/s")}},
                          {.x = {.label = "time [s]"},
                           .y = {.label = "angle [rad]"},
                           .series = {line(back, "roll", "roll"), line(back, "pitch", "pitch")}}},
               .width = 760,
               .height = 640},
              file);
}
