// SPDX-License-Identifier: Apache-2.0
#pragma once

// Proofs of infeasibility in quadruple precision, by other code than the library's.

#include <nonsmooth/numerics/sets.hpp>

namespace nonsmooth::problems {

/// Whether y proves that no r in K gives a u that the law admits: block by block y·u >= 0 for every such u; c = W^T y
/// with c·r <= 0 on cones, to 16 eps of its terms; and q·y plus the largest c·r of bounded rows and of cohesion < 0.
[[nodiscard]] bool proof_holds(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, const ProductSet& K,
                               const Eigen::VectorXd& y);

}  // namespace nonsmooth::problems
