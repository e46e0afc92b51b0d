// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stepping/plan.hpp"

/// What the parts of stage 3 share: where the values of an interaction lie in the plan's arrays.
namespace nonsmooth::stages {

/// An interaction's rows of w.
[[nodiscard]] inline double* row(std::vector<double>& values, const InteractionPlan& interaction) {
  return values.data() + interaction.row;
}

/// Plan::hu of an interaction from its jacobian.
void copy_jacobian(const InteractionPlan& interaction, Plan& plan);
/// interaction.q (positions) or interaction.z from a vector of all systems.
void gather(const Eigen::VectorXd& values, bool positions, InteractionPlan& interaction, const Plan& plan);
/// H z of all unknowns, row r.
[[nodiscard]] double output_of(const InteractionPlan& interaction, const Plan& plan, const double* z, Index r);
/// H q of an affine relation, row r.
[[nodiscard]] double position_of(const InteractionPlan& interaction, const Plan& plan, const double* q, Index r);

/// h, g and their Jacobians at the iterate (t, x_g, lambda), x_g = g x + (1-g) x_k.
void evaluate_first_order(const State& state, double t_next, bool first, InteractionPlan& interaction, Plan& plan);
/// C, D, B and e at t_{k+1} of a linear relation, as far as they are functions of time.
void evaluate_linear(const State& state, double t_next, bool first, InteractionPlan& interaction, Plan& plan);
/// The line y + slope lambda + offset = 0 through a point of Shockley's curve.
void linearise_shockley(const State& state, bool first, InteractionPlan& interaction, Plan& plan);

}  // namespace nonsmooth::stages
