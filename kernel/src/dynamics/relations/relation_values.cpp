// SPDX-License-Identifier: Apache-2.0
#include "relation_values.hpp"

namespace nonsmooth::stages {
namespace {

/// Row r of H times the entries that begin where `place` of a Jacobian block says.
double row_product(const InteractionPlan& interaction, const JacobianBlocks& jacobians, const double* values,
                   Index JacobianBlock::*place, Index r) {
  double sum = 0.0;
  for (const JacobianBlock& jacobian : jacobians.of(interaction)) {
    const double* H = jacobians.hu.data() + jacobian.hu + r;
    for (Index k = 0; k < jacobian.n; ++k) sum += H[k * interaction.rows] * values[jacobian.*place + k];
  }
  return sum;
}

}  // namespace

void copy_jacobian(const InteractionPlan& interaction, JacobianBlocks& jacobians) {
  for (const JacobianBlock& jacobian : jacobians.of(interaction)) {
    Eigen::Map<Eigen::MatrixXd>(jacobians.hu.data() + jacobian.hu, interaction.rows, jacobian.n) =
        interaction.jacobian.middleCols(jacobian.column, jacobian.n);
  }
}

void gather(const Eigen::VectorXd& values, bool positions, const JacobianBlocks& jacobians,
            InteractionPlan& interaction) {
  if (positions) {
    stack_positions(jacobians.of(interaction), values.data(), interaction.q.data());
  } else {
    stack_unknowns(jacobians.of(interaction), values.data(), interaction.z.data());
  }
}

double output_of(const InteractionPlan& interaction, const JacobianBlocks& jacobians, const double* z, Index r) {
  return row_product(interaction, jacobians, z, &JacobianBlock::z, r);
}

double position_of(const InteractionPlan& interaction, const JacobianBlocks& jacobians, const double* q, Index r) {
  return row_product(interaction, jacobians, q, &JacobianBlock::q, r);
}

BlockSet set_in_impulses(double h, BlockSet set) {
  set.lower *= h;
  set.upper *= h;
  set.radius *= h;
  set.cohesion *= h;
  return set;
}

BlockSet set_in_impulses(double h, const BlockPlan& block, const InteractionPlan& interaction) {
  const BlockSet& set = interaction.law_block(block.of_law).parts[static_cast<std::size_t>(block.part)].set;
  // Auxiliary unknowns are no forces: parts of velocities, or multipliers without bounds.
  if (!interaction.law->in_forces || interaction.first_order || !block.has_jacobian) return set;
  return set_in_impulses(h, set);
}

bool is_of_gap(const BlockPlan& block, const InteractionPlan& interaction) {
  if (interaction.first_order || interaction.compliant) return false;
  const PreparedLaw& law = *interaction.law;
  if (law.unilateral) return block.has_jacobian && law.stiffness == 0.0;
  return (block.set.kind == SetKind::Free || block.first_held) && law.is_of_positions();
}

}  // namespace nonsmooth::stages
