// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::mixed::internal {

/// The best of the iterates of sweeps that were measured; keeps its memory.
class BestIterate {
 public:
  void begin(double measure, ConstVectorRef r) {
    if (static_cast<Index>(r_.size()) < r.size()) r_.resize(static_cast<std::size_t>(r.size()));
    keep(measure, r);
  }
  /// True if r is the best from now on.
  bool compare(double measure, ConstVectorRef r) {
    is_current_ = measure < measure_;
    if (is_current_) keep(measure, r);
    return is_current_;
  }
  void discard_current() noexcept { is_current_ = false; }
  /// Puts it into r, the current iterate. True if that is another one.
  bool recall(VectorRef r) const {
    if (!is_current_) std::copy_n(r_.data(), r.size(), r.data());
    return !is_current_;
  }

 private:
  void keep(double measure, ConstVectorRef r) {
    measure_ = measure;
    std::copy_n(r.data(), r.size(), r_.data());
    is_current_ = true;
  }

  std::vector<double> r_;
  double measure_ = 0.0;
  bool is_current_ = true;
};

}  // namespace nonsmooth::mixed::internal
