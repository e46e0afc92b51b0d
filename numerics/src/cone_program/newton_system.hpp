// SPDX-License-Identifier: Apache-2.0
// The linear system of an interior point's steps; not installed.
#pragma once

#include <vector>

#include <internal/sparse_factors.hpp>

#include "cones.hpp"

namespace nonsmooth::cone_program::detail {

/// (0, A^T, G^T; A, 0, 0; G, 0, -W^2) (x; y; z) = right, W of a scaling that changes from step to step. Where A and G
/// are nearly full, W^-1 G and Cholesky's factors, L L^T of H = G^T W^-2 G + delta and those of S = V V^T + delta, V =
/// A L^-T, so that S = A H^-1 A^T + delta; else, and where these lose too many digits, sparse L D L^T of the whole,
/// with delta and -delta on the diagonals of the zeros. Refinement takes delta out again.
class NewtonSystem {
 public:
  using Vector = Eigen::VectorXd;
  /// Of each row: a step more would move the largest by less than they are rounded, and the small ones by this.
  static constexpr double to_rounding = 1e-10;

  /// Both stay where they are.
  NewtonSystem(const Problem& problem, const Scaling& scaling);

  /// Factors for the present scaling, and the solution of one right-hand side. A W^2 whose s and z are both near the
  /// boundary is singular to rounding, and a pivot may cancel: the blocks are shifted then, by as little as helps.
  bool factorize(const Vector& right, Vector& solution);
  /// Refined until of each entry of `right` no more than the part `enough` is left, or of the largest its rounding, or
  /// no step takes half of it away. Row by row, as rows of small right-hand sides may be all that says where an unknown
  /// is.
  [[nodiscard]] Vector solve(const Vector& right, double enough = to_rounding) const;
  /// dual += A^T y + G^T z, equations += A x, rows += G x.
  void add_products(ConstVectorRef x, ConstVectorRef y, ConstVectorRef z, VectorRef dual, VectorRef equations,
                    VectorRef rows) const;

 private:
  [[nodiscard]] Vector multiply(const Vector& v) const;
  [[nodiscard]] bool leaves_little(const Vector& right, const Vector& solution, double* left) const;
  bool factorize_dense();
  bool factorize_sparse(double shift);
  void solve_dense(Vector& v) const;

  const Problem& problem_;
  const Scaling& scaling_;
  Index n_, p_, m_;
  bool full_ = false;                        // A and G are
  bool dense_factors_ = false;               // the present ones
  Eigen::MatrixXd A_, G_, scaled_, LV_, S_;  // W^-1 G; L and V below it; the factor of S
  std::vector<double> packed_;               // scratch of the dense kernels
  SparseLdltFactors sparse_;
};

}  // namespace nonsmooth::cone_program::detail
