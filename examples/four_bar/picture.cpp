// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <string>

using namespace nonsmooth;

Picture picture(const Table& table, const std::filesystem::path& file) {
  const auto line = [&](const std::string& name, const std::string& label, Series::Style style = Series::Style::Line) {
    return Series{.x = table.column("turns"), .y = table.column(name), .label = label, .style = style};
  };
  const Axis turns{.label = "turns of the crank", .low = 0.0, .high = 2.0};
  const Axis moment_axis{.label = "motor [N m]"}, force_axis{.label = "force on the bearing [N]"};
  const Panel moments{
      .x = turns,
      .y = moment_axis,
      .series = {line("moment [N m]", "simulated"), line("closed form", "dE / dtheta", Series::Style::Dashed)}};
  const Panel forces{.x = turns,
                     .y = force_axis,
                     .series = {line("crank's bearing [N]", "crank"), line("rocker's bearing [N]", "rocker")}};
  return draw({.title = "Four-bar linkage at constant speed", .panels = {moments, forces}, .width = 720, .height = 620},
              file);
}
