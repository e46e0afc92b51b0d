// SPDX-License-Identifier: Apache-2.0
#include "packed_contacts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "../streamed_copy.hpp"

namespace nonsmooth::runs {
namespace {

/// Words of a contact of each shape.
constexpr std::size_t kPlane = 9, kSpace = 12, kWhole = sizeof(ActingContact) / sizeof(double);
constexpr std::size_t kHeadWords = 3;  ///< how many; words of each; source and rows of all
static_assert(std::is_standard_layout_v<ActingContact> && sizeof(ActingContact) % sizeof(double) == 0);

std::uint64_t both_of(Index high, Index low) {
  return std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | static_cast<std::uint32_t>(low);
}
Index high_of(std::uint64_t word) { return static_cast<std::int32_t>(word >> 32); }
Index low_of(std::uint64_t word) { return static_cast<std::int32_t>(word & 0xffffffffu); }

bool is_small(Index number) {
  return number >= std::numeric_limits<std::int32_t>::min() && number <= std::numeric_limits<std::int32_t>::max();
}

/// Words of each of these, so that all bits come back.
std::size_t words_of(std::span<const ActingContact> contacts) {
  std::uint64_t depth = 0;  // bits that are set of what is zero in the plane
  bool alike = true;
  const ActingContact& first = contacts.front();
  for (const ActingContact& one : contacts) {
    depth |= std::bit_cast<std::uint64_t>(one.point[2]) | std::bit_cast<std::uint64_t>(one.normal[2]) |
             std::bit_cast<std::uint64_t>(one.impulse[2]);
    alike =
        alike && one.source == first.source && one.rows == first.rows && is_small(one.first) && is_small(one.second);
  }
  if (!alike || !is_small(first.source) || !is_small(first.rows)) return kWhole;
  return depth == 0 ? kPlane : kSpace;
}

template <std::size_t dimension>
void pack(const ActingContact& from, double* to) {
  for (std::size_t k = 0; k < dimension; ++k) {
    const auto c = static_cast<Index>(k);
    to[k] = from.point[c];
    to[dimension + k] = from.normal[c];
    to[2 * dimension + k] = from.impulse[c];
  }
  to[3 * dimension] = from.gap;
  to[3 * dimension + 1] = std::bit_cast<double>(from.feature);
  to[3 * dimension + 2] = std::bit_cast<double>(both_of(from.first, from.second));
}

template <std::size_t dimension>
void unpack(const double* from, ActingContact& to) {
  for (std::size_t k = 0; k < dimension; ++k) {
    const auto c = static_cast<Index>(k);
    to.point[c] = from[k];
    to.normal[c] = from[dimension + k];
    to.impulse[c] = from[2 * dimension + k];
  }
  if constexpr (dimension == 2) to.point[2] = to.normal[2] = to.impulse[2] = 0.0;
  to.gap = from[3 * dimension];
  to.feature = std::bit_cast<std::uint64_t>(from[3 * dimension + 1]);
  const auto bodies = std::bit_cast<std::uint64_t>(from[3 * dimension + 2]);
  to.first = high_of(bodies);
  to.second = low_of(bodies);
}

}  // namespace

void PackedContacts::reserve(std::size_t contacts) {
  const std::size_t blocks = (contacts + kMostContacts - 1) / kMostContacts;
  const std::size_t words = blocks * (kHeadWords + kMostContacts * (forces_ ? kWhole : kSpace));
  if (words > words_.size()) words_.resize(words);
}

double* PackedContacts::grow(std::size_t words) {
  if (used_ + words > words_.size()) words_.resize(std::max(used_ + words, 2 * words_.size()));
  used_ += words;
  return words_.data() + used_ - words;
}

void PackedContacts::add(std::span<const ActingContact> contacts) {
  std::array<double, kHeadWords + kMostContacts * kWhole> block;  // NOLINT: filled below
  while (!contacts.empty()) {
    const std::span<const ActingContact> now = contacts.first(std::min(contacts.size(), kMostContacts));
    const std::size_t width = forces_ ? kWhole : words_of(now);
    block[0] = std::bit_cast<double>(std::uint64_t{now.size()});
    block[1] = std::bit_cast<double>(std::uint64_t{width});
    block[2] = std::bit_cast<double>(both_of(now.front().source, now.front().rows));
    double* to = block.data() + kHeadWords;
    for (const ActingContact& one : now) {
      if (width == kPlane) {
        pack<2>(one, to);
      } else if (width == kSpace) {
        pack<3>(one, to);
      } else {
        std::memcpy(to, static_cast<const void*>(&one), sizeof one);
      }
      to += width;
    }
    const auto words = static_cast<std::size_t>(to - block.data());
    streamed_copy(grow(words), block.data(), words);
    contacts = contacts.subspan(now.size());
  }
}

std::size_t PackedContacts::unpack(const double*& from, Part& part) {
  const auto count = std::bit_cast<std::uint64_t>(from[0]), width = std::bit_cast<std::uint64_t>(from[1]);
  const auto same = std::bit_cast<std::uint64_t>(from[2]);
  from += kHeadWords;
  for (std::size_t i = 0; i < count; ++i, from += width) {
    ActingContact& one = part[i];
    if (width == kWhole) {
      std::memcpy(static_cast<void*>(&one), from, sizeof one);
      continue;
    }
    one.force.setZero();
    width == kPlane ? runs::unpack<2>(from, one) : runs::unpack<3>(from, one);
    one.source = high_of(same);
    one.rows = low_of(same);
  }
  return count;
}

}  // namespace nonsmooth::runs
