// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <nonsmooth/numerics/types.hpp>

/// Interpolation of guards on a step, or on a part of one, in [0, 1].
namespace nonsmooth::smooth::step_nodes {

constexpr Index kDegree = 8;  ///< of interpolants

using Square = Eigen::Matrix<double, kDegree + 1, kDegree + 1>;
using Row = Eigen::Matrix<double, 1, kDegree + 1>;

/// Between nodes, and not at places where Chebyshev polynomials that agree at the nodes agree too.
constexpr std::array<double, 2> kChecks{0.29171960302114, 0.73162484187539};

/// Constants of the nodes sigma_j = sin^2(pi j / 16) in [0, 1].
struct Tables {
  Row nodes, extrapolation;  // the latter: value at 0 of the polynomial of degree 7 through nodes 1 to 8
  std::array<Row, 2> at_checks, every_other_at_checks;  // times nodal values: the interpolants' values there
  Square chebyshev, bernstein;                          // nodal values (rows) times these: coefficients
  double amplification = 0.0;                           // of round-off in nodal values by the Bernstein form
};

[[nodiscard]] const Tables& tables();

/// The polynomial with Bernstein coefficients b at x in [0, 1]: Horner's rule in x with a factor 1 - x taken along,
/// sums of terms of one sign times b as in de Casteljau's corner cutting.
[[nodiscard]] double bernstein_sum(const Row& b, double x);

/// s^order.
[[nodiscard]] inline double power(double s, int order) {
  double result = 1.0;
  for (int k = 0; k < order; ++k) result *= s;
  return result;
}

}  // namespace nonsmooth::smooth::step_nodes
