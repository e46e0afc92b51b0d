// SPDX-License-Identifier: Apache-2.0
#include "symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::lcp::detail {
namespace {

bool differ(double a, double b, double diagonal_a, double diagonal_b) {
  const double size =
      std::max({std::abs(a), std::abs(b), std::sqrt(std::abs(diagonal_a)) * std::sqrt(std::abs(diagonal_b))});
  return std::abs(a - b) > 1e-12 * size;
}

template <class Matrix>
void require(std::string_view argument, const Matrix& A, std::string_view why) {
  Index i = 0;
  Index j = 0;
  if (!find_asymmetry(A, i, j)) return;
  const auto entry = [](Index row, Index col, double value) {
    std::ostringstream out;
    out.precision(17);
    out << value << " in entry (" << row << ", " << col << ")";
    return out.str();
  };
  throw InvalidArgument(std::string(argument), entry(i, j, A.coeff(i, j)) + " and " + entry(j, i, A.coeff(j, i)),
                        "a symmetric matrix, " + std::string(why));
}

}  // namespace

bool find_asymmetry(ConstMatrixRef A, Index& row, Index& col) {
  for (Index j = 1; j < A.cols(); ++j) {
    for (Index i = 0; i < j; ++i) {
      if (!differ(A(i, j), A(j, i), A(i, i), A(j, j))) continue;
      row = i;
      col = j;
      return true;
    }
  }
  return false;
}

bool find_asymmetry(const Eigen::SparseMatrix<double>& A, Index& row, Index& col) {
  const Eigen::SparseMatrix<double> difference = A - Eigen::SparseMatrix<double>(A.transpose());
  const Eigen::VectorXd diagonal = A.diagonal();
  for (Index j = 0; j < difference.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(difference, j); it; ++it) {
      // An explicit zero costs nothing here; the search of an entry is made only for those that differ.
      if (it.value() == 0.0 || it.row() >= j) continue;
      if (!differ(A.coeff(it.row(), j), A.coeff(j, it.row()), diagonal[it.row()], diagonal[j])) continue;
      row = it.row();
      col = j;
      return true;
    }
  }
  return false;
}

void require_symmetric(std::string_view argument, ConstMatrixRef A, std::string_view why) { require(argument, A, why); }

void require_symmetric(std::string_view argument, const Eigen::SparseMatrix<double>& A, std::string_view why) {
  require(argument, A, why);
}

}  // namespace nonsmooth::lcp::detail
