// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

/// Forward differences, for Jacobians that a user did not give.
namespace nonsmooth::differences {

/// sqrt(eps): halves the digits between truncation and rounding.
inline const double kStep = std::sqrt(std::numeric_limits<double>::epsilon());

[[nodiscard]] inline double step_at(double x) { return kStep * std::max(1.0, std::abs(x)); }

/// Memory of this thread that grows and stays, so that steps do not allocate; a scratch within another has its own,
/// which stays as well: one a depth.
class Scratch {
 public:
  explicit Scratch(Index size) {
    memory_.swap(kept(depth()));
    memory_.resize(std::max(memory_.size(), static_cast<std::size_t>(size)));
    ++depth();
  }
  ~Scratch() { memory_.swap(kept(--depth())); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// The next `size` entries, not set.
  [[nodiscard]] Eigen::Map<Eigen::VectorXd> vector(Index size) {
    double* first = memory_.data() + used_;
    used_ += size;
    return {first, size};
  }

 private:
  static std::size_t& depth() {
    thread_local std::size_t open = 0;
    return open;
  }
  static std::vector<double>& kept(std::size_t depth) {
    thread_local std::vector<std::vector<double>> memories;
    if (memories.size() <= depth) memories.resize(depth + 1);
    return memories[depth];
  }
  std::vector<double> memory_;
  Index used_ = 0;
};

/// jacobian := d value(x) / dx, m x n; value(x, out) gets `out` zeroed.
template <class Value>
void jacobian(ConstVectorRef x, MatrixRef result, Value&& value) {
  const Index m = result.rows(), n = x.size();
  Scratch scratch(2 * m + n);
  auto base = scratch.vector(m), moved = scratch.vector(m), at = scratch.vector(n);
  base.setZero();
  at = x;
  value(ConstVectorRef(at), VectorRef(base));
  for (Index j = 0; j < n; ++j) {
    const double step = step_at(x[j]);
    at[j] = x[j] + step;
    moved.setZero();
    value(ConstVectorRef(at), VectorRef(moved));
    result.col(j) = (moved - base) / step;
    at[j] = x[j];
  }
}

}  // namespace nonsmooth::differences
