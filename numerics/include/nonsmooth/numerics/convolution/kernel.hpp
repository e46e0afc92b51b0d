// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <functional>
#include <limits>
#include <variant>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::convolution {

/// Kernels k(t) = D delta(t) + r(t), t >= 0, of m x m matrices, in the unit of w over that of z and a second: what w
/// answers at time t to a unit impulse of z at time 0. One of four forms.

/// r by its values. It is asked at t > 0 only, so that it may be singular at 0, like t^{a-1}, a > 0; between two steps
/// it is smooth.
struct FunctionKernel {
  std::function<Eigen::MatrixXd(double t)> r;  ///< m x m
  Eigen::MatrixXd impulse{};                   ///< D, m x m; empty: 0
  /// R(t) = int_0^t r, m x m, where it is known, asked at t >= 0; else quadrature: 8 points of Gauss a step, 32 in the
  /// first (and 7 and 23 for an estimate of its error), in a variable u with t = u^c that takes half-integer powers of
  /// t for polynomials.
  std::function<Eigen::MatrixXd(double t)> integral{};
  /// a of r ~ t^{a-1} near 0, > 0. NaN: found (examine), and 1 beside a D.
  double index = std::numeric_limits<double>::quiet_NaN();
};

/// r by a table, linear between instants; an instant that stands twice is a jump, and r stays as it is after the last.
/// Integrals of it are exact.
struct TableKernel {
  Eigen::VectorXd t;       ///< n >= 1 instants, nondecreasing, the first is 0 [s]
  Eigen::MatrixXd values;  ///< m^2 x n: r(t_j) in column j, column after column of r
  Eigen::MatrixXd impulse{};
};

/// r(t) = Re sum_l C_l e^{lambda_l t}, lambda_l and C_l complex: one of a pair of conjugates stands for both, with
/// twice its C. Modes of a linear system, relaxations, compressed kernels.
struct ExponentialKernel {
  Eigen::VectorXcd rates;         ///< lambda_l [1/s]
  Eigen::MatrixXcd coefficients;  ///< m^2 x their number: C_l in column l, column after column
  Eigen::MatrixXd impulse{};
};

/// k by its Laplace transform K(s) = D + int_0^inf r(t) e^{-s t} dt, analytic for Re s > 0, K(conj s) = conj K(s).
struct LaplaceKernel {
  std::function<Eigen::MatrixXcd(std::complex<double> s)> transform;  ///< m x m, asked at Re s > 0
};

using Kernel = std::variant<FunctionKernel, TableKernel, ExponentialKernel, LaplaceKernel>;

/// The kernel of the linear system x' = A x + B z, w = C x + D z:  k = D delta + C e^{A t} B. Exponentials by the
/// eigenvectors of A.
/// @throws InvalidArgument: shapes that do not fit, entries that are not finite, eigenvectors of A that are dependent
/// (reciprocal condition below 1e-8: give the kernel by its transform C (s - A)^-1 B + D).
[[nodiscard]] ExponentialKernel kernel_of(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, const Eigen::MatrixXd& C,
                                          const Eigen::MatrixXd& D = {});

/// k + epsilon I: the kernel jumps by epsilon at 0, and the index becomes one at most. Where z is a contact force and w
/// a gap, a dashpot that yields at the speed epsilon z stands between body and wall. epsilon >= 0 [unit of r].
/// Source: Petrov, Schatzman 2009 [petrov2009].
/// @throws InvalidArgument as examine, and an epsilon that is negative or not finite.
[[nodiscard]] Kernel reduce_index(Kernel kernel, double epsilon);

/// What k is near 0, and with it how regular z is.
struct Examination {
  Index size = 0;  ///< m
  /// a of  int_0^t k ~ K0 t^a / Gamma(a + 1)  as t -> 0: 0 where D is not 0 (every instant is a complementarity
  /// problem), 1 where r jumps to K0 (z may be a density; z is an atom where q jumps), 2 where r ~ K0 t (an atom of z
  /// at each impact), anything between for r ~ t^{a-1}. Of tables and exponentials exact; else the slope of log
  /// |int_0^t k|, or of log |K(1/t)|, between t = 1e-11 T and 1e-12 T, to about 1e-3 (halves of integers are rounded
  /// to).
  double index = 0.0;
  Eigen::MatrixXd leading;  ///< K0, m x m; of functions and transforms its direction, the largest entry 1 or -1
  /// The symmetric part of K0 is positive definite: each step has exactly one solution where steps are short.
  bool positive_definite = false;
};

/// Cost: two values of k. horizon: T > 0 [s].
/// @throws InvalidArgument: kernels whose shapes do not fit, are not square, not finite, complex on the real axis, 0
/// near 0; tables that begin elsewhere than at 0 or decrease in time; T.
[[nodiscard]] Examination examine(const Kernel& kernel, double horizon);

}  // namespace nonsmooth::convolution
