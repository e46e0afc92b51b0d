// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>

#include <nonsmooth/numerics/sets.hpp>
#include <problems/canonical_units.hpp>
#include <problems/quad.hpp>

/// What the judges of laws and of proofs say of sets in quadruple precision.
namespace nonsmooth::problems {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double epsilon = std::numeric_limits<double>::epsilon();

[[nodiscard]] inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Rows by themselves; those of other blocks belong together.
[[nodiscard]] inline bool row_wise(const BlockSet& set) {
  return set.kind == SetKind::Free || set.kind == SetKind::Orthant || set.kind == SetKind::Box;
}

[[nodiscard]] inline Quad lower(const BlockSet& set) { return set.kind == SetKind::Orthant ? 0.0 : set.lower; }
[[nodiscard]] inline Quad upper(const BlockSet& set) { return set.kind == SetKind::Orthant ? infinity : set.upper; }

[[nodiscard]] inline Quad norm(const QuadVector& x, const RowGroup& group) {
  Quad sum = 0;
  for (Index i = group.first; i < group.first + group.count; ++i) sum += x[at(i)] * x[at(i)];
  return root(sum);
}

}  // namespace nonsmooth::problems
