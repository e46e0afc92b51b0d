// SPDX-License-Identifier: Apache-2.0
// Complementary bases of problems of few rows, each as one explicit matrix; not installed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "internal.hpp"

namespace nonsmooth::lcp::detail {

inline constexpr Index small_limit = 8;  // rows

/// C with (z_a, w_b) = C q, all else zero (the principal pivot transform), column-major, stride small_limit. Bit i of
/// the key: row i is in a.
struct SmallBasis {
  std::uint32_t key = 0;
  bool valid = false;
  std::array<double, small_limit * small_limit> C{};

  /// False if M_aa is singular to working precision.
  bool factorize(const View& problem, std::uint32_t new_key);
};

/// The last few bases met, kept while M stands, and the ways to an answer by them alone. `s` are the row scales. What
/// ends true has its answer in `result`, certified to round-off; status and reason are left to the caller. Allocates
/// nothing.
class SmallBases {
 public:
  void forget() noexcept;

  /// The basis that result.z came in with: where z_i > 0. Where it is wrong, the rows with a wrong sign change sides, a
  /// few times: this costs less than to start afresh, also where a row stood at zero and z does not tell the basis.
  bool guess(const View& problem, double tolerance, bool same_matrix, ConstVectorRef s, Result& result);
  /// The basis of that key. Degenerate rows (z_i at round-off) leave it, so that the answer does not depend on which of
  /// the equivalent bases was met first.
  bool answer(const View& problem, double tolerance, std::uint32_t key, ConstVectorRef s, Result& result);
  /// Every complementary basis, for the problems too small to deserve better.
  bool enumerate(const View& problem, double tolerance, ConstVectorRef s, Result& result);

 private:
  static constexpr std::size_t kept = 8;  // circuits toggle among few bases

  [[nodiscard]] std::size_t find(std::uint32_t key) const noexcept;
  bool try_key(const View& problem, double tolerance, std::uint32_t key, Result& result);
  void accept(std::size_t slot) noexcept;
  void reduce(const View& problem, double tolerance, ConstVectorRef s, Result& result);

  std::array<SmallBasis, kept> bases_;
  std::size_t last_ = 0;  // the basis of the answer
  std::size_t next_ = 0;  // the slot to overwrite
};

}  // namespace nonsmooth::lcp::detail
