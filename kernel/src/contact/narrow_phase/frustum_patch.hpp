// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frustum.hpp"

namespace nonsmooth::narrow_phase {

/// A frustum and a hull that face each other along a direction from the hull to the frustum; how near they have to be.
struct FrustumFacing {
  const PlacedFrustum& frustum;
  const PlacedHull& hull;
  Eigen::Vector3d normal;
  double reach;       ///< between the hull and the frustum
  bool sides = true;  ///< lines of the side count too; false: ends alone
};

/// True where x is over a face of a hull as seen along a direction, or no farther from it than `near`.
[[nodiscard]] bool in_prism(const PlacedHull& hull, Index face, const Eigen::Vector3d& direction,
                            const Eigen::Vector3d& x, double near);

/// Adds a pair of points, of the surfaces; nothing where their gap is beyond reach.
void add_point(const FrustumFacing& facing, const Eigen::Vector3d& on_frustum, const Eigen::Vector3d& on_hull,
               std::uint32_t feature, Patch& patch);

/// The vertices of what an end, or a line of the side, and a face or segment of the hull have in common as seen along
/// the normal, if these are within 0.2 rad of facing each other. Returns the least gap; infinite where there is none.
double add_overlap(const FrustumFacing& facing, Patch& patch);

/// The parts of frusta: the circles of their ends, the disks in these, the curved side.
constexpr int kSide = 4;
[[nodiscard]] constexpr int circle_part(int end) { return end; }
[[nodiscard]] constexpr int end_part(int end) { return 2 + end; }
[[nodiscard]] constexpr bool is_circle(int part) { return part < 2; }
struct PairParts {
  int of_first, of_second;
};
/// Names of points of two frusta: which parts meet in the closest points, then points of patches by their number.
[[nodiscard]] constexpr std::uint32_t meeting(const PairParts& parts) {
  return (std::uint32_t{3} << 20) | static_cast<std::uint32_t>(8 * parts.of_first + parts.of_second);
}
[[nodiscard]] constexpr std::uint32_t in_patch(int number) {
  return (std::uint32_t{3} << 20) | static_cast<std::uint32_t>(64 + number);
}

/// Two frusta that face each other along a direction from the second to the first; how near they have to be.
struct FrustaFacing {
  const PlacedFrustum& first;
  const PlacedFrustum& second;
  Eigen::Vector3d normal;
  double reach;
};

/// The same of two frusta. Ends on each other have the four points of each that are on the other, and where the circles
/// cross; an end and a line of the side, or two lines, the ends of what they have in common.
double add_overlap(const FrustaFacing& facing, Patch& patch);

}  // namespace nonsmooth::narrow_phase
