// SPDX-License-Identifier: Apache-2.0
// Journal bearings with cavitation: Reynolds' equation as a complementarity problem.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "obstacle.hpp"

namespace nonsmooth::problems {

/// The long bearing, film H = 1 + e cos t, 0 < e < 1, t in (0, 2 pi), pressure in 6 mu U R/c^2:
///
///     p >= 0,  w = -(H^3 p')' + H' >= 0,  p w = 0,  p(0) = p(2 pi) = 0.
///
/// Closed form (Reynolds, or Swift-Stieber, condition p = p' = 0 at the film's rupture): p' = 1/H^2 - H(t_r)/H^3, and
/// with Sommerfeld's angle s, H = (1 - e^2)/(1 - e cos s),
///
///     p = (1 - e^2)^(-3/2) [s - e sin s - ((1 + e^2/2) s - 2 e sin s + e^2/4 sin 2s)/(1 - e cos s_r)],
///     2 (sin s_r - s_r cos s_r) = e (s_r - sin s_r cos s_r),  pi < s_r < 3 pi/2   (p(s_r) = 0).
struct LongBearing {
  double e;  ///< eccentricity ratio
  double s_rupture =
      bisect([this](double s) { return 2.0 * (std::sin(s) - s * std::cos(s)) - e * (s - std::sin(s) * std::cos(s)); },
             std::numbers::pi, 1.5 * std::numbers::pi);

  [[nodiscard]] double film(double t) const { return 1.0 + e * std::cos(t); }
  /// The angle t of Sommerfeld's s; both run from 0 to 2 pi.
  [[nodiscard]] double angle(double s) const {
    return 2.0 * std::atan2(std::sqrt(1.0 + e) * std::sin(s / 2.0), std::sqrt(1.0 - e) * std::cos(s / 2.0));
  }
  [[nodiscard]] double rupture() const { return angle(s_rupture); }
  [[nodiscard]] double pressure(double t) const {
    const double s = 2.0 * std::atan2(std::sqrt(1.0 - e) * std::sin(t / 2.0), std::sqrt(1.0 + e) * std::cos(t / 2.0));
    if (s >= s_rupture) return 0.0;
    const double film_term = s - e * std::sin(s);
    const double flow = (1.0 + e * e / 2.0) * s - 2.0 * e * std::sin(s) + e * e / 4.0 * std::sin(2.0 * s);
    return std::pow(1.0 - e * e, -1.5) * (film_term - flow / (1.0 - e * std::cos(s_rupture)));
  }
};

/// Rows times the cell h; nodes t_i = (i + 1) h, i = 0..n-2, h = 2 pi/n; film at the midpoints.
inline Discretized long_bearing(Index n, double e) {
  const LongBearing bearing{e};
  const double h = 2.0 * std::numbers::pi / double(n);
  Discretized d{{Eigen::SparseMatrix<double>(n - 1, n - 1), Eigen::VectorXd(n - 1)}, Eigen::VectorXd(n - 1), h};
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i + 1 < n; ++i) {
    const double t = double(i + 1) * h;
    const double before = std::pow(bearing.film(t - h / 2), 3) / h, after = std::pow(bearing.film(t + h / 2), 3) / h;
    entries.emplace_back(int(i), int(i), before + after);
    if (i > 0) entries.emplace_back(int(i), int(i - 1), -before);
    if (i + 2 < n) entries.emplace_back(int(i), int(i + 1), -after);
    d.problem.q[i] = bearing.film(t + h / 2) - bearing.film(t - h / 2);
    d.exact[i] = bearing.pressure(t);
  }
  d.problem.M.setFromTriplets(entries.begin(), entries.end());
  return d;
}

/// The bearing of length L and diameter D, y in units of L, p = 0 at both ends, half of it by symmetry:
///
///     w = -(H^3 p_t)_t - (D/(2 L))^2 (H^3 p_y)_y + H' >= 0.
///
/// n - 1 inner nodes around, m along y = j/(2 m), j = 0..m-1 (j = 0 the middle plane); row j (n - 1) + i, times its
/// cell. M is symmetric, an M-matrix.
inline lcp::SparseProblem finite_bearing(Index n, Index m, double e, double length_over_diameter) {
  const LongBearing bearing{e};
  const double h = 2.0 * std::numbers::pi / double(n), k = 0.5 / double(m);
  const double ratio = 0.25 / (length_over_diameter * length_over_diameter);
  const Index around = n - 1;
  lcp::SparseProblem problem{Eigen::SparseMatrix<double>(around * m, around * m), Eigen::VectorXd(around * m)};
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < m; ++j) {
    const double width = j == 0 ? k / 2.0 : k;
    for (Index i = 0; i < around; ++i) {
      const int row = int(j * around + i);
      const double t = double(i + 1) * h;
      const double before = width * std::pow(bearing.film(t - h / 2), 3) / h;
      const double after = width * std::pow(bearing.film(t + h / 2), 3) / h;
      const double along = ratio * std::pow(bearing.film(t), 3) * h / k;
      entries.emplace_back(row, row, before + after + along * (j == 0 ? 1.0 : 2.0));
      if (i > 0) entries.emplace_back(row, row - 1, -before);
      if (i + 1 < around) entries.emplace_back(row, row + 1, -after);
      if (j > 0) entries.emplace_back(row, row - int(around), -along);
      if (j + 1 < m) entries.emplace_back(row, row + int(around), -along);
      problem.q[row] = width * (bearing.film(t + h / 2) - bearing.film(t - h / 2));
    }
  }
  problem.M.setFromTriplets(entries.begin(), entries.end());
  return problem;
}

/// What such a bearing carries.
struct BearingLoad {
  double sommerfeld;  ///< (R/c)^2 mu N/P, P the load on the projected area: 1/(6 pi W), W = |∫∫ p (cos t, sin t)|
  double attitude;    ///< angle between load and line of centres [deg]
};

/// Sums over the nodes of finite_bearing; trapezia in y, with p = 0 at the end.
inline BearingLoad finite_bearing_load(Index n, Index m, ConstVectorRef p) {
  const double h = 2.0 * std::numbers::pi / double(n), k = 0.5 / double(m);
  double along = 0.0, across = 0.0;
  for (Index j = 0; j < m; ++j) {
    for (Index i = 0; i + 1 < n; ++i) {
      const double force = 2.0 * h * (j == 0 ? k / 2.0 : k) * p[j * (n - 1) + i];
      along -= force * std::cos(double(i + 1) * h);
      across += force * std::sin(double(i + 1) * h);
    }
  }
  return {1.0 / (6.0 * std::numbers::pi * std::hypot(along, across)),
          std::atan2(across, along) * 180.0 / std::numbers::pi};
}

/// Published: Raimondi, Boyd 1958, part III [raimondi1958] (full bearing, Reynolds' condition), read as in the
/// handbooks: Sommerfeld number and attitude angle [deg], three digits.
struct BearingEntry {
  double length_over_diameter, e, sommerfeld, attitude;
};
inline std::vector<BearingEntry> raimondi_boyd() {
  return {{1.0, 0.2, 0.631, 74.02}, {1.0, 0.4, 0.264, 63.10}, {1.0, 0.6, 0.121, 50.58}, {1.0, 0.8, 0.0446, 36.24},
          {0.5, 0.2, 2.03, 74.94},  {0.5, 0.4, 0.779, 61.45}, {0.5, 0.6, 0.319, 48.14}, {0.5, 0.8, 0.0923, 33.31},
          {0.25, 0.6, 1.07, 46.72}, {0.25, 0.8, 0.261, 31.04}};
}

}  // namespace nonsmooth::problems
