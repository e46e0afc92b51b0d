// SPDX-License-Identifier: Apache-2.0
// Points of patches, number by number in a vector of Index.
#include <algorithm>
#include <limits>

#include "contact/broad_phase.hpp"
#include "surface_contacts.hpp"

namespace nonsmooth::narrow_phase {
namespace {

constexpr std::uint64_t kDropped = std::numeric_limits<std::int64_t>::max();

}  // namespace

void PointList::add(const PatchPoint& point) {
  const std::size_t begin = memory_.size();
  memory_.resize(begin + kNumbers);
  memory_[begin] = static_cast<Index>(point.feature);
  auto at = static_cast<Index>(begin) + 1;
  for (const Eigen::Vector3d* vector : {&point.normal, &point.on_first, &point.on_second}) {
    for (const double number : *vector) broad_phase::keep_number(memory_, at++, number);
  }
  broad_phase::keep_number(memory_, at, point.gap);
}

PatchPoint PointList::operator[](std::size_t i) const {
  PatchPoint point;
  point.feature = feature(i);
  auto at = static_cast<Index>(begin_ + kNumbers * i) + 1;
  for (Eigen::Vector3d* vector : {&point.normal, &point.on_first, &point.on_second}) {
    for (double& number : *vector) number = broad_phase::number_at(memory_, at++);
  }
  point.gap = broad_phase::number_at(memory_, at);
  return point;
}

void PointList::drop(std::size_t i) { memory_[begin_ + kNumbers * i] = static_cast<Index>(kDropped); }

bool PointList::is_dropped(std::size_t i) const { return feature(i) == kDropped; }

void PointList::sort() {
  const std::size_t count = size(), order = memory_.size();
  memory_.resize(order + count + kNumbers * count);
  const auto number = memory_.begin() + static_cast<std::ptrdiff_t>(order);
  for (std::size_t i = 0; i < count; ++i) memory_[order + i] = static_cast<Index>(i);
  std::sort(number, number + static_cast<std::ptrdiff_t>(count), [this](Index i, Index j) {
    const std::uint64_t of_i = feature(static_cast<std::size_t>(i)), of_j = feature(static_cast<std::size_t>(j));
    return of_i < of_j || (of_i == of_j && i < j);
  });
  const auto sorted = number + static_cast<std::ptrdiff_t>(count);
  auto end = sorted;
  for (std::size_t k = 0; k < count; ++k) {
    const auto i = static_cast<std::size_t>(memory_[order + k]);
    if (feature(i) == kDropped) break;
    if (end != sorted && *(end - static_cast<std::ptrdiff_t>(kNumbers)) == memory_[begin_ + kNumbers * i]) continue;
    end = std::copy_n(memory_.begin() + static_cast<std::ptrdiff_t>(begin_ + kNumbers * i), kNumbers, end);
  }
  const auto kept = std::copy(sorted, end, memory_.begin() + static_cast<std::ptrdiff_t>(begin_));
  memory_.erase(kept, memory_.end());
}

}  // namespace nonsmooth::narrow_phase
