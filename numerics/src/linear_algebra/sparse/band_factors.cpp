// SPDX-License-Identifier: Apache-2.0
#include "band_factors.hpp"

#include <algorithm>
#include <limits>

#include <internal/at.hpp>

#include "linear_algebra/dense_kernels.hpp"

namespace nonsmooth::detail {

Index BandFactors::height(const std::vector<int>& reach) noexcept {
  Index height = 0;
  int last = 0;
  for (std::size_t j = 0; j < reach.size(); ++j) {
    last = std::max(last, reach[j]);
    height = std::max(height, static_cast<Index>(last) - static_cast<Index>(j));
  }
  return height;
}

void BandFactors::clear(std::vector<int>& reach) {
  n_ = static_cast<Index>(reach.size());
  heights_.resize(reach.size());
  stride_ = 1;
  int last = 0;
  for (std::size_t j = 0; j < reach.size(); ++j) {
    last = reach[j] = std::max(last, reach[j]);
    heights_[j] = last - static_cast<int>(j);
    stride_ = std::max<Index>(stride_, heights_[j] + 1);
  }
  values_.assign(at(n_ * stride_), 0.0);
}

bool BandFactors::factorize() {
  const double unit = static_cast<double>(n_) * std::numeric_limits<double>::epsilon();
  smallest_.resize(at(n_));
  for (Index j = 0; j < n_; ++j) smallest_[at(j)] = unit * values_[at(j * stride_)];
  return band_ldlt(n_, stride_, heights_.data(), values_.data(), smallest_.data());
}

void BandFactors::solve_in_place(double* x) const {
  const double* column = values_.data();
  for (Index j = 0; j < n_; ++j, column += stride_) {
    const double pivot = x[j];
    if (pivot == 0.0) continue;
    for (int k = 1; k <= heights_[at(j)]; ++k) x[j + k] -= column[k] * pivot;
    x[j] = pivot / column[0];
  }
  for (Index j = n_; j-- > 0;) {
    column -= stride_;
    const int height = heights_[at(j)];
    double even = 0.0, odd = 0.0;  // two chains of additions, each half as long to wait for
    int k = 1;
    for (; k < height; k += 2) {
      even += column[k] * x[j + k];
      odd += column[k + 1] * x[j + k + 1];
    }
    if (k == height) even += column[k] * x[j + k];
    x[j] -= even + odd;
  }
}

}  // namespace nonsmooth::detail
