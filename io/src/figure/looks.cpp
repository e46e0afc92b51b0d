// SPDX-License-Identifier: Apache-2.0
#include "looks.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <nonsmooth/numerics/error.hpp>

#include "number.hpp"

namespace nonsmooth {
namespace {

using Taken = std::map<std::string, std::size_t>;  // colours of labels

bool is_coloured(const Series& series) {
  return series.style != Series::Style::Guide && series.style != Series::Style::Ground;
}

std::size_t first_free(const std::set<std::size_t>& used) {
  std::size_t colour = 0;
  while (used.contains(colour)) ++colour;
  return colour;
}

/// Labels first, so that one keeps its colour in all panels; then what has none.
std::vector<std::size_t> colours_of(const Panel& panel, Taken& taken) {
  std::vector<std::size_t> colours(panel.series.size(), palette.size());
  std::set<std::size_t> used;
  for (const auto& [label, colour] : taken) used.insert(colour);
  std::set<std::size_t> here;
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    const Series& series = panel.series[s];
    if (!is_coloured(series) || series.label.empty()) continue;
    const auto [place, fresh] = taken.try_emplace(series.label, 0);
    if (fresh) place->second = first_free(used);
    // The same label twice in one panel: two curves, and so two colours.
    colours[s] = here.contains(place->second) ? first_free(used) : place->second;
    used.insert(colours[s]);
    here.insert(colours[s]);
  }
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    if (!is_coloured(panel.series[s]) || !panel.series[s].label.empty()) continue;
    here.insert(colours[s] = first_free(here));
  }
  return colours;
}

std::size_t most(const std::vector<std::vector<std::size_t>>& colours, const Figure& figure) {
  std::size_t last = 0;
  for (std::size_t p = 0; p < colours.size(); ++p) {
    for (std::size_t s = 0; s < colours[p].size(); ++s) {
      if (is_coloured(figure.panels[p].series[s])) last = std::max(last, colours[p][s] + 1);
    }
  }
  return last;
}

}  // namespace

std::vector<std::vector<std::size_t>> assign_colours(const Figure& figure) {
  std::vector<std::vector<std::size_t>> colours;
  Taken taken;
  for (const Panel& panel : figure.panels) colours.push_back(colours_of(panel, taken));
  if (most(colours, figure) <= palette.size()) return colours;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const Panel& panel = figure.panels[p];
    const auto count = static_cast<std::size_t>(std::count_if(panel.series.begin(), panel.series.end(), is_coloured));
    if (count > palette.size()) {
      throw InvalidArgument("Figure::panels[" + std::to_string(p) + "].series", std::to_string(count) + " to colour",
                            "at most " + std::to_string(palette.size()) + ", which can be told apart");
    }
    taken.clear();
    colours[p] = colours_of(panel, taken);
  }
  return colours;
}

std::string look(Series::Style style, std::size_t colour, double lowest) {
  if (style == Series::Style::Ground)
    return "with filledcurves y1=" + number(lowest, 10) + " fc rgb '#c9c2b6' fs solid 1.0 noborder";
  if (style == Series::Style::Guide) return "with lines dt (10,5) lw 1.1 lc rgb '#8a8a8a'";
  const std::string paint = std::string(" lc rgb '") + palette[colour] + "'";
  const bool dark = colour >= num_plain_colours;
  constexpr std::array markers{7, 5, 9, 13, 11, 15, 3};
  switch (style) {
    case Series::Style::Dashed:
      return std::string("with lines dt ") + (dark ? "(2,3)" : "(9,5)") + " lw 2" + paint;
    case Series::Style::Steps:
      return std::string("with fsteps ") + (dark ? "dt (14,4,2,4) " : "") + "lw 2" + paint;
    case Series::Style::Bodies:
      return std::string("with filledcurves closed fc rgb '") + palette[colour] + "' fs transparent solid 0.25 border" +
             paint + " lw 1.2";
    case Series::Style::Points:
      return "with points pt 7 ps 0.35" + paint;
    case Series::Style::Markers:
      return "with points pt " + std::to_string(markers[colour % markers.size()] - (dark ? 1 : 0)) + " ps 0.9" + paint;
    default:
      return std::string("with lines ") + (dark ? "dt (14,4,2,4) " : "") + "lw 2" + paint;
  }
}

}  // namespace nonsmooth
