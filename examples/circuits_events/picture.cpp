// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <algorithm>
#include <cstddef>

using namespace nonsmooth;

Picture picture(const Run& a, const Run& b, const Run& c, const Run& d, const Run& b_stepped,
                const std::filesystem::path& file) {
  Series difference;
  for (std::size_t k = 0; k < std::min(b.t.size(), b_stepped.t.size()); ++k) {
    difference.x.push_back(b.t[k]);
    difference.y.push_back(b_stepped.current[k] - b.current[k]);
  }
  return draw({.title = "Circuits with an ideal diode, event by event",
               .panels = {{.x = {.label = "time [s]"},
                           .y = {.label = "current x_2 [A]"},
                           .series = {{.x = a.t, .y = a.current, .label = "(a)"},
                                      {.x = b.t, .y = b.current, .label = "(b)"},
                                      {.x = c.t, .y = c.current, .label = "(c)"},
                                      {.x = d.t, .y = d.current, .label = "(d) from (-1, 0)"},
                                      {.x = b.switches,
                                       .y = b.switch_current,
                                       .label = "switches of (b)",
                                       .style = Series::Style::Markers}}},
                          {.x = {.label = "time [s]"},
                           .y = {.label = "time-stepping - events, (b) [A]"},
                           .series = {difference}}},
               .width = 720,
               .height = 600},
              file);
}
