// SPDX-License-Identifier: Apache-2.0
// The linear problem of a step; not installed.
#pragma once

#include <optional>

#include <nonsmooth/numerics/relay/problem.hpp>

#include "deadline.hpp"
#include "internal.hpp"

namespace nonsmooth::mcp::detail {

/// z with  -(value + (J + diag(added)) (z - x)) in N_[l,h](z),  J = F'(x): dense by relay::ActiveSet from
/// x, and by relay::Lemke where that fails; sparse by relay::Lemke from x. Nothing where these do not solve it.
[[nodiscard]] std::optional<relay::Result> solve_linear(const Problem& problem, const Jacobian& jacobian,
                                                        const Eigen::VectorXd& x, const Eigen::VectorXd& value,
                                                        const Eigen::VectorXd& added,
                                                        const nonsmooth::detail::Deadline& deadline);

}  // namespace nonsmooth::mcp::detail
