// SPDX-License-Identifier: Apache-2.0
#pragma once

// W of many contacts between the same two rigid bodies: their relative motion has six degrees of freedom.

#include <vector>

#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>

#include "growing_matrix.hpp"

namespace nonsmooth::friction::internal {

/// rho^(1/2) W rho^(1/2) = V Ŵ V^T with one orthonormal basis a group of blocks that are coupled to the same blocks (an
/// interface between two bodies); V is the identity where a group is a single block. Checked entry by entry to
/// round-off, so that it holds for any W; where it does not, or saves little, there are no interfaces.
class Interfaces {
 public:
  Interfaces() = default;
  Interfaces(const mixed::Problem& problem, ConstVectorRef root) { prepare(problem, root); }
  /// Those of another problem; a problem of up to `small` rows has none. Nothing is allocated where one before had as
  /// many blocks and rows, and each group's rows and rank have been met before.
  void prepare(const mixed::Problem& problem, ConstVectorRef root);

  void reserve(Index blocks);  ///< memory to find out whether there are any

  /// Rows of which a dense LU costs no more than the bases.
  static constexpr Index small = 96;

  [[nodiscard]] bool useful() const noexcept { return useful_; }
  [[nodiscard]] const BlockSparseMatrix& W() const noexcept { return W_; }  ///< Ŵ, a block an interface
  [[nodiscard]] Index num_groups() const noexcept { return static_cast<Index>(begin_.size()) - 1; }
  [[nodiscard]] Index size(Index group) const noexcept { return W_.size(group); }
  [[nodiscard]] Index begin(Index group) const noexcept { return begin_[static_cast<std::size_t>(group)]; }
  /// The m-th block of all, group after group; m in begin(group) .. begin(group + 1) - 1.
  [[nodiscard]] Index member(Index m) const noexcept { return members_[static_cast<std::size_t>(m)]; }
  /// Rows of V of member m, column-major: size(block) x size(group).
  [[nodiscard]] const double* basis(Index m) const noexcept {
    return bases_.data() + basis_begin_[static_cast<std::size_t>(m)];
  }

 private:
  void group(const BlockSparseMatrix& W);
  [[nodiscard]] Index rows_of(const BlockSparseMatrix& W, Index group) const;
  void write_between(const BlockSparseMatrix& W, ConstVectorRef root, Index g, Index h);
  [[nodiscard]] bool find_bases(const BlockSparseMatrix& W, ConstVectorRef root);
  void lay_out(const BlockSparseMatrix& W);
  [[nodiscard]] bool compress(const BlockSparseMatrix& W, ConstVectorRef root);

  std::vector<Index> order_, group_of_, begin_, members_, basis_begin_;
  std::vector<Index> local_;  // of each member: its first row in its group
  std::vector<double> bases_;
  std::vector<GrowingMatrix<>> V_;  // by group; more than there are where there were more
  GrowingMatrix<> whole_, product_, reduced_, image_;
  SymmetricEigenWorkspace eigen_;
  std::vector<Index> sizes_, columns_;
  BlockSparseMatrix W_;
  bool useful_ = false;
};

}  // namespace nonsmooth::friction::internal
