// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel/event_driven.hpp>

/// What event-driven simulation asks of the mechanical and of the first-order subsystem of a model. They share no
/// relation, so that each keeps a mode of its own; z = (positions; unknowns) of a State, and each subsystem reads and
/// writes its own entries.
namespace nonsmooth::events {

/// A number for messages, nine digits.
[[nodiscard]] std::string text(double value);

/// How a subsystem came through the resolution of an instant.
struct Resolution {
  enum class Outcome : unsigned char {
    Mode,          ///< there is a mode to go on with
    NoMode,        ///< no mode is consistent: no acceleration, or no rate, satisfies the laws
    Unsolved,      ///< an impact or mode problem that the solver did not solve
    Undetermined,  ///< derivatives up to the last that is looked at do not tell which mode follows
    Ambiguous,     ///< several motions go on, and none is to be chosen; the part has one of them as its mode
    Endless,       ///< changes of mode at one instant without end
  };
  Outcome outcome = Outcome::Mode;
  std::string detail;  ///< which interaction, and why; empty for Mode

  explicit operator bool() const noexcept { return outcome == Outcome::Mode; }
};

/// The open interval between two instants at which data may jump: functions of time are asked inside of it only, so
/// that its ends see the limits from within.
struct TimeWindow {
  double first = -std::numeric_limits<double>::infinity(), last = std::numeric_limits<double>::infinity();

  /// 16 eps away from either end, relative to the largest magnitude of t and the ends: an end at zero has none.
  [[nodiscard]] double inside(double t) const noexcept;
};

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
