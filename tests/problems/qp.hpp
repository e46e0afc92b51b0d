// SPDX-License-Identifier: Apache-2.0
// Convex quadratic programs with known answers. Every random one takes an explicit seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nonsmooth/numerics/qp/problem.hpp>

namespace nonsmooth::problems {

/// A program with a published optimal value; `constant` is what the objective has beside 1/2 x^T Q x + c^T x.
struct PublishedQp {
  std::string name;
  qp::Problem problem;
  double constant = 0.0;
  double value = 0.0;     ///< published, with the constant
  double half_digit = 0;  ///< half a unit of the last digit that was published
};

/// HS21, HS35, HS51, HS52, HS53, HS76, HS118, HS268 (Hock, Schittkowski 1981 [hock1981] and its sequel of 1987),
/// GENHS28, ZECEVIC2.
std::vector<PublishedQp> published_qps();

/// CVXQP1, 2 and 3 of CUTE (`kind`): sum_i i (x_i + x_{(2i-1) mod n + 1} + x_{(3i-1) mod n + 1})^2 / 2 within 0.1 and
/// 10 under n/2, n/4 or 3n/4 equations x_i + 2 x_{(4i-1) mod n + 1} + 3 x_{(5i-1) mod n + 1} = b_i.
qp::SparseProblem cvxqp(int kind, Index n);

/// Powell's chain [maros1999]: min |x|^2 / 2, x_{k+1} - x_k >= (-1)^k k - 1/2 for k = 1..n-1, x_1 - x_n >= n - 1/2.
qp::SparseProblem powell20(Index n);

/// YAO of CUTE: min sum_i (x_i - sin(i / n))^2 / 2, n = p + 2, over convex sequences, x_i - 2 x_{i+1} + x_{i+2} >= 0,
/// that end with two zeros and start at 0.08 at least; `constant` receives sum_i sin(i / n)^2 / 2.
qp::SparseProblem yao(Index p, double& constant);

/// The consistent mass matrix of nx x ny serendipity elements with random densities [wathen1987], n = 3 nx ny + 2 nx +
/// 2 ny + 1, within 0 <= x <= 1, c at random.
qp::SparseProblem wathen(Index nx, Index ny, std::uint64_t seed);

struct Qp {
  qp::Problem problem;
  Eigen::VectorXd x, y;   ///< a solution and its multipliers
  Eigen::VectorXd proof;  ///< of an infeasible or unbounded program: what proves_... takes
};

/// What a planted program is like.
struct QpShape {
  Index n = 1, m = 0;
  Index rank = -1;          ///< of Q; -1: n, with the least eigenvalue >= 1/2
  Index equations = 0;      ///< of the m rows
  double degenerate = 0.0;  ///< part of the rows and bounds that hold with equality and a multiplier of 0
  bool dependent = false;   ///< each row of A twice
  double decades = 0.0;     ///< rows, unknowns and the objective in units that differ by so many
};

/// A random program with a primal-dual pair that solves it: about a third of the rows and bounds active.
Qp planted_qp(const QpShape& shape, std::uint64_t seed);

/// Of small whole numbers, which fix the pair that solves it exactly, in units that are powers of 2 over `decades` of
/// rows and of unknowns. Q of this rank.
Qp whole_qp(Index n, Index m, Index rank, double decades, std::uint64_t seed);

/// On a polyhedral cone: bounds of rows are 0 or none, and x has no bounds. Entries are small whole numbers, most of A
/// 0; half of x is 0, and rows in this half alone are active, some with a multiplier of 0. Q is definite.
Qp cone_qp(Index n, Index m, std::uint64_t seed);

/// No x is feasible: the last row contradicts a combination of the others and of bounds.
Qp infeasible_qp(Index n, Index m, std::uint64_t seed);

/// Feasible and unbounded: Q d = 0, A d = 0 but for rows that d leaves, c^T d < 0.
Qp unbounded_qp(Index n, Index m, std::uint64_t seed);

qp::SparseProblem sparse(const qp::Problem& problem);
qp::Problem dense(const qp::SparseProblem& problem);

}  // namespace nonsmooth::problems
