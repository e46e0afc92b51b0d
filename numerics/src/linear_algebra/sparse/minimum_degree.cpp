// SPDX-License-Identifier: Apache-2.0
#include "minimum_degree.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <amd.h>

#include <internal/at.hpp>

namespace nonsmooth::detail {
namespace {

/// Of entries beside the diagonal: the room that amd_order() works in.
[[nodiscard]] Index room_of(Index rows, Index entries) { return entries + entries / 5 + rows; }

constexpr Index num_arrays = 9;  ///< of amd_2()

}  // namespace

/// False where the natural order has to serve: nothing to order, or more than AMD's integers count.
bool MinimumDegree::start(Index rows, Index entries, std::vector<Index>& order) {
  const Index room = room_of(rows, entries - rows);
  order.resize(at(rows));
  std::iota(order.begin(), order.end(), Index{0});
  if (rows == 0 || room > std::numeric_limits<int>::max()) return false;
  graph_.resize(at(room));
  arrays_.resize(at(num_arrays * rows));
  begin_ = arrays_.data();
  rows_ = static_cast<int>(rows);
  used_ = 0;
  return true;
}

void MinimumDegree::finish(std::vector<Index>& order) {
  const auto array = [&](Index i) { return arrays_.data() + i * rows_; };
  int *const length = array(1), *const last = array(2);
  for (int i = 0; i < rows_; ++i) length[i] = (i + 1 < rows_ ? begin_[i + 1] : used_) - begin_[i];
  amd_2(rows_, begin_, graph_.data(), length, static_cast<int>(graph_.size()), used_, array(3), array(4), last,
        array(5), array(6), array(7), array(8), nullptr, nullptr);
  std::copy(last, last + rows_, order.begin());
}

void MinimumDegree::reserve(Index rows) {
  graph_.reserve(at(room_of(rows, rows * rows)));
  arrays_.reserve(at(num_arrays * rows));
}

Index most_waiting_values(Index blocks, Index rows) {
  Index most = 0;
  for (Index k = 0; k < blocks; ++k) most = std::max(most, (k + 1) * (rows - k) * (rows - k));
  return most;
}

}  // namespace nonsmooth::detail
