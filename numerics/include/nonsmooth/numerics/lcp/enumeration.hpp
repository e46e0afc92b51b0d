// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// Tries all 2^n complementary bases, in the order of their binary number (row 0 the lowest bit).
///
/// The solutions with z_i = 0 outside the rows a and w_i = 0 inside form a polyhedron P_a; all solutions together are
/// the union of these. A nonsingular M_aa gives at most one point. For a singular M_aa the vertices of P_a with
/// z_a > 0 are sought: further rows b with w_b = 0 are added to M_aa until its columns are independent, every choice
/// of them tried. P_a has no line, so it is empty if it and its faces have no vertex: the search is complete for any M,
/// up to round-off (ranks are decided at 1e-10 of the largest pivot).
///
/// Where nothing is found: Infeasible with a proof where phase one gives one, else Stalled, "no complementary basis
/// solves it (enumerated)". Cost: 2^n factorizations of at most n rows, more where many M_aa are singular; 20 rows take
/// seconds for one solution, half a minute for all. Source: Cottle, Pang, Stone 1992, section 1.3 [cottle1992].
struct Enumeration {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0. Exact up to round-off at the right basis.
  Index max_rows = 20;       ///< problems with more rows are refused by InvalidArgument; in [1, 30]
  Index max_bases = 0;       ///< >= 0; then IterationLimit; 0: all 2^n
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// The first solution. @throws InvalidArgument as Problem::validate, and for more than max_rows rows.
[[nodiscard]] Result solve(const Problem& problem, const Enumeration& options);

/// One of several solutions: a vertex of the set of all solutions.
struct Solution {
  Result result;
  /// Empty if no other solution is near. Else one of the directions in which there are more: z + t direction solves
  /// for all t in [0, 1], and for all t >= 0 if `unbounded`.
  Eigen::VectorXd direction;
  bool unbounded = false;

  [[nodiscard]] bool isolated() const noexcept { return direction.size() == 0; }
};

/// Every vertex of the set of solutions, each once (two z closer than 1e-8 of the larger are the same), with a
/// direction to others where it is not isolated: to another vertex with which it shares a P_a, or an extreme ray of P_a
/// (a solution of the problem with q = 0). The set of solutions is the union over a of the convex hulls of the vertices
/// in P_a plus its rays. max_bases and time_limit bound each of the two searches; what they cut off is missing.
[[nodiscard]] std::vector<Solution> all_solutions(const Problem& problem, const Enumeration& options = {});

}  // namespace nonsmooth::lcp
