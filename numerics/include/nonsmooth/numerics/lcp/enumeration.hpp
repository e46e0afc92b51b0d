// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// Tries all 2^n complementary bases, in the order of their binary number (row 0 the lowest bit).
///
/// Any M with n <= max_rows. Misses solutions that only singular M_aa support (they belong to a continuum whose corners
/// are found where those are nonsingular). Where nothing is found: Infeasible with a proof if a secondary ray gives
/// one, else Stalled, "no complementary basis solves it (enumerated)". Cost: 2^n factorizations of at most n rows; 20
/// rows take seconds. Source: Cottle, Pang, Stone 1992, section 1.3 [cottle1992].
struct Enumeration {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0. Exact up to round-off at the right basis.
  Index max_rows = 20;       ///< problems with more rows are refused by InvalidArgument; in [1, 30]

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// The first solution. @throws InvalidArgument as Problem::validate, and for more than max_rows rows.
[[nodiscard]] Result solve(const Problem& problem, const Enumeration& options);

/// Every solution that a nonsingular basis gives, each once (two z closer than 1e-8 of the larger are the same).
[[nodiscard]] std::vector<Result> all_solutions(const Problem& problem, const Enumeration& options = {});

}  // namespace nonsmooth::lcp
