// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include <nonsmooth/numerics/friction/gauss_seidel.hpp>

#include "sweeps.hpp"

namespace nonsmooth::friction::internal {

/// Looks at the sweeps as they go: chooses the relaxation of the next, jumps along a direction in which the reactions
/// keep drifting, and follows conjugate directions (GaussSeidel::conjugate). Keeps its memory.
class SweepControl {
 public:
  void begin(const GaussSeidel& options, const Sweeps& sweeps);
  /// After a sweep; may change the reactions.
  void advance(const SweepOutcome& outcome, Sweeps& sweeps);

  [[nodiscard]] double relaxation() const noexcept { return relaxation_; }
  /// True where the next sweep follows conjugate directions: no block may rest.
  [[nodiscard]] bool directed() const noexcept { return conjugate_ && spell_ == 0; }

 private:
  void adapt(const SweepOutcome& outcome) noexcept;
  /// True where it jumped.
  bool look_for_drift(const SweepOutcome& outcome, Sweeps& sweeps);
  /// True where the last jump made things worse and was taken back.
  bool take_back(const SweepOutcome& outcome, Sweeps& sweeps) noexcept;
  void restart(const double* r) noexcept;
  /// r := r + beta p, p := d + beta p. `moved`: the reactions are where no sweep left them.
  void follow_directions(bool moved, Sweeps& sweeps) noexcept;
  /// True where directions have not helped for long; then a spell of sweeps without them.
  [[nodiscard]] bool stalls(double square) noexcept;
  void begin_spell() noexcept;
  void end_spell(Sweeps& sweeps) noexcept;

  bool chosen_ = false;  // the relaxation is left to us
  bool adaptive_ = false, extrapolate_ = false, conjugate_ = false;
  double relaxation_ = 1.0;
  Index sweep_ = 0;

  // Of a window of sweeps: the sum of the logarithms of their changes, and the mean of the window before.
  Index in_window_ = 0, window_ = 20;
  double sum_ = 0.0, last_mean_ = std::numeric_limits<double>::infinity();

  // Reactions ten and twenty sweeps ago, and before the last jump.
  Index since_look_ = 0, looks_ = 0, size_ = 0;
  std::vector<double> older_, old_, before_jump_, direction_;
  double misalignment_ = 1.0;  // of the last two steps: the sine of their angle
  bool jumped_ = false;
  bool to_border_ = false;                                      // it ended where a contact changes its mode
  Index since_jump_ = 0, trial_ = 0, hold_ = 0, patience_ = 0;  // sweeps
  double square_before_jump_ = 0.0;

  // Of conjugate directions: p, the reactions before the next sweep, |d|^2 of the last one (0: none).
  std::vector<double> along_, from_;
  double last_square_ = 0.0;
  // The least |d|^2 of late, sweeps since then; sweeps left of a spell without directions, and the length of the next.
  double least_square_ = std::numeric_limits<double>::infinity();
  Index since_least_ = 0, spell_ = 0, next_spell_ = 0;
};

}  // namespace nonsmooth::friction::internal
