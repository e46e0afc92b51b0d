// SPDX-License-Identifier: Apache-2.0
// A complementary basis of few rows as one explicit matrix; not installed.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "internal.hpp"

namespace nonsmooth::lcp::detail {

inline constexpr Index small_limit = 8;  // rows

/// C with (z_a, w_b) = C q, all else zero (the principal pivot transform), column-major, stride small_limit. Bit i of
/// the key: row i is in a.
struct SmallBasis {
  std::uint32_t key = 0;
  bool valid = false;
  std::array<double, small_limit * small_limit> C{};

  /// False if M_aa is singular to working precision. `rows` becomes a.
  bool factorize(const View& problem, std::uint32_t new_key, std::vector<Index>& rows) {
    const Index n = problem.q.size();
    rows.clear();
    for (Index i = 0; i < n; ++i) {
      if ((new_key >> i) & 1U) rows.push_back(i);
    }
    valid = false;
    key = new_key;
    const Index k = static_cast<Index>(rows.size());
    // Gauss-Jordan with row pivoting on the k x 2k array [M_aa, I].
    std::array<double, 2 * small_limit * small_limit> t;
    const auto at = [&t](Index i, Index j) -> double& { return t[static_cast<std::size_t>(j * small_limit + i)]; };
    for (Index j = 0; j < k; ++j) {
      for (Index i = 0; i < k; ++i) {
        at(i, j) = problem.M(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
        at(i, j + k) = i == j ? 1.0 : 0.0;
      }
    }
    for (Index c = 0; c < k; ++c) {
      double column_largest = 0.0;
      for (Index i = 0; i < k; ++i) {
        column_largest = std::max(
            column_largest, std::abs(problem.M(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(c)])));
      }
      Index pivot = c;
      for (Index i = c + 1; i < k; ++i) {
        if (std::abs(at(i, c)) > std::abs(at(pivot, c))) pivot = i;
      }
      // Elimination leaves about k eps of the column's largest entry where the exact pivot is zero.
      if (!(std::abs(at(pivot, c)) > static_cast<double>(k) * eps * column_largest)) return false;
      if (pivot != c) {
        for (Index j = c; j < 2 * k; ++j) std::swap(at(c, j), at(pivot, j));
      }
      const double inverse = 1.0 / at(c, c);
      for (Index j = c; j < 2 * k; ++j) at(c, j) *= inverse;
      for (Index i = 0; i < k; ++i) {
        const double factor = at(i, c);
        if (i == c || factor == 0.0) continue;
        for (Index j = c; j < 2 * k; ++j) at(i, j) -= factor * at(c, j);
      }
    }
    C.fill(0.0);
    const auto entry = [this](Index i, Index j) -> double& { return C[static_cast<std::size_t>(j * small_limit + i)]; };
    for (Index i = 0; i < n; ++i) {
      if (!((key >> i) & 1U)) entry(i, i) = 1.0;
    }
    for (Index j = 0; j < k; ++j) {
      const Index column = rows[static_cast<std::size_t>(j)];
      for (Index i = 0; i < k; ++i) entry(rows[static_cast<std::size_t>(i)], column) = -at(i, j + k);
      for (Index i = 0; i < n; ++i) {
        if ((key >> i) & 1U) continue;
        double sum = 0.0;
        for (Index l = 0; l < k; ++l) sum -= problem.M(i, rows[static_cast<std::size_t>(l)]) * at(l, j + k);
        entry(i, column) = sum;
      }
    }
    valid = true;
    return true;
  }
};

}  // namespace nonsmooth::lcp::detail
