// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <string>

using namespace nonsmooth;

Picture picture(const Table& one, const Table& two, const Table& swings, const std::filesystem::path& file) {
  const auto line = [](const Table& table, const std::string& x, const std::string& y, const std::string& label,
                       Series::Style style = Series::Style::Line) {
    return Series{.x = table.column(x), .y = table.column(y), .label = label, .style = style};
  };
  const Panel ways{.x = {.label = "t [s]"},
                   .y = {.label = "angle [rad]"},
                   .series = {line(one, "t [s]", "hub [rad]", "hub, T one period"),
                              line(one, "t [s]", "boom [rad]", "boom, T one period", Series::Style::Dashed),
                              line(two, "t [s]", "hub [rad]", "hub, T two periods"),
                              line(two, "t [s]", "boom [rad]", "boom, T two periods", Series::Style::Dashed)}};
  const Panel left{.x = {.label = "T in periods of the boom"},
                   .y = {.label = "swing left [rad]"},
                   .series = {line(swings, "periods", "swing [rad]", "simulated", Series::Style::Markers),
                              line(swings, "periods", "closed form", "4 M / (J_h w^2) sin^2(w T / 4)")}};
  return draw({.title = "A satellite turned by its wheel", .panels = {ways, left}, .width = 720, .height = 620}, file);
}
