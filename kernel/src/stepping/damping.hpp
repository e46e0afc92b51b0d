// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "newton.hpp"

namespace nonsmooth {

/// Newton's iteration with natural monotonicity: a correction that is no smaller than the last is halved. Where halving
/// did not help, modes of laws change and corrections measure no progress: the rest of the step goes undamped.
class Damping {
 public:
  explicit Damping(Index max_halvings) : max_halvings_(max_halvings) {}

  /// The iterate is a part of the way only, and not the answer of a linearised step.
  [[nodiscard]] bool halved() const { return halvings_ > 0; }

  /// Moves the iterate: on to the answer of the linearised step, or back towards the one before.
  void move(double error, const StepSolution& solution, NewtonCaches& newton, Iterate& iterate) {
    if (last_ > 0.0 && error >= last_ && halvings_ < max_halvings_) {
      ++halvings_;
      scale_ *= 0.5;
      iterate.z = newton.z_base + scale_ * (newton.z_full - newton.z_base);
      iterate.lambda = newton.lambda_base + scale_ * (newton.lambda_full - newton.lambda_base);
      return;
    }
    if (halvings_ > 0 && error >= last_) max_halvings_ = 0;
    halvings_ = 0;
    scale_ = 1.0;
    last_ = error;
    if (max_halvings_ > 0) {
      newton.z_base = iterate.z;
      newton.z_full = solution.z;
      newton.lambda_base = iterate.lambda;
      newton.lambda_full = solution.lambda;
    }
    iterate.z = solution.z;
    iterate.lambda = solution.lambda;
  }

 private:
  Index max_halvings_, halvings_ = 0;
  double last_ = 0.0, scale_ = 1.0;
};

/// Tells when answers jump about: after some iterates none of the last few was nearer to the end than those before.
/// They do for the rest of the step then, whatever comes: an answer that nears the end is left again at the next jump.
class Patience {
 public:
  void look(double error) {
    ++looks_;
    if (error < least_) {
      least_ = error;
      least_at_ = looks_;
    }
    over_ = over_ || (looks_ >= kSome && looks_ - least_at_ >= kFew);
  }
  [[nodiscard]] bool is_over() const { return over_; }

 private:
  static constexpr Index kSome = 12, kFew = 3;
  Index looks_ = 0, least_at_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  bool over_ = false;
};

}  // namespace nonsmooth
