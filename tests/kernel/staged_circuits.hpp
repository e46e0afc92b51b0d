// SPDX-License-Identifier: Apache-2.0
// Circuits with an ideal diode and with a Zener diode, and their closed forms.
#pragma once

#include <cmath>
#include <numbers>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::staged_circuits {

/// Resistor, coil and capacitor beside an ideal diode, x = (charge, current), 0 <= lambda ⟂ w >= 0:
///
///     x1' = x2 - x1/(RC) - lambda/R,   x2' = -x1/(LC) - lambda/L,   w = lambda/R + x1/(RC) - x2.
///
/// From (1, -1) the diode blocks until the charge is least, at t*; then the charge stands and the current decays by
/// R/L. Acary & Brogliato 2008, 1.1.2 (a) [acarybrogliato2008].
struct Diode {
  static constexpr double R = 10.0, L = 1.0, C = 1.0 / (4.0 * std::numbers::pi * std::numbers::pi);
  static constexpr double s = 1.0 / (2.0 * R * C), v0 = -1.0 - 1.0 / (R * C);
  double w = std::sqrt(1.0 / (L * C) - s * s);
  /// x1' = 0 first.
  double t_switch = (std::atan2(v0 * w, 1.0 / (L * C) + s * v0) + std::numbers::pi) / w;

  [[nodiscard]] Eigen::Vector2d blocking(double t) const {
    const double e = std::exp(-s * t), c = std::cos(w * t), sn = std::sin(w * t), a = (v0 + s) / w;
    const double x1 = e * (c + a * sn), rate = e * ((-s + a * w) * c + (-w - a * s) * sn);
    return {x1, rate + x1 / (R * C)};
  }
  [[nodiscard]] Eigen::Vector2d exact(double t) const {
    if (t <= t_switch) return blocking(t);
    const Eigen::Vector2d at = blocking(t_switch);
    return {at[0], at[1] * std::exp(-R / L * (t - t_switch))};
  }
  static void add(const Eigen::Vector2d& x0, NonSmoothDynamicalSystem& model) {
    const auto circuit = model.add(
        FirstOrderLinearSystem{.A = {{-1.0 / (R * C), 1.0}, {-1.0 / (L * C), 0.0}}, .x0 = x0, .name = "circuit"});
    model.link(circuit,
               FirstOrderLinearRelation{.C = {{1.0 / (R * C), -1.0}}, .D = {{1.0 / R}}, .B = {{-1.0 / R}, {-1.0 / L}}},
               ComplementarityLaw{}, "diode");
  }
  [[nodiscard]] NonSmoothDynamicalSystem model(const Eigen::Vector2d& x0) const {
    NonSmoothDynamicalSystem model;
    add(x0, model);
    return model;
  }
};

/// Resistor, coil and capacitor beside a Zener diode of voltage V, a relay of bounds 0 and V:
///
///     x1' = x2,   L x2' = -R x2 - x1/C + v,   -x2 in N_[0,V](v).
///
/// From (1, 1) with V = 20 the current turns once at t1, runs back for half a period under v = V, and stays 0.
/// Acary & Brogliato 2008, 1.2 [acarybrogliato2008].
struct Zener {
  static constexpr double R = 0.1, L = 1.0, C = 1.0 / (4.0 * std::numbers::pi * std::numbers::pi), V = 20.0;
  static constexpr double s = R / (2.0 * L);
  double w = std::sqrt(1.0 / (L * C) - s * s);
  double t_turn = std::atan2(w, 1.0 / (L * C) + s) / w;
  double t_stick = t_turn + std::numbers::pi / w;

  /// x1'' + 2 s x1' + (x1 - centre) / (LC) = 0 from (x1, x2) after t.
  [[nodiscard]] Eigen::Vector2d swing(double centre, const Eigen::Vector2d& x, double t) const {
    const double e = std::exp(-s * t), c = std::cos(w * t), sn = std::sin(w * t), d = x[0] - centre;
    const double a = (x[1] + s * d) / w;
    return {centre + e * (d * c + a * sn), e * ((-s * d + a * w) * c + (-d * w - a * s) * sn)};
  }
  [[nodiscard]] Eigen::Vector2d exact(double t) const {
    const Eigen::Vector2d start(1.0, 1.0);
    if (t <= t_turn) return swing(0.0, start, t);
    const Eigen::Vector2d turn(swing(0.0, start, t_turn)[0], 0.0);
    if (t <= t_stick) return swing(C * V, turn, t - t_turn);
    return {swing(C * V, turn, t_stick - t_turn)[0], 0.0};
  }
  [[nodiscard]] static NonSmoothDynamicalSystem model() {
    NonSmoothDynamicalSystem model;
    const auto circuit = model.add(
        FirstOrderLinearSystem{.A = {{0.0, 1.0}, {-1.0 / (L * C), -R / L}}, .x0 = {1.0, 1.0}, .name = "circuit"});
    model.link(circuit, FirstOrderLinearRelation{.C = {{0.0, 1.0}}, .B = {{0.0}, {1.0 / L}}},
               RelayLaw{.lower = 0.0, .upper = V}, "zener");
    return model;
  }
};

}  // namespace nonsmooth::staged_circuits
