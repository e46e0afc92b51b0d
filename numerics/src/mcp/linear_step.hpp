// SPDX-License-Identifier: Apache-2.0
// The linear problem of a step; not installed.
#pragma once

#include <optional>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/relay/problem.hpp>

#include "internal.hpp"

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

/// ... and is large and full enough for these linear problems to cost no more than a few factorizations.
[[nodiscard]] bool has_cheap_linear_problems(const Problem& problem, const Jacobian& jacobian);

/// z of the linear problem with added = 0 where it looks so, within one of the two bounds, if it is within the other
/// too: by lcp::Multigrid, small ones by lcp::PrimalDualActiveSet. Nothing where these do not come to a residual of
/// `accuracy`. `from_above`: the side to begin with, where there are two; becomes the one that was enough.
[[nodiscard]] std::optional<Eigen::VectorXd> solve_m_matrix(const Problem& problem, const Jacobian& jacobian,
                                                            const Eigen::VectorXd& x, const Eigen::VectorXd& value,
                                                            const nonsmooth::detail::Deadline& deadline,
                                                            double accuracy, bool& from_above);

}  // namespace nonsmooth::mcp::detail
