// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth {

/// Links bodies, {first, second} or {first} and the ground, by a joint with EqualityLaw, as model.link() does, and
/// looks whether it is closed where the bodies start: |y| <= tolerance in every row at t = 0.
/// @throws InvalidArgument: what link() throws (a body twice, a system that is no body), systems of first order, a row
/// that is not closed with its y. The model is then what it was, but for its revision.
InteractionHandle link_joint(NonSmoothDynamicalSystem& model, std::vector<SystemHandle> bodies, AnyRelation joint,
                             std::string name = {}, double tolerance = 1e-9);

}  // namespace nonsmooth
