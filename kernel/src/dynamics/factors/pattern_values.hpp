// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/sparse_pattern.hpp>

#include "model/guarded.hpp"

namespace nonsmooth {

/// The values of a matrix with the entries of a pattern, by number of the entry.
inline Eigen::Map<Eigen::VectorXd> values_of(Eigen::SparseMatrix<double>& A) { return {A.valuePtr(), A.nonZeros()}; }

/// values := what a system writes into zeros.
template <class Write>
void write_values(const std::string& name, const char* what, const SparsePattern& pattern, VectorRef values,
                  Write&& write) {
  values.setZero();
  SparseEntries entries(pattern, values);
  guarded(name, what, [&] { write(entries); });
  require_finite(name, what, values);
}

}  // namespace nonsmooth
