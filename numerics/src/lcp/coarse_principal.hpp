// SPDX-License-Identifier: Apache-2.0
// Large sparse principal systems A(a, a) x = b by Krylov iterations behind multigrid cycles; not installed.
#pragma once

#include <vector>

#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "coarse_hierarchy.hpp"

namespace nonsmooth::lcp::detail {

/// The interpolations of a hierarchy truncated to the rows `a` (those outside stay zero whatever the coarse levels
/// say), Galerkin products of A(a, a) with them, one V-cycle with a Gauss-Seidel sweep forward before and one backward
/// after the coarse correction as preconditioner of conjugate gradients (symmetric A) or BiCGStab.
/// Source: Kornhuber 1994 (truncation) [kornhuber1994]; van der Vorst 1992 (BiCGStab) [vandervorst1992].
class CoarsePrincipal {
 public:
  CoarsePrincipal(const CoarseHierarchy& hierarchy, bool symmetric) : hierarchy_(hierarchy), symmetric_(symmetric) {}

  /// Truncates level `l` of the hierarchy to `rows` (ascending). False if A(a, a) has no positive diagonal.
  bool prepare(std::size_t l, const std::vector<int>& rows);
  /// x = 0 on entry, b of rows.size() entries; until |b - A x|_inf <= target or max_iterations. Returns |b - A x|_inf.
  double solve(const Eigen::VectorXd& b, double target, Index max_iterations, Eigen::VectorXd& x);
  [[nodiscard]] Index iterations() const noexcept { return iterations_; }  ///< of all solves so far

 private:
  struct Level {
    RowMatrix A, P, Pt;
    Eigen::VectorXd inverse_diagonal, x, b, r;
  };

  void cycle(std::size_t k);
  void precondition(const Eigen::VectorXd& r, Eigen::VectorXd& out);
  double conjugate_gradients(double target, Index max_iterations, Eigen::VectorXd& x);
  double bicgstab(double target, Index max_iterations, Eigen::VectorXd& x);

  const CoarseHierarchy& hierarchy_;
  bool symmetric_;
  std::vector<Level> levels_;
  SparseFactorization coarsest_{Structure::General};
  bool direct_ = false;
  Index iterations_ = 0;
  Eigen::VectorXd r_, z_, p_, q_, s_, t_;
};

}  // namespace nonsmooth::lcp::detail
