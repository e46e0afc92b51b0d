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
[[nodiscard]] inline double value_of(Index bits) { return std::bit_cast<double>(static_cast<std::int64_t>(bits)); }
[[nodiscard]] inline Index bits_of(double value) { return static_cast<Index>(std::bit_cast<std::int64_t>(value)); }
[[nodiscard]] inline double number_at(const std::vector<Index>& memory, Index i) {
  return value_of(memory[static_cast<std::size_t>(i)]);
}
inline void keep_number(std::vector<Index>& memory, Index i, double value) {
  memory[static_cast<std::size_t>(i)] = bits_of(value);
}

/// `memory` has room for at least that many numbers. It never shrinks, so that what is there is not written twice.
inline void make_room(std::vector<Index>& memory, Index size) {
  if (static_cast<Index>(memory.size()) < size) memory.resize(static_cast<std::size_t>(size));
}

/// Centre and radius of a ball (of a disk, in the plane).
template <int dimension>
using Ball = std::array<double, dimension + 1>;

/// Numbers in the record of a ball: centre, radius, and which one it is.
template <int dimension>
inline constexpr Index kRecord = dimension + 2;

/// Balls in a vector of Index, as touching_pairs asks for them: of ball i, the numbers from `begin` + i `stride` on.
template <int dimension>
struct KeptBalls {
  const std::vector<Index>& memory;
  Index begin = 0, stride = 0;

  Ball<dimension> operator()(Index i) const {
    Ball<dimension> ball;
    for (int k = 0; k <= dimension; ++k) ball[static_cast<std::size_t>(k)] = number_at(memory, begin + i * stride + k);
    return ball;
  }
};

/// Hashes of cells, one a class of sizes: radii within a factor 2 share cells no smaller than the largest two of them
/// need, so that a pair is in cells that touch. A ball looks for others in its own class and in those of larger balls.
/// Cells that follow one another along the first axis are buckets that follow one another, and so are the records of
/// their balls: three cells are one run of memory. What else a run holds is farther away, or is found twice.
template <int dimension, class BallAt>
class CellGrid {
 public:
  /// Takes memory from `begin` on, up to end().
  CellGrid(Index count, const BallAt& ball_at, Index begin, std::vector<Index>& memory)
      : count_(count), ball_at_(ball_at), memory_(memory) {
    measure();
    while (buckets_ < 2 * count) buckets_ *= 2;
    bucket_begin_ = begin;
    records_ = bucket_begin_ + buckets_ + 2;
    end_ = records_ + (kRecord<dimension> + 1) * count;
    make_room(memory, end_);
    sort();
  }

  [[nodiscard]] Index end() const { return end_; }

  /// Calls visit(i, ball, first, last) for runs of records in memory that hold every ball which touches ball i, each
  /// two of them once: from `first` to `last`, one after the other.
  template <class Visit>
  void for_each_run(Visit visit) const {
    for (Index place = 0; place < count_; ++place) {
      const Index i = entry(record_of(place) + dimension + 1);
      const Ball<dimension> ball = ball_at_(i);
      const int own = class_of(ball);
      const auto run = [&visit, ball, i](Index first, Index last) { visit(i, ball, first, last); };
      visit_later(place, ball, own, run);
      for (int larger = own - 1; larger >= 0; --larger) {
        if (cells_a_metre_[static_cast<std::size_t>(larger)] > 0.0) visit_all(ball, larger, run);
      }
    }
  }

 private:
  using Cell = std::array<Index, dimension>;
  static constexpr int kRows = dimension == 2 ? 3 : 9, kMostClasses = 64;

  [[nodiscard]] int class_of(const Ball<dimension>& ball) const {
    return classes_ == 1 ? 0 : class_of_radius(ball[dimension]);
  }
  [[nodiscard]] int class_of_radius(double radius) const {
    return std::clamp(-1 - std::ilogb(radius / bound_), 0, kMostClasses - 1);
  }
  [[nodiscard]] Index entry(Index i) const { return memory_[static_cast<std::size_t>(i)]; }
  /// Where the records of a bucket begin.
  [[nodiscard]] Index begin_of(Index bucket) const { return record_of(entry(bucket_begin_ + bucket)); }
  /// Where record number `place` begins in memory; those of a bucket follow one another.
  [[nodiscard]] Index record_of(Index place) const { return records_ + kRecord<dimension> * place; }
  /// What may touch the ball of record number `place` among those of its class that come later.
  template <class Visit>
  void visit_later(Index place, const Ball<dimension>& ball, int size_class, const Visit& visit) const {
    const Cell middle = cell_of(ball, size_class);
    const Index bucket = bucket_of(middle, size_class), own = record_of(place + 1);
    if (bucket < buckets_ - 1) {
      visit(own, begin_of(bucket + 2));
    } else {
      visit(own, begin_of(bucket + 1));
      visit(begin_of(0), begin_of(1));
    }
    for (int row = kRows / 2 + 1; row < kRows; ++row) visit_row(middle, row, size_class, visit);
  }
  /// The same among the balls of another class, all of them.
  template <class Visit>
  void visit_all(const Ball<dimension>& ball, int size_class, const Visit& visit) const {
    const Cell middle = cell_of(ball, size_class);
    for (int row = 0; row < kRows; ++row) visit_row(middle, row, size_class, visit);
  }
  /// Three cells of a row beside the middle: rows are numbered by the offsets of their other axes.
  template <class Visit>
  void visit_row(const Cell& middle, int row, int size_class, const Visit& visit) const {
    Cell at = middle;
    for (int axis = 1, digits = row; axis < dimension; ++axis, digits /= 3)
      at[static_cast<std::size_t>(axis)] += digits % 3 - 1;
    const Index bucket = bucket_of(at, size_class);
    if (bucket > 0 && bucket < buckets_ - 1) return visit(begin_of(bucket - 1), begin_of(bucket + 2));
    for (Index k = buckets_ - 1; k <= buckets_ + 1; ++k) {  // around the end
      const Index own = (bucket + k) & (buckets_ - 1);
      visit(begin_of(own), begin_of(own + 1));
    }
  }
  [[nodiscard]] Cell cell_of(const Ball<dimension>& ball, int size_class) const {
    Cell cell;
    for (std::size_t axis = 0; axis < dimension; ++axis)
      cell[axis] = static_cast<Index>((ball[axis] - low_[axis]) * cells_a_metre_[static_cast<std::size_t>(size_class)]);
    return cell;
  }
  [[nodiscard]] Index bucket_of(const Cell& cell, int size_class) const {
    // Classes far apart, as cells are small numbers: rows of two classes would be in the same buckets.
    std::uint64_t mixed = static_cast<std::uint64_t>(size_class) * 0xD1B54A32D192ED03u;
    for (std::size_t axis = 1; axis < dimension; ++axis)
      mixed = (mixed ^ static_cast<std::uint64_t>(cell[axis])) * 0x9E3779B97F4A7C15u;
    return static_cast<Index>(((mixed >> 20) + static_cast<std::uint64_t>(cell[0])) &
                              static_cast<std::uint64_t>(buckets_ - 1));
  }

  /// Where balls are, and which classes of sizes there are.
  void measure() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::array<double, dimension> high;
    low_.fill(infinity);
    high.fill(-infinity);
    double smallest = infinity, largest = 0.0, zero = 0.0;  // zero: NaN as soon as something is not finite
    for (Index i = 0; i < count_; ++i) {
      const Ball<dimension> ball = ball_at_(i);
      for (std::size_t axis = 0; axis < dimension; ++axis) {
        low_[axis] = std::min(low_[axis], ball[axis]);
        high[axis] = std::max(high[axis], ball[axis]);
        zero += 0.0 * ball[axis];
      }
      smallest = std::min(smallest, ball[dimension]);
      largest = std::max(largest, ball[dimension]);
      zero += 0.0 * ball[dimension];
    }
    bool sound = zero == 0.0 && smallest > 0.0;
    if (sound) list_classes(smallest, largest);
    for (std::size_t axis = 0; axis < dimension && sound; ++axis)
      sound = (high[axis] - low_[axis]) * cells_a_metre_[static_cast<std::size_t>(classes_ - 1)] < 1e15;
    if (!sound) {
      throw InvalidArgument(
          "ContactSource::detect",
          "a position or velocity that is not finite, a shape without size, or bodies farther apart than "
          "1e15 cells",
          "finite positions and velocities, shapes of some size");
    }
  }

  /// Descending in size. What is beyond the most classes, the smallest balls, shares the cells of the last.
  void list_classes(double smallest, double largest) {
    bound_ = largest * (1.0 + 1e-9);
    const auto cells = [](double radius) { return 1.0 / (2.0 * (1.0 + 1e-9) * radius); };
    classes_ = class_of_radius(smallest) + 1;
    cells_a_metre_[0] = cells(largest);
    if (classes_ == 1) return;
    std::array<double, kMostClasses> most{};
    for (Index i = 0; i < count_; ++i) {
      const Ball<dimension> ball = ball_at_(i);
      double& own = most[static_cast<std::size_t>(class_of(ball))];
      own = std::max(own, ball[dimension]);
    }
    for (std::size_t c = 0; c < most.size(); ++c) cells_a_metre_[c] = most[c] > 0.0 ? cells(most[c]) : 0.0;
  }

  /// By counting; balls of a bucket in ascending order.
  void sort() {
    Index* const begin = memory_.data() + bucket_begin_;
    Index* const records = memory_.data() + records_;
    Index* const bucket = records + kRecord<dimension> * count_;
    std::fill_n(begin, buckets_ + 2, Index{0});
    for (Index i = 0; i < count_; ++i) {
      const Ball<dimension> ball = ball_at_(i);
      const int own = class_of(ball);
      bucket[i] = bucket_of(cell_of(ball, own), own);
      ++begin[bucket[i] + 2];
    }
    for (Index b = 1; b <= buckets_; ++b) begin[b + 1] += begin[b];
    // begin[b + 1] is where bucket b begins, and where it ends when it is full.
    for (Index i = 0; i < count_; ++i) {
      const Ball<dimension> ball = ball_at_(i);
      Index* const own = records + kRecord<dimension> * begin[bucket[i] + 1]++;
      for (std::size_t k = 0; k <= dimension; ++k) own[k] = bits_of(ball[k]);
      own[dimension + 1] = i;
    }
  }

  Index count_;
  const BallAt& ball_at_;
  std::vector<Index>& memory_;
  Index buckets_ = 16, bucket_begin_ = 0, records_ = 0, end_ = 0;
  int classes_ = 1;
  double bound_ = 0.0;
  std::array<double, dimension> low_;
  std::array<double, kMostClasses> cells_a_metre_{};  ///< by class; 0: there is none
};

[[nodiscard]] inline Index first_of_pair(Index pair) { return pair >> 32; }
[[nodiscard]] inline Index second_of_pair(Index pair) { return pair & 0xFFFFFFFF; }

/// Writes the pairs of ball i and those of the records [other, last) that touch it; returns where they end. Whether a
/// pair stays is added to the place of the next, as a branch would be guessed wrong.
template <int dimension>
Index* keep_touching(const Ball<dimension>& ball, Index i, const Index* other, const Index* last, Index* to) {
  for (; other != last; other += kRecord<dimension>) {
    double squared = 0.0;
    for (std::size_t axis = 0; axis < dimension; ++axis) {
      const double d = value_of(other[axis]) - ball[axis];
      squared += d * d;
    }
    const double range = ball[dimension] + value_of(other[dimension]);
    const Index j = other[dimension + 1];
    *to = (std::min(i, j) << 32) | std::max(i, j);
    to += static_cast<Index>(squared <= range * range) & static_cast<Index>(i != j);
  }
  return to;
}

/// Where pairs are in a vector of Index.
struct Pairs {
  Index begin = 0, end = 0;
};

/// Puts pairs of `count` balls that are the last in `memory` into ascending order, each once, and those alone that
/// wanted(i, j) is true of: by counting, then the few of a ball by comparing.
template <class Wanted>
Pairs in_order(Index count, Pairs pairs, std::vector<Index>& memory, Wanted wanted) {
  make_room(memory, pairs.end + count + 2 + pairs.end - pairs.begin);
  Index *const found = memory.data() + pairs.begin, *const end = memory.data() + pairs.end;
  Index *const begin = end, *const by_first = begin + count + 2;
  std::fill_n(begin, count + 2, Index{0});
  for (const Index* pair = found; pair != end; ++pair) ++begin[first_of_pair(*pair) + 2];
  for (Index i = 1; i <= count; ++i) begin[i + 1] += begin[i];
  for (const Index* pair = found; pair != end; ++pair) by_first[begin[first_of_pair(*pair) + 1]++] = *pair;
  Index* to = found;
  for (Index i = 0; i < count; ++i) {
    Index *const first = by_first + begin[i], *const last = by_first + begin[i + 1];
    if (last - first > 1) std::sort(first, last);
    Index before = -1;
    for (const Index* pair = first; pair != last; ++pair) {
      if (*pair != before && wanted(i, second_of_pair(*pair))) *to++ = *pair;
      before = *pair;
    }
  }
  return {pairs.begin, to - memory.data()};
}

/// Writes the pairs i < j of `count` balls that touch and that wanted(i, j) is true of into `memory`, somewhere from
/// entry `free` on, in ascending order of (i, j); returns where they are. ball_at(i): Ball<dimension>. Cost: O(balls +
/// pairs) for balls of one density, whatever their radii.
/// @throws InvalidArgument: numbers that are not finite.
template <int dimension, class BallAt, class Wanted>
Pairs touching_pairs(Index count, BallAt ball_at, Index free, std::vector<Index>& memory, Wanted wanted) {
  if (count == 0) return {free, free};
  const CellGrid<dimension, BallAt> grid(count, ball_at, free, memory);
  Pairs pairs{grid.end(), grid.end()};
  // For a run of all records and the order of a few pairs, which come where balls happen to be in one bucket.
  make_room(memory, grid.end() + (kRecord<dimension> + 2) * (count + 1));
  grid.for_each_run([&memory, &pairs](Index i, const Ball<dimension>& ball, Index run, Index run_end) {
    make_room(memory, pairs.end + (run_end - run));
    Index* const at = memory.data();
    pairs.end = keep_touching<dimension>(ball, i, at + run, at + run_end, at + pairs.end) - at;
  });
  return in_order(count, pairs, memory, wanted);
}

}  // namespace nonsmooth::broad_phase
