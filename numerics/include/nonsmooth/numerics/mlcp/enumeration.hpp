// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/mlcp/problem.hpp>
#include <nonsmooth/numerics/relay/enumeration.hpp>

namespace nonsmooth::mlcp {

/// Tries all 2^m complementary bases (3 places a row of v with two bounds) as relay::Enumeration does: singular bases
/// by least norm, then by a linear program over their solutions. Any shape and rank of the equality rows.
///
/// Where nothing is found: Infeasible with a proof if the signs alone cannot be met, else Stalled, "no combination
/// solves it (enumerated)". Cost: one LU of up to n + m rows a combination.
/// Source: Cottle, Pang, Stone 1992, section 1.3 [cottle1992].
using Enumeration = relay::Enumeration;

/// The first solution. @throws InvalidArgument as Problem::validate, and for more than max_bases combinations.
[[nodiscard]] Result solve(const Problem& problem, const Enumeration& options);

/// Every solution that a nonsingular combination gives and one of each singular one, each once (two closer than 1e-8 of
/// the larger are the same), in the order of the combinations. complete, where given, tells whether every combination
/// was tried: time_limit and max_combinations end the search with the solutions found by then.
[[nodiscard]] std::vector<Result> all_solutions(const Problem& problem, const Enumeration& options = {},
                                                bool* complete = nullptr);

}  // namespace nonsmooth::mlcp
