// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <utility>

#include <Eigen/Core>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// P A = L U of a small matrix, by partial pivoting; sizes known to the compiler, no memory from the heap. A singular A
/// gives solutions that are not finite.
template <int n>
class FixedLu {
 public:
  using Matrix = Eigen::Matrix<double, n, n>;

  void compute(const Matrix& A) {
    lu_ = A;
    for (int k = 0; k < n; ++k) {
      int pivot = k;
      for (int i = k + 1; i < n; ++i) {
        if (std::abs(lu_(i, k)) > std::abs(lu_(pivot, k))) pivot = i;
      }
      swaps_[static_cast<std::size_t>(k)] = pivot;
      if (pivot != k) {
        for (int j = 0; j < n; ++j) std::swap(lu_(k, j), lu_(pivot, j));
      }
      for (int i = k + 1; i < n; ++i) lu_(i, k) /= lu_(k, k);
      for (int j = k + 1; j < n; ++j) {
        for (int i = k + 1; i < n; ++i) lu_(i, j) -= lu_(i, k) * lu_(k, j);
      }
    }
  }

  /// x := A^-1 x.
  void solve_in_place(double* x) const {
    for (int k = 0; k < n; ++k) std::swap(x[k], x[swaps_[static_cast<std::size_t>(k)]]);
    for (int k = 0; k < n; ++k) {
      for (int i = k + 1; i < n; ++i) x[i] -= lu_(i, k) * x[k];
    }
    for (int k = n - 1; k >= 0; --k) {
      x[k] /= lu_(k, k);
      for (int i = 0; i < k; ++i) x[i] -= lu_(i, k) * x[k];
    }
  }

 private:
  Matrix lu_ = Matrix::Identity();
  std::array<int, n> swaps_{};
};

template <int n>
[[nodiscard]] Eigen::Matrix<double, n, n> inverse_of(const Eigen::Matrix<double, n, n>& A) {
  FixedLu<n> factor;
  factor.compute(A);
  Eigen::Matrix<double, n, n> inverse = Eigen::Matrix<double, n, n>::Identity();
  for (int j = 0; j < n; ++j) factor.solve_in_place(inverse.col(j).data());
  return inverse;
}

}  // namespace nonsmooth
