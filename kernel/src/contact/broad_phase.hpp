// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::broad_phase {

/// Numbers kept in a vector of Index, bit by bit.
[[nodiscard]] inline double number_at(const std::vector<Index>& memory, Index i) {
  return std::bit_cast<double>(static_cast<std::int64_t>(memory[static_cast<std::size_t>(i)]));
}
inline void keep_number(std::vector<Index>& memory, Index i, double value) {
  memory[static_cast<std::size_t>(i)] = static_cast<Index>(std::bit_cast<std::int64_t>(value));
}

/// Balls (disks, in the plane) in a vector of Index: of ball i, centre and radius are the numbers from
/// `begin` + i `stride` on.
struct Balls {
  Index count = 0, begin = 0, stride = 0;
};

/// Hashes of cells, one a class of sizes: radii within a factor 2 share cells no smaller than the largest two of them
/// need, so that a pair is in cells that touch. A ball looks for others in its own class and in those of larger balls.
template <int dimension>
class CellGrid {
 public:
  CellGrid(const Balls& balls, std::vector<Index>& memory) : balls_(balls), memory_(memory) {
    measure();
    while (buckets_ < 2 * balls.count) buckets_ *= 2;
    cells_ = static_cast<Index>(memory.size());
    members_ = cells_ + (dimension + 1) * balls.count;
    bucket_begin_ = members_ + balls.count;
    memory.resize(static_cast<std::size_t>(bucket_begin_ + buckets_ + 1));
    for (Index i = 0; i < balls.count; ++i) {
      const int own = level_of(i);
      for (int axis = 0; axis < dimension; ++axis) cell(i, axis) = cell_at(i, axis, own);
      cell(i, dimension) = own;
    }
    sort();
  }

  [[nodiscard]] bool one_level() const { return num_levels_ == 1; }

  /// Calls visit(j) for each ball whose cell touches i's: of i's class where j > i, and of larger classes.
  template <class Visit>
  void for_each_near(Index i, Visit visit) {
    const auto own = static_cast<int>(cell(i, dimension));
    for (int level = own; level < num_levels_; ++level) {
      std::array<Index, dimension> middle, at;
      for (int axis = 0; axis < dimension; ++axis) middle[static_cast<std::size_t>(axis)] = cell_at(i, axis, level);
      for (int neighbour = 0; neighbour < kNeighbours; ++neighbour) {
        for (int axis = 0, digits = neighbour; axis < dimension; ++axis, digits /= 3)
          at[static_cast<std::size_t>(axis)] = middle[static_cast<std::size_t>(axis)] + digits % 3 - 1;
        const Index bucket = bucket_begin_ + bucket_of(at, level), end = entry(bucket + 1);
        for (Index m = entry(bucket); m < end; ++m) {
          const Index j = entry(members_ + m);
          if ((level == own && j <= i) || cell(j, dimension) != level) continue;
          bool here = true;
          for (int axis = 0; axis < dimension; ++axis)
            here = here && cell(j, axis) == at[static_cast<std::size_t>(axis)];
          if (here) visit(j);
        }
      }
    }
  }

  [[nodiscard]] double number(Index i, Index k) const {
    return number_at(memory_, balls_.begin + i * balls_.stride + k);
  }

 private:
  static constexpr int kNeighbours = dimension == 2 ? 9 : 27, kMostLevels = 64, kExponents = 2200, kLeast = -1080;

  Index& entry(Index i) { return memory_[static_cast<std::size_t>(i)]; }
  Index& cell(Index i, int axis) { return entry(cells_ + i * (dimension + 1) + axis); }
  [[nodiscard]] Index cell_at(Index i, int axis, int level) const {
    return static_cast<Index>((number(i, axis) - low_[static_cast<std::size_t>(axis)]) /
                              size_[static_cast<std::size_t>(level)]);
  }
  [[nodiscard]] int level_of(Index i) const {
    return level_[static_cast<std::size_t>(std::ilogb(number(i, dimension)) - kLeast)];
  }
  [[nodiscard]] Index bucket_of(const std::array<Index, dimension>& at, int level) const {
    std::uint64_t mixed = static_cast<std::uint64_t>(level);
    for (const Index coordinate : at) mixed = (mixed ^ static_cast<std::uint64_t>(coordinate)) * 0x9E3779B97F4A7C15u;
    return static_cast<Index>((mixed >> 20) & static_cast<std::uint64_t>(buckets_ - 1));
  }

  /// Where balls are, and which classes of sizes there are.
  void measure() {
    std::array<double, kExponents> largest{};
    std::array<double, dimension> high;
    low_.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    bool finite = true;
    for (Index i = 0; i < balls_.count; ++i) {
      for (std::size_t axis = 0; axis < dimension; ++axis) {
        const double x = number(i, static_cast<Index>(axis));
        finite = finite && std::isfinite(x);
        low_[axis] = std::min(low_[axis], x);
        high[axis] = std::max(high[axis], x);
      }
      const double radius = number(i, dimension);
      finite = finite && std::isfinite(radius) && radius > 0.0;
      if (!finite) break;
      double& most = largest[static_cast<std::size_t>(std::ilogb(radius) - kLeast)];
      most = std::max(most, radius);
    }
    if (finite) list_levels(largest);
    for (std::size_t axis = 0; axis < dimension && finite; ++axis) finite = (high[axis] - low_[axis]) / size_[0] < 1e15;
    if (!finite) {
      throw InvalidArgument("ContactSource::detect",
                            "a position or velocity that is not finite, or bodies farther apart than 1e15 cells",
                            "finite positions and velocities");
    }
  }

  /// Ascending in size. What is beyond the most levels, the smallest balls, shares the cells of the first.
  void list_levels(const std::array<double, kExponents>& largest) {
    int occupied = 0;
    for (const double radius : largest) occupied += radius > 0.0 ? 1 : 0;
    int next = kMostLevels - std::max(occupied, kMostLevels);  // below 0: the smallest
    level_.fill(0);
    for (std::size_t e = 0; e < kExponents; ++e) {
      if (!(largest[e] > 0.0)) continue;
      const int level = std::max(next++, 0);
      level_[e] = static_cast<std::int16_t>(level);
      size_[static_cast<std::size_t>(level)] = 2.0 * (1.0 + 1e-9) * largest[e];
      num_levels_ = level + 1;
    }
  }

  /// By counting; balls of a bucket in ascending order.
  void sort() {
    const auto bucket_of_ball = [this](Index i) {
      std::array<Index, dimension> at;
      for (int axis = 0; axis < dimension; ++axis) at[static_cast<std::size_t>(axis)] = cell(i, axis);
      return bucket_begin_ + bucket_of(at, static_cast<int>(cell(i, dimension)));
    };
    for (Index b = 0; b <= buckets_; ++b) entry(bucket_begin_ + b) = 0;
    for (Index i = 0; i < balls_.count; ++i) ++entry(bucket_of_ball(i) + 1);
    for (Index b = 0; b < buckets_; ++b) entry(bucket_begin_ + b + 1) += entry(bucket_begin_ + b);
    for (Index i = balls_.count; i-- > 0;) entry(members_ + --entry(bucket_of_ball(i) + 1)) = i;
    for (Index b = 0; b < buckets_; ++b) entry(bucket_begin_ + b) = entry(bucket_begin_ + b + 1);
    entry(bucket_begin_ + buckets_) = balls_.count;
  }

  const Balls& balls_;
  std::vector<Index>& memory_;
  Index buckets_ = 16, cells_ = 0, members_ = 0, bucket_begin_ = 0;
  int num_levels_ = 0;
  std::array<double, dimension> low_;
  std::array<double, kMostLevels> size_{};
  std::array<std::int16_t, kExponents> level_;
};

[[nodiscard]] inline Index first_of_pair(Index pair) { return pair >> 32; }
[[nodiscard]] inline Index second_of_pair(Index pair) { return pair & 0xFFFFFFFF; }

/// Appends to `memory` the pairs i < j of balls that touch and that wanted(i, j) is true of, in ascending order of (i,
/// j); returns where they begin. What else is appended before them is scratch. Cost: O(balls + pairs) for balls of one
/// density, whatever their radii; sorting where these differ by more than 2.
/// @throws InvalidArgument: numbers that are not finite.
template <int dimension, class Wanted>
Index append_touching_pairs(const Balls& balls, std::vector<Index>& memory, Wanted wanted) {
  if (balls.count == 0) return static_cast<Index>(memory.size());
  CellGrid<dimension> grid(balls, memory);
  const std::size_t begin = memory.size();
  for (Index i = 0; i < balls.count; ++i) {
    const std::size_t own = memory.size();
    grid.for_each_near(i, [&](Index j) {
      double squared = 0.0;
      for (int axis = 0; axis < dimension; ++axis) {
        const double d = grid.number(j, axis) - grid.number(i, axis);
        squared += d * d;
      }
      const double range = grid.number(i, dimension) + grid.number(j, dimension);
      const Index low = std::min(i, j), high = std::max(i, j);
      if (squared <= range * range && wanted(low, high)) memory.push_back((low << 32) | high);
    });
    if (grid.one_level()) std::sort(memory.begin() + static_cast<std::ptrdiff_t>(own), memory.end());
  }
  if (!grid.one_level()) std::sort(memory.begin() + static_cast<std::ptrdiff_t>(begin), memory.end());
  return static_cast<Index>(begin);
}

}  // namespace nonsmooth::broad_phase
