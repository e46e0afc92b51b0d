// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of general matrices and their invariant subspaces, by LAPACK.
#include <string>

#include <lapacke.h>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace {

void require_square(const char* argument, const Eigen::MatrixXd& A) {
  if (A.rows() != A.cols()) {
    throw InvalidArgument(argument, std::to_string(A.rows()) + " x " + std::to_string(A.cols()), "a square matrix");
  }
}

Eigen::VectorXcd complex_of(const Eigen::VectorXd& real, const Eigen::VectorXd& imaginary) {
  Eigen::VectorXcd values(real.size());
  values.real() = real;
  values.imag() = imaginary;
  return values;
}

}  // namespace

GeneralEigen general_eigen(const Eigen::MatrixXd& A) {
  require_square("general_eigen: A", A);
  const Index n = A.rows();
  const auto order = static_cast<lapack_int>(n);
  GeneralEigen result;
  if (n == 0 || !A.allFinite()) {
    result.converged = n == 0;
    return result;
  }
  Eigen::MatrixXd work = A, V(n, n);
  Eigen::VectorXd real(n), imaginary(n);
  if (LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', order, work.data(), order, real.data(), imaginary.data(), nullptr, 1,
                    V.data(), order) != 0)
    return result;
  result.converged = true;
  result.values = complex_of(real, imaginary);
  result.V = V.cast<std::complex<double>>();
  for (Index j = 0; j + 1 < n; ++j) {
    if (imaginary[j] <= 0.0) continue;  // a conjugate pair: real and imaginary parts stand in two columns
    result.V.col(j).imag() = V.col(j + 1);
    result.V.col(j + 1) = result.V.col(j).conjugate();
    ++j;
  }
  return result;
}

RealSchur real_schur(const Eigen::MatrixXd& A) {
  require_square("real_schur: A", A);
  const Index n = A.rows();
  const auto order = static_cast<lapack_int>(n);
  RealSchur result{.T = A, .Q = Eigen::MatrixXd::Identity(n, n), .values = Eigen::VectorXcd(n), .converged = n == 0};
  if (n == 0 || !A.allFinite()) return result;
  Eigen::VectorXd real(n), imaginary(n);
  lapack_int sorted = 0;
  if (LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'N', nullptr, order, result.T.data(), order, &sorted, real.data(),
                    imaginary.data(), result.Q.data(), order) != 0)
    return result;
  result.values = complex_of(real, imaginary);
  result.converged = true;
  return result;
}

bool bring_first(RealSchur& schur, const std::vector<bool>& selected) {
  const Index n = schur.T.rows();
  if (n == 0) return true;
  const auto order = static_cast<lapack_int>(n);
  std::vector<lapack_logical> select(at(n));
  for (std::size_t i = 0; i < select.size(); ++i) select[i] = selected[i] ? 1 : 0;
  Eigen::VectorXd real(n), imaginary(n);
  lapack_int dimension = 0;
  double condition = 0.0, separation = 0.0;
  // LAPACKE_dtrsen itself forgets the integer workspace, which is written to without condition numbers as well.
  Eigen::VectorXd work(n);
  lapack_int integer_work = 0;
  if (LAPACKE_dtrsen_work(LAPACK_COL_MAJOR, 'N', 'V', select.data(), order, schur.T.data(), order, schur.Q.data(),
                          order, real.data(), imaginary.data(), &dimension, &condition, &separation, work.data(), order,
                          &integer_work, 1) != 0)
    return false;
  schur.values = complex_of(real, imaginary);
  return true;
}

}  // namespace nonsmooth
