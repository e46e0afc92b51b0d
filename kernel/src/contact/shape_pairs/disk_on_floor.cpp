// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <nonsmooth/kernel/relations/shape_pairs.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "contact/floor_point.hpp"
#include "contact_relation.hpp"
#include "pair_checks.hpp"

namespace nonsmooth {
namespace {

using shape_pairs::moving;
using shape_pairs::Moving;

/// A disk on the ground's profile: the closest point (s, height(s)) moves by what (s - x) + (height - y) slope = 0
/// says.
struct DiskOnProfile {
  static constexpr Index kMost = 1;
  Eigen::Vector3d center;
  double radius;
  FloorProfile floor;

  [[nodiscard]] shape_pairs::Nearest operator()(const joints::PlaneBodies& bodies) const {
    const Moving c = moving(bodies.point(0, center));
    FloorPoint point{};
    const bool found = find_floor_point(floor, c.value[0], c.value[1], point);
    const double s = point.s, height = point.height, slope = point.slope, bend = floor.curvature(s);
    const double square = 1.0 + slope * slope, length = std::sqrt(square);
    const double rate = found ? square + (height - c.value[1]) * bend : square;
    const double pace = found ? (c.rate[0] + slope * c.rate[1]) / rate : c.rate[0];
    const Eigen::Vector3d tangent = Eigen::Vector3d(1.0, slope, 0.0) / length;
    shape_pairs::Nearest result;
    result.normal = {{-tangent[1], tangent[0], 0.0}, -pace * bend / square * tangent};
    result.on_second = {{s, height, 0.0}, pace * length * tangent};
    result.gap = result.normal.value.dot(c.value - result.on_second.value) - radius;
    result.on_first = shifted(c, -radius, result.normal);
    return result;
  }
  [[nodiscard]] double smallest_feature() const { return 0.0; }  // as fine as the profile is
  [[nodiscard]] double passage_depth() const { return shape_pairs::kNeverBehind; }
  [[nodiscard]] double steepness(Index) const { return 0.0; }  // where another of its points stands for the closest
};

/// Along the tangent (1, slope).
SurfaceField conveyor_of(const FloorProfile& floor) {
  if (!floor.surface_velocity) return {};
  return [speed = floor.surface_velocity, slope = floor.slope](const Eigen::Vector3d& point, double t) {
    return Eigen::Vector3d(speed(point.x(), t) * Eigen::Vector3d(1.0, slope(point.x()), 0.0).normalized());
  };
}

}  // namespace

std::shared_ptr<const MechanicalRelation> make_relation(DiskOnFloor pair) {
  shape_pairs::check_round("DiskOnFloor::disk", pair.disk.center, pair.disk.radius);
  if (!pair.floor.height || !pair.floor.slope || !pair.floor.curvature)
    throw InvalidArgument("DiskOnFloor::floor", "a function that is missing", "height, slope and curvature");
  shape_pairs::PairSkins skins{.velocities = {SurfaceField{}, conveyor_of(pair.floor)}};
  return std::make_shared<const shape_pairs::ContactRelation<DiskOnProfile, joints::PlaneBodies>>(
      DiskOnProfile{{pair.disk.center[0], pair.disk.center[1], 0.0}, pair.disk.radius, std::move(pair.floor)},
      shape_pairs::rows_of("DiskOnFloor", pair.rows, 2), std::move(skins));
}

}  // namespace nonsmooth
