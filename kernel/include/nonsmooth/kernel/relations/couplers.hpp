// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <variant>

#include <nonsmooth/kernel/relations/joint_coordinates.hpp>
#include <nonsmooth/kernel/relations/planar_coordinates.hpp>

namespace nonsmooth {

/// A coordinate of one joint bound to that of another at any ratio, 1 row:
///
///     y = c_1 - ratio c_2 - offset,
///
/// c = direction (theta - offset) of a HingeAngle [rad], or direction (z - offset) of a SliderPosition [m], as these
/// say. With EqualityLaw two sliders move together, a rope runs off a drum, a joint mimics another; the multiplier is
/// the moment or the force on c_1, and -ratio times that is on c_2. With RelayLaw it is a clutch that slips.
///
/// A HingeAngle of turns = 0 is counted, from y before as everywhere: y changes by less than half a turn of it in a
/// step (|ratio| times that of the second), and starts within half a turn of `reference`. One of the two may be: turns
/// of both cannot be told apart by one y. Wheels of any number of turns, whose ratio is one of integers, are a
/// GearJoint; an angle in a range of one or two turns stands beside any other coordinate.
///
/// Linked to up to 3 bodies, with their joints beside it. A coordinate is that of its first body as its second sees it,
/// both by their places in the list of the link, where a place past its end is the ground. As they are by default,
/// {a, b} are two bodies on the ground, and {a, b, carrier} two on a third; a finger's second joint that mimics its
/// first is {proximal, distal} with first_bodies = {1, 0} and second_bodies = {0, 2}.
struct Coupler {
  using Coordinate = std::variant<HingeAngle, SliderPosition>;
  Coordinate first{}, second{};
  double ratio = 1.0;   ///< not zero [unit of c_1 / unit of c_2]
  double offset = 0.0;  ///< [unit of c_1]
  std::array<Index, 2> first_bodies{0, 2}, second_bodies{1, 2};
};

/// The same between bodies in the plane, whose angles count their turns both: any real ratio for any number of turns.
struct PlanarCoupler {
  using Coordinate = std::variant<PlanarAngle, PlanarPosition>;
  Coordinate first{}, second{};
  double ratio = 1.0;   ///< not zero [unit of c_1 / unit of c_2]
  double offset = 0.0;  ///< [unit of c_1]
  std::array<Index, 2> first_bodies{0, 2}, second_bodies{1, 2};
};

/// The class that a description stands for. @throws InvalidArgument as of its coordinates; a ratio of zero, an offset
/// that is not finite, two angles that are counted, a place < 0, a coordinate of a body with itself; when it is linked,
/// a coordinate whose first body is not in the list, or a body of the list that is in none.
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(Coupler coupler);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(PlanarCoupler coupler);

}  // namespace nonsmooth
