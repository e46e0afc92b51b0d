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

struct SymmetricEigenWorkspace::Place {
  SymmetricEigen found;
  Eigen::VectorXd subdiagonal, coefficients, scratch;
};

SymmetricEigenWorkspace::SymmetricEigenWorkspace() = default;
SymmetricEigenWorkspace::~SymmetricEigenWorkspace() = default;
SymmetricEigenWorkspace::SymmetricEigenWorkspace(SymmetricEigenWorkspace&&) noexcept = default;
SymmetricEigenWorkspace& SymmetricEigenWorkspace::operator=(SymmetricEigenWorkspace&&) noexcept = default;

// The operations of Eigen::SelfAdjointEigenSolver, which takes a vector anew in each call.
const SymmetricEigen& SymmetricEigenWorkspace::compute(ConstMatrixRef A) {
  using Reflections = Eigen::Tridiagonalization<Eigen::MatrixXd>::HouseholderSequenceType;
  const Index n = A.rows();
  if (by_size_.size() <= static_cast<std::size_t>(n)) by_size_.resize(static_cast<std::size_t>(n) + 1);
  std::unique_ptr<Place>& place = by_size_[static_cast<std::size_t>(n)];
  if (!place) place = std::make_unique<Place>();
  SymmetricEigen& found = place->found;
  found.V = A.triangularView<Eigen::Lower>();
  found.values.resize(n);
  found.converged = true;
  if (n == 1) {
    found.values[0] = found.V(0, 0);
    found.V(0, 0) = 1.0;
    return found;
  }
  double scale = found.V.cwiseAbs().maxCoeff();
  if (scale == 0.0) scale = 1.0;
  found.V.triangularView<Eigen::Lower>() /= scale;
  place->subdiagonal.resize(n - 1);
  place->coefficients.resize(n - 1);
  Eigen::internal::tridiagonalization_inplace(found.V, place->coefficients);
  found.values = found.V.diagonal();
  place->subdiagonal = found.V.diagonal<-1>();
  Reflections(found.V, place->coefficients.conjugate()).setLength(n - 1).setShift(1).evalTo(found.V, place->scratch);
  constexpr Index most_iterations = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>::m_maxIterations;
  found.converged = Eigen::internal::computeFromTridiagonal_impl(found.values, place->subdiagonal, most_iterations,
                                                                 true, found.V) == Eigen::Success;
  found.values *= scale;
  return found;
}

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A) {
  SymmetricEigenWorkspace workspace;
  const SymmetricEigen& found = workspace.compute(A);
  return found.converged ? found : SymmetricEigen{};
}

}  // namespace nonsmooth
