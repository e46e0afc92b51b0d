// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth {

/// A derivative that a user gave and that differences do not confirm.
struct JacobianMismatch {
  std::string function;       ///< "force_dq of pendulum", "H of interaction 3"
  Index row = 0, column = 0;  ///< the worst entry
  double given = 0.0;         ///< what the user's function returned
  double difference = 0.0;    ///< what centred differences gave
  [[nodiscard]] std::string message() const;
};

/// Compares every Jacobian of a model's nonlinear systems and relations with centred differences of step
/// eps^(1/3) max(1, |x_j|) at a state (its time, positions, velocities and multipliers): |J - differences| <=
/// tolerance (1 + |J|_max) entry by entry. The differences are good to some 1e-10 where second derivatives are of the
/// size of the function; a kink within a step (an absolute value at 0) shows as a mismatch. Systems without any
/// Jacobian of a kind are not looked at; where a relation or a derived class leaves one out, its forward differences
/// are what is compared. Cost: two calls of each function a column.
[[nodiscard]] std::vector<JacobianMismatch> compare_jacobians(const NonSmoothDynamicalSystem& model, const State& state,
                                                              double tolerance = 1e-6);

/// @throws InvalidArgument naming the first function, entry, value and difference that compare_jacobians() finds.
void verify_jacobians(const NonSmoothDynamicalSystem& model, const State& state, double tolerance = 1e-6);

/// The interactions some of whose bilateral rows (of EqualityLaw in mechanics, and those that a joint with friction
/// holds) depend on rows of other interactions at a state: dropping these rows would not free any motion, and their
/// multipliers are not unique. Velocities that are prescribed count as the ground's. Rows are made orthogonal one after
/// the other (Gram-Schmidt with repetition) in coordinates in which the diagonal of M is 1, so that units do not
/// matter: earlier interactions are kept before later ones, and a row counts as dependent where less than 1e-10 of it
/// is left. Empty: no constraint is redundant. Cost O(n m^2), dense.
[[nodiscard]] std::vector<InteractionHandle> redundant_constraints(const NonSmoothDynamicalSystem& model,
                                                                   const State& state);

/// The largest ratio of the kinetic energies of relative motion after and before an impact that a matrix of
/// coefficients allows at a state, over all u- whatever their signs, u+ = -E u-:
///
///     max (E u-)^T W^-1 (E u-) / u-^T W^-1 u-,   W = H (M^-1 - M^-1 G^T (G M^-1 G^T)^-1 G M^-1) H^T,
///
/// H the contacts' normal rows, G those of what no impact changes: EqualityLaw's rows of relations without compliance
/// and prescribed components of v. At most 1: no impact of these contacts gains energy where no others are closed and
/// what is prescribed rests. Above 1, some u- does (it need not be an approach of all contacts): by
/// RunRemark::ImpactGain a run tells where one did. Cost: O(n^3) a system that is touched, O(n g^2) for the g rows of
/// G, O((m + g)^3) for m contacts.
/// @throws InvalidArgument: a state of another revision, no contact, a stale handle, one that is not mechanical, a
/// matrix of another size or not finite, contacts whose rows depend on one another or on G, a mass that is not positive
/// definite.
[[nodiscard]] double restitution_energy_ratio(const NonSmoothDynamicalSystem& model, const State& state,
                                              const GeneralisedNewtonImpact& impact);

}  // namespace nonsmooth
