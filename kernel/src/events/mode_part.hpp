// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel/event_driven.hpp>

#include "model/instants.hpp"

/// What event-driven simulation asks of the mechanical and of the first-order subsystem of a model. They share no
/// relation, so that each keeps a mode of its own; z = (positions; unknowns) of a State, and each subsystem reads and
/// writes its own entries.
namespace nonsmooth::events {

using instants::Resolution;
using instants::text;
using instants::TimeWindow;

/// One subsystem of a model with its mode. Calls may throw what user's callables throw. Nothing allocates in rates(),
/// guards() and remove_drift() once they ran in every mode.
class ModePart {
 public:
  virtual ~ModePart() = default;

  virtual void set_window(const TimeWindow& window) noexcept { window_ = window; }

  /// zdot of its own entries in the present mode.
  virtual void rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) = 0;

  /// Guards: zero-crossing functions, not negative as long as the present mode holds.
  [[nodiscard]] virtual Index num_guards() const = 0;
  virtual void guards(double t, const Eigen::VectorXd& z, double* values) = 0;
  /// Of which row it is, for messages.
  [[nodiscard]] virtual std::string guard_name(Index guard) const = 0;
  /// What FirstCrossing asks of a step that starts at (t, z): zeros (0, 1 or 2: those that resolve() left) and dips.
  /// `fresh`: the step is the first after resolve(); later ones start with no zero.
  virtual void guard_starts(double t, const Eigen::VectorXd& z, bool fresh, int* zeros, double* dips) = 0;
  /// Called where a step starts: directions that are kept along a step are taken here.
  virtual void begin_step(double t, const Eigen::VectorXd& z) { (void)t, (void)z; }

  /// The instant t: which sets of rows are closed at z; jumps (impacts, states that re-initialise); then the mode that
  /// goes on. `crossed`: the guards, in the present numbering, that were found to cross here (none at the start or at a
  /// user's event). Writes its entries of z, appends what happened to `log`.
  [[nodiscard]] virtual Resolution resolve(double t, Eigen::VectorXd& z, const std::vector<Index>& crossed,
                                           std::vector<Event>& log) = 0;

  /// Puts its entries of z back on the constraints of the present mode; true where something moved.
  virtual bool remove_drift(double t, Eigen::VectorXd& z) = 0;

  /// Its rows of outputs, velocities, multipliers and forces of a state whose coordinates are z.
  virtual void write(double t, const Eigen::VectorXd& z, State& state) = 0;

 protected:
  TimeWindow window_;
};

}  // namespace nonsmooth::events
