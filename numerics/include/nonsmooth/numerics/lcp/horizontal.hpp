// SPDX-License-Identifier: Apache-2.0
/// @file
/// Horizontal linear complementarity problems.
///
///     const lcp::horizontal::Result result = lcp::horizontal::solve({N, M, q});
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nonsmooth/numerics/lcp/problem.hpp>
#include <nonsmooth/numerics/lcp/registry.hpp>
#include <nonsmooth/numerics/outcome.hpp>

namespace nonsmooth::lcp::horizontal {

/// The horizontal LCP  N w - M z = q,  0 <= z ⟂ w >= 0  with dense N and M (n x n), n >= 1. N = I is the LCP.
///
/// Column i of N belongs to w_i, column i of -M to z_i; a choice of one of the two for every i is a complementary
/// representative R. Where all of them have determinants of one sign (the column W property of (N, M)), there is
/// exactly one solution for every q. Large sparse problems: pose them as mixed complementarity problems instead.
/// Source: Cottle, Pang, Stone 1992, section 1.5 [cottle1992]; Sznajder, Gowda 1995 [sznajder1995].
struct Problem {
  Eigen::MatrixXd N, M;
  Eigen::VectorXd q;

  /// @throws InvalidArgument: empty, not square, sizes that differ, an entry that is not finite.
  void validate() const;
};

/// The LCP of a representative: x = (w_i, or z_i where exchanged_i), y their partners,
/// x = lcp.M y + lcp.q,  0 <= y ⟂ x >= 0, with R x = S y + q, lcp.M = R^-1 S, lcp.q = R^-1 q.
struct Reduction {
  lcp::Problem lcp;
  std::vector<bool> exchanged;  ///< by row: x_i is z_i
  Eigen::MatrixXd R;            ///< column i: N_i, or -M_i where exchanged
};

/// Reduces with R = N where N is well-conditioned, else with columns chosen one by one, the largest first beside those
/// chosen before (each column counted in units of its own length). Empty if that ends with a singular R: under the
/// column W property it never does.
/// @throws InvalidArgument as Problem::validate. Cost: O(n^3).
[[nodiscard]] std::optional<Reduction> reduce(const Problem& problem);

/// What a solve found: the best pair whatever the status, with the solver and the iterations of the reduced problem. A
/// proof is u with N^T u >= 0, M^T u <= 0, q·u < 0 (no z, w >= 0 satisfy the equation).
struct Result : Outcome {
  Eigen::VectorXd z, w;
};

/// The certificate of a pair: per row the worse of |(N w - M z - q)_i| and |min(m_i z_i, n_i w_i)|, with m_i and n_i
/// the largest entries of the columns M_i and N_i (1 for a zero column), all in the unit of q. row_residual counts what
/// the smaller of a pair puts into each row, as 0 in its place would leave it there. Scale max(|q|, floor),
/// the default floor 64 eps max_i (|N||w| + |M||z| + |q|)_i. Cost: two products.
[[nodiscard]] Certificate certify(const Problem& problem, ConstVectorRef z, ConstVectorRef w, double floor = -1.0);

/// True if u proves that no z, w >= 0 satisfy the equation; rounding allowed for as in lcp::proves_infeasible, with
/// 64 n eps for a negative tolerance: a proof that is carried over is rounded once more.
[[nodiscard]] bool proves_infeasible(const Problem& problem, ConstVectorRef u, double tolerance = -1.0);

/// (z, w) of the answer of the reduced problem, certified: Solved only where this certificate allows it.
[[nodiscard]] Result recover(const Problem& problem, const Reduction& reduction, const lcp::Result& reduced,
                             double tolerance = -1.0);

/// reduce, solve with `solver`, recover. Stalled where no reduction is found.
/// @throws InvalidArgument as Problem::validate and Limits::validate.
[[nodiscard]] Result solve(const Problem& problem, const Solver& solver, const Limits& limits = {});
/// With lcp::Automatic.
[[nodiscard]] Result solve(const Problem& problem, const Limits& limits = {});

}  // namespace nonsmooth::lcp::horizontal
