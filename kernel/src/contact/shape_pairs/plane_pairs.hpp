// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/relations/shape_pairs.hpp>

namespace nonsmooth::shape_pairs {

/// An end stands on points a little inside its rim and a little out of its plane, in radii: they touch before it lies
/// flat, where its rim has no lowest point, and are behind the rim from a tilt of kOut / (1 - kInside) = 1e-3 on.
inline constexpr double kInside = 0.999, kOut = 1e-6;

/// The rim of an end that has such points: where it lies flat in a trial state, its middle stands for its lowest point.
[[nodiscard]] std::shared_ptr<const MechanicalRelation> rim_of_end(const RimOnHalfSpace& pair);

}  // namespace nonsmooth::shape_pairs
