// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nonsmooth/io/figure.hpp>

namespace nonsmooth::benchmarks {

/// times[solver][problem] in seconds; infinity: no answer. As many times for every solver.
using Times = std::map<std::string, std::vector<double>>;

/// `text` as gnuplot's enhanced text shows it letter by letter.
inline std::string plain_label(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("_^{}@&~\\").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// Performance profiles (Dolan, More 2002): the share of the problems that a solver answers within tau times the least
/// time of any. `ours` is drawn in full, what it is compared with dashed: of these the five with the largest area below
/// them over log tau, for a figure has six colours. Curves end at tau = `most`; the legend is to the right of it.
inline Panel performance_profile(const Times& times, std::string_view ours, const std::string& label, double most) {
  constexpr std::size_t num_colours = 6;
  Panel panel{.x = {.label = "time / best time", .low = 1.0, .high = 10.0 * most, .logarithmic = true},
              .y = {.label = label, .low = 0.0, .high = 1.02}};
  const std::size_t count = times.empty() ? 0 : times.begin()->second.size();
  std::vector<double> best(count, std::numeric_limits<double>::infinity());
  for (const auto& [solver, own] : times) {
    for (std::size_t k = 0; k < count; ++k) best[k] = std::min(best[k], own[k]);
  }
  std::vector<std::pair<double, Series>> curves;  // by area
  for (const auto& [solver, own] : times) {
    std::vector<double> ratios;
    for (std::size_t k = 0; k < count; ++k) {
      if (std::isfinite(own[k]) && own[k] <= most * best[k]) ratios.push_back(own[k] / best[k]);
    }
    std::sort(ratios.begin(), ratios.end());
    const bool first = solver == ours;
    Series curve{.x = {1.0},
                 .y = {0.0},
                 .label = plain_label(solver),
                 .style = first ? Series::Style::Line : Series::Style::Dashed};
    double area = 0.0;
    const auto step = [&](double x, double y) {
      area += curve.y.back() * std::log(x / curve.x.back());
      curve.x.insert(curve.x.end(), {x, x});
      curve.y.insert(curve.y.end(), {curve.y.back(), y});
    };
    for (std::size_t k = 0; k < ratios.size(); ++k)
      step(ratios[k], static_cast<double>(k + 1) / static_cast<double>(count));
    step(most, curve.y.back());
    curves.emplace_back(first ? std::numeric_limits<double>::infinity() : area, std::move(curve));
  }
  std::stable_sort(curves.begin(), curves.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (curves.size() > num_colours) curves.resize(num_colours);
  for (auto& [area, curve] : curves) panel.series.push_back(std::move(curve));
  return panel;
}

}  // namespace nonsmooth::benchmarks
