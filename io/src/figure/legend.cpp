// SPDX-License-Identifier: Apache-2.0
#include "legend.hpp"

#include <algorithm>

#include "looks.hpp"

namespace nonsmooth {

std::vector<LegendEntry> legend_of(const Panel& panel, const std::vector<std::size_t>& colours) {
  std::vector<LegendEntry> legend;
  for (const bool guides : {false, true}) {
    for (std::size_t s = 0; s < panel.series.size(); ++s) {
      const Series& series = panel.series[s];
      if (series.label.empty() || (series.style == Series::Style::Guide) != guides) continue;
      // The sample of steps is that of a line.
      const Series::Style shown = series.style == Series::Style::Steps ? Series::Style::Line : series.style;
      legend.push_back({series.label, look(shown, colours[s], 0.0)});
    }
  }
  return legend;
}

std::vector<LegendEntry> shared_legend(const Figure& figure, const std::vector<std::vector<std::size_t>>& colours) {
  if (figure.panels.size() < 2) return {};
  const auto sorted = [](std::vector<LegendEntry> legend) {
    std::sort(legend.begin(), legend.end(),
              [](const LegendEntry& a, const LegendEntry& b) { return a.label < b.label; });
    return legend;
  };
  const std::vector<LegendEntry> first = legend_of(figure.panels[0], colours[0]), reference = sorted(first);
  for (std::size_t p = 1; p < figure.panels.size(); ++p) {
    if (sorted(legend_of(figure.panels[p], colours[p])) != reference) return {};
  }
  return first;
}

int legend_rows(const std::vector<LegendEntry>& legend, int width) {
  constexpr double letter = 8.0, sample = 60.0;  // [pixels], rather more than they take
  std::size_t longest = 0;
  for (const LegendEntry& entry : legend) longest = std::max(longest, entry.label.size());
  const double column = sample + letter * static_cast<double>(longest);
  const int columns = std::max(1, static_cast<int>(static_cast<double>(width) / column)),
            count = static_cast<int>(legend.size());
  return (count + columns - 1) / columns;
}

}  // namespace nonsmooth
