// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>

#include <lapacke.h>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

namespace nonsmooth {
namespace {

/// True if some pivot of P A = L U (both in `factors`) is not finite or no larger than its own round-off,
/// |U_kk| <= n eps (|L||U|)_kk. Cost: n^2 flops.
bool has_vanishing_pivot(const Eigen::Ref<const Eigen::MatrixXd>& factors) {
  const Index n = factors.rows();
  const double unit = static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  for (Index k = 0; k < n; ++k) {
    const double pivot = std::abs(factors(k, k));
    double magnitude = pivot;  // L_kk = 1
    for (Index j = 0; j < k; ++j) magnitude += std::abs(factors(k, j)) * std::abs(factors(j, k));
    if (!std::isfinite(magnitude) || pivot <= unit * magnitude) return true;
  }
  return false;
}

/// The same for A = L L^T, whose pivots L_kk^2 come out of A_kk by subtracting squares.
bool has_vanishing_pivot(const Eigen::Ref<const Eigen::MatrixXd>& lower, ConstMatrixRef A) {
  const double unit = static_cast<double>(A.rows()) * std::numeric_limits<double>::epsilon();
  for (Index k = 0; k < A.rows(); ++k) {
    const double root = lower(k, k);
    if (!std::isfinite(root) || root <= 0.0 || root * root <= unit * A(k, k)) return true;
  }
  return false;
}

/// The interchanges k <-> swaps[k], k = 0, 1, ..., whose product is P: solving then needs no second vector.
void swaps_of(const Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic>& P, std::vector<Index>& swaps,
              std::vector<Index>& position, std::vector<Index>& occupant) {
  const auto n = static_cast<std::size_t>(P.size());
  swaps.resize(n);
  position.resize(n);  // where an original row stands now
  occupant.resize(n);  // which original row stands in a place
  for (std::size_t i = 0; i < n; ++i) position[i] = occupant[i] = static_cast<Index>(i);
  for (Index i = 0; i < P.size(); ++i) swaps[static_cast<std::size_t>(P.indices()(i))] = i;
  for (std::size_t k = 0; k < n; ++k) {
    const Index wanted = swaps[k], moved = occupant[k];
    const Index from = position[static_cast<std::size_t>(wanted)];
    occupant[static_cast<std::size_t>(from)] = moved;
    position[static_cast<std::size_t>(moved)] = from;
    occupant[k] = wanted;
    swaps[k] = from;
  }
}

}  // namespace

struct DenseFactorization::Implementation {
  static constexpr Index kKept = 32;  ///< up to this size factors keep memory of their own, 100 kB in all at most

  Implementation(Structure structure_in, Backend backend) : structure(structure_in) {
    if (backend == Backend::SuiteSparse) {
      throw InvalidArgument("DenseFactorization: backend", "SuiteSparse", "Automatic, Eigen or Lapack");
    }
    lapack = backend == Backend::Lapack;
  }

  bool factorize(ConstMatrixRef A) {
    factored = false;
    if (A.rows() != A.cols()) {
      throw InvalidArgument("DenseFactorization::factorize: A",
                            std::to_string(A.rows()) + " x " + std::to_string(A.cols()), "a square matrix");
    }
    check::finite("DenseFactorization::factorize: A", A);
    n = A.rows();
    if (n == 0) return factored = true;
    return factored = lapack ? factorize_lapack(A) : factorize_eigen(A);
  }

  bool factorize_eigen(ConstMatrixRef A) {
    if (structure == Structure::SymmetricPositiveDefinite) {
      llt.compute(A);
      return llt.info() == Eigen::Success && !has_vanishing_pivot(llt.matrixLLT(), A);
    }
    if (n <= kKept && lu_of_size.size() <= static_cast<std::size_t>(n))
      lu_of_size.resize(static_cast<std::size_t>(n) + 1);
    LuFactors& factor = n <= kKept ? lu_of_size[static_cast<std::size_t>(n)] : large_lu;
    factor.compute(A);
    if (has_vanishing_pivot(factor.matrix())) return false;
    swaps_of(factor.permutation(), swaps, position, occupant);
    return true;
  }

  bool factorize_lapack(ConstMatrixRef A) {
    const auto entries = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    if (factors.size() < entries) factors.resize(entries);
    Eigen::Map<Eigen::MatrixXd> F(factors.data(), n, n);
    F = A;
    const auto order = static_cast<lapack_int>(n);
    if (structure == Structure::SymmetricPositiveDefinite) {
      norm = symmetric_norm(A);
      return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', order, F.data(), order) == 0 && !has_vanishing_pivot(F, A);
    }
    norm = A.cwiseAbs().colwise().sum().maxCoeff();
    if (pivots.size() < static_cast<std::size_t>(n)) pivots.resize(static_cast<std::size_t>(n));
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, order, order, F.data(), order, pivots.data()) == 0 &&
           !has_vanishing_pivot(F);
  }

  void solve(MatrixRef b, bool transposed) const {
    if (!factored) {
      throw InvalidArgument("DenseFactorization::solve", "no factors", "a call of factorize() that returned true");
    }
    if (b.rows() != n) {
      throw InvalidArgument("DenseFactorization::solve: b", std::to_string(b.rows()) + " rows",
                            std::to_string(n) + " rows, as A has");
    }
    if (n == 0 || b.cols() == 0) return;
    if (lapack) {
      const auto order = static_cast<lapack_int>(n), columns = static_cast<lapack_int>(b.cols());
      const auto stride = static_cast<lapack_int>(std::max(b.outerStride(), n));
      if (structure == Structure::SymmetricPositiveDefinite) {
        LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', order, columns, factors.data(), order, b.data(), stride);
      } else {
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, transposed ? 'T' : 'N', order, columns, factors.data(), order,
                            pivots.data(), b.data(), stride);
      }
    } else if (b.cols() == 1) {  // Eigen's kernel for one vector needs no packing buffer
      solve_eigen(b.col(0), transposed);
    } else {
      solve_eigen(b, transposed);
    }
  }

  [[nodiscard]] const LuFactors& lu() const { return n <= kKept ? lu_of_size[static_cast<std::size_t>(n)] : large_lu; }

  template <class Columns>
  void solve_eigen(Columns&& b, bool transposed) const {
    if (structure == Structure::SymmetricPositiveDefinite) {
      llt.matrixLLT().triangularView<Eigen::Lower>().solveInPlace(b);
      llt.matrixLLT().transpose().triangularView<Eigen::Upper>().solveInPlace(b);
    } else if (transposed) {
      lu().matrix().transpose().triangularView<Eigen::Lower>().solveInPlace(b);
      lu().matrix().transpose().triangularView<Eigen::UnitUpper>().solveInPlace(b);
      for (Index k = n; k-- > 0;) exchange(b, k);
    } else {
      for (Index k = 0; k < n; ++k) exchange(b, k);
      lu().matrix().triangularView<Eigen::UnitLower>().solveInPlace(b);
      lu().matrix().triangularView<Eigen::Upper>().solveInPlace(b);
    }
  }

  template <class Columns>
  void exchange(Columns& b, Index k) const {
    const Index other = swaps[static_cast<std::size_t>(k)];
    if (other == k) return;
    for (Index c = 0; c < b.cols(); ++c) std::swap(b(k, c), b(other, c));
  }

  double reciprocal_condition() const {
    if (!factored) return 0.0;
    if (n == 0) return 1.0;
    const bool cholesky = structure == Structure::SymmetricPositiveDefinite;
    if (!lapack) return cholesky ? llt.rcond() : lu().rcond();
    std::vector<double> work(4 * static_cast<std::size_t>(n));
    std::vector<lapack_int> integers(static_cast<std::size_t>(n));
    const auto order = static_cast<lapack_int>(n);
    double result = 0.0;
    if (cholesky) {
      LAPACKE_dpocon_work(LAPACK_COL_MAJOR, 'L', order, factors.data(), order, norm, &result, work.data(),
                          integers.data());
    } else {
      LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', order, factors.data(), order, norm, &result, work.data(),
                          integers.data());
    }
    return result;
  }

  /// |A|_1 of a symmetric matrix of which the lower triangle is given.
  static double symmetric_norm(ConstMatrixRef A) {
    double largest = 0.0;
    for (Index k = 0; k < A.rows(); ++k) {
      const Index below = A.rows() - k;
      largest = std::max(largest, A.col(k).tail(below).lpNorm<1>() + A.row(k).head(k).lpNorm<1>());
    }
    return largest;
  }

  Structure structure;
  bool lapack = false, factored = false;
  Index n = 0;
  double norm = 0.0;
  std::vector<LuFactors> lu_of_size;  // active sets come and go: a size that was met before finds its memory again
  LuFactors large_lu;
  Eigen::LLT<Eigen::MatrixXd> llt;
  std::vector<Index> swaps, position, occupant;
  std::vector<double> factors;
  std::vector<lapack_int> pivots;
};

DenseFactorization::DenseFactorization(Structure structure, Backend backend)
    : implementation_(std::make_unique<Implementation>(structure, backend)) {}
DenseFactorization::~DenseFactorization() = default;
DenseFactorization::DenseFactorization(DenseFactorization&&) noexcept = default;
DenseFactorization& DenseFactorization::operator=(DenseFactorization&&) noexcept = default;

bool DenseFactorization::factorize(ConstMatrixRef A) { return implementation_->factorize(A); }
void DenseFactorization::solve_in_place(MatrixRef b) const { implementation_->solve(b, false); }
void DenseFactorization::solve_transposed_in_place(MatrixRef b) const { implementation_->solve(b, true); }
double DenseFactorization::reciprocal_condition() const { return implementation_->reciprocal_condition(); }
std::string_view DenseFactorization::backend() const noexcept { return implementation_->lapack ? "LAPACK" : "Eigen"; }

}  // namespace nonsmooth
