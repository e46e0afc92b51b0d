// SPDX-License-Identifier: Apache-2.0
// The eliminations of internal/decompositions.hpp.
#include <internal/decompositions.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "hidden.hpp"

namespace nonsmooth {
namespace {

constexpr Index rows_by_plain_loops = 12;  // Eigen's blocked kernels cost more than the arithmetic of so few

}  // namespace

template class Hidden<Eigen::PartialPivLU<Eigen::MatrixXd>>;
template class Hidden<Eigen::PartialPivLU<Eigen::MatrixXcd>>;
template class Hidden<Eigen::FullPivLU<Eigen::MatrixXd>>;
template class Hidden<Eigen::LLT<Eigen::MatrixXd>>;

template <class Scalar>
void LuFactorsOf<Scalar>::compute(MatrixView A) {
  factors_->compute(A);
}

template <class Scalar>
void LuFactorsOf<Scalar>::solve(Eigen::Ref<const Vector> b, Eigen::Ref<Vector> x) const {
  x.noalias() = factors_->permutationP() * b;
  factors_->matrixLU().template triangularView<Eigen::UnitLower>().solveInPlace(x);
  factors_->matrixLU().template triangularView<Eigen::Upper>().solveInPlace(x);
}

template <class Scalar>
auto LuFactorsOf<Scalar>::solve_columns(const Matrix& b) const -> Matrix {
  if (b.size() == 0) return b;  // Eigen would ask for the address of its first entry
  return factors_->solve(b);
}

template <class Scalar>
void LuFactorsOf<Scalar>::solve_columns(MatrixView b, Eigen::Ref<Matrix, 0, Eigen::OuterStride<>> x) const {
  if (b.size() > 0) x = factors_->solve(b);
}

template <class Scalar>
void LuFactorsOf<Scalar>::solve_in_place(Eigen::Ref<Matrix, 0, Eigen::OuterStride<>> b,
                                         std::vector<Scalar>& buffer) const {
  if (buffer.size() < static_cast<std::size_t>(b.size())) buffer.resize(static_cast<std::size_t>(b.size()));
  Eigen::Map<Matrix> x(buffer.data(), b.rows(), b.cols());
  x.noalias() = factors_->permutationP() * b;
  const Index n = b.rows();
  const Matrix& LU = factors_->matrixLU();
  if (n <= rows_by_plain_loops) {
    for (Index c = 0; c < b.cols(); ++c) {
      for (Index j = 0; j < n; ++j) {
        for (Index i = j + 1; i < n; ++i) x(i, c) -= LU(i, j) * x(j, c);
      }
      for (Index j = n; j-- > 0;) {
        x(j, c) /= LU(j, j);
        for (Index i = 0; i < j; ++i) x(i, c) -= LU(i, j) * x(j, c);
      }
    }
  } else {
    LU.template triangularView<Eigen::UnitLower>().solveInPlace(x);
    LU.template triangularView<Eigen::Upper>().solveInPlace(x);
  }
  b = x;
}

template <class Scalar>
auto LuFactorsOf<Scalar>::solve_transposed(Eigen::Ref<const Vector> b) const -> Vector {
  return factors_->transpose().solve(b);
}

template <class Scalar>
auto LuFactorsOf<Scalar>::inverse() const -> Matrix {
  return factors_->inverse();
}

template <class Scalar>
auto LuFactorsOf<Scalar>::reconstructed() const -> Matrix {
  return factors_->reconstructedMatrix();
}

template <class Scalar>
double LuFactorsOf<Scalar>::rcond() const {
  return factors_->rcond();
}

template <class Scalar>
auto LuFactorsOf<Scalar>::matrix() const -> const Matrix& {
  return factors_->matrixLU();
}

template <class Scalar>
const Eigen::PermutationMatrix<Eigen::Dynamic>& LuFactorsOf<Scalar>::permutation() const {
  return factors_->permutationP();
}

template class LuFactorsOf<double>;
template void LuFactorsOf<std::complex<double>>::compute(MatrixView);
template void LuFactorsOf<std::complex<double>>::solve(Eigen::Ref<const Vector>, Eigen::Ref<Vector>) const;

void FullPivotLu::set_threshold(double threshold) { factors_->setThreshold(threshold); }
void FullPivotLu::compute(ConstMatrixRef A) { factors_->compute(A); }
Index FullPivotLu::rank() const { return factors_->rank(); }
bool FullPivotLu::is_invertible() const { return factors_->isInvertible(); }
Eigen::VectorXd FullPivotLu::solve_vector(const Eigen::VectorXd& b) const { return factors_->solve(b); }
Eigen::MatrixXd FullPivotLu::solve_columns(const Eigen::MatrixXd& b) const {
  if (b.size() == 0) return b;  // as above
  return factors_->solve(b);
}
Eigen::MatrixXd FullPivotLu::inverse() const { return factors_->inverse(); }
Eigen::MatrixXd FullPivotLu::kernel() const { return factors_->kernel(); }
double FullPivotLu::smallest_pivot() const { return factors_->matrixLU().diagonal().cwiseAbs().minCoeff(); }

void CholeskyFactors::compute(ConstMatrixRef A) { factors_->compute(A); }
bool CholeskyFactors::is_positive_definite() const { return factors_->info() == Eigen::Success; }
void CholeskyFactors::solve_in_place(VectorRef x) const { factors_->solveInPlace(x); }
Eigen::MatrixXd CholeskyFactors::inverse() const {
  return factors_->solve(Eigen::MatrixXd::Identity(factors_->rows(), factors_->rows()));
}
double CholeskyFactors::smallest_pivot() const { return factors_->matrixLLT().diagonal().cwiseAbs().minCoeff(); }

bool cholesky_in_place(MatrixRef A) { return Eigen::LLT<MatrixRef>(A).info() == Eigen::Success; }

}  // namespace nonsmooth
