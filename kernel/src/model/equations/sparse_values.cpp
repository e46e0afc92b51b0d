// SPDX-License-Identifier: Apache-2.0
#include "sparse_values.hpp"

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {

void check_pattern(const std::string& type, const SparsePattern& pattern, Index n, const char* initial) {
  if (pattern.size() == n) return;
  throw InvalidArgument(type + "::pattern",
                        pattern.size() == 0 ? "none" : "one of " + std::to_string(pattern.size()) + " rows",
                        "one of " + std::to_string(n) + " rows, as " + initial + " has entries");
}

Eigen::VectorXd mass_on_pattern(const std::string& argument, const MatrixData& mass, const SparsePattern& pattern) {
  Eigen::VectorXd values = Eigen::VectorXd::Zero(pattern.num_entries());
  const auto put = [&](Index row, Index column, double value) {
    if (value == 0.0) return;
    const Index place = pattern.find(row, column);
    if (place < 0) {
      throw InvalidArgument(argument, "an entry at (" + std::to_string(row) + ", " + std::to_string(column) + ")",
                            "entries of the pattern alone");
    }
    values[place] = value;
  };
  if (const auto* sparse = mass.sparse()) {
    for (Index j = 0; j < sparse->cols(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator entry(*sparse, j); entry; ++entry)
        put(entry.row(), j, entry.value());
    }
  } else if (const auto* dense = mass.dense()) {
    for (Index j = 0; j < dense->cols(); ++j) {
      for (Index i = 0; i < dense->rows(); ++i) put(i, j, (*dense)(i, j));
    }
  } else {
    const auto* diagonal = mass.diagonal();
    for (Index i = 0; i < pattern.size(); ++i) put(i, i, diagonal ? (*diagonal)[i] : 1.0);
  }
  return values;
}

}  // namespace nonsmooth
