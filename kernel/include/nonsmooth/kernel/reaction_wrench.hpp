// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>

namespace nonsmooth {

/// A force and its moment about a point, in the axes of space; or an impulse [N s] and its moment [N m s]. Bodies in
/// the plane are in z = 0 and turn about z: of them a force has two components, and the moment about a point of the
/// plane one, the third.
struct Wrench {
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   ///< [N]
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();  ///< about the point [N m]
};

/// The same force with its moment about another point.
[[nodiscard]] Wrench moved(const Wrench& wrench, const Eigen::Vector3d& from, const Eigen::Vector3d& to);

/// What an interaction exerts on one of its bodies, in space (q = position and quaternion, v = velocity and angular
/// velocity in the body's axes) or in the plane (a PlanarBody, q = (x, y, angle)), about a point in space: H^T lambda
/// with H at the state's t and q and lambda = state.force(interaction), the mean force of the last step without
/// impacts. What it exerts on two bodies is opposite where both are taken at one point. Of redundant constraints it is
/// one of many, as lambda is.
/// @throws InvalidArgument: a handle of another model; a state of another revision; an interaction of first order, or
/// that does not act on the body; a system that is no such body; a point that is not finite.
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
/// where H was evaluated. @throws as reaction(), where the present state is not the end of a step among others; a
/// system that is no such body; a point that is not finite.
[[nodiscard]] Wrench reaction_wrench(const TimeStepping& simulation, InteractionHandle interaction, SystemHandle body,
                                     const Eigen::Vector3d& point);
/// The same as an impulse. @throws likewise
[[nodiscard]] Wrench reaction_impulse(const TimeStepping& simulation, InteractionHandle interaction, SystemHandle body,
                                      const Eigen::Vector3d& point);

/// What a contact found anew (NonSmoothDynamicalSystem::detect) exerted on a body in the last step.
struct ContactReaction {
  std::uint32_t source = 0;   ///< which of the model's sources
  std::uint64_t feature = 0;  ///< which of its contacts, as ContactMemory and DetectedContact have it
  SystemHandle other{};       ///< the other body; a handle of no model: the ground
  /// Where it touched at the start of the step, of a subdivided one of its last part [m]. A contact of one row does not
  /// tell where on its normal: there the point next to the body's centre of mass.
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  /// On the body, about `point`, over the whole step as State::contacts has it, by H of its last part where it was
  /// subdivided [N s]; by State::last_step the mean force. The moment is that of rolling and spinning friction [N m s].
  Wrench impulse{};
};

/// All of them at the end of the step: what touched in an earlier part of a subdivided step alone is in State::contacts
/// but not here. @throws as TimeStepping::contact_reactions; a system that is no such body
[[nodiscard]] std::vector<ContactReaction> contact_reactions(const TimeStepping& simulation, SystemHandle body);

}  // namespace nonsmooth
