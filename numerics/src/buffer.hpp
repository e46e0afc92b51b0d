// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::detail {

/// A matrix or vector whose memory only grows, so that shapes may change between calls without allocation.
class Buffer {
 public:
  using Matrix = Eigen::Map<Eigen::MatrixXd>;
  using Vector = Eigen::Map<Eigen::VectorXd>;

  /// A view of rows x cols; the values are those of the last view of this shape, else arbitrary.
  Matrix matrix(Index rows, Index cols) {
    grow(rows * cols);
    return {values_.data(), rows, cols};
  }
  Vector vector(Index size) {
    grow(size);
    return {values_.data(), size};
  }

 private:
  void grow(Index size) {
    if (static_cast<Index>(values_.size()) < size) values_.resize(static_cast<std::size_t>(size));
  }
  std::vector<double> values_;
};

}  // namespace nonsmooth::detail
