// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "dynamics/relations/relation_values.hpp"
#include "examine_start.hpp"

namespace nonsmooth::stages {
namespace {

/// By its relation's H(t, q), not by a matrix that stands.
bool is_evaluated(const InteractionPlan& interaction) { return !interaction.first_order && !interaction.offset; }

}  // namespace

double entry_of_h(const RelationCaches& relations, const InteractionPlan& interaction, Index row,
                  const JacobianBlock& jacobian, Index k) {
  if (is_evaluated(interaction)) return interaction.jacobian(row, jacobian.column + k);
  return relations.jacobians.hu[static_cast<std::size_t>(jacobian.hu + k * interaction.rows + row)];
}

OutputTerms output_terms(const State& state, RelationCaches& relations) {
  OutputTerms terms{state.outputs.cwiseAbs(), state.velocities.cwiseAbs()};
  for (InteractionPlan& interaction : relations.interactions) {
    if (interaction.nonlinear) continue;
    if (is_evaluated(interaction)) {
      gather(state.positions, true, relations.jacobians, interaction);
      interaction.jacobian.setZero();
      try {  // what is wrong with it is for the step to tell
        interaction.relation->H(state.t, interaction.q, interaction.jacobian);
      } catch (...) {
        interaction.jacobian.setZero();
      }
      if (!interaction.jacobian.allFinite()) interaction.jacobian.setZero();
    }
    for (Index r = 0; r < interaction.rows; ++r) {
      double rest = state.outputs[interaction.row + r], sizes = 0.0, rates = 0.0;
      for (const JacobianBlock& jacobian : relations.jacobians.of(interaction)) {
        double largest = 0.0;
        for (Index k = 0; k < jacobian.n; ++k) {
          const double entry = entry_of_h(relations, interaction, r, jacobian, k);
          largest = std::max(largest, std::abs(entry));
          rates += std::abs(entry * state.unknowns[jacobian.z + k]);
          if (jacobian.n != jacobian.nq) continue;
          const double term = entry * state.positions[jacobian.q + k];
          rest -= term;
          sizes += std::abs(term);
        }
        // On a manifold the coordinates of q are not those of H.
        if (!interaction.first_order && jacobian.n != jacobian.nq)
          sizes += largest * state.positions.segment(jacobian.q, jacobian.nq).lpNorm<1>();
      }
      double& y = terms.y[interaction.row + r];
      double& u = terms.u[interaction.row + r];
      y = interaction.first_order ? y + rates : std::abs(rest) + sizes;
      if (!interaction.first_order) u += rates;
    }
  }
  return terms;
}

}  // namespace nonsmooth::stages
