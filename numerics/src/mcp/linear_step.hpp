// SPDX-License-Identifier: Apache-2.0
// The linear problem of a step; not installed.
#pragma once

#include <optional>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/relay/problem.hpp>

#include "internal.hpp"
#include "lcp/multigrid_sequence.hpp"

namespace nonsmooth::mcp::detail {

/// z with  -(value + (J + diag(added)) (z - x)) in N_[l,h](z),  J = F'(x): dense by relay::ActiveSet from
/// x, and by relay::Lemke where that fails; sparse by relay::Lemke from x. Nothing where these do not solve it.
[[nodiscard]] std::optional<relay::Result> solve_linear(const Problem& problem, const Jacobian& jacobian,
                                                        const Eigen::VectorXd& x, const Eigen::VectorXd& value,
                                                        const Eigen::VectorXd& added,
                                                        const nonsmooth::detail::Deadline& deadline);

/// Whether every row has a finite l, or every row a finite h, and J = F'(x) is sparse with a positive diagonal and no
/// positive entry beside it, as M-matrices are.
[[nodiscard]] bool looks_like_m_matrix(const Problem& problem, const Jacobian& jacobian);

/// Whether J is sparse with so few entries a row, as those of chains, that factors cost about as little as products.
[[nodiscard]] bool is_thin(const Jacobian& jacobian);

/// Whether these linear problems cost no more than a few factorizations: J looks like an M-matrix, has many rows, and
/// is not thin.
[[nodiscard]] bool has_cheap_linear_problems(const Problem& problem, const Jacobian& jacobian);

/// z of the linear problem with added = 0 where it looks like an M-matrix, within one of the two bounds, if it is
/// within the other too: by lcp::Multigrid, small ones by lcp::PrimalDualActiveSet. One for the steps of one solve:
/// after the first, multigrid begins at x, with the interpolations that it has.
class MMatrixSteps {
 public:
  /// Nothing where this does not come to a residual of `accuracy`.
  [[nodiscard]] std::optional<Eigen::VectorXd> solve(const Problem& problem, const Jacobian& jacobian,
                                                     const Eigen::VectorXd& x, const Eigen::VectorXd& value,
                                                     const nonsmooth::detail::Deadline& deadline, double accuracy);

 private:
  [[nodiscard]] std::optional<Eigen::VectorXd> one_side(bool above, const Problem& problem, const Jacobian& jacobian,
                                                        const Eigen::VectorXd& x, const Eigen::VectorXd& value,
                                                        const nonsmooth::detail::Deadline& deadline, double accuracy);
  [[nodiscard]] std::optional<Eigen::VectorXd> complementary(const Eigen::SparseMatrix<double>& M, Eigen::VectorXd q,
                                                             const Eigen::VectorXd& start,
                                                             const nonsmooth::detail::Deadline& deadline,
                                                             double accuracy);

  bool from_above_ = false;  // the side that was enough last, to begin with
  bool begun_ = false;       // the last solve by multigrid answered
  lcp::detail::MultigridSequence multigrid_;
};

}  // namespace nonsmooth::mcp::detail
