// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// The discrete Fourier transform of real numbers,  X_k = sum_j x_j e^{-2 pi i j k / n},  k = 0..n/2 (the other X_k are
/// their conjugates), and its inverse with the factor 1/n. Cost: O(n log n) for n of small prime factors, n p for a
/// prime factor p. What a length needs is computed once and kept. One thread at a time.
class FourierTransform {
 public:
  FourierTransform();
  ~FourierTransform();
  FourierTransform(FourierTransform&&) noexcept;
  FourierTransform& operator=(FourierTransform&&) noexcept;

  /// X gets x.size() / 2 + 1 numbers; x is not empty.
  void forward(const std::vector<double>& x, std::vector<std::complex<double>>& X);
  /// x gets n numbers of the n / 2 + 1 in X; n >= 1.
  void inverse(const std::vector<std::complex<double>>& X, Index n, std::vector<double>& x);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth
