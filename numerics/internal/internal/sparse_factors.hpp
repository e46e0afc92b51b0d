// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// P_r A P_c = L U by Eigen's supernodal LU with COLAMD's order, and the solves on it; the order is found anew each
/// time. What has a verdict on singular matrices and keeps its order is SparseFactorization (factorization.hpp).
class SparseLuFactors {
 public:
  SparseLuFactors();
  ~SparseLuFactors();
  SparseLuFactors(SparseLuFactors&&) noexcept;
  SparseLuFactors& operator=(SparseLuFactors&&) noexcept;

  [[nodiscard]] bool compute(const Eigen::SparseMatrix<double>& A);  ///< false where a pivot is zero
  void solve_in_place(VectorRef x) const;                            ///< x := A^-1 x
  void solve_transposed_in_place(VectorRef x) const;                 ///< x := A^-T x

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// P A P^T = L D L^T of a symmetric matrix, without pivoting but for AMD's order, which is kept while the pattern
/// stands; the lower triangle of A is used.
class SparseLdltFactors {
 public:
  SparseLdltFactors();
  ~SparseLdltFactors();
  SparseLdltFactors(SparseLdltFactors&&) noexcept;
  SparseLdltFactors& operator=(SparseLdltFactors&&) noexcept;

  [[nodiscard]] bool compute(const Eigen::SparseMatrix<double>& A);  ///< false where a pivot is zero
  void solve_in_place(Eigen::VectorXd& x) const;                     ///< x := A^-1 x

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth
