// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

using namespace nonsmooth;

Picture picture(const Table& table, const std::filesystem::path& file) {
  const auto line = [&](const std::string& name, const std::string& label, Series::Style style = Series::Style::Line) {
    return Series{.x = table.column("turns"), .y = table.column(name), .label = label, .style = style};
  };
  Panel orbits{.x = {"pins in their bearings, d / c", -1.3, 6.3}, .y = {"", -1.2, 1.2}, .same_units = true};
  for (const std::string pin : {"A", "B", "D"}) {
    const double middle = pin == "A" ? 0.0 : pin == "B" ? 2.5 : 5.0;
    Series bearing{.style = Series::Style::Guide}, orbit{.label = "pin at " + pin};
    for (int i = 0; i <= 90; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / 90.0;
      bearing.x.push_back(middle + std::cos(angle));
      bearing.y.push_back(std::sin(angle));
    }
    orbit.x = table.column(pin + " x"), orbit.y = table.column(pin + " y");
    for (double& x : orbit.x) x += middle;
    orbits.series.push_back(bearing);
    orbits.series.push_back(orbit);
  }
  const Axis turns{.label = "turns of the crank"}, ahead{.label = "l_4 (psi - psi_0) (u . r') / c"};
  const Axis spin{.label = "rocker [rad/s]"};
  const Panel lead{.x = turns,
                   .y = ahead,
                   .series = {line("lead", "with play"), line("pressed", "pins pressed", Series::Style::Dashed)}};
  const Panel spins{
      .x = turns, .y = spin, .series = {line("rocker", "with play"), line("ideal", "without", Series::Style::Dashed)}};
  return draw(
      {.title = "Four-bar linkage, pins with play", .panels = {orbits, lead, spins}, .width = 760, .height = 900},
      file);
}
