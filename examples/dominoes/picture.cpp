// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "row.hpp"

using namespace nonsmooth;

namespace {

// Outlines, seen from the side.
Series outlines(const Run& run, const State& x) {
  Series lines{.style = Series::Style::Bodies};
  for (const SystemHandle domino : run.dominoes) {
    const auto q = x.q(domino);
    const double c = std::cos(tilt(q)), s = std::sin(tilt(q));
    for (const auto& [a, b] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}}) {
      const double across = 0.5 * a * kThick, up = 0.5 * b * kHigh;
      lines.x.push_back(q[0] + c * across + s * up);
      lines.y.push_back(q[2] - s * across + c * up);
    }
    lines.x.push_back(std::numeric_limits<double>::quiet_NaN());
    lines.y.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  return lines;
}

}  // namespace

Picture picture(const Run& gentle, const Run& hard, const std::filesystem::path& file) {
  const double end = kPitch * static_cast<double>(gentle.dominoes.size()) + 0.05;
  std::vector<Panel> panels;
  for (const State& x : gentle.shown)
    panels.push_back(
        {.x = {"x [m]", -0.05, end}, .y = {"z [m]", 0.0, 0.06}, .series = {outlines(gentle, x)}, .same_units = true});
  const auto line = [](const Run& run, const std::string& label) {
    Series result{.y = speeds(run), .label = label};
    for (std::size_t i = 0; i < result.y.size(); ++i) result.x.push_back(static_cast<double>(i + 1));
    return result;
  };
  panels.push_back({.x = {.label = "domino"},
                    .y = {.label = "speed [m/s]", .low = 0.0},
                    .series = {line(gentle, "gentle push"), line(hard, "hard push")}});
  return draw({.title = "Dominoes", .panels = panels, .width = 900, .height = 760}, file);
}
