// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace nonsmooth {

/// dx(t)/dx(t0) along a run, through switches, sliding and impacts.
struct Sensitivity {
  Eigen::MatrixXd transition;  ///< n x n, by x at t0; mechanics: x = (q; v)
  /// An event at which x hardly passed its surface, |dc/dt| <= 1e-6 |grad c||x'|: the derivative grows without bound at
  /// such a trajectory, and to one side of it there is another sequence of modes.
  bool grazed = false;
  /// Several events came at one instant: the derivative is that of directions which keep the order that was taken
  /// (FiniteElementStepping), or in which they stay at one instant (EventDriven; directional_sensitivity() has the
  /// others).
  bool coincided = false;
};

}  // namespace nonsmooth
