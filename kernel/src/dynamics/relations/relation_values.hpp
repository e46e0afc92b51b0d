// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "relation_caches.hpp"

/// What the parts of stage 3 share: where the values of an interaction lie in the flat arrays.
namespace nonsmooth::stages {

/// An interaction's rows of w.
[[nodiscard]] inline double* row(std::vector<double>& values, const InteractionPlan& interaction) {
  return values.data() + interaction.row;
}

/// JacobianBlocks::hu of an interaction from its jacobian.
void copy_jacobian(const InteractionPlan& interaction, JacobianBlocks& jacobians);
/// interaction.q (positions) or interaction.z from a vector of all systems.
void gather(const Eigen::VectorXd& values, bool positions, const JacobianBlocks& jacobians,
            InteractionPlan& interaction);
/// H z of all unknowns, row r.
[[nodiscard]] double output_of(const InteractionPlan& interaction, const JacobianBlocks& jacobians, const double* z,
                               Index r);
/// H q of an affine relation, row r.
[[nodiscard]] double position_of(const InteractionPlan& interaction, const JacobianBlocks& jacobians, const double* q,
                                 Index r);

/// h, g and their Jacobians at the iterate (t, x_g, lambda), x_g = g x + (1-g) x_k.
void evaluate_first_order(const StepView& step, const Iterate& iterate, InteractionPlan& interaction,
                          SystemCaches& systems, RelationCaches& relations);
/// C, D, B and e at t_{k+1} of a linear relation, as far as they are functions of time.
void evaluate_linear(const StepView& step, const Iterate& iterate, InteractionPlan& interaction,
                     RelationCaches& relations);

/// The law of a block is about a gap that positions may be moved to, and not about forces or rates.
[[nodiscard]] bool is_of_gap(const BlockPlan& block, const InteractionPlan& interaction);
/// How many of such a block's rows are: the first ones.
[[nodiscard]] inline Index rows_of_gap(const BlockPlan& block, const InteractionPlan& interaction) {
  return interaction.law->unilateral || block.first_held ? 1 : block.size;
}

}  // namespace nonsmooth::stages
