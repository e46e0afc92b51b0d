// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>

namespace nonsmooth::mixed::internal {

struct ProofMemory;

/// y is a proof where these return true alone. True if memory.y proves it (see proves_infeasible), or what two small
/// corrections make of it: in problems of at most 120 rows they take the nearly vanishing sums of W^T y to zero.
[[nodiscard]] bool prove(const Problem& problem, ProofMemory& memory, Eigen::VectorXd& y);

/// Looks for a proof (see proves_infeasible) that has one row, or one cone or cylinder alone: the violation of q where
/// the diagonal of W is not positive, as of contacts between bodies that cannot move. Cost: a look at each diagonal
/// entry, else the block row. Allocates only where there is such a diagonal.
[[nodiscard]] bool find_simple_proof(const Problem& problem, Eigen::VectorXd& y);

/// Looks for a proof on rows by themselves: Free and Orthant rows, boxes with one bound, and rows 0 of cones and
/// cylinders. Where W is symmetric positive semidefinite every proof of friction is one: y is in K then, y·W y <= 0, so
/// that W y = 0, which W_SS y_S = 0 on those rows S is enough for. Phase one of the relay problem (W_SS, q_S) ends with
/// a y or with a point: an LCP of twice as many rows, at most 400. False where none was found.
[[nodiscard]] bool find_proof_on_rows(const Problem& problem, double time_limit, Eigen::VectorXd& y);
[[nodiscard]] bool find_proof_on_rows(const Problem& problem, double time_limit, ProofMemory& memory,
                                      Eigen::VectorXd& y);

/// Looks for any proof. With U* the y that meet every admissible u with y·u >= 0, it is the violation y = P_U*(-u) that
/// is left where 1/2 |y|^2 is least over r in K, for there y·(W r' + q) <= -|y|^2 for every r' in K. At most
/// `max_iterations` steps of an accelerated projected gradient method, some three products with W each. False where
/// none was found: that proves nothing.
[[nodiscard]] bool find_proof(
    const Problem& problem, Index max_iterations, Eigen::VectorXd& y,
    const detail::Deadline& deadline = detail::Deadline(std::numeric_limits<double>::infinity()));
[[nodiscard]] bool find_proof(const Problem& problem, Index max_iterations, const detail::Deadline& deadline,
                              ProofMemory& memory, Eigen::VectorXd& y);

/// Looks for a proof along an r on which an iteration diverged: where W is symmetric and squeezes, r grows along a y
/// with W y = 0 and q·y < 0. False where that is none. Cost: a product, and as prove().
[[nodiscard]] bool find_proof_along(const Problem& problem, ConstVectorRef r, ProofMemory& memory, Eigen::VectorXd& y);

}  // namespace nonsmooth::mixed::internal
