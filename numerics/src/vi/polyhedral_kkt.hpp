// SPDX-License-Identifier: Apache-2.0
// The optimality conditions of affine variational inequalities on polyhedra; not installed.
#pragma once

#include <nonsmooth/numerics/mlcp/problem.hpp>
#include <nonsmooth/numerics/vi/convex_set.hpp>

namespace nonsmooth::vi::detail {

/// M x + q in -N_K(x) on K = {A x <= b, C x = d}, with u = (x, mu) and v = lambda:
///
///     0 = M x + C^T mu + A^T lambda + q,   0 = d - C x,   w = b - A x,   0 <= lambda ⟂ w >= 0.
[[nodiscard]] mlcp::Problem polyhedral_kkt(const Eigen::MatrixXd& M, const Eigen::VectorXd& q,
                                           const Polyhedron& polyhedron);

}  // namespace nonsmooth::vi::detail
