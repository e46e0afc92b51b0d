// SPDX-License-Identifier: Apache-2.0
#include "sparse_differences.hpp"

namespace nonsmooth {

SparseDifferences::SparseDifferences(const SparsePattern& pattern) {
  // The pattern is symmetric: the columns that have an entry in row i are the rows of column i.
  const Eigen::SparseMatrix<double>& zeros = pattern.zeros();
  const auto n = static_cast<std::size_t>(pattern.size());
  std::vector<Index> colour(n, -1), seen_by;
  std::vector<std::vector<Index>> columns_of;
  const auto for_each_row = [&zeros](Index j, auto&& visit) {
    for (Index k = zeros.outerIndexPtr()[j]; k < zeros.outerIndexPtr()[j + 1]; ++k) visit(zeros.innerIndexPtr()[k]);
  };
  for (Index j = 0; j < pattern.size(); ++j) {
    for_each_row(j, [&](Index row) {
      for_each_row(row, [&](Index other) {
        if (const Index taken = colour[static_cast<std::size_t>(other)]; taken >= 0)
          seen_by[static_cast<std::size_t>(taken)] = j;
      });
    });
    std::size_t first = 0;
    while (first < seen_by.size() && seen_by[first] == j) ++first;
    if (first == seen_by.size()) {
      seen_by.push_back(-1);
      columns_of.emplace_back();
    }
    colour[static_cast<std::size_t>(j)] = static_cast<Index>(first);
    columns_of[first].push_back(j);
  }
  for (const std::vector<Index>& columns : columns_of) {
    columns_.insert(columns_.end(), columns.begin(), columns.end());
    begin_.push_back(static_cast<Index>(columns_.size()));
  }
}

}  // namespace nonsmooth
