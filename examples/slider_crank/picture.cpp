// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <string>
#include <vector>

using namespace nonsmooth;

Picture picture(const Table& table, const std::filesystem::path& file) {
  const Axis x{.label = "turns of the crank", .low = 0.0, .high = 3.0};
  const auto line = [&](const std::string& name, Series::Style style = Series::Style::Line) {
    return Series{.x = table.column("turns"), .y = table.column(name), .label = name, .style = style};
  };
  const std::vector<Series> ends{line("crank's end"), line("far end")};
  Series with_play = line("crank [rad/s]");
  with_play.label = "with play";
  const std::vector<Series> speeds{with_play, line("without losses", Series::Style::Dashed)};
  const Axis play_axis{.label = "slider / play [-]", .low = -1.2, .high = 1.2},
      speed_axis{.label = "crank [rad/s]", .low = 50.0};
  const Panel play{.x = x, .y = play_axis, .series = ends}, speed{.x = x, .y = speed_axis, .series = speeds};
  Series impacts = line("impacts [J]", Series::Style::Dashed), total = line("energy [J]");
  impacts.label = "the start, less the work of impacts alone";
  total.label = "energy";
  const std::vector<Series> energies{total, impacts};
  const Axis energy_axis{.label = "energy [J]"};
  const Panel losses{.x = x, .y = energy_axis, .series = energies};
  return draw({.title = "Slider-crank with play", .panels = {play, speed, losses}, .width = 720, .height = 860}, file);
}
