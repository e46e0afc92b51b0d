// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/convolution/kernel.hpp>

namespace nonsmooth::convolution {

/// How (k * z)(t_n) becomes  sum_{j=1}^n W_{n-j} p_j,  p_j the impulse of z over the step (t_{j-1}, t_j].
enum class Rule : unsigned char {
  /// Bdf1 of exponentials and transforms; of functions and tables ProductIntegration where its W_1 <= 2.3 W_0 in every
  /// direction (x^T W_1 x <= 2.3 x^T W_0 x; where W_0 has no positive definite symmetric part, entry by entry of the
  /// diagonal), else StepStart. Of r ~ t^{a-1} W_1 is (2^a - 1) W_0: 1 for a = 1, 1.83 for 3/2, 3 for 2, so that r is
  /// judged at the scale of h: t + epsilon is of index 2 for epsilon << h.
  Automatic,
  /// z constant over each step, integrated exactly: W_j = D/h [j = 0] + (1/h) int_{t_j}^{t_{j+1}} r. Order one. Not for
  /// index 2 in any row, where it lets p oscillate (p_n + p_{n-1} is what it determines); functions, tables,
  /// exponentials.
  ProductIntegration,
  /// Each impulse acts as the step begins: W_j = D/h [j = 0] + r(t_{j+1}). Order one; functions, tables, exponentials.
  StepStart,
  /// Convolution quadrature: sum_j W_j zeta^j = K(delta(zeta) / h) / h with delta = 1 - zeta (backward Euler: of the
  /// kernel of a linear system, its scheme). Order one; positive where k is. Exponentials and transforms.
  Bdf1,
  /// The same with delta = (1 - zeta) + (1 - zeta)^2 / 2. Order two where z is smooth, of p_n / h as z(t_n): of the
  /// others p_n is compared with the integral of z over its step. Exponentials and transforms.
  Bdf2,
};

/// W_0 ... W_{N-1}.
struct Weights {
  double h = 0.0;          ///< [s]
  Eigen::MatrixXd values;  ///< m^2 x N: W_j in column j, column after column
  /// How far the entries may be from the rule's, relative to the largest: rounding; with transforms 3e-13, which
  /// sampling on a circle of radius eps^{1/(5N)} leaves; with quadrature an estimate, the largest difference of two
  /// rules of Gauss, 8 and 7 points a step (32 and 23 in the first), which is about the error of the smaller one. What
  /// sampling of a transform that is not analytic for Re s > 0 leaves is not in it. [-]
  double error = 0.0;

  [[nodiscard]] Index size() const noexcept;                              ///< m
  [[nodiscard]] Index count() const noexcept { return values.cols(); }    ///< N
  [[nodiscard]] Eigen::Map<const Eigen::MatrixXd> weight(Index j) const;  ///< W_j
};

/// Cost: N values of the kernel (transforms: between 2 N and 4 N, and a Fourier transform; functions without integral
/// under ProductIntegration: 15 N; exponentials: N times their number). h > 0 [s], 1 <= steps <= 2^26.
/// Source: Lubich 1988 [lubich1988] for convolution quadrature.
/// @throws InvalidArgument as examine; a rule that the form of the kernel does not have; a value that is not finite; an
/// index so small (below about 0.01) that quadrature would ask r at instants that underflow to 0.
[[nodiscard]] Weights weights_of(const Kernel& kernel, double h, Index steps, Rule rule = Rule::Automatic);

/// The rule that Automatic stands for: two weights of ProductIntegration (of a single step: up to index 3/2).
/// @throws InvalidArgument as weights_of
[[nodiscard]] Rule resolve(Rule rule, const Kernel& kernel, double h, Index steps);

/// Weights as a sum of geometric sequences:  W_j = sum_l C_l mu_l^j  for j >= first, to `error` in every entry of every
/// one of the N weights; those before are kept as they are. A history then costs O(first + number of mu) a step.
struct Compression {
  Index first = 0;
  Eigen::VectorXd factors;       ///< mu_l in (0, 1]
  Eigen::MatrixXd coefficients;  ///< m^2 x their number
  /// The largest |W_j - sum_l C_l mu_l^j| over all entries and first <= j < N, measured at each. So |w|_inf changes by
  /// at most m error sum |p|_inf.
  double error = 0.0;
  bool met = false;  ///< error <= tolerance max |W_j|
};

/// Least squares on rates of equal ratios between 1 / (N h) and 1 / h, more of them until the tolerance is met, at most
/// 160. For weights that decay or grow without oscillation (t^{a-1}, relaxations, diffusion); of waves `met` is false.
/// Cost: O(N) times the number of mu. tolerance in [1e-13, 1).
/// @throws InvalidArgument: no weights, a tolerance out of range.
[[nodiscard]] Compression compress(const Weights& weights, double tolerance = 1e-10);

}  // namespace nonsmooth::convolution
