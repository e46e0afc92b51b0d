// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <nonsmooth/io/panels.hpp>

#include "figures.hpp"

namespace nonsmooth::panels_test {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The value of a curve that goes up in steps, right of tau.
double value_at(const Series& curve, double tau) {
  double value = 0.0;
  for (std::size_t i = 0; i < curve.x.size(); ++i)
    if (curve.x[i] <= tau) value = curve.y[i];
  return value;
}

TEST(Panels, TimeSeriesEndWithTheirInstants) {
  const std::vector<double> t{0.5, 1.0, 2.5}, q{1.0, 2.0, 3.0};
  const Panel panel = time_series(t, "height [m]", {{q, "q"}, {q, "exact", Series::Style::Guide}}, "time [ms]");
  EXPECT_EQ(panel.x.label, "time [ms]");
  EXPECT_EQ(panel.y.label, "height [m]");
  EXPECT_EQ(panel.x.low, 0.5);
  EXPECT_EQ(panel.x.high, 2.5);
  ASSERT_EQ(panel.series.size(), 2u);
  EXPECT_EQ(panel.series[0].x, t);
  EXPECT_EQ(panel.series[0].y, q);
  EXPECT_EQ(panel.series[0].label, "q");
  EXPECT_EQ(panel.series[1].style, Series::Style::Guide);
  EXPECT_EQ(time_series({0.01, 1.0, 2.0}, "q", {{q}}).x.low, 0.0);    // a step after 0
  EXPECT_TRUE(std::isnan(time_series({1.0}, "q", {{{2.0}}}).x.low));  // one instant is no range
}

TEST(Panels, PhasePortraitsHaveVelocityOverPosition) {
  const std::vector<double> q{0.0, 1.0}, v{3.0, 2.0};
  const Panel panel = phase_portrait("angle [rad]", "angular velocity [rad/s]", {{q, v, "pendulum"}});
  EXPECT_EQ(panel.x.label, "angle [rad]");
  EXPECT_EQ(panel.y.label, "angular velocity [rad/s]");
  EXPECT_EQ(panel.series[0].x, q);
  EXPECT_EQ(panel.series[0].y, v);
}

// error = 3 h^2 exactly: order and constant to rounding; one of h / 2 and a floor that hides it change nothing.
TEST(Panels, OrdersAreFitted) {
  const std::vector<double> h{0.1, 0.05, 0.02, 1e-5};
  std::vector<double> errors;
  for (const double step : h) errors.push_back(3.0 * step * step);
  const OrderFit fit = fit_order(h, errors);
  EXPECT_NEAR(fit.order, 2.0, 1e-13);
  EXPECT_NEAR(fit.constant, 3.0, 1e-12);
  errors.back() = 1e-9;  // rounding
  EXPECT_LT(fit_order(h, errors).order, 1.9);
  EXPECT_NEAR(fit_order(h, errors, 1e-8).order, 2.0, 1e-13);
  errors.back() = 0.0;  // an exact answer has no logarithm
  EXPECT_NEAR(fit_order(h, errors).order, 2.0, 1e-13);
}

// Least squares by hand: log2 of (h, error) = (0, 0), (1, 1), (2, 3): slope 3 / 2, and the line goes through (1, 4/3).
TEST(Panels, OrdersAreLeastSquares) {
  const OrderFit fit = fit_order({1.0, 2.0, 4.0}, {1.0, 2.0, 8.0});
  EXPECT_NEAR(fit.order, 1.5, 1e-14);
  EXPECT_NEAR(fit.constant, std::exp2(4.0 / 3.0 - 1.5), 1e-14);
}

TEST(Panels, ConvergenceSaysItsOrder) {
  const Panel panel =
      convergence({0.1, 0.01}, "error [m]", {{{1e-2, 1e-4}, "midpoint"}, {{0.1, 0.01}}}, 0.0, "step h [s]");
  EXPECT_TRUE(panel.x.logarithmic);
  EXPECT_TRUE(panel.y.logarithmic);
  EXPECT_NEAR(panel.x.low, 0.01, 1e-15);  // no decade more
  EXPECT_NEAR(panel.x.high, 0.1, 1e-15);
  ASSERT_EQ(panel.series.size(), 4u);
  EXPECT_EQ(panel.series[0].style, Series::Style::Guide);
  EXPECT_NEAR(panel.series[0].y[1], 1e-4, 1e-16);
  EXPECT_EQ(panel.series[1].label, "midpoint: order 2.00");
  EXPECT_EQ(panel.series[1].style, Series::Style::Markers);
  EXPECT_EQ(panel.series[3].label, "order 1.00");
  // What does not converge may shrink or grow a little: neither is "-0.00".
  EXPECT_EQ(convergence({0.1, 0.01}, "error", {{{1.0, 1.001}}}).series[1].label, "order 0.00");
}

// Three problems; b answers the second and third, and is twice as slow as a on the second. Best times: 1, 2, 3.
//   a: ratios 1, 1, none within 10 (no answer)     rho(1) = 2/3 everywhere
//   b: none, 2, 1                                  rho(1) = 1/3, rho(2) = 2/3
//   c: 4, 30, 3                                    rho(3) = 1/3, rho(4) = 2/3, the other is beyond 10
TEST(Panels, ProfilesAreThoseOfTheirDefinition) {
  const std::map<std::string, std::vector<double>> times{
      {"a", {1.0, 2.0, infinity}}, {"b", {infinity, 4.0, 3.0}}, {"c_1", {4.0, 60.0, 9.0}}};
  const Panel panel = profiles(times, {.most = 10.0, .first = "c_1"});
  ASSERT_EQ(panel.series.size(), 3u);
  EXPECT_EQ(panel.series[0].label, "c\\_1");
  EXPECT_EQ(panel.series[0].style, Series::Style::Line);
  EXPECT_EQ(panel.series[1].label, "a");  // more area than b
  EXPECT_EQ(panel.series[1].style, Series::Style::Dashed);
  const auto check = [&](std::size_t curve, double tau, double share) {
    EXPECT_NEAR(value_at(panel.series[curve], tau), share, 1e-15) << curve << " at " << tau;
  };
  check(0, 2.9, 0.0), check(0, 3.0, 1.0 / 3.0), check(0, 4.0, 2.0 / 3.0), check(0, 10.0, 2.0 / 3.0);
  check(1, 1.0, 2.0 / 3.0), check(1, 10.0, 2.0 / 3.0);
  check(2, 1.0, 1.0 / 3.0), check(2, 1.9, 1.0 / 3.0), check(2, 2.0, 2.0 / 3.0), check(2, 10.0, 2.0 / 3.0);
  for (const Series& curve : panel.series) EXPECT_EQ(curve.x.back(), 10.0);
  EXPECT_EQ(panel.x.high, 10.0);
  EXPECT_EQ(profiles(times, {.first = "c_1", .shown = 1}).series[0].label, "c\\_1");
}

TEST(Panels, SpectraGoToHalfTheSamplingFrequency) {
  std::vector<double> t, y;
  for (int j = 0; j < 100; ++j) t.push_back(0.01 * j), y.push_back(std::cos(2.0 * M_PI * 20.0 * t.back()));
  const Panel panel = spectrum(t, "voltage [V]", {{y, "v"}});
  EXPECT_EQ(panel.x.label, "frequency [Hz]");
  EXPECT_TRUE(panel.y.logarithmic);
  EXPECT_NEAR(panel.x.high, 50.0, 1e-10);
  const Series& series = panel.series[0];
  const auto largest = std::max_element(series.y.begin(), series.y.end()) - series.y.begin();
  EXPECT_NEAR(series.x[static_cast<std::size_t>(largest)], 20.0, 1e-10);
  EXPECT_NEAR(series.y[static_cast<std::size_t>(largest)], 1.0, 1e-12);
}

TEST(Panels, RefuseWhatTheyCannotDraw) {
  const std::vector<double> t{0.0, 1.0};
  EXPECT_EQ(refused([&] { return time_series(t, "q", {}); }), "time_series: curves");
  EXPECT_EQ(refused([&] { return time_series(t, "q", {{{1.0, 2.0}}, {{1.0}}}); }), "time_series: curves[1]");
  EXPECT_EQ(refused([&] { return phase_portrait("q", "v", {}); }), "phase_portrait: orbits");
  EXPECT_EQ(refused([&] { return phase_portrait("q", "v", {{t, {1.0}}}); }), "phase_portrait: orbits[0].v");
  EXPECT_EQ(refused([&] { return fit_order({0.1, 0.0}, {1.0, 1.0}); }), "fit_order: h[1]");
  EXPECT_EQ(refused([&] { return fit_order({0.1, 0.2}, {1.0, -1.0}); }), "fit_order: errors[1]");
  EXPECT_EQ(refused([&] { return fit_order({0.1, 0.2}, {1.0}); }), "fit_order: errors");
  EXPECT_EQ(refused([&] { return fit_order({0.1, 0.2}, {1.0, 1e-20}, 1e-15); }), "fit_order: errors");
  EXPECT_EQ(refused([&] { return fit_order({0.1, 0.1}, {1.0, 2.0}); }), "fit_order: errors");
  EXPECT_EQ(refused([&] { return convergence(t, "e", {}); }), "convergence: curves");
  EXPECT_EQ(refused([&] { return profiles({}); }), "profiles: times");
  EXPECT_EQ(refused([&] { return profiles({{"a", t}}); }), "profiles: times of a[0]");
  EXPECT_EQ(refused([&] { return profiles({{"a", {1.0}}, {"b", {1.0, 2.0}}}); }), "profiles: times of b");
  EXPECT_EQ(refused([&] { return profiles({{"a", {1.0}}}, {.most = 1.0}); }), "ProfileOptions::most");
  EXPECT_EQ(refused([&] { return spectrum(t, "y", {}); }), "spectrum: curves");
}

}  // namespace
}  // namespace nonsmooth::panels_test
