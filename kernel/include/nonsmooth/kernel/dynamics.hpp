// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/kernel/state.hpp>

namespace nonsmooth {

/// What the interaction adds to the right-hand side of the system's equation of motion,
///
///     M vdot = F + sum of inputs,  H(t, q)^T force(interaction)   [N, N m];
///     M xdot = f + sum of inputs,  B(t) lambda, or g(t, x, lambda)   [unit of f],
///
/// at the state's t, q, x: nv (or n) entries. Forces and multipliers are the state's own: State::force(), which after
/// a step of time-stepping is the mean over that step of what closed contacts press, without percussions, and in an
/// event-driven state the force at t; State::lambda(). An impact has no force: its impulse is State::percussion().
/// @throws InvalidArgument a stale handle, a system that the interaction does not link, a state of another revision, a
/// function of the relation that fails there. Cost: one evaluation of the relation, O(m n).
[[nodiscard]] Eigen::VectorXd input_of(const NonSmoothDynamicalSystem& model, const State& state,
                                       InteractionHandle interaction, SystemHandle system);

/// vdot of a mechanical system [m/s^2, rad/s^2], xdot of one of first order [unit of x / s], nv (or n) entries:
///
///     M^-1 (F + sum of inputs),  F(t, q, v) or f(t, x) with the feedback as it is sampled at the state,
///
/// inputs as input_of() has them; entries of v that are prescribed have the rate of their function, by central
/// differences (1e-9 relative where it is smooth). After a step of time-stepping that is the acceleration at t_{k+1}
/// under the mean forces of the step: it differs by O(h) from (v_{k+1} - v_k) / h, which in a step with an impact holds
/// the jump of v too. In an event-driven state it is the acceleration at t, of the mode whose forces the state holds;
/// at the instant of an impact the velocity jumps and there is none: `before` and `after` have those of their sides
/// (EventDriven::rates() that of the mode which goes on).
/// @throws InvalidArgument likewise; a mass that is singular; a sweeping process; a state with detected contacts, whose
/// directions it does not keep. Cost: a factorization of M.
[[nodiscard]] Eigen::VectorXd rates_of(const NonSmoothDynamicalSystem& model, const State& state, SystemHandle system);

/// The same of every system, in the order of State::unknowns.
[[nodiscard]] Eigen::VectorXd rates_of(const NonSmoothDynamicalSystem& model, const State& state);

}  // namespace nonsmooth
