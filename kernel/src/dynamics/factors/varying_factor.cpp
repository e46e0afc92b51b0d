// SPDX-License-Identifier: Apache-2.0
#include "varying_factor.hpp"

#include <internal/round_off.hpp>

namespace nonsmooth {
namespace {

/// Entries that are sums of the parts of some elements, in one order above the diagonal and another below it.
constexpr double kAsymmetry = 64.0 * eps;

}  // namespace

VaryingFactor::VaryingFactor(const SparsePattern& pattern) {
  const Eigen::SparseMatrix<double>& zeros = pattern.zeros();
  diagonal_.reserve(static_cast<std::size_t>(pattern.size()));
  transposed_.reserve(static_cast<std::size_t>(pattern.num_entries()));
  for (Index j = 0; j < pattern.size(); ++j) {
    diagonal_.push_back(pattern.find(j, j));
    for (Index k = zeros.outerIndexPtr()[j]; k < zeros.outerIndexPtr()[j + 1]; ++k)
      transposed_.push_back(pattern.find(j, zeros.innerIndexPtr()[k]));
  }
}

bool VaryingFactor::may_be_positive_definite(const Eigen::SparseMatrix<double>& A) const {
  const double* const values = A.valuePtr();
  for (Index j = 0; j < A.cols(); ++j) {
    if (!(diagonal(A, j) > 0.0)) return false;
    for (Index k = A.outerIndexPtr()[j]; k < A.outerIndexPtr()[j + 1]; ++k) {
      const Index i = A.innerIndexPtr()[k];
      if (i >= j) break;  // the rest is below the diagonal
      const double difference = values[k] - values[transposed(k)];
      if (!(difference * difference <= kAsymmetry * kAsymmetry * (diagonal(A, i) * diagonal(A, j)))) return false;
    }
  }
  return true;
}

bool VaryingFactor::compute(const Eigen::SparseMatrix<double>& A) {
  const Eigen::Map<const Eigen::VectorXd> values(A.valuePtr(), A.nonZeros());
  if (holds_ && values == values_) return true;
  cholesky_holds_ = may_be_positive_definite(A) && cholesky_.factorize(A);
  holds_ = cholesky_holds_ || lu_.factorize(A);
  values_ = values;
  return holds_;
}

}  // namespace nonsmooth
