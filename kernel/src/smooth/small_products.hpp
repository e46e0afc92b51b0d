// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <Eigen/Core>

#include <nonsmooth/numerics/types.hpp>

/// Sums over up to eight rows, unrolled: their dispatch as general products costs more than they do.
namespace nonsmooth::smooth {

/// y = b + A x of a packed A with Rows rows.
template <int Rows>
void add_columns(const double* A, Index columns, const double* x, const double* b, double* y) {
  using Column = Eigen::Matrix<double, Rows, 1>;
  Column sum = Eigen::Map<const Column>(b);
  for (Index j = 0; j < columns; ++j) sum += x[j] * Eigen::Map<const Column>(A + j * Rows);
  Eigen::Map<Column>{y} = sum;
}

/// y = b + A x, column by column; x, b and y have the sizes that A says; b and y may be one, x and y up to eight rows.
inline void affine_map(const Eigen::MatrixXd& A, const double* x, const double* b, double* y) {
  const double* const a = A.data();
  const Index columns = A.cols();
  switch (A.rows()) {
    case 0:
      return;
    case 1:
      return add_columns<1>(a, columns, x, b, y);
    case 2:
      return add_columns<2>(a, columns, x, b, y);
    case 3:
      return add_columns<3>(a, columns, x, b, y);
    case 4:
      return add_columns<4>(a, columns, x, b, y);
    case 5:
      return add_columns<5>(a, columns, x, b, y);
    case 6:
      return add_columns<6>(a, columns, x, b, y);
    case 7:
      return add_columns<7>(a, columns, x, b, y);
    case 8:
      return add_columns<8>(a, columns, x, b, y);
    default:
      if (b != y) std::copy_n(b, A.rows(), y);
      Eigen::Map<Eigen::VectorXd>(y, A.rows()).noalias() += A * Eigen::Map<const Eigen::VectorXd>(x, columns);
  }
}

/// y += A x.
inline void add_product(const Eigen::MatrixXd& A, const double* x, double* y) { affine_map(A, x, y, y); }

/// As below, of packed coefficients with Rows rows.
template <int Rows>
void sum_powers(const double* coefficients, Index degree, double s, double* values) {
  using Column = Eigen::Matrix<double, Rows, 1>;
  Column sum = Eigen::Map<const Column>(coefficients + degree * Rows);
  for (Index k = degree - 1; k >= 0; --k) sum = Eigen::Map<const Column>(coefficients + k * Rows) + s * sum;
  Eigen::Map<Column>{values} = sum;
}

/// values = sum over k <= degree of coefficients.col(k) s^k, by Horner's rule.
inline void sum_powers(const Eigen::MatrixXd& coefficients, Index degree, double s, double* values) {
  const double* const c = coefficients.data();
  switch (coefficients.rows()) {
    case 0:
      return;
    case 1:
      return sum_powers<1>(c, degree, s, values);
    case 2:
      return sum_powers<2>(c, degree, s, values);
    case 3:
      return sum_powers<3>(c, degree, s, values);
    case 4:
      return sum_powers<4>(c, degree, s, values);
    case 5:
      return sum_powers<5>(c, degree, s, values);
    case 6:
      return sum_powers<6>(c, degree, s, values);
    case 7:
      return sum_powers<7>(c, degree, s, values);
    case 8:
      return sum_powers<8>(c, degree, s, values);
    default: {
      Eigen::Map<Eigen::VectorXd> sum(values, coefficients.rows());
      sum = coefficients.col(degree);
      for (Index k = degree - 1; k >= 0; --k) sum = coefficients.col(k) + s * sum;  // componentwise: no temporary
    }
  }
}

}  // namespace nonsmooth::smooth
