// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/types.hpp>

/// The checks that every public door shares; each throws InvalidArgument and costs one pass over its argument.
namespace nonsmooth::check {

[[nodiscard]] bool all_finite(ConstVectorRef x);  ///< throws nothing
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
