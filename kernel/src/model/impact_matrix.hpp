// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <nonsmooth/kernel/model.hpp>

/// Matrices of coefficients of restitution among contacts of a model.
namespace nonsmooth::describe {

/// What a model keeps of the description. Its handles are alive.
/// @throws InvalidArgument as NonSmoothDynamicalSystem::add.
[[nodiscard]] NonSmoothDynamicalSystem::ImpactMatrix impact_matrix(
    GeneralisedNewtonImpact impact, const std::vector<NonSmoothDynamicalSystem::InteractionRecord>& interactions,
    const std::vector<NonSmoothDynamicalSystem::ImpactMatrix>& known);
/// Takes the row and the column of an interaction away, and a matrix that is left with none.
void forget_contact(std::uint32_t slot, std::vector<NonSmoothDynamicalSystem::ImpactMatrix>& matrices);
[[nodiscard]] bool is_in_matrix(std::uint32_t slot,
                                const std::vector<NonSmoothDynamicalSystem::ImpactMatrix>& matrices);
/// sum_j E_ij min(u_j, 0) over the contacts of a matrix that act: what is added to u+ of contact i.
template <class Acts, class Velocity>
[[nodiscard]] double added_restitution(const Eigen::MatrixXd& E, Index i, Acts acts, Velocity velocity) {
  double sum = 0.0;
  for (Index j = 0; j < E.cols(); ++j) {
    if (E(i, j) != 0.0 && acts(j)) sum += E(i, j) * std::min(velocity(j), 0.0);
  }
  return sum;
}

}  // namespace nonsmooth::describe
