// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <Eigen/Core>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// What a step h makes of q'' + 2 gamma q' + kappa q = a. g is what q becomes of q = 0, q' = 1:
///
///     q(h) = q_0 - kappa G1 q_0 + g v_0 + G1 a_0 + G2 (a_1 - a_0) / h,
///     v(h) = v_0 - kappa g q_0 - (2 gamma g + kappa G1) v_0 + g a_0 + G1 (a_1 - a_0) / h,
///
/// a linear from a_0 to a_1. gamma [1/s] and kappa [1/s^2] of either sign.
struct OscillatorFlow {
  double g = 0.0;   ///< [s]
  double G1 = 0.0;  ///< integral of g over the step [s^2]
  double G2 = 0.0;  ///< integral of that [s^3]
};

/// Closed forms, to some eps of the largest value that each takes within h; by series where h is short beside all
/// rates.
[[nodiscard]] OscillatorFlow oscillator_flow(double gamma, double kappa, double h);

/// Below this part of 1 / m the response of a mode to impulses is rounding: it is taken as zero. eps |z| / |cos(w h /
/// 2)| of its position is then no more than what leaving it out costs, |cos(w h / 2)| = 3e-8.
inline constexpr double kBlindMode = 1e-15;

/// m A^-1 of a mode, (1 + dv**/dv*) / 2, or 0 where it is rounding. `name`: of the system, for messages.
/// @throws InvalidArgument where it is negative, as of a mode that grows and makes half a turn
[[nodiscard]] double impulse_response(const std::string& name, double gamma, double kappa, double h,
                                      const OscillatorFlow& flow);

/// The same of M v' + C v + K q = f, and what an impulse pi = H^T p does of which half acts before it and half
/// behind:
///
///     q = q_0 - Q0 K q_0 + V0 M v_0 + Q0 f_0 + Q1 (f_1 - f_0) + V0 pi / 2,
///     v = v_0 - V0 K q_0 - M^-1 (C V0 + K Q0) M v_0 + V0 f_0 + V1 (f_1 - f_0) + A^-1 pi.
struct LinearFlow {
  Eigen::MatrixXd q_of_q, q_of_v, v_of_q, v_of_v;  ///< less the identity where q is of q, v of v
  Eigen::MatrixXd V0, V1, Q0, Q1;                  ///< of forces
  Eigen::MatrixXd A_inverse;                       ///< of impulses
  Eigen::MatrixXd way;                             ///< V0 A / 2: of the change of v that pi made
};

/// M symmetric positive definite. Cost: O(n^3). `name`: of the system, for messages.
/// @throws InvalidArgument for M that is not; for an h at which A^-1 is singular where there are no modes to tell why.
[[nodiscard]] LinearFlow linear_flow(const std::string& name, const Eigen::MatrixXd& M, const Eigen::MatrixXd& C,
                                     const Eigen::MatrixXd& K, double h);

}  // namespace nonsmooth
