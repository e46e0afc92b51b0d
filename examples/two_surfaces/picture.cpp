// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <cmath>
#include <string>

using namespace nonsmooth;

namespace {

// An arrow along (dx, dy) about (x, y), of one length whatever the speed.
void add_arrow(double x, double y, double dx, double dy, double length, SegmentScene& arrows) {
  const double speed = std::hypot(dx, dy), ux = dx / speed * length, uy = dy / speed * length;
  const double head_x = x + 0.5 * ux, head_y = y + 0.5 * uy;
  const auto add = [&](double from_x, double from_y) {
    arrows.x_0.push_back(from_x);
    arrows.y_0.push_back(from_y);
    arrows.x_1.push_back(head_x);
    arrows.y_1.push_back(head_y);
    arrows.value.push_back(speed);
  };
  add(x - 0.5 * ux, y - 0.5 * uy);
  for (const double side : {-1.0, 1.0}) add(head_x - 0.3 * ux - side * 0.18 * uy, head_y - 0.3 * uy + side * 0.18 * ux);
}

// signs(x, y): which field there is.
template <class Signs>
Panel panel(double low, double high, const Field& field, Signs&& signs, const std::vector<Way>& ways,
            const std::vector<std::string>& labels) {
  constexpr int kArrows = 10;
  Panel result{
      .x = {.label = "x", .low = low, .high = high}, .y = {.label = "y", .low = low, .high = high}, .same_units = true};
  const double cell = (high - low) / kArrows;
  for (int i = 0; i < kArrows; ++i)
    for (int j = 0; j < kArrows; ++j) {
      const double x = low + (i + 0.5) * cell, y = low + (j + 0.5) * cell;
      const auto [s1, s2] = signs(x, y);
      if (s1 == 0.0) continue;
      const auto [dx, dy] = field(s1, s2);
      add_arrow(x, y, dx, dy, 0.7 * cell, result.segments);
    }
  result.segments.widest = 2.0;
  result.segments.colour.label = "speed";
  for (std::size_t k = 0; k < ways.size(); ++k) {
    result.series.push_back({.x = ways[k].x, .y = ways[k].y});
    if (labels.empty()) continue;  // otherwise ways lie over one another: where they end tells them apart
    result.series.back().style = Series::Style::Guide;
    result.series.push_back(
        {.x = {ways[k].x.back()}, .y = {ways[k].y.back()}, .label = labels[k], .style = Series::Style::Markers});
  }
  return result;
}

}  // namespace

Picture picture(const Field& spiral, const std::vector<Way>& spirals, const Field& apart,
                const std::vector<Way>& slides, const Field& sides, const std::vector<Way>& diagonals,
                const std::filesystem::path& file) {
  const auto of_axes = [](double x, double y) { return std::pair{x > 0.0 ? 1.0 : -1.0, y > 0.0 ? 1.0 : -1.0}; };
  const auto of_diagonal = [](double x, double y) {
    return std::pair{std::abs(x - y) < 1e-9 ? 0.0 : x > y ? 1.0 : -1.0, 1.0};
  };
  return draw({.title = "Motions on two surfaces: a spiral, sliding, and one that is not determined",
               .panels = {panel(-1.0, 1.0, spiral, of_axes, spirals, {}), panel(-1.0, 1.0, apart, of_axes, slides, {}),
                          panel(-0.7, 2.7, sides, of_diagonal, diagonals,
                                {"one switch, at t = 1", "two, x' = -2", "two, x' = 1.5"})},
               .width = 1200,
               .height = 460,
               .columns = 3},
              file);
}
