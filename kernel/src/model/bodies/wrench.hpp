// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <nonsmooth/kernel/reaction_wrench.hpp>

namespace nonsmooth {

/// A force along the velocities of a body, in space (its centre of mass and its own axes) or in the plane, as a wrench
/// about a point.
/// @throws InvalidArgument of a system that is no body; a point that is not finite.
[[nodiscard]] Wrench wrench_at(ConstVectorRef along_velocities, ConstVectorRef q,
                               const NonSmoothDynamicalSystem::System& body, const Eigen::Vector3d& point);

/// Where a contact touches whose rows are these wrenches about the centre of a body: unit forces d at a lever l from
/// it, with moments l x d. Rows without a force do not count.
[[nodiscard]] Eigen::Vector3d touching_point(std::span<const Wrench> rows, const Eigen::Vector3d& centre);

/// Where a contact of these rows along a body's velocities touches: see touching_point. @throws as
/// wrench_at
[[nodiscard]] Eigen::Vector3d contact_point(const Eigen::MatrixXd& H, ConstVectorRef q,
                                            const NonSmoothDynamicalSystem::System& body);

}  // namespace nonsmooth
