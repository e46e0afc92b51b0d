// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace nonsmooth {

/// XXH64 (https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md, seed 0) of words of 8 bytes, little-endian. Its four
/// lanes do not wait for one another, so that a state of 10^4 bodies takes a thirtieth of a millisecond.
class WordHash {
 public:
  void add(std::uint64_t word) noexcept {
    waiting_[count_++ % 4] = word;
    if (count_ % 4 == 0) add_stripe(waiting_[0], waiting_[1], waiting_[2], waiting_[3]);
  }
  void add(double number) noexcept { add(std::bit_cast<std::uint64_t>(number)); }
  /// `size` words.
  void add(const double* numbers, std::size_t size) noexcept {
    std::size_t i = 0;
    for (; i < size && count_ % 4 != 0; ++i) add(numbers[i]);
    for (; i + 4 <= size; i += 4, count_ += 4) {
      add_stripe(std::bit_cast<std::uint64_t>(numbers[i]), std::bit_cast<std::uint64_t>(numbers[i + 1]),
                 std::bit_cast<std::uint64_t>(numbers[i + 2]), std::bit_cast<std::uint64_t>(numbers[i + 3]));
    }
    for (; i < size; ++i) add(numbers[i]);
  }

  [[nodiscard]] std::uint64_t value() const noexcept {
    std::uint64_t hash = kPrimes[4];
    if (count_ >= 4) {
      hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) + std::rotl(lanes_[3], 18);
      for (const std::uint64_t lane : lanes_) hash = (hash ^ mixed(0, lane)) * kPrimes[0] + kPrimes[3];
    }
    hash += 8 * count_;
    for (std::uint64_t i = 0; i < count_ % 4; ++i)
      hash = std::rotl(hash ^ mixed(0, waiting_[i]), 27) * kPrimes[0] + kPrimes[3];
    hash = (hash ^ hash >> 33) * kPrimes[1];
    hash = (hash ^ hash >> 29) * kPrimes[2];
    return hash ^ hash >> 32;
  }

 private:
  static constexpr std::array<std::uint64_t, 5> kPrimes = {0x9e3779b185ebca87ULL, 0xc2b2ae3d27d4eb4fULL,
                                                           0x165667b19e3779f9ULL, 0x85ebca77c2b2ae63ULL,
                                                           0x27d4eb2f165667c5ULL};

  static std::uint64_t mixed(std::uint64_t lane, std::uint64_t word) noexcept {
    return std::rotl(lane + word * kPrimes[1], 31) * kPrimes[0];
  }
  void add_stripe(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) noexcept {
    lanes_ = {mixed(lanes_[0], a), mixed(lanes_[1], b), mixed(lanes_[2], c), mixed(lanes_[3], d)};
  }

  std::array<std::uint64_t, 4> lanes_ = {kPrimes[0] + kPrimes[1], kPrimes[1], 0, std::uint64_t{0} - kPrimes[0]};
  std::array<std::uint64_t, 4> waiting_{};  ///< of a stripe that is not full
  std::uint64_t count_ = 0;                 ///< words
};

}  // namespace nonsmooth
