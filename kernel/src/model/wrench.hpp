// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/reaction_wrench.hpp>

namespace nonsmooth {

/// A force along the six velocities of a body in space, its centre of mass and its own axes, as a wrench about a point.
/// @throws InvalidArgument of other coordinates than a body's; a point that is not finite.
[[nodiscard]] Wrench wrench_at(ConstVectorRef along_velocities, ConstVectorRef q, const std::string& body,
                               const Eigen::Vector3d& point);

}  // namespace nonsmooth
