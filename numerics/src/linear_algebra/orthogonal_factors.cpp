// SPDX-License-Identifier: Apache-2.0
// The decompositions of internal/decompositions.hpp by rotations and reflections.
#include <internal/decompositions.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

#include "hidden.hpp"

namespace nonsmooth {

template class Hidden<Eigen::HouseholderQR<Eigen::MatrixXd>>;
template class Hidden<Eigen::ColPivHouseholderQR<Eigen::MatrixXd>>;
template class Hidden<Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>>;

void PivotedQr::set_threshold(double threshold) { factors_->setThreshold(threshold); }
void PivotedQr::compute(ConstMatrixRef A) { factors_->compute(A); }
Index PivotedQr::rank() const { return factors_->rank(); }
Eigen::VectorXd PivotedQr::solve(const Eigen::VectorXd& b) const { return factors_->solve(b); }
const Eigen::MatrixXd& PivotedQr::matrix_r() const { return factors_->matrixR(); }
const Eigen::PermutationMatrix<Eigen::Dynamic>& PivotedQr::permutation() const { return factors_->colsPermutation(); }

HouseholderQr::HouseholderQr(ConstMatrixRef A) { factors_->compute(A); }
Eigen::VectorXd HouseholderQr::solve(const Eigen::VectorXd& b) const { return factors_->solve(b); }

void CompleteOrthogonalFactors::set_threshold(double threshold) { factors_->setThreshold(threshold); }
void CompleteOrthogonalFactors::compute(ConstMatrixRef A) { factors_->compute(A); }
Index CompleteOrthogonalFactors::rank() const { return factors_->rank(); }
Index CompleteOrthogonalFactors::rows() const { return factors_->rows(); }
Index CompleteOrthogonalFactors::cols() const { return factors_->cols(); }
Eigen::VectorXd CompleteOrthogonalFactors::solve(const Eigen::VectorXd& b) const { return factors_->solve(b); }
Eigen::MatrixXd CompleteOrthogonalFactors::solve_columns(const Eigen::MatrixXd& b) const { return factors_->solve(b); }
Eigen::MatrixXd CompleteOrthogonalFactors::pseudo_inverse() const { return factors_->pseudoInverse(); }
Eigen::MatrixXd CompleteOrthogonalFactors::kernel() const {
  return factors_->colsPermutation() * factors_->matrixZ().transpose().rightCols(factors_->cols() - factors_->rank());
}
const Eigen::MatrixXd& CompleteOrthogonalFactors::matrix_qtz() const { return factors_->matrixQTZ(); }
const Eigen::VectorXd& CompleteOrthogonalFactors::q_coefficients() const { return factors_->hCoeffs(); }
const Eigen::VectorXd& CompleteOrthogonalFactors::z_coefficients() const { return factors_->zCoeffs(); }
const Eigen::PermutationMatrix<Eigen::Dynamic>& CompleteOrthogonalFactors::permutation() const {
  return factors_->colsPermutation();
}
void CompleteOrthogonalFactors::solve_triangle_in_place(VectorRef y) const {
  factors_->matrixT().topLeftCorner(y.size(), y.size()).triangularView<Eigen::Upper>().solveInPlace(y);
}

SingularValues singular_values(ConstMatrixRef A, bool vectors, double threshold) {
  Eigen::JacobiSVD<Eigen::MatrixXd> svd;
  if (threshold >= 0.0) svd.setThreshold(threshold);
  svd.compute(A, vectors ? static_cast<unsigned>(Eigen::ComputeFullV) : 0U);
  return {.values = svd.singularValues(), .V = vectors ? svd.matrixV() : Eigen::MatrixXd(), .rank = svd.rank()};
}

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(A);
  if (eigen.info() != Eigen::Success) return {};
  return {.values = eigen.eigenvalues(), .V = eigen.eigenvectors(), .converged = true};
}

}  // namespace nonsmooth
