// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "dynamics/relations/relation_caches.hpp"
#include "stepping/problem/step_solution.hpp"

namespace nonsmooth {

/// What kept Newton's iteration from its end: an unknown of a system, or a multiplier of an interaction.
struct LeastConverged {
  Index system = -1, interaction = -1;
  Index entry = 0;     ///< of the system's unknowns, or row of the interaction
  double ratio = 0.0;  ///< of its last change and the change allowed; NaN where it is not finite
};

/// What Newton's iteration keeps between its iterates.
struct NewtonCaches {
  Eigen::VectorXd z_linear;  ///< z_free of linear systems before what nonlinear relations add
  std::vector<char> idle;    ///< by row: the multiplier acted on nothing when convergence was asked for last
  Eigen::VectorXd terms;     ///< absolute ones that z is the sum of, where they were asked for
  Eigen::VectorXd scale;     ///< by row: LawContext::multiplier_scale of laws that vary with the iterate
  LeastConverged least_converged;
  Eigen::VectorXd z_base, z_full, lambda_base, lambda_full;  ///< the ends of the correction that is damped
};

namespace stages {

/// MechanicalSystem::velocity_lengths of each system, 1 of those of first order.
[[nodiscard]] Eigen::VectorXd lengths_of_unknowns(const NonSmoothDynamicalSystem& model);
/// How far the iteration is from its end: at most 1 where it converged, NaN where it is lost. System by system, in one
/// unit by `lengths`, so that units do not mix: the change of the iterate against the size of z and of the free change,
/// against the round-off of the terms that z is the sum of, or against what moves q by its round-off and is within the
/// tolerance of these terms; and that of the multipliers that something nonlinear depends on, but for those that act on
/// nothing. Errors of laws go to the relations.
[[nodiscard]] double newton_error(double tolerance, const StepView& step, RelationCaches& relations,
                                  const Iterate& iterate, const StepSolution& solution, const Eigen::VectorXd& lengths,
                                  NewtonCaches& newton);

}  // namespace stages
}  // namespace nonsmooth
