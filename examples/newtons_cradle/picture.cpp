// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <string>
#include <vector>

using namespace nonsmooth;

Picture picture(const Table& newton, const Table& wave, const std::filesystem::path& file) {
  std::vector<Panel> panels;
  for (const Table* motion : {&newton, &wave}) {
    Panel panel{.x = {.label = "time [s]"}, .y = {.label = "place [cm]"}};
    for (const char* ball : {"1", "2", "3", "4", "5"})
      panel.series.push_back(
          {.x = motion->column("t"), .y = motion->column(ball), .label = "ball " + std::string(ball)});
    panels.push_back(panel);
  }
  return draw({.title = "Newton's cradle: Newton's law (above); Liu, Zhao and Brogliato's (below)",
               .panels = panels,
               .width = 820,
               .height = 800},
              file);
}
