// SPDX-License-Identifier: Apache-2.0
#include "sparse_storage.hpp"

#include <algorithm>

#include <nonsmooth/kernel/systems/sparse_lagrangian.hpp>

namespace nonsmooth {
namespace {

constexpr Index kSparseFrom = 32;

}  // namespace

Eigen::SparseMatrix<double> to_sparse(const MatrixData& data, Index n, bool identity_if_empty) {
  if (const auto* s = data.sparse()) return *s;
  Eigen::SparseMatrix<double> result(n, n);
  if (const auto* d = data.diagonal()) {
    for (Index i = 0; i < n; ++i) result.insert(i, i) = (*d)[i];
  } else if (const auto* dense = data.dense()) {
    result = dense->sparseView();
  } else if (identity_if_empty) {
    result.setIdentity();
  }
  result.makeCompressed();
  return result;
}

bool stays_sparse(Index n, std::initializer_list<const MatrixData*> matrices) {
  return n >= kSparseFrom &&
         std::any_of(matrices.begin(), matrices.end(), [](const MatrixData* data) { return data->sparse(); });
}

bool stays_sparse(Index n, const LagrangianLinearSystem& system) {
  const bool diagonal = system.mass.is_diagonal() && system.damping.is_diagonal() && system.stiffness.is_diagonal();
  return stays_sparse(n, {&system.mass, &system.damping, &system.stiffness}) || (diagonal && n >= kSparseFrom);
}

bool has_sparse_mechanics(const NonSmoothDynamicalSystem::System& system) {
  if (const auto* d = system.linear_mechanical()) return stays_sparse(system.n, *d);
  return dynamic_cast<const SparseMechanicalSystem*>(system.mechanical) != nullptr;
}

}  // namespace nonsmooth
