// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>

namespace nonsmooth {

/// A force and its moment about a point, in the axes of space; or an impulse [N s] and its moment [N m s].
struct Wrench {
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   ///< [N]
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();  ///< about the point [N m]
};

/// What an interaction exerts on one of its rigid bodies in space (q = position and quaternion, v = velocity and
/// angular velocity in the body's axes) at a point in space: H^T lambda with H at the state's t and q and lambda =
/// state.force(interaction), the mean force of the last step without impacts. What it exerts on two bodies is opposite
/// where both are taken at one point. Of redundant constraints it is one of many, as lambda is.
/// @throws InvalidArgument: a handle of another model; a state of another revision; an interaction of first order, or
/// that does not act on the body; a body of other coordinates; a point that is not finite.
[[nodiscard]] Wrench reaction_wrench(const NonSmoothDynamicalSystem& model, const State& state,
                                     InteractionHandle interaction, SystemHandle body, const Eigen::Vector3d& point);
/// The same of state.impulse(interaction), over the last step, impacts among it. @throws likewise.
///
/// H at a step's end is not the one that the step used, at q* (SchemeCoefficients) and before a projection: sums over a
/// body's interactions differ from its change of momentum by h of an impulse where configuration_weight is not 1, by
/// the way of the projection else. Those of the functions below, of a simulation, do not.
[[nodiscard]] Wrench reaction_impulse(const NonSmoothDynamicalSystem& model, const State& state,
                                      InteractionHandle interaction, SystemHandle body, const Eigen::Vector3d& point);

/// The mean over the last step of what the step itself applied, TimeStepping::reaction over its length, with the body
/// where H was evaluated. @throws as reaction(), where the present state is not the end of a step among others; a body
/// of other coordinates; a point that is not finite.
[[nodiscard]] Wrench reaction_wrench(const TimeStepping& simulation, InteractionHandle interaction, SystemHandle body,
                                     const Eigen::Vector3d& point);
/// The same as an impulse. @throws likewise
[[nodiscard]] Wrench reaction_impulse(const TimeStepping& simulation, InteractionHandle interaction, SystemHandle body,
                                      const Eigen::Vector3d& point);

}  // namespace nonsmooth
