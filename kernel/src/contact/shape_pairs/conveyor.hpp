// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <memory>

#include <nonsmooth/kernel/relation.hpp>
#include <nonsmooth/kernel/shapes.hpp>

#include "model/equations/time_differences.hpp"

/// Ground that moves along itself, under contacts that are linked.
namespace nonsmooth::shape_pairs {

/// What every pair of shapes is: the same on a conveyor, whose material has the velocity V(p, t) at the second closest
/// point p, u_T -= t . V.
class OnGround {
 public:
  virtual ~OnGround() = default;
  [[nodiscard]] virtual std::shared_ptr<const MechanicalRelation> on_conveyor(SurfaceField velocity) const = 0;
};

/// d/dt of direction . V(p, t) where p moves at p_rate: a fourth-order difference along that way, by the step that V's
/// own rate there leaves, of up to 16 |t| (at t = 0: 16 s). Exactly zero of a constant V. Some 100 calls of V.
inline double rate_of(const SurfaceField& velocity, const Eigen::Vector3d& direction, const Eigen::Vector3d& p,
                      const Eigen::Vector3d& p_rate, double t) {
  const auto along = [&](double s) { return direction.dot(velocity(p + s * p_rate, t + s)); };
  const double here = along(0.0), scale = differences::time_scale(t);
  const differences::Step step = differences::best_step(std::exp2(-40.0) * scale, [&](double s, double& slope) {
    return s > 16.0 * scale ? -1.0 : differences::slope_at_zero(along, here, 1.0, s, slope);
  });
  double slope = 0.0;
  if (step.length > 0.0) differences::slope_at_zero(along, here, 0.0, step.length, slope);
  return slope;
}

}  // namespace nonsmooth::shape_pairs
