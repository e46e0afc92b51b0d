// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/panels.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "number.hpp"

namespace nonsmooth {
namespace {

void check_count(const std::string& what, std::size_t found, std::size_t expected, const char* why) {
  if (found != expected)
    throw InvalidArgument(what, std::to_string(found) + " entries", std::to_string(expected) + ", " + why);
}

template <class Curves>
void check_any(const std::string& what, const Curves& curves) {
  if (curves.empty()) throw InvalidArgument(what, "none", "at least one");
}

std::string place(const std::string& what, std::size_t i) { return what + "[" + std::to_string(i) + "]"; }

}  // namespace

Panel time_series(const std::vector<double>& t, const std::string& label, const std::vector<Curve>& curves,
                  const std::string& time) {
  check_any("time_series: curves", curves);
  Panel panel{.x = {.label = time}, .y = {.label = label}};
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const Curve& curve = curves[i];
    check_count(place("time_series: curves", i), curve.values.size(), t.size(), "one an instant");
    panel.series.push_back({.x = t, .y = curve.values, .label = curve.label, .style = curve.style});
  }
  for (const double instant : t) {  // fmin and fmax leave NaN out
    panel.x.low = std::fmin(panel.x.low, instant);
    panel.x.high = std::fmax(panel.x.high, instant);
  }
  // What is kept after each step begins a step after 0, which the axis shows all the same.
  if (panel.x.low > 0.0 && panel.x.low < 0.01 * panel.x.high) panel.x.low = 0.0;
  if (!(panel.x.high > panel.x.low)) panel.x.low = panel.x.high = std::numeric_limits<double>::quiet_NaN();
  return panel;
}

Panel phase_portrait(const std::string& position, const std::string& velocity, const std::vector<Orbit>& orbits) {
  check_any("phase_portrait: orbits", orbits);
  Panel panel{.x = {.label = position}, .y = {.label = velocity}};
  for (std::size_t i = 0; i < orbits.size(); ++i) {
    const Orbit& orbit = orbits[i];
    check_count(place("phase_portrait: orbits", i) + ".v", orbit.v.size(), orbit.q.size(), "as many as q");
    panel.series.push_back({.x = orbit.q, .y = orbit.v, .label = orbit.label, .style = orbit.style});
  }
  return panel;
}

OrderFit fit_order(const std::vector<double>& h, const std::vector<double>& errors, double floor) {
  check_count("fit_order: errors", errors.size(), h.size(), "one a step");
  double n = 0.0, x_mean = 0.0, y_mean = 0.0;
  for (std::size_t i = 0; i < h.size(); ++i) {
    check::positive(place("fit_order: h", i), h[i]);
    check::range(place("fit_order: errors", i), errors[i], 0.0, std::numeric_limits<double>::max());
    if (!(errors[i] > floor)) continue;
    n += 1.0;
    x_mean += (std::log(h[i]) - x_mean) / n;
    y_mean += (std::log(errors[i]) - y_mean) / n;
  }
  double xx = 0.0, xy = 0.0;  // about the means, so that nothing cancels
  for (std::size_t i = 0; i < h.size(); ++i) {
    if (!(errors[i] > floor)) continue;
    xx += (std::log(h[i]) - x_mean) * (std::log(h[i]) - x_mean);
    xy += (std::log(h[i]) - x_mean) * (std::log(errors[i]) - y_mean);
  }
  if (n < 2.0 || !(xx > 0.0)) {
    throw InvalidArgument("fit_order: errors", number(n) + " above " + number(floor, 7),
                          "at least two, at different steps");
  }
  return {.order = xy / xx, .constant = std::exp(y_mean - xy / xx * x_mean)};
}

Panel convergence(const std::vector<double>& h, const std::string& label, const std::vector<Curve>& curves,
                  double floor, const std::string& step) {
  check_any("convergence: curves", curves);
  Panel panel{.x = {.label = step, .logarithmic = true}, .y = {.label = label, .logarithmic = true}};
  const auto [first, last] = std::minmax_element(h.begin(), h.end());
  for (const Curve& curve : curves) {
    const OrderFit fit = fit_order(h, curve.values, floor);
    Series line{.style = Series::Style::Guide};
    for (std::size_t i = 0; i < h.size(); ++i) {
      if (!(curve.values[i] > floor)) continue;
      line.x.push_back(h[i]);
      line.y.push_back(fit.constant * std::pow(h[i], fit.order));
    }
    std::array<char, 32> order{};
    const double shown = std::abs(fit.order) < 0.005 ? 0.0 : fit.order;  // no "-0.00"
    const auto end = std::to_chars(order.data(), order.data() + order.size(), shown, std::chars_format::fixed, 2).ptr;
    panel.series.push_back(std::move(line));
    panel.series.push_back(
        {.x = h,
         .y = curve.values,
         .label = curve.label + (curve.label.empty() ? "order " : ": order ") + std::string(order.data(), end),
         .style = Series::Style::Markers});
  }
  // Whole decades, so that both ends have their numbers; a step that is rounded above 0.1 begins no new one.
  panel.x.low = std::pow(10.0, std::floor(std::log10(*first) + 1e-9));
  panel.x.high = std::pow(10.0, std::ceil(std::log10(*last) - 1e-9));
  return panel;
}

Panel profiles(const std::map<std::string, std::vector<double>>& times, const ProfileOptions& options) {
  check_any("profiles: times", times);
  if (!(options.most > 1.0)) throw InvalidArgument("ProfileOptions::most", number(options.most, 7), "more than 1");
  const std::size_t count = times.begin()->second.size();
  std::vector<double> best(count, std::numeric_limits<double>::infinity());
  for (const auto& [solver, own] : times) {
    const std::string what = "profiles: times of " + solver;
    check_count(what, own.size(), count, "as many as the first solver has");
    for (std::size_t p = 0; p < count; ++p) {
      if (!(own[p] > 0.0)) throw InvalidArgument(place(what, p), number(own[p], 7), "> 0");
      best[p] = std::min(best[p], own[p]);
    }
  }
  std::vector<std::pair<double, Series>> curves;  // by area over log tau
  for (const auto& [solver, own] : times) {
    std::vector<double> ratios;
    for (std::size_t p = 0; p < count; ++p) {
      if (std::isfinite(own[p]) && own[p] <= options.most * best[p]) ratios.push_back(own[p] / best[p]);
    }
    std::sort(ratios.begin(), ratios.end());
    const bool first = solver == options.first;
    Series curve{.x = {1.0},
                 .y = {0.0},
                 .label = plain_text(solver),
                 .style = first || options.first.empty() ? Series::Style::Line : Series::Style::Dashed};
    double area = 0.0;
    const auto step = [&](double x, double y) {
      area += curve.y.back() * std::log(x / curve.x.back());
      curve.x.insert(curve.x.end(), {x, x});
      curve.y.insert(curve.y.end(), {curve.y.back(), y});
    };
    for (std::size_t k = 0; k < ratios.size(); ++k)
      step(ratios[k], static_cast<double>(k + 1) / static_cast<double>(count));
    step(options.most, curve.y.back());
    curves.emplace_back(first ? std::numeric_limits<double>::infinity() : area, std::move(curve));
  }
  std::stable_sort(curves.begin(), curves.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (curves.size() > options.shown) curves.resize(std::max<std::size_t>(options.shown, 1));
  Panel panel{.x = {.label = "time / best time", .low = 1.0, .high = options.most, .logarithmic = true},
              .y = {.label = options.label, .low = 0.0, .high = 1.02}};
  for (auto& [area, curve] : curves) panel.series.push_back(std::move(curve));
  return panel;
}

Panel spectrum(const std::vector<double>& t, const std::string& label, const std::vector<Curve>& curves,
               const SpectrumOptions& options, const std::string& frequency) {
  check_any("spectrum: curves", curves);
  Panel panel{.x = {.label = frequency}, .y = {.label = label, .logarithmic = true}};
  for (const Curve& curve : curves) {
    Spectrum one = spectrum_of(t, curve.values, options);
    panel.x.low = 0.0;
    panel.x.high = one.frequency.back();
    panel.series.push_back(
        {.x = std::move(one.frequency), .y = std::move(one.value), .label = curve.label, .style = curve.style});
  }
  return panel;
}

}  // namespace nonsmooth
