// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <limits>
#include <string>

using namespace nonsmooth;

namespace {

void add_line(double from, double to, double y, Panel& panel) {
  panel.series.push_back({.x = {from, to}, .y = {y, y}, .style = Series::Style::Guide});
}

void add_way(const Way& way, const std::string& label, Panel& panel) {
  panel.series.push_back({.x = way.x, .y = way.y, .label = label});
}

}  // namespace

Picture picture(const std::vector<Way>& cycles, const std::vector<Way>& slides, const std::vector<Way>& folds,
                const std::filesystem::path& file) {
  Panel grazing{.x = {.label = "x", .low = -1.3, .high = 1.3}, .y = {.label = "y", .low = -1.3, .high = 1.3}};
  add_line(-1.3, 1.3, 0.8, grazing);
  add_line(-1.3, 1.3, 1.2, grazing);
  add_way(cycles[0], "line at 1.2: a free cycle", grazing);
  add_way(cycles[1], "line at 0.8: one that slides", grazing);

  Panel equilibria{.x = {.label = "x", .low = -1.2, .high = 2.0}, .y = {.label = "y"}};
  add_line(-1.2, 2.0, 0.0, equilibria);
  Way all;  // one curve, broken between ways
  for (const Way& way : slides) {
    all.x.insert(all.x.end(), way.x.begin(), way.x.end());
    all.y.insert(all.y.end(), way.y.begin(), way.y.end());
    all.x.push_back(std::numeric_limits<double>::quiet_NaN());
    all.y.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  add_way(all, "ways onto y = 0", equilibria);
  equilibria.series.push_back({.x = {-0.5}, .y = {0.0}, .label = "pseudo-node", .style = Series::Style::Markers});
  equilibria.series.push_back({.x = {0.5}, .y = {0.0}, .label = "pseudo-saddle", .style = Series::Style::Markers});

  Panel two{.x = {.label = "x", .low = -1.3, .high = 1.3}, .y = {.label = "y", .low = -0.7, .high = 0.7}};
  add_line(-1.3, 1.3, 0.0, two);
  add_way(folds[0], "b = -0.2: to the node", two);
  add_way(folds[1], "b = 0.2: away", two);
  return draw({.title = "Grazing-sliding, pseudo-equilibria, two folds",
               .panels = {grazing, equilibria, two},
               .width = 1300,
               .height = 480,
               .columns = 3},
              file);
}
