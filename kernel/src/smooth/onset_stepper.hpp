// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "radau.hpp"

namespace nonsmooth::smooth {

/// What a right-hand side with friction says of directions of slip, u / |u|, which turn the faster the smaller |u| is.
class Turning {
 public:
  virtual ~Turning() = default;
  /// |u| of the slowest slip at (t, z) by what counts as none; infinity where nothing slips in space.
  virtual double begun(double t, const Eigen::VectorXd& z) = 0;
  /// What has hardly a slip at (t, z) keeps the direction that it begins with, whatever u is, until let_go().
  virtual void keep(double t, const Eigen::VectorXd& z) = 0;
  virtual void let_go() = 0;
  /// The time in which the fastest of them turns at (t, z), |u| / (mu lambda_N W_TT); infinity: none. `finest` gets for
  /// each entry of z the change that turns one of them, infinity where none does.
  virtual double fastest(double t, const Eigen::VectorXd& z, Eigen::VectorXd& finest) = 0;
};

/// Another method, but where a slip begins: there by Radau IIA until its direction turns no faster than steps are long.
///
/// With the force that drives at F0 + F1 s, s = t - t0, and F0 at the bound of friction, a slip has
///
///     u = d0 s^2 + d1 s^3 + ...,   u' = A + W_TT (F1 s - mu lambda_N n),   n = u / |u|:
///
/// smooth, but deviations of n from it fall at the rate mu lambda_N W_TT / |u|, without bound as s -> 0. Explicit steps
/// are of the length |u| / (mu lambda_N W_TT) there, so that their number grows as 1 / s at the first that sees n;
/// implicit ones grow with s, as the equation between the last ones does. Their differences and errors are held to |u|
/// itself while it is below the tolerances. Before that, until u is what velocities are known to, n is kept as it is at
/// the bound: that is wrong by O(|u|), and u by less than the tolerances.
/// Source: Hairer & Wanner 1996, sections IV.8 and VI.1 (stiff accuracy of singular perturbations) [hairer1996].
class OnsetStepper final : public Stepper {
 public:
  OnsetStepper(std::unique_ptr<Stepper> method, const ErrorControl& control, RightHandSide& f, Turning& turning);

  void start(double t, const Eigen::VectorXd& z) override;
  Outcome advance(double t_limit) override;
  Outcome shorten(double t_end) override;
  void amend(const Eigen::VectorXd& z) override;
  [[nodiscard]] const DensePolynomial& dense() override;
  [[nodiscard]] bool save(std::vector<double>& numbers) override;
  void resume(const std::vector<double>& numbers) override;
  [[nodiscard]] bool save_to_start(std::vector<double>& numbers) override;

 private:
  enum class Phase : unsigned char {
    Whole,  ///< by the method
    Kept,   ///< by the method, with directions kept
    Slow,   ///< by Radau IIA
  };
  void choose();
  void begin(Phase phase);
  void end_where_slips_have_directions();
  /// What `call` of the stepper that takes steps leaves.
  template <class Call>
  Outcome take(Call&& call);
  [[nodiscard]] Stepper& taker() noexcept { return phase_ == Phase::Slow ? static_cast<Stepper&>(*radau_) : *method_; }

  std::unique_ptr<Stepper> method_;
  std::unique_ptr<RadauStepper> radau_;
  ErrorControl control_;
  RightHandSide& f_;
  Turning& turning_;
  Eigen::VectorXd finest_, inside_;
  Phase phase_ = Phase::Whole;
  bool starts_ = false;
  bool grows_ = false;  ///< a step was cut where it had to end, and the length of steps still follows from that
};

}  // namespace nonsmooth::smooth
