// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth {

/// Up to which |y| a row of a joint counts as closed [m], or [-] and [rad] of directions: what is left of numbers of
/// ten digits on a machine of 1 m, and far above the rounding of 1e-16 of frames that the makers of joints.hpp close;
/// where coordinates are larger than 1e6 m, their rounding asks for a larger tolerance. Both simulations refuse joints
/// that start with more, TimeStepping under Examination::Refuse. What is below TimeStepping takes as it is;
/// EventDriven, which keeps |y| within EventThresholds::position, moves the bodies onto it (in the metric of M) before
/// it starts.
inline constexpr double closed_joint = 1e-9;

/// Links bodies, {first, second} or {first} and the ground, by a joint, as model.link() does, and looks whether it is
/// closed where the bodies start: |y| <= tolerance at t = 0 in each row that the law holds. These are all rows of
/// EqualityLaw, the first ones of the laws of friction in joints (laws/joint_friction.hpp); of laws that hold none, as
/// those of stops, nothing is looked at.
///
///     link_joint(model, {crank, coupler}, FrictionalHinge{frames}, HingeFrictionLaw{.friction = 0.1, .radius = 0.01});
///
/// @throws InvalidArgument: what link() throws (a body twice, a system that is no body), systems of first order, a row
/// that is not closed with its y, what the joint refuses there (opposite axes), an H that is not finite. The model is
/// then what it was, but for its revision.
InteractionHandle link_joint(NonSmoothDynamicalSystem& model, std::vector<SystemHandle> bodies, AnyRelation joint,
                             Law law, std::string name = {}, double tolerance = closed_joint);
/// By EqualityLaw. @throws likewise
InteractionHandle link_joint(NonSmoothDynamicalSystem& model, std::vector<SystemHandle> bodies, AnyRelation joint,
                             std::string name = {}, double tolerance = closed_joint);

/// The same at a state of the model or of a revision before, for a joint added while running: bodies are where the
/// state has them, newer ones where they start, and t is the state's. @throws likewise; what migrate() throws
InteractionHandle link_joint(NonSmoothDynamicalSystem& model, std::vector<SystemHandle> bodies, AnyRelation joint,
                             Law law, const State& state, std::string name = {}, double tolerance = closed_joint);
InteractionHandle link_joint(NonSmoothDynamicalSystem& model, std::vector<SystemHandle> bodies, AnyRelation joint,
                             const State& state, std::string name = {}, double tolerance = closed_joint);

}  // namespace nonsmooth
