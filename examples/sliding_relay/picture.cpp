// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

using namespace nonsmooth;

Picture picture(double k, const Path& smooth, const Path& stepped, const Path& chatter,
                const std::filesystem::path& file) {
  return draw(
      {.title = "A relay pushes a cart onto a line, along which it slides",
       .panels =
           {{.x = {.label = "x", .low = -0.1, .high = 1.1},
             .y = {.label = "v", .low = -0.9, .high = 0.15},
             .series = {{.x = {-0.1, 0.85}, .y = {0.1 * k, -0.85 * k}, .style = Series::Style::Guide},
                        {.x = smooth.x, .y = smooth.v, .label = "events"},
                        {.x = stepped.x, .y = stepped.v, .label = "implicit steps", .style = Series::Style::Markers},
                        {.x = chatter.x, .y = chatter.v, .label = "explicit steps", .style = Series::Style::Dashed}}},
            {.x = {.label = "time", .low = 0.0, .high = 4.0},
             .y = {.label = "push", .low = -1.1, .high = 1.1},
             .series =
                 {{.x = smooth.t, .y = smooth.push, .label = "events"},
                  {.x = stepped.t, .y = stepped.push, .label = "implicit steps", .style = Series::Style::Markers}}}},
       .width = 1000,
       .height = 420,
       .columns = 2},
      file);
}
