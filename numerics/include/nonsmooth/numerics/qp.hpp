// SPDX-License-Identifier: Apache-2.0
/// @file
/// Convex quadratic programs: every algorithm of the family.
///
///     qp::Problem problem{.Q = Q, .c = c, .A = A, .row_lower = b, .row_upper = b, .lower = Eigen::VectorXd::Zero(n)};
///     const qp::Result result = qp::solve(problem);  // or qp::solve(problem, qp::InteriorPoint{})
///     if (!result) std::cerr << result.message() << '\n';
#pragma once

#include <nonsmooth/numerics/qp/admm.hpp>
#include <nonsmooth/numerics/qp/automatic.hpp>
#include <nonsmooth/numerics/qp/dual_active_set.hpp>
#include <nonsmooth/numerics/qp/energetic_impact.hpp>
#include <nonsmooth/numerics/qp/interior_point.hpp>
#include <nonsmooth/numerics/qp/primal_active_set.hpp>
#include <nonsmooth/numerics/qp/problem.hpp>
#include <nonsmooth/numerics/qp/registry.hpp>

namespace nonsmooth::qp {

/// solve(problem, Automatic{}).
[[nodiscard]] Result solve(const Problem& problem);
[[nodiscard]] Result solve(const SparseProblem& problem);

}  // namespace nonsmooth::qp
