// SPDX-License-Identifier: Apache-2.0
#include "looks.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <nonsmooth/numerics/error.hpp>

#include "number.hpp"

namespace nonsmooth {
namespace {

using Colours = std::set<std::size_t>;

bool is_coloured(const Series& series) {
  return series.style != Series::Style::Guide && series.style != Series::Style::Ground;
}

/// The first colour that is not taken; palette.size() and more where all are.
std::size_t first_free(const Colours& taken) {
  std::size_t colour = 0;
  while (taken.contains(colour)) ++colour;
  return colour;
}

/// A label and the panels that have it.
struct Label {
  std::string text;
  std::vector<std::size_t> panels;
};

/// In the order in which they come; where they are more than colours, those of several panels first.
std::vector<Label> labels_of(const Figure& figure) {
  std::vector<Label> labels;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    for (const Series& series : figure.panels[p].series) {
      if (!is_coloured(series) || series.label.empty()) continue;
      const auto known =
          std::find_if(labels.begin(), labels.end(), [&](const Label& one) { return one.text == series.label; });
      if (known == labels.end()) {
        labels.push_back({series.label, {p}});
      } else if (known->panels.back() != p) {
        known->panels.push_back(p);
      }
    }
  }
  if (labels.size() > palette.size())
    std::stable_partition(labels.begin(), labels.end(), [](const Label& one) { return one.panels.size() > 1; });
  return labels;
}

/// The colours of the labels, each of its own as long as there are any; then those that none of the panels has in which
/// the label occurs. `here` gets those of each panel, `anywhere` those of all.
std::map<std::string, std::size_t> colours_of(const std::vector<Label>& labels, std::vector<Colours>& here,
                                              Colours& anywhere) {
  std::map<std::string, std::size_t> colours;
  for (const Label& label : labels) {
    std::size_t colour = first_free(anywhere);
    if (colour >= palette.size()) {
      Colours beside;
      for (const std::size_t p : label.panels) beside.insert(here[p].begin(), here[p].end());
      colour = first_free(beside);
    }
    if (colour >= palette.size()) {
      throw InvalidArgument("Figure::panels",
                            "the label '" + label.text + "' in " + std::to_string(label.panels.size()) +
                                " panels whose other labels have all " + std::to_string(palette.size()) + " colours",
                            "fewer labels that several panels share, or several figures");
    }
    colours[label.text] = colour;
    anywhere.insert(colour);
    for (const std::size_t p : label.panels) here[p].insert(colour);
  }
  return colours;
}

void check_number(const Panel& panel, std::size_t p) {
  const auto count = static_cast<std::size_t>(std::count_if(panel.series.begin(), panel.series.end(), is_coloured));
  if (count <= palette.size()) return;
  throw InvalidArgument("Figure::panels[" + std::to_string(p) + "].series", std::to_string(count) + " to colour",
                        "at most " + std::to_string(palette.size()) + ", which can be told apart");
}

}  // namespace

std::vector<std::vector<std::size_t>> assign_colours(const Figure& figure) {
  for (std::size_t p = 0; p < figure.panels.size(); ++p) check_number(figure.panels[p], p);
  std::vector<Colours> here(figure.panels.size());
  Colours anywhere;
  const std::map<std::string, std::size_t> of_label = colours_of(labels_of(figure), here, anywhere);
  std::vector<std::vector<std::size_t>> colours;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const std::vector<Series>& series = figure.panels[p].series;
    std::vector<std::size_t>& list = colours.emplace_back(series.size(), palette.size());
    std::set<std::string> met;
    for (std::size_t s = 0; s < series.size(); ++s) {
      if (!is_coloured(series[s]) || series[s].label.empty()) continue;
      list[s] = of_label.at(series[s].label);
      if (met.insert(series[s].label).second) continue;
      // The same label twice in one panel: two curves, and so two colours.
      const std::size_t unused = first_free(anywhere);
      list[s] = unused < palette.size() ? unused : first_free(here[p]);
      here[p].insert(list[s]);
      anywhere.insert(list[s]);
    }
    for (std::size_t s = 0; s < series.size(); ++s) {
      if (!is_coloured(series[s]) || !series[s].label.empty()) continue;
      here[p].insert(list[s] = first_free(here[p]));
    }
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
