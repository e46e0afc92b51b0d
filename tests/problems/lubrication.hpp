// SPDX-License-Identifier: Apache-2.0
// Journal bearings with cavitation: Reynolds' equation as a complementarity problem.
#pragma once

#include <vector>

#include <nonsmooth/numerics/lcp/problem.hpp>

#include <problems/obstacle.hpp>

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
  double e;                                    ///< eccentricity ratio
  double s_rupture = rupture_of_sommerfeld();  ///< s_r

  [[nodiscard]] double film(double t) const;
  /// The angle t of Sommerfeld's s; both run from 0 to 2 pi.
  [[nodiscard]] double angle(double s) const;
  [[nodiscard]] double rupture() const { return angle(s_rupture); }
  [[nodiscard]] double pressure(double t) const;

 private:
  [[nodiscard]] double rupture_of_sommerfeld() const;
};

/// Rows times the cell h; nodes t_i = (i + 1) h, i = 0..n-2, h = 2 pi/n; film at the midpoints.
Discretized long_bearing(Index n, double e);

/// The bearing of length L and diameter D, y in units of L, p = 0 at both ends, half of it by symmetry:
///
///     w = -(H^3 p_t)_t - (D/(2 L))^2 (H^3 p_y)_y + H' >= 0.
///
/// n - 1 inner nodes around, m along y = j/(2 m), j = 0..m-1 (j = 0 the middle plane); row j (n - 1) + i, times its
/// cell. M is symmetric, an M-matrix.
lcp::SparseProblem finite_bearing(Index n, Index m, double e, double length_over_diameter);

/// What such a bearing carries.
struct BearingLoad {
  double sommerfeld;  ///< (R/c)^2 mu N/P, P the load on the projected area: 1/(6 pi W), W = |∫∫ p (cos t, sin t)|
  double attitude;    ///< angle between load and line of centres [deg]
};

/// Sums over the nodes of finite_bearing; trapezia in y, with p = 0 at the end.
BearingLoad finite_bearing_load(Index n, Index m, ConstVectorRef p);

/// Published: Raimondi, Boyd 1958, part III [raimondi1958] (full bearing, Reynolds' condition), read as in the
/// handbooks: Sommerfeld number and attitude angle [deg], three digits.
struct BearingEntry {
  double length_over_diameter, e, sommerfeld, attitude;
};
std::vector<BearingEntry> raimondi_boyd();

}  // namespace nonsmooth::problems
