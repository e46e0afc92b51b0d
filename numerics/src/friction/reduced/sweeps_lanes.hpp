// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums of blocks times reactions, the part of a visit that reads W. Inlined into the sweeps.

#include <algorithm>
#include <cstdint>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::friction::internal {

#if defined(__GNUC__) && defined(__x86_64__)
#define NONSMOOTH_FOUR_LANES __attribute__((target("avx")))
#else
#define NONSMOOTH_FOUR_LANES
#endif
// What the loops over contacts are made of takes the instructions of the loop it lies in.
#define NONSMOOTH_INLINE __attribute__((always_inline)) inline

[[nodiscard]] inline bool machine_has_four_lanes() noexcept {
#if defined(__GNUC__) && defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx") != 0;
  return has;
#else
  return false;
#endif
}

inline constexpr Index kLookAhead = 32;  // columns

/// Two neighbouring doubles of any alignment: one multiplication and one addition for two rows of a block.
using Pair = double __attribute__((vector_size(16), aligned(8), may_alias));
[[nodiscard]] inline Pair pair_at(const double* p) noexcept { return *reinterpret_cast<const Pair*>(p); }

/// Blocks of 2 x 2, column-major. b += sum of blocks times reactions.
inline void accumulate(const double* v, const std::int32_t* column, const std::int32_t* end, const double* r,
                       double (&b)[2]) noexcept {
  Pair x = {b[0], b[1]}, y = {0.0, 0.0};
  for (; column != end; ++column, v += 4) {
    const double* rj = r + *column;
    x += pair_at(v) * rj[0];
    y += pair_at(v + 2) * rj[1];
  }
  x += y;
  b[0] = x[0], b[1] = x[1];
}

/// Products of a row of a block with a reaction, summed by component: in any number of lanes the same bits. A load of
/// four takes in the number after a row and the padding after a reaction, whose product is never looked at.
struct FourLanes {
  using Lanes = double __attribute__((vector_size(32), aligned(8), may_alias));
  Lanes sum = {0.0, 0.0, 0.0, 0.0};

  static NONSMOOTH_INLINE const Lanes& at(const double* p) noexcept { return *reinterpret_cast<const Lanes*>(p); }
  NONSMOOTH_INLINE void add(const double* row, const double* r) noexcept { sum += at(row) * at(r); }
  [[nodiscard]] NONSMOOTH_INLINE double total() const noexcept { return (sum[0] + sum[1]) + sum[2]; }
  /// sum += the transposed of the block v times x.
  static NONSMOOTH_INLINE void add_transposed(const double* v, const double* x, double* sum) noexcept {
    *reinterpret_cast<Lanes*>(sum) += at(v) * x[0] + at(v + 3) * x[1] + at(v + 6) * x[2];
  }
  /// At once: what is read at once soon after would wait for four stores.
  static NONSMOOTH_INLINE void store(const double* x, double* r) noexcept {
    *reinterpret_cast<Lanes*>(r) = Lanes{x[0], x[1], x[2], 0.0};
  }
};
struct TwoLanes {
  Pair sum = {0.0, 0.0};
  double third = 0.0;

  NONSMOOTH_INLINE void add(const double* row, const double* r) noexcept {
    sum += pair_at(row) * pair_at(r);
    third += row[2] * r[2];
  }
  [[nodiscard]] NONSMOOTH_INLINE double total() const noexcept { return (sum[0] + sum[1]) + third; }
  static NONSMOOTH_INLINE void add_transposed(const double* v, const double* x, double* sum) noexcept {
    *reinterpret_cast<Pair*>(sum) += pair_at(v) * x[0] + pair_at(v + 3) * x[1] + pair_at(v + 6) * x[2];
    sum[2] += v[2] * x[0] + v[5] * x[1] + v[8] * x[2];
  }
  static NONSMOOTH_INLINE void store(const double* x, double* r) noexcept {
    *reinterpret_cast<Pair*>(r) = Pair{x[0], x[1]};
    r[2] = x[2];
  }
};

/// Blocks of 3 x 3, row-major: b_i = q_i + sum of the rows i times the reactions, i < rows.
template <class Lanes, int rows>
NONSMOOTH_INLINE void accumulate(const double* v, const std::int32_t* column, const std::int32_t* end,
                                 const double* reactions, const double* q, double* b) noexcept {
  Lanes sum_0, sum_1, sum_2;
  for (; column != end; ++column, v += 9) {
    // Large problems wait for memory: the reactions that come some rows later. The rest are streams, told by no one.
    __builtin_prefetch(reactions + column[kLookAhead]);
    const double* r = reactions + *column;
    sum_0.add(v, r);
    if constexpr (rows == 3) {
      sum_1.add(v + 3, r);
      sum_2.add(v + 6, r);
    }
  }
  b[0] = q[0] + sum_0.total();
  if constexpr (rows == 3) {
    b[1] = q[1] + sum_1.total();
    b[2] = q[2] + sum_2.total();
  }
}

/// Blocks of 3 x 3, row-major, of a row whose reaction changed by `step`: what their transposed ones, which are not
/// stored, add to the sums of the rows named by the columns.
template <class Lanes>
NONSMOOTH_INLINE void push(const double* v, const std::int32_t* column, const std::int32_t* end, const double* step,
                           double* sums) noexcept {
  for (; column != end; ++column, v += 9) Lanes::add_transposed(v, step, sums + *column);
}

/// The entries of a column-major block in the order in which the kernels read them.
inline void copy_block(const double* from, double* to, const double (&)[2]) noexcept { std::copy_n(from, 4, to); }
inline void copy_block(const double* from, double* to, const double (&)[3]) noexcept {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) to[3 * i + k] = from[3 * k + i];
}

}  // namespace nonsmooth::friction::internal
