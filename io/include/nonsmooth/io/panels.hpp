// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nonsmooth/io/figure.hpp>
#include <nonsmooth/io/spectrum.hpp>

/// Panels of five kinds, to be drawn by `draw` of `nonsmooth/io/figure.hpp`. What a function returns is a plain
/// `Panel`: bounds, guides or further series may be added. All throw InvalidArgument for vectors of different lengths,
/// named by their place in the call, and for no curve.
namespace nonsmooth {

/// Values over what all curves of a panel share, e.g. the instants.
struct Curve {
  std::vector<double> values{};  ///< as many as there are instants; NaN breaks the line
  std::string label{};           ///< in the legend; empty: not there
  Series::Style style = Series::Style::Line;
};

/// Values over time. The axis to the right ends with the instants, and begins with them or at 0 where that is less than
/// a hundredth of it before.
///
///     draw({.title = "Ball", .panels = {time_series(t, "height [m]", {{q}}), time_series(t, "velocity [m/s]",
///     {{v}})}}, "ball");
///
/// @param t instants, ascending
/// @param label of the axis upwards, with its unit
/// @param curves values, one an instant
/// @param time of the axis to the right, with the unit of t
[[nodiscard]] Panel time_series(const std::vector<double>& t, const std::string& label,
                                const std::vector<Curve>& curves, const std::string& time = "time [s]");

/// A motion in its phase plane.
struct Orbit {
  std::vector<double> q{}, v{};  ///< position and velocity, one pair an instant; NaN breaks the line
  std::string label{};
  Series::Style style = Series::Style::Line;
};

/// Velocities over positions. An impact is a vertical line where the samples lie on both sides of it.
/// @param position, velocity labels of the axes, with their units: "angle [rad]", "angular velocity [rad/s]"
/// @param orbits the motions
[[nodiscard]] Panel phase_portrait(const std::string& position, const std::string& velocity,
                                   const std::vector<Orbit>& orbits);

/// error ~ constant h^order
struct OrderFit {
  double order = 0.0, constant = 0.0;
};

/// The straight line through (log h_i, log error_i) by least squares, over the errors above `floor`: those below are
/// rounding (or 0) and say nothing of the order.
/// @throws InvalidArgument: fewer than two errors above `floor` at different steps, a step that is not positive,
/// another count of errors, an error that is negative or no number.
[[nodiscard]] OrderFit fit_order(const std::vector<double>& h, const std::vector<double>& errors, double floor = 0.0);

/// Errors over steps, both logarithmic: markers, behind them the line of fit_order, and its order in the legend.
/// @param h steps, > 0
/// @param label of the axis upwards, with its unit: "largest error [m]"
/// @param curves errors, one a step; the style is not used
/// @param floor of fit_order, [unit of the errors]: those below are drawn and not fitted
/// @param step label of the axis to the right, with the unit of h
[[nodiscard]] Panel convergence(const std::vector<double>& h, const std::string& label,
                                const std::vector<Curve>& curves, double floor = 0.0,
                                const std::string& step = "step [s]");

struct ProfileOptions {
  double most = 100.0;    ///< right end of the axis, in multiples of the best time, > 1
  std::string first{};    ///< of this solver: drawn in full and named first, the others dashed; empty: all in full
  std::size_t shown = 7;  ///< at most so many curves, those with the largest areas below them; `first` is always there
  std::string label = "share of the problems solved";
};

/// Performance profiles (Dolan and More 2002): the share rho(tau) of the problems that a solver answers within tau
/// times the least time of any,
///
///     rho_s(tau) = #{p : times_s[p] <= tau min_r times_r[p]} / #p.
///
/// @param times of each solver, by name: one a problem, > 0 in any unit; infinity where it has no answer
/// @param options see ProfileOptions
/// @throws InvalidArgument: another count of times than the first solver has, a time that is not positive, most <= 1.
[[nodiscard]] Panel profiles(const std::map<std::string, std::vector<double>>& times,
                             const ProfileOptions& options = {});

/// Spectra (spectrum_of) over frequency, upwards logarithmic.
/// @param t instants, equally far apart
/// @param label of the axis upwards, with the unit of the options' scale: "current [A]", "current [A^2/Hz]"
/// @param curves values, one an instant
/// @param options of spectrum_of
/// @param frequency label of the axis to the right, with the unit 1 / that of t
[[nodiscard]] Panel spectrum(const std::vector<double>& t, const std::string& label, const std::vector<Curve>& curves,
                             const SpectrumOptions& options = {}, const std::string& frequency = "frequency [Hz]");

}  // namespace nonsmooth
