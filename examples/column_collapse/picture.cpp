// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <vector>

#include "column.hpp"

using namespace nonsmooth;

namespace {

// The middle of a heap.
Panel seen(const Column& column, double widest) {
  Panel panel{
      .x = {"x [m]", -widest, widest}, .y = {"y [m]", 0.0, 0.4 * widest}, .disks = {.colour = {"height before [m]"}}};
  panel.series.push_back({.x = {-widest, widest}, .y = {0.0, 0.0}, .style = Series::Style::Ground});
  for (std::size_t i = 0; i < column.disks.size(); ++i) {
    const auto q = column.end.q(column.disks[i]);
    if (std::abs(q[0]) > widest) continue;
    panel.disks.x.push_back(q[0]);
    panel.disks.y.push_back(q[1]);
    panel.disks.radius.push_back(column.radii[i]);
    panel.disks.value.push_back(column.start.q(column.disks[i])[1]);
  }
  return panel;
}

}  // namespace

Picture picture(const std::vector<Column>& columns, const std::filesystem::path& file) {
  Series found{.label = "columns", .style = Series::Style::Markers};
  for (const Column& column : columns) {
    found.x.push_back(column.aspect());
    found.y.push_back(column.relative_run_out());
  }
  const auto law = [&](const char* label, std::size_t through, double exponent, double from, double to) {
    Series line{.x = {from, to}, .label = label, .style = Series::Style::Dashed};
    for (const double a : line.x) line.y.push_back(found.y[through] * std::pow(a / found.x[through], exponent));
    return line;
  };
  const Panel run_outs{.x = {.label = "aspect ratio a", .logarithmic = true},
                       .y = {.label = "run-out / half width", .logarithmic = true},
                       .series = {found, law("a", 2, 1.0, 0.3, 4.0), law("a^{2/3}", 5, 2.0 / 3.0, 3.0, 50.0)}};
  return draw({.title = "Columns that collapse",
               .panels = {seen(columns[3], 0.5), seen(columns[6], 0.5), run_outs},
               .width = 760,
               .height = 860},
              file);
}
