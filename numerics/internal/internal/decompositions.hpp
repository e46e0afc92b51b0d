// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/numerics/types.hpp>

/// Eigen's decompositions and the solves on them behind one compiled door: they are instantiated in
/// numerics/src/linear_algebra alone, whoever uses them. A solver that needs a verdict "singular to working precision"
/// takes DenseFactorization or SparseFactorization (factorization.hpp); here are the bare factors, with what Eigen
/// says.
namespace nonsmooth {

/// A value of a type that only one source knows; copies are deep. It takes memory when it is first written to, and may
/// not be read before. Moved from, it is as new: thresholds are forgotten too.
template <class T>
class Hidden {
 public:
  Hidden() = default;
  Hidden(const Hidden& other);
  Hidden(Hidden&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Hidden& operator=(const Hidden& other) { return *this = Hidden(other); }
  Hidden& operator=(Hidden&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Hidden();
  T* operator->() {
    if (value_ == nullptr) make();
    return value_;
  }
  const T* operator->() const noexcept {
    eigen_assert(value_ != nullptr && "read before it was computed");
    return value_;
  }

 private:
  void make();
  T* value_ = nullptr;
};

/// P A = L U of a square matrix, by partial pivoting. A singular one gives factors that must not be solved with:
/// rcond() or the diagonal of matrix() tells.
template <class Scalar>
class LuFactorsOf {
 public:
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using MatrixView = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;

  LuFactorsOf() = default;
  explicit LuFactorsOf(MatrixView A) { compute(A); }

  /// Allocates where A has another size than the last one.
  void compute(MatrixView A);
  /// x = A^-1 b; b and x must not be the same.
  void solve(Eigen::Ref<const Vector> b, Eigen::Ref<Vector> x) const;
  /// A^-1 b of a vector or of the columns of a matrix.
  template <class Right>
  [[nodiscard]] auto solve(const Eigen::MatrixBase<Right>& b) const {
    if constexpr (Right::ColsAtCompileTime == 1) {
      Vector x(b.rows());
      solve(Vector(b), x);
      return x;
    } else {
      return solve_columns(Matrix(b));
    }
  }
  /// x = A^-1 b, the bits of solve(b) of several columns; b and x must not be the same.
  void solve_columns(MatrixView b, Eigen::Ref<Matrix, 0, Eigen::OuterStride<>> x) const;
  /// b := A^-1 b, without allocation once `buffer` has grown; few rows are solved by plain loops, which cost less.
  void solve_in_place(Eigen::Ref<Matrix, 0, Eigen::OuterStride<>> b, std::vector<Scalar>& buffer) const;
  [[nodiscard]] Vector solve_transposed(Eigen::Ref<const Vector> b) const;  ///< A^-T b
  [[nodiscard]] Matrix inverse() const;
  [[nodiscard]] Matrix reconstructed() const;  ///< P^-1 L U
  [[nodiscard]] double rcond() const;          ///< an estimate of 1 / (|A|_1 |A^-1|_1)
  [[nodiscard]] const Matrix& matrix() const;  ///< L below the diagonal (ones on it), U on and above it
  /// Row i of A is row permutation().indices()[i] of P A.
  [[nodiscard]] const Eigen::PermutationMatrix<Eigen::Dynamic>& permutation() const;

 private:
  [[nodiscard]] Matrix solve_columns(const Matrix& b) const;
  Hidden<Eigen::PartialPivLU<Matrix>> factors_;
};
using LuFactors = LuFactorsOf<double>;
using ComplexLuFactors = LuFactorsOf<std::complex<double>>;  // compiled: compute(A) and solve(b, x)

/// P A Q = L U by complete pivoting: of any rank, which is the number of pivots above `threshold` times the largest.
class FullPivotLu {
 public:
  FullPivotLu() = default;
  explicit FullPivotLu(ConstMatrixRef A) { compute(A); }
  void set_threshold(double threshold);  ///< default: min(rows, columns) eps
  void compute(ConstMatrixRef A);
  [[nodiscard]] Index rank() const;
  [[nodiscard]] bool is_invertible() const;
  template <class Right>
  [[nodiscard]] auto solve(const Eigen::MatrixBase<Right>& b) const {
    if constexpr (Right::ColsAtCompileTime == 1) {
      return solve_vector(Eigen::VectorXd(b));
    } else {
      return solve_columns(Eigen::MatrixXd(b));
    }
  }
  [[nodiscard]] Eigen::MatrixXd inverse() const;
  [[nodiscard]] Eigen::MatrixXd kernel() const;  ///< a basis of {x : A x = 0}, column by column
  [[nodiscard]] double smallest_pivot() const;   ///< by magnitude

 private:
  [[nodiscard]] Eigen::VectorXd solve_vector(const Eigen::VectorXd& b) const;
  [[nodiscard]] Eigen::MatrixXd solve_columns(const Eigen::MatrixXd& b) const;
  Hidden<Eigen::FullPivLU<Eigen::MatrixXd>> factors_;
};

/// A = L L^T; only the lower triangle of A is used.
class CholeskyFactors {
 public:
  CholeskyFactors() = default;
  explicit CholeskyFactors(ConstMatrixRef A) { compute(A); }
  void compute(ConstMatrixRef A);
  [[nodiscard]] bool is_positive_definite() const;  ///< false: nothing below may be asked for
  void solve_in_place(VectorRef x) const;
  [[nodiscard]] Eigen::MatrixXd inverse() const;
  [[nodiscard]] double smallest_pivot() const;  ///< min_k L_kk

 private:
  Hidden<Eigen::LLT<Eigen::MatrixXd>> factors_;
};
/// Whether Cholesky's factors of A exist in floating point.
[[nodiscard]] inline bool is_positive_definite(ConstMatrixRef A) { return CholeskyFactors(A).is_positive_definite(); }
/// The lower triangle of A := L with A = L L^T; false where a pivot is not positive.
[[nodiscard]] bool cholesky_in_place(MatrixRef A);

/// A P = Q R with columns pivoted: of any rank, which is the number of pivots above `threshold` times the largest.
class PivotedQr {
 public:
  void set_threshold(double threshold);
  void compute(ConstMatrixRef A);
  [[nodiscard]] Index rank() const;
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& b) const;  ///< least squares of the rank() first pivots
  [[nodiscard]] const Eigen::MatrixXd& matrix_r() const;                ///< R on and above the diagonal
  [[nodiscard]] const Eigen::PermutationMatrix<Eigen::Dynamic>& permutation() const;  ///< P

 private:
  Hidden<Eigen::ColPivHouseholderQR<Eigen::MatrixXd>> factors_;
};
/// A = Q R without pivoting, of a matrix whose columns are independent.
class HouseholderQr {
 public:
  explicit HouseholderQr(ConstMatrixRef A);
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& b) const;  ///< argmin |A x - b|

 private:
  Hidden<Eigen::HouseholderQR<Eigen::MatrixXd>> factors_;
};

/// A P = Q [T 0; 0 0] Z: least squares of least norm, of any rank.
class CompleteOrthogonalFactors {
 public:
  void set_threshold(double threshold);  ///< pivots below it times the largest are zero; default: min(m, n) eps
  void compute(ConstMatrixRef A);
  [[nodiscard]] Index rank() const;
  [[nodiscard]] Index rows() const;
  [[nodiscard]] Index cols() const;
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  [[nodiscard]] Eigen::MatrixXd solve_columns(const Eigen::MatrixXd& b) const;
  [[nodiscard]] Eigen::MatrixXd pseudo_inverse() const;
  [[nodiscard]] Eigen::MatrixXd kernel() const;             ///< P Z^T restricted to the last n - rank() columns
  [[nodiscard]] const Eigen::MatrixXd& matrix_qtz() const;  ///< T and the essential parts of Q's and Z's reflections
  [[nodiscard]] const Eigen::VectorXd& q_coefficients() const;
  [[nodiscard]] const Eigen::VectorXd& z_coefficients() const;
  [[nodiscard]] const Eigen::PermutationMatrix<Eigen::Dynamic>& permutation() const;  ///< P
  /// y := T^-1 y of rank() entries, in place.
  void solve_triangle_in_place(VectorRef y) const;

 private:
  Hidden<Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>> factors_;
};

/// Singular values, largest first, and all right singular vectors by Jacobi's rotations; rank counts values above
/// `threshold` times the largest (negative: Eigen's own). V is empty where vectors are not asked for.
struct SingularValues {
  Eigen::VectorXd values;
  Eigen::MatrixXd V;
  Index rank = 0;
};
[[nodiscard]] SingularValues singular_values(ConstMatrixRef A, bool vectors, double threshold = -1.0);

/// A = V diag(values) V^T of a symmetric matrix, values ascending; converged is false where QR's iteration gave up.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd V;
  bool converged = false;
};
[[nodiscard]] SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A);
/// The same, bit for bit, in memory that is kept for each size of A that it met.
class SymmetricEigenWorkspace {
 public:
  SymmetricEigenWorkspace();
  ~SymmetricEigenWorkspace();
  SymmetricEigenWorkspace(SymmetricEigenWorkspace&&) noexcept;
  SymmetricEigenWorkspace& operator=(SymmetricEigenWorkspace&&) noexcept;

  [[nodiscard]] const SymmetricEigen& compute(ConstMatrixRef A);  ///< until the next call with a matrix of this size

 private:
  struct Place;
  std::vector<std::unique_ptr<Place>> by_size_;
};

/// A V = V diag(values) of any square matrix; V's columns have norm 1 and may be (nearly) dependent. converged is false
/// where QR's iteration gave up or A is not finite.
struct GeneralEigen {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd V;
  bool converged = false;
};
[[nodiscard]] GeneralEigen general_eigen(const Eigen::MatrixXd& A);

/// A = Q T Q^T, Q orthogonal, T quasi-triangular: the first k columns of Q span an invariant subspace of A wherever
/// T(k, k - 1) = 0. values: in the order of T's diagonal.
struct RealSchur {
  Eigen::MatrixXd T, Q;
  Eigen::VectorXcd values;
  bool converged = false;
};
[[nodiscard]] RealSchur real_schur(const Eigen::MatrixXd& A);
/// Reorders so that the selected values stand first (with the conjugate of each); false where that would spoil them.
[[nodiscard]] bool bring_first(RealSchur& schur, const std::vector<bool>& selected);

}  // namespace nonsmooth
