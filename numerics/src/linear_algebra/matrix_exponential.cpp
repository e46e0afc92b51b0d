// SPDX-License-Identifier: Apache-2.0
#include <internal/matrix_exponential.hpp>

#include <unsupported/Eigen/MatrixFunctions>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {

Eigen::MatrixXd matrix_exponential(ConstMatrixRef A) {
  check::at_least("matrix_exponential: rows", A.rows(), 1);
  check::shape("matrix_exponential: A", A.rows(), A.cols(), A.rows(), A.rows());
  check::finite("matrix_exponential: A", A);
  return Eigen::MatrixXd(A).exp();
}

}  // namespace nonsmooth
