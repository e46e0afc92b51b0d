// SPDX-License-Identifier: Apache-2.0
#include "pivots.hpp"

#include <algorithm>
#include <numeric>

namespace nonsmooth {

void Pivots::find(Eigen::MatrixXd A, Eigen::MatrixXd errors) {
  const Index m = A.rows(), n = A.cols();
  rows.resize(static_cast<std::size_t>(m));
  columns.resize(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), Index{0});
  std::iota(columns.begin(), columns.end(), Index{0});
  rank = 0;
  if (m == 0 || n == 0) return;
  for (int sweep = 0; sweep < 4; ++sweep) {  // Ruiz: rows and columns by the roots of their largest entries
    for (Index i = 0; i < m; ++i) {
      const double largest = A.row(i).lpNorm<Eigen::Infinity>();
      if (!(largest > 0.0)) continue;
      A.row(i) /= std::sqrt(largest);
      if (errors.size() > 0) errors.row(i) /= std::sqrt(largest);
    }
    for (Index j = 0; j < n; ++j) {
      const double largest = A.col(j).lpNorm<Eigen::Infinity>();
      if (!(largest > 0.0)) continue;
      A.col(j) /= std::sqrt(largest);
      if (errors.size() > 0) errors.col(j) /= std::sqrt(largest);
    }
  }
  double zero = 64.0 * static_cast<double>(std::max(m, n)) * eps;
  if (errors.size() > 0) zero = std::max(zero, errors.maxCoeff());
  for (; rank < std::min(m, n); ++rank) {
    Index i = 0, j = 0;
    const double pivot = A.bottomRightCorner(m - rank, n - rank).cwiseAbs().maxCoeff(&i, &j);
    if (!(pivot > zero)) return;
    i += rank;
    j += rank;
    A.row(rank).swap(A.row(i));
    A.col(rank).swap(A.col(j));
    std::swap(rows[static_cast<std::size_t>(rank)], rows[static_cast<std::size_t>(i)]);
    std::swap(columns[static_cast<std::size_t>(rank)], columns[static_cast<std::size_t>(j)]);
    for (Index k = rank + 1; k < m; ++k) {
      const double multiple = A(k, rank) / A(rank, rank);
      if (multiple != 0.0) A.row(k).tail(n - rank - 1) -= multiple * A.row(rank).tail(n - rank - 1);
    }
  }
}

}  // namespace nonsmooth
