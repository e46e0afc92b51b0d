// SPDX-License-Identifier: Apache-2.0
#pragma once

// The models of the validation once more as bodies with shapes, whose contacts are found in each step
// (ContactSource::detect), or linked for all that their shapes may ever meet (link_contacts): no gap and no Jacobian is
// written by hand. Bodies, data, scheme and step are those of the model named with each. Where the other model's gap is
// that of a centre over the ground, the ground here is a radius lower. SI units throughout.

#include <problems/models.hpp>

namespace nonsmooth::problems {

/// bouncing_ball() (models.hpp): a disk over a half-plane, found.
Model found_ball(double theta = 0.5);

/// projected_ball() (mechanics.hpp): the same, its penetration projected away.
Model found_projected_ball();

/// bouncing_ball_tilted(): a disk over a half-plane with the normal (1, alpha) / c, found. Gap and velocity are those
/// of that model over c = kTiltedLength, so that its impulse is c times as large here.
Model found_tilted_ball();
inline constexpr double kTilt = 0.1, kTiltedLength = 1.0049875621120890;  ///< alpha, sqrt(1 + alpha^2)

/// column_of_beads(): ten disks, one above the other, and a half-plane; all contacts are found.
Model found_column_of_beads();

/// ball_on_moving_plane(): a disk over a segment on the body that moves, found.
Model found_ball_on_moving_plane();

/// bouncing_disk(): with friction, found. Its tangent is the other way round: u_T = vx + R omega.
Model found_disk();

/// cam_follower() (mechanics.hpp): a disk on a spring in the plane over a half-plane, found.
Model found_cam_follower();

/// impacting_stick(): a segment over a half-plane, both of its ends linked, the lower one first. Its tangent is the
/// other way round.
Model linked_stick();

/// disks_in_a_box(): eight disks between three half-planes, linked: 24 contacts with these and 28 pairs, H where the
/// first iterate of Newton's iteration is, as there.
Model linked_disks_in_a_box();

/// The same, found: H at the start of each step.
Model found_disks_in_a_box();

/// position_level_ball() (mechanics.hpp): a disk over a half-plane, linked, at the level of positions.
Model linked_position_level_ball();

/// ball_on_compliant_floor() (mechanics.hpp): a disk between two half-planes, linked. The floor is one of its law, a
/// SpringDashpotLaw of 1 / D, as a contact of shapes has no compliance: the same force max(0, -y / D) at the end of a
/// step. The roof first.
Model linked_ball_on_compliant_floor(double step);

/// falling_ball() (event_driven.hpp): a disk over a half-plane, linked.
Model linked_falling_ball(double restitution);

/// column_of_steel_balls(): disks in the plane over a half-plane, steel on steel and steel on the wall by materials, in
/// all 55 contacts linked.
Model linked_column_of_steel_balls();

/// block_on_two_corners(): a polygon of 0.2 m by 0.1 m over a half-plane, its four vertices linked, (-L, -B) and
/// (L, -B), the rows of that model, first.
Model linked_block();

}  // namespace nonsmooth::problems
