// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <internal/decompositions.hpp>

#include "stepper.hpp"

namespace nonsmooth::smooth {

/// Radau IIA with three stages. Stages Z_i = z(t + c_i h) - z from a simplified Newton iteration,
///
///     Z = h (A x 1) F(z + Z),   A^{-1} T = T diag(gamma, [alpha, -beta; beta, alpha]),
///
/// so that one real and one complex system of n unknowns are solved per iteration: (gamma / h - J) and
/// ((alpha + i beta) / h - J). J by forward differences (n evaluations), kept while Newton's iteration contracts fast;
/// factors are kept while h is the same. The error estimate, filtered by the real matrix, is of order 3 and held to the
/// tolerances as it is: stiff components have errors of that size, others far smaller ones, the step being of order 5.
/// Source: Hairer & Wanner 1996, section IV.8 [hairer1996].
///
/// shorten() and steps of fixed length iterate to round-off, so that z() is a smooth function of the step's end;
/// a shortened step in which the iteration does not converge is cut off the polynomial of the one that did.
/// Cost of a step: O(n^2) and 3 evaluations per iteration; O(n^3) for new factors. For n up to a few hundred (dense).
class RadauStepper final : public Stepper {
 public:
  RadauStepper(const ErrorControl& control, RightHandSide& f);

  void start(double t, const Eigen::VectorXd& z) override;
  Outcome advance(double t_limit) override;
  Outcome shorten(double t_end) override;
  void amend(const Eigen::VectorXd& z) override;
  [[nodiscard]] const DensePolynomial& dense() override { return dense_; }
  [[nodiscard]] bool save(std::vector<double>& numbers) override;
  void resume(const std::vector<double>& numbers) override;

  /// Of each entry of z the change over which f is another one, infinity where that is not known; nullptr: of none.
  /// Differences stay far below it, and errors well below. The vector has to outlive its use here.
  /// Where f turns so fast its Jacobian is another one in each step, and what Newton's iteration left in the last step
  /// tells nothing of this one.
  void set_finest(const Eigen::VectorXd* finest) noexcept {
    finest_ = finest;
    jacobian_kept_ = jacobian_fresh_ = false;
    carried_ = 1.0;
  }

 private:
  enum class Newton : unsigned char { Converged, Diverged, NotFinite };

  bool evaluate(double t, const Eigen::VectorXd& z, Eigen::VectorXd& slope);  // false where f is not finite
  void differentiate(double t, const Eigen::VectorXd& z, double h);
  void factorize(double h);
  void predict(double t, double h, const Eigen::VectorXd& z);
  Newton iterate(double t, double h, const Eigen::VectorXd& z, bool to_round_off);
  Newton solve(double t, double h, const Eigen::VectorXd& z, bool to_round_off);
  /// Of the step to z_next_, in units of the tolerance; not finite where f is not.
  double error_norm(double t, double h, bool once_more);
  double next_length(double h, double error, bool again);
  void accept(double end, double h);
  void make_dense(double h);
  void forget();
  template <class Memory>
  void remember(Memory& memory);

  [[nodiscard]] double norm(const Eigen::VectorXd& error);

  RightHandSide& f_;
  ErrorControl control_;
  const Eigen::VectorXd* finest_ = nullptr;
  Eigen::VectorXd z_start_, z_next_, stage_, slope_, first_slope_, scale_, estimate_, real_rhs_, real_step_;
  Eigen::VectorXcd complex_rhs_, complex_step_;
  Eigen::MatrixXd Z_, W_, F_, jacobian_, real_matrix_;  // Z_, W_, F_: n x 3
  Eigen::MatrixXcd complex_matrix_;
  LuFactors real_lu_;
  ComplexLuFactors complex_lu_;
  DensePolynomial dense_;
  bool slope_known_ = false;     // first_slope_ is that at (t(), z())
  bool jacobian_kept_ = false;   // may serve the next step
  bool jacobian_fresh_ = false;  // is that at (t(), z())
  bool predicts_ = false;        // dense_ is that of the last step
  double factorized_h_ = 0.0;    // 0: no factors of the present Jacobian
  double contraction_ = 0.0;     // of the last Newton iteration
  double carried_ = 1.0;         // contraction / (1 - contraction), from step to step
  int iterations_ = 0;
  double h_next_ = 0.0;                     // 0: found from f
  double last_h_ = 0.0, last_error_ = 0.0;  // of the last step taken; 0: none
};

}  // namespace nonsmooth::smooth
