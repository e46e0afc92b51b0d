// SPDX-License-Identifier: Apache-2.0
// A linear complementarity system without its mass, and in comparable units; not installed.
#pragma once

#include <Eigen/Core>

#include <nonsmooth/numerics/analysis/linear_system.hpp>

namespace nonsmooth::analysis::detail {

/// xdot = A x + B lambda, y = C x + D lambda. The entries of A and B are within A_error, B_error of M^-1 A, M^-1 B.
struct StandardForm {
  Eigen::MatrixXd A, B, C, D, A_error, B_error;
  [[nodiscard]] Index states() const { return A.rows(); }
  [[nodiscard]] Index outputs() const { return C.rows(); }
};

/// Validates the system.
[[nodiscard]] StandardForm standard_form(const LinearComplementaritySystem& system);

/// The same in other units, all powers of two: x = T x', lambda = S lambda', y' = S y, time in units of 1 / rate, so
/// that A' = T^-1 A T / rate, B' = T^-1 B S / rate, C' = S C T, D' = S D S. Rows of (A', B') and columns of (A'; C')
/// have like norms (Osborne 1960), |A'| and the gains of each output are near 1.
struct BalancedForm {
  StandardForm system;
  Eigen::VectorXd state, port;
  double rate = 1.0;
};
[[nodiscard]] BalancedForm balanced(const StandardForm& system);

/// Whether x is zero, known to `round_off`: Holds below it, Fails above 1000 times it.
[[nodiscard]] Verdict zero_to_round_off(double x, double round_off);

}  // namespace nonsmooth::analysis::detail
