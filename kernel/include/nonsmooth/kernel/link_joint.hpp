// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth {

/// Links bodies, {first, second} or {first} and the ground, by a joint with EqualityLaw, as model.link() does, and
/// looks whether it is closed where the bodies start: |y| <= tolerance in every row at t = 0.
/// @throws InvalidArgument: what link() throws (a body twice, a system that is no body), systems of first order, a row
/// that is not closed with its y, what the joint refuses there (opposite axes), an H that is not finite. The model is
/// then what it was, but for its revision.
InteractionHandle link_joint(NonSmoothDynamicalSystem& model, std::vector<SystemHandle> bodies, AnyRelation joint,
                             std::string name = {}, double tolerance = 1e-9);

/// The same at a state of the model or of a revision before, for a joint added while running: bodies are where the
/// state has them, newer ones where they start, and t is the state's. @throws likewise; what migrate() throws
InteractionHandle link_joint(NonSmoothDynamicalSystem& model, std::vector<SystemHandle> bodies, AnyRelation joint,
                             const State& state, std::string name = {}, double tolerance = 1e-9);

}  // namespace nonsmooth
