// SPDX-License-Identifier: Apache-2.0
// The tree of the pairs' sides; not installed.
#pragma once

#include <optional>
#include <string_view>

#include <nonsmooth/numerics/mpcc/branch_and_bound.hpp>

#include "pieces.hpp"

namespace nonsmooth::mpcc::detail {

/// A result of x = 0 or the nearest point within the bounds, certified, not run.
[[nodiscard]] Result born(std::string_view solver, const Problem& problem);

/// The pair with Side::Both whose smaller side is the largest over its terms, and which side that is; nothing where all
/// are at most `least` of them, and for a negative one where no pair is left.
struct Branch {
  Index pair;
  Side first;
};
[[nodiscard]] std::optional<Branch> to_divide(const Problem& problem, ConstVectorRef x, const Sides& sides,
                                              double least = zero_side);

/// The piece at x of those in the node.
[[nodiscard]] Sides piece_at(const Problem& problem, ConstVectorRef x, const Sides& node);

/// BranchAndBound, left at the first node where that bounds nothing: where the value falls forever on it, or Q is not
/// convex and there are more than three pairs, all pieces of which would be looked at.
[[nodiscard]] Result branch_where_bounded(const Problem& problem, const BranchAndBound& options);

/// A piece with a point, the one that a search in depth for those near to x meets first; nothing where there is none or
/// a limit has ended the result.
[[nodiscard]] std::optional<Sides> nearest_piece(Search& search, ConstVectorRef x);

}  // namespace nonsmooth::mpcc::detail
