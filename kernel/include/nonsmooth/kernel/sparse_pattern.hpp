// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// Where n x n matrices whose values vary may have entries: declared once, shared by copies. It is made to hold the
/// diagonal, and (j, i) beside every (i, j). Entries are numbered column by column, rows ascending.
class SparsePattern {
 public:
  SparsePattern() = default;  ///< of no matrix: size() is 0
  /// The entries that a sparse matrix has, zeros that it stores among them; values do not matter.
  /// @throws InvalidArgument: not square, or no row.
  template <class Derived>
  SparsePattern(const Eigen::SparseMatrixBase<Derived>& entries)  // NOLINT: conversion is the purpose
      : SparsePattern(Eigen::SparseMatrix<double>(entries)) {}
  SparsePattern(const Eigen::SparseMatrix<double>& entries);  // NOLINT
  /// Of finite elements: all pairs (i, j) of an element's degrees of freedom, `elements` listing those of each.
  /// @throws InvalidArgument: n < 1, or a degree of freedom that is not one of 0, ..., n - 1, naming the element.
  [[nodiscard]] static SparsePattern of_elements(Index n, const std::vector<std::vector<Index>>& elements);

  [[nodiscard]] Index size() const noexcept { return zeros_ ? zeros_->cols() : 0; }  ///< n
  [[nodiscard]] Index num_entries() const noexcept { return zeros_ ? zeros_->nonZeros() : 0; }
  /// The number of the entry (row, column), -1 where it is none. Cost: a binary search in the column.
  [[nodiscard]] Index find(Index row, Index column) const noexcept;
  /// A compressed matrix with these entries, all zero. Not of an empty pattern.
  [[nodiscard]] const Eigen::SparseMatrix<double>& zeros() const noexcept { return *zeros_; }

 private:
  std::shared_ptr<const Eigen::SparseMatrix<double>> zeros_;
};

/// The values of a matrix on its pattern, as a callable gets them: all zero, to be added to. They belong to whoever
/// calls, and are not to be kept.
class SparseEntries {
 public:
  SparseEntries(const SparsePattern& pattern, VectorRef values) : pattern_(&pattern), values_(values) {}

  [[nodiscard]] const SparsePattern& pattern() const noexcept { return *pattern_; }
  /// By number of the entry, for who keeps the numbers that SparsePattern::find gave and adds without a search.
  [[nodiscard]] VectorRef values() noexcept { return values_; }
  /// A(row, column) += value. @throws InvalidArgument where the pattern has no such entry.
  void add(Index row, Index column, double value);
  /// An element's matrix, A(dofs[i], dofs[j]) += element(i, j). Cost: a binary search an entry.
  /// @throws InvalidArgument: an element that is not dofs x dofs, or an entry that the pattern does not have.
  void add(std::span<const Index> dofs, ConstMatrixRef element);

 private:
  const SparsePattern* pattern_;
  VectorRef values_;
};

}  // namespace nonsmooth
