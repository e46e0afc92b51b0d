// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mpcc/problem.hpp>

namespace nonsmooth::mpcc {

/// Scholtes's relaxation, then pieces. The relaxed programs
///
///     min 1/2 x^T Q x + c^T x    under the rows, the bounds,   a = G x + g >= 0,   b = H x + h >= 0,   a_i b_i <= t,
///
/// t -> 0, are followed by sequential quadratic programming: of a_i b_i the tangent at the iterate, of Q what is
/// convex, steps shortened by an l1 merit, every program solved by qp::Automatic (active sets, interior points where it
/// is large). Of each pair the side that ends the smaller is set to 0, and the quadratic program on that piece is
/// solved exactly. Where a multiplier on beta is negative, the piece beyond that side is next, and so on while the
/// value falls; where none falls and beta has at most `most_biactive` pairs, every piece at x is solved, which shows
/// that x is B-stationary or gives a better piece.
///
/// Of the relaxations Scholtes's has the simplest sets with an inside, and did best in comparisons, though its limits
/// are C-stationary only: the pieces mend that. A piece that turns out empty is replaced by the nearest point of one
/// that is not, found by branching. Where the program without complementarity falls forever along a direction, the
/// piece that it points along is tried first. Small and medium programs (n and k up to a hundred); a local answer.
/// Cost: some 10 to 50 dense quadratic programs. Source: Scholtes 2001 [scholtes2001]; compared by Hoheisel, Kanzow,
/// Schwartz 2013 [hoheisel2013]; pieces: Luo, Pang, Ralph 1996 [luo1996].
struct Relaxation {
  double tolerance = 1e-10;                                     ///< Certificate::residual <= tolerance; > 0
  Index max_steps = 10'000;                                     ///< quadratic programs, >= 1
  Index most_biactive = 10;                                     ///< pairs of beta, 0 to 10: 2^beta programs
  Eigen::VectorXd start{};                                      ///< n entries, or empty: without a_i b_i <= t
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Relaxation::validate, and for a start of another size.
[[nodiscard]] Result solve(const Problem& problem, const Relaxation& options);

}  // namespace nonsmooth::mpcc
