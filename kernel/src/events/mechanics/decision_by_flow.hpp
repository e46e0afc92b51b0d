// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "mechanical_guards.hpp"

namespace nonsmooth::events {

/// What the problem of accelerations leaves open: contacts whose force and acceleration both vanish. Of all ways to go
/// on, the first along whose own flow no guard of theirs falls below zero. That is the sign of the first derivative
/// that does not vanish, whichever it is.
class DecisionByFlow {
 public:
  DecisionByFlow(MechanicalModel& model, const MechanicalTolerances& tolerances, SmoothMode& mode,
                 ConstraintStabilisation& stabilisation, MechanicalGuards& guards)
      : model_(model), tolerances_(tolerances), mode_(mode), stabilisation_(stabilisation), guards_(guards) {}

  /// Sets the statuses of the contacts `undecided`.
  [[nodiscard]] Resolution decide(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& undecided);
  /// Groups of contacts that act on one another, directly or through the mode's active rows.
  [[nodiscard]] std::vector<std::vector<std::size_t>> coupled(const std::vector<std::size_t>& items) const;
  /// True where the active rows of the mode hold the gap of contact i.
  [[nodiscard]] bool depends_on_active(std::size_t i);
  /// Friction of `contacts`, which stick and act on one another, takes a part `ratio` of its bounds at (t, z), shared
  /// evenly (EvenFriction): 1 where it takes more along the flow of the mode, -1 where less, 0 where as much.
  [[nodiscard]] int trend(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& contacts, double ratio);

 private:
  class WaysToGoOn;
  /// Flows begin far below the time in which the motion changes.
  struct Lengths {
    double shortest = 0.0, longest = 0.0;
  };
  [[nodiscard]] Lengths lengths_of_flows(double t, const std::vector<std::size_t>& items) const;

  [[nodiscard]] Resolution decide_together(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& items);

  MechanicalModel& model_;
  const MechanicalTolerances& tolerances_;
  SmoothMode& mode_;
  ConstraintStabilisation& stabilisation_;
  MechanicalGuards& guards_;
};

}  // namespace nonsmooth::events
