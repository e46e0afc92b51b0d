// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::impacts {

/// Contacts that act on one another, directly or through others: the connected components of W. Two rows a, b are
/// coupled where |W_ab| or |W_ba| is above 64 eps sqrt(|W_aa W_bb|), which round-off of products H M^-1 H^T of bodies
/// that share nothing stays below (they are zero), and of motions that are orthogonal by symmetry nearly always.
///
/// `first` holds the first row of each contact, in order, all rows owned. Components come in the order of their first
/// contacts, contacts within in order: the result depends on the pattern alone. Cost O(m^2) for m rows.
[[nodiscard]] std::vector<std::vector<Index>> find_islands(const Eigen::MatrixXd& W, const std::vector<Index>& first);

/// The rows of those contacts, in order.
[[nodiscard]] std::vector<Index> rows_of_island(const std::vector<Index>& island, const std::vector<Index>& first,
                                                Index num_rows);

}  // namespace nonsmooth::impacts
