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
  /// The signs for a step of length h from (t, z), where z moves at zdot; a guard that is zero there takes the sign
  /// that it gets in a millionth of the step.
  void start(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, double h, int* zeros, double* dips);
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
  };
  [[nodiscard]] double value(const Watched& watched, double t, const Eigen::VectorXd& z);

  const std::vector<UserEvent>& events_;
  State probe_;
  std::vector<Watched> watched_;
  Eigen::VectorXd moved_;
};

}  // namespace nonsmooth::events
