// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction::internal {

/// True if y proves that the problem has no solution: y_N >= 0, y_T = 0 (y of any sign on Free rows), -W^T y in K* and
/// q·y < 0, each to the rounding of its own sums. Then every admissible u has y·u >= 0, while y·u = W^T y·r + q·y < 0
/// for every r in K. Canonical sets.
[[nodiscard]] bool proves_infeasible(const Problem& problem, const Eigen::VectorXd& y);

/// Looks for such a y: it is the violation that is left where 1/2 |(W r + q)_N^-|^2 (plus 1/2 |u|^2 of Free rows) is
/// least over r in K, since there -W^T y in K* and y·q = -|y|^2. At most `max_iterations` steps of an accelerated
/// projected gradient method, two products with W each. False where none was found: that proves nothing.
[[nodiscard]] bool find_proof(const Problem& problem, Index max_iterations, Eigen::VectorXd& y);

}  // namespace nonsmooth::friction::internal
