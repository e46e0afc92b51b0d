// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include <nonsmooth/numerics/relay/problem.hpp>

namespace nonsmooth::relay {

/// Tries every combination of places (lower bound, between, upper bound): 3 a row with two bounds, 2 with one, 1 for a
/// free or fixed row. Any M.
///
/// Where M_bb is singular and its rows do not contradict, the least-norm solution is tried first, then a linear program
/// looks for a point of that set with the right signs, so that no solvable combination is missed. Where nothing is
/// found: Infeasible with a proof if the signs alone cannot be met, else Stalled, "no combination solves it
/// (enumerated)": a feasible problem without solution. Cost: one LU a combination; 3^12 take a second or two.
/// Source: Cottle, Pang, Stone 1992, section 1.3 [cottle1992].
struct Enumeration {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0. Exact up to round-off at the right places.
  Index max_bases = Index{1} << 22;  ///< problems with more combinations are refused by InvalidArgument; >= 1
  Index max_combinations = 0;        ///< tried before Status::IterationLimit; >= 0; 0: all there are
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// The first solution. @throws InvalidArgument as Problem::validate, and for more than max_bases combinations.
[[nodiscard]] Result solve(const Problem& problem, const Enumeration& options);

/// Every solution that a nonsingular combination gives and one of each singular one, each once (two z closer than 1e-8
/// of the larger are the same), in the order of the combinations. complete, where given, tells whether every
/// combination was tried: time_limit and max_combinations end the search with the solutions found by then.
[[nodiscard]] std::vector<Result> all_solutions(const Problem& problem, const Enumeration& options = {},
                                                bool* complete = nullptr);

}  // namespace nonsmooth::relay
