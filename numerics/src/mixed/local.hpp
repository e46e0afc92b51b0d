// SPDX-License-Identifier: Apache-2.0
#pragma once

// One block at a time: natural-map errors and exact local solves, inlined into the loops of the mixed family.

#include <algorithm>
#include <cmath>
#include <limits>

#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>
#include <nonsmooth/numerics/sets.hpp>

namespace nonsmooth::mixed::local {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// The bounds of a scalar set: every one-row kind is an interval.
struct Interval {
  double lower, upper;
};

[[nodiscard]] inline Interval interval(const BlockSet& set) noexcept {
  switch (set.kind) {
    case SetKind::Free:
      return {-infinity, infinity};
    case SetKind::Box:
      return {set.lower, set.upper};
    default:
      return {0.0, infinity};
  }
}

/// (r - P(r - u / s)) s of a scalar set, in the form that cancels nothing: u clamped to [s (r - upper), s (r - lower)].
[[nodiscard]] inline double interval_error(Interval set, double s, double r, double u) noexcept {
  return std::min(std::max(u, s * (r - set.upper)), s * (r - set.lower));
}

/// 1 / rho where the diagonal is of no use: the largest entry of the rows, else 1.
[[nodiscard]] inline double largest_entry(const BlockSparseMatrix& W, Index block, Index first, Index last) {
  const Index rows = W.size(block);
  double largest = 0.0;
  for (Index k = W.row_begin(block); k < W.row_begin(block + 1); ++k) {
    const Index columns = W.size(W.column(k));
    const double* value = W.values(k);
    for (Index j = 0; j < columns; ++j)
      for (Index i = first; i < last; ++i) largest = std::max(largest, std::abs(value[j * rows + i]));
  }
  return largest > 0.0 ? largest : 1.0;
}

struct Error2D {
  double N, T;
};

/// e = (r - P_K(r - rho û)) / rho for the planar Coulomb cone. On an edge with direction d and normal n the error is
/// d (d·û) + n (n·r) / rho, which does not subtract nearly equal numbers.
[[nodiscard]] inline Error2D coulomb_2d_error(double mu, double rho, double r_N, double r_T, double u_N,
                                              double u_T) noexcept {
  u_N += mu * std::abs(u_T);
  const double z_N = r_N - rho * u_N, z_T = r_T - rho * u_T;
  const double slope = std::abs(z_T);
  // mu = 0: nothing below the apex is inside.
  if (z_N > 0.0 ? slope <= mu * z_N : (slope == 0.0 && z_N == 0.0)) return {u_N, u_T};
  if (mu * slope <= -z_N) return {r_N / rho, r_T / rho};
  const double edge = std::copysign(mu, z_T);  // the edge (1, edge), its normal (-edge, 1)
  const double along = (u_N + edge * u_T) / (1.0 + mu * mu);
  const double across = (r_T - edge * r_N) / (rho * (1.0 + mu * mu));
  return {along - edge * across, edge * along + across};
}

/// The exact solution of one planar contact  u = W r + b  with Coulomb's law, by enumeration.
struct Coulomb2D {
  double mu = 0.0;
  double W_NN = 0.0, W_TT = 0.0;
  double stick_NN = 0.0, stick_NT = 0.0, stick_TN = 0.0, stick_TT = 0.0;  ///< W^-1; NaN where W is singular
  /// Sliding with u_T >= 0 (plus) or <= 0 (minus): r_N = -b_N inverse, u_T = b_T + drift r_N. NaN where no r_N > 0
  /// exists.
  double plus_inverse = 0.0, plus_drift = 0.0, minus_inverse = 0.0, minus_drift = 0.0;

  /// W is column-major 2 x 2, rows (N, T). False where W_NN <= 0: nothing local can close the gap.
  [[nodiscard]] bool prepare(const double* W, double friction) noexcept {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    mu = friction;
    W_NN = W[0];
    W_TT = W[3];
    const double W_TN = W[1], W_NT = W[2];
    const double determinant = W_NN * W_TT - W_NT * W_TN;
    // Below 4 eps of its terms the determinant's sign is round-off: the contact can't tell stick from slip.
    const double noise = 4.0 * std::numeric_limits<double>::epsilon() * (std::abs(W_NN * W_TT) + std::abs(W_NT * W_TN));
    const double inverse = std::abs(determinant) > noise ? 1.0 / determinant : nan;
    stick_NN = W_TT * inverse;
    stick_NT = -W_NT * inverse;
    stick_TN = -W_TN * inverse;
    stick_TT = W_NN * inverse;
    const double plus = W_NN - mu * W_NT, minus = W_NN + mu * W_NT;
    plus_inverse = plus > 0.0 ? 1.0 / plus : nan;
    minus_inverse = minus > 0.0 ? 1.0 / minus : nan;
    plus_drift = W_TN - mu * W_TT;
    minus_drift = W_TN + mu * W_TT;
    return W_NN > 0.0;
  }

  /// Take-off first, then stick, then the slip whose tangential velocity has the sign it claims by the wider margin (so
  /// that on the border between two modes round-off can't leave no mode at all). Leaves r where no mode exists.
  void solve(double b_N, double b_T, double& r_N, double& r_T) const noexcept {
    if (b_N >= 0.0) {
      r_N = r_T = 0.0;
      return;
    }
    const double s_N = -(stick_NN * b_N + stick_NT * b_T), s_T = -(stick_TN * b_N + stick_TT * b_T);
    if (std::abs(s_T) <= mu * s_N) {
      r_N = s_N;
      r_T = s_T;
      return;
    }
    const double p_N = -b_N * plus_inverse, p_u = b_T + plus_drift * p_N;
    const double m_N = -b_N * minus_inverse, m_u = -(b_T + minus_drift * m_N);
    if (p_u >= m_u || (m_u != m_u && p_u == p_u)) {
      r_N = p_N;
      r_T = -mu * p_N;
    } else if (m_u == m_u) {
      r_N = m_N;
      r_T = mu * m_N;
    }
  }
};

}  // namespace nonsmooth::mixed::local
