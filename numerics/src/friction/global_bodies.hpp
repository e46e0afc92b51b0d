// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bodies of a global problem: the diagonal blocks that A falls into, their factors, and what contacts they share.

#include <memory>
#include <vector>

#include <nonsmooth/numerics/friction/global_problem.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "../mixed/internal.hpp"

namespace nonsmooth::friction::internal {

/// The connected components of A's pattern, in the order of their first dof. Consecutive small components that touch
/// the same contacts (the scalar blocks of a diagonal mass) are one body.
class Bodies {
 public:
  explicit Bodies(const GlobalProblem& problem);

  [[nodiscard]] Index size() const noexcept { return static_cast<Index>(dof_begin_.size()) - 1; }
  [[nodiscard]] Index num_dofs(Index body) const noexcept { return at(dof_begin_, body + 1) - at(dof_begin_, body); }
  [[nodiscard]] const Index* dofs(Index body) const noexcept { return dofs_.data() + at(dof_begin_, body); }
  /// Where a dof stands in its body.
  [[nodiscard]] Index place(Index dof) const noexcept { return at(place_, dof); }
  /// Blocks of K that the body's columns of H touch, ascending.
  [[nodiscard]] Index num_blocks(Index body) const noexcept {
    return at(block_begin_, body + 1) - at(block_begin_, body);
  }
  [[nodiscard]] const Index* blocks(Index body) const noexcept { return blocks_.data() + at(block_begin_, body); }
  [[nodiscard]] Index block_of_row(Index row) const noexcept { return at(block_of_row_, row); }
  /// Dofs of the largest body.
  [[nodiscard]] Index largest() const noexcept { return largest_; }
  /// A bound on the scalar entries of W = H A^-1 H^T: the sum of (rows touched)^2 over the bodies.
  [[nodiscard]] double reduced_entries(const ProductSet& K) const;

 private:
  [[nodiscard]] static Index at(const std::vector<Index>& values, Index i) noexcept {
    return values[static_cast<std::size_t>(i)];
  }
  void find_components(const Eigen::SparseMatrix<double>& A);
  void find_contacts(const GlobalProblem& problem);
  void merge();

  std::vector<Index> dofs_, dof_begin_, place_, blocks_, block_begin_, block_of_row_;
  Index largest_ = 0;
};

/// Factors of A body by body: the entries themselves where a body is diagonal, dense LU up to 64 dofs, else sparse
/// Cholesky where the body is symmetric and positive definite, else sparse LU.
class BodyFactors {
 public:
  /// @throws InvalidArgument for a body singular to working precision.
  BodyFactors(const GlobalProblem& problem, const Bodies& bodies);

  /// A^-1 b, refined once where A is not diagonal.
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  /// W = H A^-1 H^T in the blocks of K, symmetric bit by bit where A is.
  [[nodiscard]] BlockSparseMatrix reduced_matrix() const;
  [[nodiscard]] bool symmetric() const noexcept { return symmetric_; }

 private:
  struct Factors {
    std::unique_ptr<DenseFactorization> dense;
    std::unique_ptr<SparseFactorization> sparse;
  };
  struct Scratch {
    mixed::internal::Buffer H, X, product;
    std::vector<Index> first;
  };
  void factorize(Index body);
  [[nodiscard]] bool take_diagonal(Index body);
  void solve_in_place(Index body, MatrixRef b) const;
  void solve_in_place(Eigen::VectorXd& b) const;
  [[nodiscard]] BlockSparseMatrix pattern() const;
  void add_small(BlockSparseMatrix& W, Index body, Scratch& scratch) const;
  void add_large(BlockSparseMatrix& W, Index body, Scratch& scratch) const;
  /// The place of a row of H among the rows that a body touches.
  [[nodiscard]] Index touched_row(Index body, const std::vector<Index>& first, Index row) const;

  const GlobalProblem& problem_;
  const Bodies& bodies_;
  std::vector<Factors> factors_;  // both null: diagonal_ holds the body
  Eigen::VectorXd diagonal_;
  bool symmetric_ = true, all_diagonal_ = true;
};

/// Up to here a body is factored dense, and costs little enough to factor wherever its inverse is of use.
inline constexpr Index small_body = 64;

}  // namespace nonsmooth::friction::internal
