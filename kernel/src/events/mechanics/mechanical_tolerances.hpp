// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "mechanical_model.hpp"

namespace nonsmooth::events {

/// What counts as zero of a contact: thresholds relative to the scales of its rows, and absolute ones.
struct MechanicalTolerances {
  MechanicalTolerances(const MechanicalModel& of, const EventDrivenOptions& options)
      : thresholds(options.thresholds),
        absolute(options.absolute_tolerance),
        speed_before(Eigen::VectorXd::Zero(of.num_rows())),
        rounding(speed_before),
        model(of) {}

  /// Of the contact's gap [unit of y].
  [[nodiscard]] double position(std::size_t i) const {
    return thresholds.position * model.position_scale(model.contact(i).row) + absolute;
  }
  /// Of its velocities.
  [[nodiscard]] double velocity(std::size_t i) const {
    const Contact& one = model.contact(i);
    return thresholds.velocity * speed(i) + absolute + rounding.segment(one.row, one.size).maxCoeff();
  }
  /// V of its rows, now or before the last impact.
  [[nodiscard]] double speed(std::size_t i) const {
    const Contact& one = model.contact(i);
    double largest = 0.0;
    for (Index r = one.row; r < one.row + one.size; ++r)
      largest = std::max({largest, model.velocity_scale(r), speed_before[r]});
    return largest;
  }

  /// Of its slip: one that comes to an end has lost the V that it had.
  [[nodiscard]] double slip(std::size_t i) const {
    const Contact& one = model.contact(i);
    double slowest = velocity(i);
    for (Index r = one.row; r < one.row + one.size; ++r)
      slowest = std::max(slowest, thresholds.velocity * model.largest_velocity(r));
    return slowest;
  }
  /// A slip above it has a direction. Below it that is kept which the slip had, or begins with.
  [[nodiscard]] double direction(std::size_t i) const { return noise_of_speed(i); }
  /// Below these a change of a slip, or of a force, that started at zero tells nothing of how it leaves.
  [[nodiscard]] double noise_of_speed(std::size_t i) const { return 1e-3 * slip(i); }
  [[nodiscard]] static double noise_of_force(double largest) { return 1e-12 * largest; }

  EventThresholds thresholds;
  double absolute;
  Eigen::VectorXd speed_before;  ///< V before the last impact, m
  Eigen::VectorXd rounding;      ///< what impulses of that impact which nearly cancel leave of u, m
  const MechanicalModel& model;
};

}  // namespace nonsmooth::events
