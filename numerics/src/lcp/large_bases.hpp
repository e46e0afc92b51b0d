// SPDX-License-Identifier: Apache-2.0
// Complementary bases of problems of many rows, each as factors; not installed.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>

#include "internal.hpp"

namespace nonsmooth::lcp::detail {

/// As SmallBases, of more rows: the factors of M_aa are kept. `rows` is a basis a, `s` are the row scales.
class LargeBases {
 public:
  void forget() noexcept;
  /// Memory for n rows, unless there is, so that smaller problems allocate nothing.
  void reserve(Index n);

  /// M is another one than in the last call.
  void change_matrix() noexcept;
  /// The basis `rows`; degenerate ones leave it, as in SmallBases::answer().
  bool answer(const View& problem, double tolerance, std::vector<Index>& rows, ConstVectorRef s, Result& result);
  /// From the basis `rows`: rows with the wrong sign change sides at once while their number drops, at most `steps`
  /// times. z, w: scratch.
  bool exchange(const View& problem, double tolerance, Index steps, const nonsmooth::detail::Deadline& deadline,
                std::vector<Index>& rows, ConstVectorRef s, GrowingVector& z, GrowingVector& w, Result& result);

 private:
  struct Basis {
    std::vector<Index> rows;
    bool valid = false;
    DenseLu lu;
  };
  static constexpr std::size_t kept = 8;      // circuits toggle among few bases
  static constexpr std::size_t kept_big = 2;  // where their factors are big
  static constexpr Index big = 200;           // rows

  /// The slot of the basis, factored; `kept` if M_aa is singular to working precision.
  [[nodiscard]] std::size_t factored(const View& problem, const std::vector<Index>& rows);
  bool evaluate(const View& problem, double tolerance, const Basis& basis, Result& result);
  bool try_rows(const View& problem, double tolerance, const std::vector<Index>& rows, Result& result);
  std::size_t neighbour(const View& problem, const Basis& basis, ConstVectorRef s, std::vector<Index>& rows,
                        GrowingVector& z, GrowingVector& w);

  std::array<Basis, kept> bases_;
  std::size_t last_ = 0;                   // the basis of the answer
  std::size_t next_ = 0;                   // the slot to overwrite
  Index reserved_ = 0, reserved_big_ = 0;  // rows that all have memory for, and the first kept_big of them
  GrowingVector step_;
};

}  // namespace nonsmooth::lcp::detail
