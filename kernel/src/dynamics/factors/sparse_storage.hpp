// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include <Eigen/SparseCore>

#include <nonsmooth/kernel/data.hpp>
#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/kernel/systems/lagrangian.hpp>

namespace nonsmooth {

/// n x n; an empty one is zero or the identity.
[[nodiscard]] Eigen::SparseMatrix<double> to_sparse(const MatrixData& data, Index n, bool identity_if_empty);
/// Kept sparse where a matrix came in sparse and n is not small: below some tens dense kernels win.
[[nodiscard]] bool stays_sparse(Index n, std::initializer_list<const MatrixData*> matrices);
/// The same of M, C and K; where all are diagonal too.
[[nodiscard]] bool stays_sparse(Index n, const LagrangianLinearSystem& system);
/// Mechanics whose matrices have a pattern under every scheme but ExactLinear: sparse as above, or described so.
[[nodiscard]] bool has_sparse_mechanics(const NonSmoothDynamicalSystem::System& system);

}  // namespace nonsmooth
