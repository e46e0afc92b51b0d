// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nonsmooth {

/// Moreau-Jean time-stepping for mechanics, velocity level.
///
///     A = M + h theta C + h^2 theta^2 K   (M - h theta dF/dv - h^2 theta^2 dF/dq where something is nonlinear)
///     v_{k+1} = v_free + A^-1 H^T p,      q_{k+1} = retract(q_k, h (theta v_{k+1} + (1-theta) v_k))
///
/// Contacts enter the problem where y_k + forecast h u_k <= 0. Order 1 with impacts, 2 without for theta = 1/2. An
/// impulse's work p (u+ + u-) / 2 is never positive; for theta > 1/2 a force field f adds -(theta - 1/2) h f (v+ - v-)
/// to the energy of a step. Source: Jean & Moreau 1987; Acary & Brogliato 2008, chapter 10
/// [acarybrogliato2008].
struct MoreauJean {
  double theta = 0.5;     ///< in [0, 1]; 1/2: free flight in a constant field is exact
  double forecast = 0.5;  ///< in [0, 1]: part of the step over which the gap is predicted; no hysteresis
};

/// Euler-Moreau time-stepping for first-order systems.
///
///     A = M - h theta A_x,     x_{k+1} = x_free + h A^-1 B lambda_{k+1},     r fully implicit.
///
/// Order 1. theta = 1 for stiff systems and for states that jump. Source: Acary & Brogliato 2008, chapter 9
/// [acarybrogliato2008].
struct EulerMoreau {
  double theta = 0.5;  ///< in [0, 1]
};

}  // namespace nonsmooth
