// SPDX-License-Identifier: Apache-2.0
// Numbers that know their error; not installed.
#pragma once

#include <cmath>
#include <vector>

#include <Eigen/Core>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::analysis::detail {

/// A real number within `rad` of `mid`. Each operation takes the radii of its operands along and adds its own rounding
/// error as error-free transformations give it: exactly. Arithmetic on small integers therefore keeps the radius 0,
/// and a minor that cancels there is known to be zero. Source: Ogita, Rump, Oishi 2005 [ogita2005].
struct Ball {
  double mid = 0.0, rad = 0.0;

  [[nodiscard]] bool positive() const { return mid > rad; }
  [[nodiscard]] bool negative() const { return mid < -rad; }
  [[nodiscard]] bool zero() const { return mid == 0.0 && rad == 0.0; }
  [[nodiscard]] bool nonnegative() const { return mid >= rad; }
  [[nodiscard]] bool nonpositive() const { return mid <= -rad; }
  [[nodiscard]] bool decided() const { return positive() || negative() || zero(); }
};

/// Radii are sums and products of few positive terms, rounded to nearest: this factor makes them upper bounds.
inline constexpr double inflation = 1.0 + 16.0 * eps;
/// Below this a product's rounding error may itself underflow; then the error is bounded instead of computed.
inline constexpr double smallest_exact = 1e-270;

/// a + b = sum + error, exactly.
inline double two_sum(double a, double b, double& error) {
  const double sum = a + b, part = sum - a;
  error = (a - (sum - part)) + (b - part);
  return sum;
}

/// a b = product + error; the error is exact unless the product is tiny, then `slack` bounds what is missing.
inline double two_product(double a, double b, double& error, double& slack) {
  const double product = a * b;
  error = std::fma(a, b, -product);
  if (std::abs(product) < smallest_exact && a != 0.0 && b != 0.0) slack += 1e-300;
  return product;
}

inline Ball operator-(const Ball& a) { return {-a.mid, a.rad}; }

inline Ball operator+(const Ball& a, const Ball& b) {
  double error = 0.0;
  const double sum = two_sum(a.mid, b.mid, error);
  return {sum, (a.rad + b.rad + std::abs(error)) * inflation};
}

inline Ball operator-(const Ball& a, const Ball& b) { return a + -b; }

inline double product_radius(const Ball& a, const Ball& b) {
  return std::abs(a.mid) * b.rad + a.rad * (std::abs(b.mid) + b.rad);
}

inline Ball operator*(const Ball& a, const Ball& b) {
  double error = 0.0, slack = 0.0;
  const double product = two_product(a.mid, b.mid, error, slack);
  return {product, (product_radius(a, b) + std::abs(error) + slack) * inflation};
}

/// b must be decided and not zero.
inline Ball operator/(const Ball& a, const Ball& b) {
  const double quotient = a.mid / b.mid;
  double slack = 0.0;
  if (std::abs(a.mid) < smallest_exact && a.mid != 0.0) slack = 1e-300;
  const double remainder = std::fma(-quotient, b.mid, a.mid);
  const double room = (std::abs(b.mid) - b.rad) / inflation;
  return {quotient, (std::abs(remainder) + slack + a.rad + std::abs(quotient) * b.rad) / room * inflation};
}

/// a d - b c, with one rounding of the exact value where the operands are exact (and none of a value that fits).
inline Ball minor_of(const Ball& a, const Ball& b, const Ball& c, const Ball& d) {
  double slack = 0.0, first_error = 0.0, second_error = 0.0, sum_error = 0.0, low_error = 0.0, tail_error = 0.0,
         last_error = 0.0;
  const double first = two_product(a.mid, d.mid, first_error, slack);
  const double second = two_product(b.mid, c.mid, second_error, slack);
  const double sum = two_sum(first, -second, sum_error);
  const double low = two_sum(first_error, -second_error, low_error);
  const double tail = two_sum(sum_error, low, tail_error);
  const double value = two_sum(sum, tail, last_error);
  return {value, (product_radius(a, d) + product_radius(b, c) + slack + std::abs(low_error) + std::abs(tail_error) +
                  std::abs(last_error)) *
                     inflation};
}

/// A matrix with the radii of its entries.
struct BallMatrix {
  Eigen::MatrixXd mid, rad;

  [[nodiscard]] Index rows() const { return mid.rows(); }
  [[nodiscard]] Index cols() const { return mid.cols(); }
  [[nodiscard]] Ball operator()(Index i, Index j) const { return {mid(i, j), rad(i, j)}; }
  void set(Index i, Index j, const Ball& value) {
    mid(i, j) = value.mid;
    rad(i, j) = value.rad;
  }
};

/// Row i of M times x.
[[nodiscard]] inline Ball row_times(const BallMatrix& M, Index i, ConstVectorRef x) {
  Ball sum;
  for (Index j = 0; j < M.cols(); ++j) {
    if (x[j] != 0.0) sum = sum + M(i, j) * Ball{x[j], 0.0};
  }
  return sum;
}

/// Column j of M times x: entry j of M^T x.
[[nodiscard]] inline Ball column_times(const BallMatrix& M, Index j, ConstVectorRef x) {
  Ball sum;
  for (Index i = 0; i < M.rows(); ++i) {
    if (x[i] != 0.0) sum = sum + M(i, j) * Ball{x[i], 0.0};
  }
  return sum;
}

/// x^T M x.
[[nodiscard]] inline Ball quadratic_form(const BallMatrix& M, ConstVectorRef x) {
  Ball sum;
  for (Index i = 0; i < M.rows(); ++i) {
    if (x[i] != 0.0) sum = sum + Ball{x[i], 0.0} * row_times(M, i, x);
  }
  return sum;
}

/// The block of `rows`.
[[nodiscard]] inline BallMatrix principal_block(const BallMatrix& M, const std::vector<Index>& rows) {
  return {.mid = M.mid(rows, rows), .rad = M.rad(rows, rows)};
}

}  // namespace nonsmooth::analysis::detail
