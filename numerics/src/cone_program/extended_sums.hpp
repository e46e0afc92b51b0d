// SPDX-License-Identifier: Apache-2.0
// Products and distances in extended precision, for certificates and proofs; not installed.
#pragma once

#include <cmath>
#include <vector>

#include <Eigen/SparseCore>

#include <internal/at.hpp>
#include <nonsmooth/numerics/types.hpp>

#include "sparse_entries.hpp"

namespace nonsmooth::cone_program::detail {

/// A sum in extended precision, and that of absolute values.
struct Sum {
  long double value = 0.0L, terms = 0.0L;

  void add(double a, double b) {
    const long double term = static_cast<long double>(a) * b;
    value += term;
    terms += std::abs(term);
  }
};

/// matrix v, row by row.
inline std::vector<Sum> product(const Eigen::SparseMatrix<double>& matrix, ConstVectorRef v) {
  std::vector<Sum> rows(at(matrix.rows()));
  nonsmooth::detail::for_each_entry(matrix, [&](Index i, Index j, double value) { rows[at(i)].add(value, v[j]); });
  return rows;
}

/// columns += matrix^T v, column by column.
inline void add_transposed(const Eigen::SparseMatrix<double>& matrix, ConstVectorRef v, std::vector<Sum>& columns) {
  nonsmooth::detail::for_each_entry(matrix, [&](Index i, Index j, double value) { columns[at(j)].add(value, v[i]); });
}

using Wide = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// The distance of v to its cone. A large v next to the boundary is outside by less than doubles have of v_0: (1e9,
/// 1e9, 10) by 5e-8 / sqrt 2, beside 1e-7.
template <class V>
double distance(const V& v) {
  const long double rest = v.tail(v.size() - 1).norm(), inside = v[0] - rest;
  if (inside >= 0.0L) return 0.0;
  return static_cast<double>(v[0] <= -rest ? std::hypot(v[0], rest) : -inside / std::sqrt(2.0L));
}

}  // namespace nonsmooth::cone_program::detail
