// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::analysis {

/// A function of bounded variation from [t_1, t_N] to R^n, linear between instants, as its filled-in graph: the
/// polyline through (t_k, x_k). An instant that stands twice is a jump, from the first to the second of its values, and
/// the polyline goes straight up in between.
struct FilledGraph {
  Eigen::VectorXd t;  ///< N >= 2 instants, nondecreasing, t_1 < t_N [s]
  Eigen::MatrixXd x;  ///< n x N

  /// @throws InvalidArgument: fewer than two instants, shapes that do not fit, instants that decrease or are all the
  /// same, numbers that are not finite.
  void validate() const;
};

/// Over which of the two intervals beside it a step function has the value that is given at an instant.
enum class Hold : unsigned char {
  After,   ///< x_k on [t_k, t_{k+1}): samples that are held
  Before,  ///< x_k on (t_{k-1}, t_k]: velocities and multipliers of time-stepping, found at the end of a step
};

/// The step function with these values. With After the last value is that of t_N alone, with Before the first that of
/// t_1. t: N; x: n x N. @throws InvalidArgument: as validate(), and instants that do not increase.
[[nodiscard]] FilledGraph step_function(const Eigen::VectorXd& t, const Eigen::MatrixXd& x, Hold hold = Hold::Before);

/// Integral of |a - b|_1 over time [unit of x times s]: exact to rounding. Jumps at other instants cost their size
/// times the distance in time. Cost: O(n (N_a + N_b)).
/// @throws InvalidArgument: as validate(), another n, intervals whose ends differ by more than 1e-9 of their length.
[[nodiscard]] double l1_distance(const FilledGraph& a, const FilledGraph& b);

/// The largest |a_i - b_i| of all components i and instants, but for single instants (the essential supremum of a - b).
/// It is no measure of functions that jump: of two that are the same but for the instant of a jump it is the jump,
/// however near the instants are. Cost and errors: as l1_distance.
[[nodiscard]] double sup_distance(const FilledGraph& a, const FilledGraph& b);

/// How far points of graphs are apart.
struct GraphMetric {
  double time_scale = 1.0;  ///< [s] that count as one; > 0
  /// What counts as one in each component, > 0; empty: 1 each.
  Eigen::VectorXd scales = {};
  /// The answer is too small by at most this part of it; in [1e-12, 1). Costs grow with the number of its digits.
  double accuracy = 1e-6;
};

/// The Hausdorff distance of the two filled-in graphs: the largest distance from a point of one to the nearest of the
/// other, |(t, x)|^2 = (t / time_scale)^2 + sum_i (x_i / scales_i)^2. Two functions that jump by the same at instants
/// delta apart are delta apart, and their graphs converge where those of a sequence of steps to a solution with impacts
/// do [moreau1978].
///
/// Along a segment the distance to one segment of the other graph is convex, and 1-Lipschitz to all of them: parts of
/// segments are halved until these two bounds show that none can be farther than what was found. Cost: O(n N_a k), k
/// the segments of b whose times are within the distance that was found, and likewise: all of them, O(n N_a N_b), where
/// values are farther apart than the interval is long in units of time_scale.
/// @throws InvalidArgument: as l1_distance, and scales or an accuracy out of range.
[[nodiscard]] double hausdorff_distance(const FilledGraph& a, const FilledGraph& b, const GraphMetric& metric = {});

}  // namespace nonsmooth::analysis
