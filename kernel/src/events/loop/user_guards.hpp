// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include <nonsmooth/kernel/event_driven.hpp>

#include "events/first_order/first_order_part.hpp"
#include "smooth/guard_probes.hpp"
#include "smooth/stepper.hpp"

namespace nonsmooth::events {

/// Users' guards as functions that fall through zero: each is watched with the sign that it has along a step.
class UserGuards {
 public:
  /// `fixed_step`: the user chose the step, and with it how closely guards are looked at. `first_order` completes the
  /// states that guards see.
  UserGuards(const std::vector<UserEvent>& events, const State& prototype, bool fixed_step,
             FirstOrderPart& first_order);

  [[nodiscard]] Index size() const noexcept { return static_cast<Index>(watched_.size()); }
  void evaluate(double t, const Eigen::VectorXd& z, double* values);
  /// In how many places of a step of length h they want to be looked at: two in each guard's smallest feature, and in
  /// proportion to the longest step so far.
  [[nodiscard]] double places(double h);
  /// The signs for a step along `dense` from z, where z moves at zdot. A guard that is zero at its start takes the sign
  /// with which it leaves zero if that zero was handled, and zeros[] says to which order; one that has not left the
  /// round-off about zero by the end of a step is still leaving it in the next. Otherwise it keeps its sign, and may
  /// cross at once.
  void start(const smooth::DensePolynomial& dense, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, int* zeros,
             double* dips);
  /// The guard's zero at the present instant was found: the next step starts behind it.
  void mark_handled(Index guard) { watched_[static_cast<std::size_t>(guard)].handled = true; }
  /// It passed zero at t, and that was handled. A second time at the same t it is no departure any more: it keeps its
  /// sign, so that events without end are seen as such.
  void happened(Index guard, double t);
  /// Forgets magnitudes; zeros at the next start count as handled.
  void reset();
  /// What is known of all guards (memory.hpp).
  template <class Memory>
  void remember(Memory& memory) {
    memory(longest_step_, watched_);
  }
  /// True where the crossing of a guard is in the direction that its user asked for.
  [[nodiscard]] bool counts(Index guard) const;
  [[nodiscard]] std::size_t event(Index guard) const { return watched_[static_cast<std::size_t>(guard)].event; }
  /// @throws InvalidArgument for a guard that is zero at (t, z) and stays zero while z moves from there, to the second
  /// order of the flow; zdot is its value at (t, z).
  void refuse_identical_zeros(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot,
                              smooth::RightHandSide& flow);

 private:
  struct Watched {
    std::size_t event = 0;
    double sign = 1.0, offset = 0.0;
    double magnitude = 0.0;  ///< largest value met [unit of the guard]
    double noise = 0.0;      ///< what round-off of z makes of it, where it was zero last
    double last = std::numeric_limits<double>::quiet_NaN();  ///< when it passed zero last [s]
    bool repeats = false;                                    ///< it did so twice at that instant
    bool handled = true;                                     ///< a zero where the next step starts is no event any more

    template <class Memory>
    void remember(Memory& memory) {
      memory(sign, offset, magnitude, noise, last, repeats, handled);
    }
  };
  /// How a guard leaves its zero at the start of a step: the sign, to which order; 0: not within the step.
  struct Departure {
    double sign = 0.0;
    int order = 1;
    double size = 0.0;  ///< with sign 0: how far it has come at the end of the step [unit of the guard]
  };
  [[nodiscard]] Departure departure(const Watched& watched, const smooth::DensePolynomial& dense,
                                    const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, double raw);
  [[nodiscard]] double round_off(const Watched& watched, double t, const Eigen::VectorXd& z, double raw);
  [[nodiscard]] double value(const Watched& watched, double t, const Eigen::VectorXd& z);

  const std::vector<UserEvent>& events_;
  State probe_;
  std::vector<Watched> watched_;
  bool fixed_step_;
  FirstOrderPart& first_order_;
  smooth::LongestSoFar longest_step_;  ///< [s]
  Eigen::VectorXd moved_, second_;
};

}  // namespace nonsmooth::events
