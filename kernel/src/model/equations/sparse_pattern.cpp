// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/sparse_pattern.hpp>

#include <algorithm>
#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

Sparse zeros_at(Index n, Triplets& entries) {
  for (Index i = 0; i < n; ++i) entries.emplace_back(static_cast<int>(i), static_cast<int>(i), 0.0);
  Sparse zeros(n, n);
  zeros.setFromTriplets(entries.begin(), entries.end());
  return zeros;
}

std::string pair_of(Index row, Index column) { return "(" + std::to_string(row) + ", " + std::to_string(column) + ")"; }

}  // namespace

SparsePattern::SparsePattern(const Sparse& entries) {
  if (entries.rows() != entries.cols() || entries.rows() == 0) {
    throw InvalidArgument("SparsePattern: entries",
                          std::to_string(entries.rows()) + " x " + std::to_string(entries.cols()),
                          "a square matrix of one row at least");
  }
  Triplets both;
  both.reserve(static_cast<std::size_t>(2 * entries.nonZeros() + entries.cols()));
  for (Index j = 0; j < entries.cols(); ++j) {
    for (Sparse::InnerIterator entry(entries, j); entry; ++entry) {
      both.emplace_back(static_cast<int>(entry.row()), static_cast<int>(j), 0.0);
      both.emplace_back(static_cast<int>(j), static_cast<int>(entry.row()), 0.0);
    }
  }
  zeros_ = std::make_shared<const Sparse>(zeros_at(entries.cols(), both));
}

SparsePattern SparsePattern::of_elements(Index n, const std::vector<std::vector<Index>>& elements) {
  check::at_least("SparsePattern::of_elements: n", n, 1);
  Triplets pairs;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    for (const Index i : elements[e]) {
      if (i < 0 || i >= n) {
        throw InvalidArgument("SparsePattern::of_elements: elements[" + std::to_string(e) + "]",
                              "the degree of freedom " + std::to_string(i), "0 to " + std::to_string(n - 1));
      }
      for (const Index j : elements[e]) pairs.emplace_back(static_cast<int>(i), static_cast<int>(j), 0.0);
    }
  }
  SparsePattern pattern;
  pattern.zeros_ = std::make_shared<const Sparse>(zeros_at(n, pairs));
  return pattern;
}

Index SparsePattern::find(Index row, Index column) const noexcept {
  if (row < 0 || column < 0 || row >= size() || column >= size()) return -1;
  const int* const rows = zeros_->innerIndexPtr();
  const int* const first = rows + zeros_->outerIndexPtr()[column];
  const int* const last = rows + zeros_->outerIndexPtr()[column + 1];
  const int* const found = std::lower_bound(first, last, static_cast<int>(row));
  return found != last && *found == row ? found - rows : -1;
}

void SparseEntries::add(Index row, Index column, double value) {
  const Index place = pattern_->find(row, column);
  if (place < 0) {
    throw InvalidArgument("SparseEntries::add", "the entry " + pair_of(row, column),
                          "an entry of the pattern that was declared, of " + std::to_string(pattern_->size()) +
                              " rows and " + std::to_string(pattern_->num_entries()) + " entries");
  }
  values_[place] += value;
}

void SparseEntries::add(std::span<const Index> dofs, ConstMatrixRef element) {
  const Index size = std::ssize(dofs);
  check::shape("SparseEntries::add: element", element.rows(), element.cols(), size, size);
  for (Index j = 0; j < size; ++j) {
    for (Index i = 0; i < size; ++i)
      add(dofs[static_cast<std::size_t>(i)], dofs[static_cast<std::size_t>(j)], element(i, j));
  }
}

}  // namespace nonsmooth
