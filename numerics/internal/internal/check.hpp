// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/types.hpp>

/// The checks that every public door shares; each throws InvalidArgument and costs one pass over its argument.
namespace nonsmooth::check {

/// 0 x is 0 for finite x only. Throws nothing. Few entries are looked at one by one: a vector loop costs more to enter.
template <class Vector>
[[nodiscard]] bool all_finite(const Vector& x) {
  if (x.size() >= 32) return (x.array() * 0.0).sum() == 0.0;
  double sum = 0.0;
  for (Index i = 0; i < x.size(); ++i) sum += 0.0 * x[i];
  return sum == 0.0;
}

/// The shortest digits that read back as the same number, for messages.
[[nodiscard]] std::string text(double value);

/// Every entry finite; the message names the first entry that is not.
void finite(std::string_view argument, ConstVectorRef value);
void finite(std::string_view argument, ConstMatrixRef value);
void finite(std::string_view argument, double value);

/// value has exactly `size` entries; `why` completes "expected <size> entries, ...".
void size(std::string_view argument, Index found, Index expected, std::string_view why);

/// value is rows x cols.
void shape(std::string_view argument, Index rows, Index cols, Index expected_rows, Index expected_cols);

/// low <= value <= high (both ends in), value finite.
void range(std::string_view argument, double value, double low, double high);

/// value > 0 and finite.
void positive(std::string_view argument, double value);

/// value >= low.
void at_least(std::string_view argument, Index value, Index low);

/// low <= value <= high: of counts that something is allocated for, or that are multiplied.
void within(std::string_view argument, Index value, Index low, Index high);

/// The most threads that a pool may have: far more than machines have cores, far fewer than they can start.
inline constexpr Index most_threads = 4096;
/// The most iterates that an extrapolation or a line search may keep: each takes as much memory as the unknowns.
inline constexpr Index most_iterates = 10'000;
/// The most rows that a relation or a law may say it has, and facets of a polygon: their matrices are dense.
inline constexpr Index most_dense_rows = Index{1} << 20;

}  // namespace nonsmooth::check
