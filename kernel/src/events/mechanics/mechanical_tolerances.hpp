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
        model(of) {}

  /// Of the contact's gap [unit of y].
  [[nodiscard]] double position(std::size_t i) const {
    return thresholds.position * model.position_scale(model.contact(i).row) + absolute;
  }
  /// Of its velocities.
  [[nodiscard]] double velocity(std::size_t i) const { return thresholds.velocity * speed(i) + absolute; }
  /// V of its rows, now or before the last impact.
  [[nodiscard]] double speed(std::size_t i) const {
    const Contact& one = model.contact(i);
    double largest = 0.0;
    for (Index r = one.row; r < one.row + one.size; ++r)
      largest = std::max({largest, model.velocity_scale(r), speed_before[r]});
    return largest;
  }

  EventThresholds thresholds;
  double absolute;
  Eigen::VectorXd speed_before;  ///< V before the last impact, m
  const MechanicalModel& model;
};

}  // namespace nonsmooth::events
