// SPDX-License-Identifier: Apache-2.0
#include "relation_values.hpp"

namespace nonsmooth::stages {
namespace {

/// Sum over the legs of row r of H times the entries that begin where `place` of a leg says.
double sum_over_legs(const InteractionPlan& interaction, const Plan& plan, const double* values, Index Leg::*place,
                     Index r) {
  double sum = 0.0;
  for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
    const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
    const double* H = plan.hu.data() + leg.hu + r;
    for (Index k = 0; k < leg.n; ++k) sum += H[k * interaction.rows] * values[leg.*place + k];
  }
  return sum;
}

}  // namespace

void copy_jacobian(const InteractionPlan& interaction, Plan& plan) {
  for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
    const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
    Eigen::Map<Eigen::MatrixXd>(plan.hu.data() + leg.hu, interaction.rows, leg.n) =
        interaction.jacobian.middleCols(leg.column, leg.n);
  }
}

void gather(const Eigen::VectorXd& values, bool positions, InteractionPlan& interaction, const Plan& plan) {
  Index at = 0;
  for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
    const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
    if (positions) {
      interaction.q.segment(at, leg.nq) = values.segment(leg.q, leg.nq);
      at += leg.nq;
    } else {
      interaction.z.segment(leg.column, leg.n) = values.segment(leg.z, leg.n);
    }
  }
}

double output_of(const InteractionPlan& interaction, const Plan& plan, const double* z, Index r) {
  return sum_over_legs(interaction, plan, z, &Leg::z, r);
}

double position_of(const InteractionPlan& interaction, const Plan& plan, const double* q, Index r) {
  return sum_over_legs(interaction, plan, q, &Leg::q, r);
}

}  // namespace nonsmooth::stages
