// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nonsmooth {

/// The weights of the generalised-alpha method (GeneralisedAlpha), and the method's A_{k+1} by the accelerations:
/// A_{k+1} = of_a a_{k+1} + of_start_a a_k - of_start_A A_k.
struct AlphaWeights {
  explicit AlphaWeights(double rho)
      : alpha_m((2.0 * rho - 1.0) / (rho + 1.0)),
        alpha_f(rho / (rho + 1.0)),
        gamma(0.5 + alpha_f - alpha_m),
        beta(0.25 * (gamma + 0.5) * (gamma + 0.5)),
        of_a((1.0 - alpha_f) / (1.0 - alpha_m)),
        of_start_a(alpha_f / (1.0 - alpha_m)),
        of_start_A(alpha_m / (1.0 - alpha_m)) {}

  double alpha_m, alpha_f, gamma, beta, of_a, of_start_a, of_start_A;

  /// a_{k+1}, by component.
  [[nodiscard]] double acceleration(double start_a, double start_A, double A) const {
    return (A - of_start_a * start_a + of_start_A * start_A) / of_a;
  }

  /// q_{k+1} and v_{k+1} of what moves by its velocity, by component; the way n for q_k = 0.
  [[nodiscard]] double position(double q, double h, double v, double start_A, double A) const {
    return q + h * v + h * h * ((0.5 - beta) * start_A + beta * A);
  }
  [[nodiscard]] double velocity(double v, double h, double start_A, double A) const {
    return v + h * ((1.0 - gamma) * start_A + gamma * A);
  }
};

}  // namespace nonsmooth
