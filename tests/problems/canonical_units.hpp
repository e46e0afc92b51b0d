// SPDX-License-Identifier: Apache-2.0
#pragma once

// The units and the groups of rows in which elliptic, cohesive and rolling blocks are canonical ones (see BlockSet), by
// other code than the library's.

#include <vector>

#include <nonsmooth/numerics/sets.hpp>

namespace nonsmooth::problems {

/// The diagonal of D: r = D r' - c e_N and u' = D u.
[[nodiscard]] Eigen::VectorXd canonical_scale(const BlockSet& set, Index size);

/// Tangential rows of the canonical form with one bound: |r_G| <= bound r_N.
struct RowGroup {
  Index first, count;
  double bound;
};

/// Of a block with a cone; none in one of a single row.
[[nodiscard]] std::vector<RowGroup> row_groups(const BlockSet& set, Index size);

[[nodiscard]] bool has_friction(const BlockSet& set);

}  // namespace nonsmooth::problems
