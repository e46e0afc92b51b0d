// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/kernel/event_driven.hpp>

namespace nonsmooth::events {

/// Users' guards as functions that fall through zero: each is watched with the sign that it has along a step.
class UserGuards {
 public:
  UserGuards(const std::vector<UserEvent>& events, const State& prototype);

  [[nodiscard]] Index size() const noexcept { return static_cast<Index>(watched_.size()); }
  void evaluate(double t, const Eigen::VectorXd& z, double* values);
  /// The signs for a step of length h from (t, z), where z moves at zdot. A guard that is zero there takes the sign
  /// that it gets in a millionth of the step if that zero was handled; otherwise it keeps its sign, and may cross at
  /// once.
  void start(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, double h, int* zeros, double* dips);
  /// The guard's zero at the present instant was found: the next step starts behind it.
  void mark_handled(Index guard) { watched_[static_cast<std::size_t>(guard)].handled = true; }
  /// Forgets magnitudes; zeros at the next start count as handled.
  void reset();
  /// True where the crossing of a guard is in the direction that its user asked for.
  [[nodiscard]] bool counts(Index guard) const;
  [[nodiscard]] std::size_t event(Index guard) const { return watched_[static_cast<std::size_t>(guard)].event; }
  /// @throws InvalidArgument for a guard that is zero at (t, z) and stays zero while z moves at zdot.
  void refuse_identical_zeros(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot);

 private:
  struct Watched {
    std::size_t event = 0;
    double sign = 1.0, offset = 0.0;
    double magnitude = 0.0;  ///< largest value met [unit of the guard]
    bool handled = true;     ///< a zero where the next step starts is no event any more
  };
  [[nodiscard]] double value(const Watched& watched, double t, const Eigen::VectorXd& z);

  const std::vector<UserEvent>& events_;
  State probe_;
  std::vector<Watched> watched_;
  Eigen::VectorXd moved_;
};

}  // namespace nonsmooth::events
