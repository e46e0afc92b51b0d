// SPDX-License-Identifier: Apache-2.0
#pragma once

// The self-adaptive step of FixedPoint and Extragradient.

#include <algorithm>
#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/friction/fixed_point.hpp>

#include "projection_method.hpp"

namespace nonsmooth::friction::internal {

template <class Options>
void validate_step(const std::string& name, const Options& options) {
  check::positive(name + "::tolerance", options.tolerance);
  check::positive(name + "::step", options.step);
  const auto inside = [&](const char* field, double value, double high) {
    if (!(value > 0.0 && value < high))
      throw InvalidArgument(name + field, std::to_string(value), "a number in (0, " + std::to_string(high) + ")");
  };
  inside("::acceptance", options.acceptance, 1.0);
  inside("::growth", options.growth, options.acceptance);
  inside("::reduction", options.reduction, 1.0);
  check::at_least(name + "::max_iterations", options.max_iterations, 1);
  detail::check_time_limit((name + "::time_limit").c_str(), options.time_limit);
}

/// The iterate of a projection method with u and û of it, and its next trial.
template <class Options>
class AdaptiveStep {
 public:
  AdaptiveStep(const Problem& problem, const Options& options, ConstVectorRef rho, ConstVectorRef start)
      : r(start), problem_(problem), options_(options), step_(options.step) {
    rho_ = rho;
    if (!options.scaled) rho_.setOnes();
    largest_ = options.step * largest_ratio;
    u.resize(start.size()), y_u.resize(start.size());
    refresh();
  }

  /// u and û of r.
  void refresh() {
    problem_.W.multiply_add(r, problem_.q, u);
    modify_velocity(problem_.K, u, v);
  }

  /// y = P_K(r - t rho û(r)) with y_u, y_v, t by the rule. False where no t is accepted.
  [[nodiscard]] bool predict() {
    while (true) {
      correct(v);
      problem_.W.multiply_add(y, problem_.q, y_u);
      modify_velocity(problem_.K, y_u, y_v);
      if (options_.rule == StepRule::Fixed) return true;
      d_ = y - r;
      const double length = reaction_norm(d_, rho_);
      if (length == 0.0) return true;
      e_ = y_v - v;
      const double ratio = options_.rule == StepRule::Khobotov ? step_ * velocity_norm(e_, rho_) / length
                                                               : step_ * e_.dot(d_) / (length * length);
      if (ratio <= options_.acceptance) {
        grow_ = ratio < options_.growth;
        return true;
      }
      step_ *= options_.reduction;
      if (!(step_ > options_.step * smallest_ratio)) return false;
    }
  }

  /// y = P_K(r - t rho w).
  void correct(const Eigen::VectorXd& w) {
    y = r - step_ * rho_.cwiseProduct(w);
    project(problem_.K, y);
  }

  /// After the trial has been used: a longer one next time where the rule had room.
  void adapt() {
    if (grow_) step_ = std::min(step_ / options_.reduction, largest_);
    grow_ = false;
  }

  Eigen::VectorXd r, u, v;      // the iterate, W r + q, û
  Eigen::VectorXd y, y_u, y_v;  // the trial

 private:
  static constexpr double smallest_ratio = 1e-15, largest_ratio = 1e8;

  const Problem& problem_;
  const Options& options_;
  double step_, largest_;
  bool grow_ = false;
  Eigen::VectorXd rho_, d_, e_;
};

}  // namespace nonsmooth::friction::internal
