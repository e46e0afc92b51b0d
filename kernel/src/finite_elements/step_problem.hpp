// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <Eigen/Core>

#include "smooth/collocation.hpp"
#include "switched_field.hpp"

namespace nonsmooth::mpcc {
struct NonlinearProblem;
}  // namespace nonsmooth::mpcc

namespace nonsmooth::finite_elements {

/// All elements of a step as one program with complementarity constraints, without a guess of modes: elements e = 1..N
/// of lengths h_e, s stages k of Radau's in each, with a step function alpha of each of the p switches,
///
///     min  sum_e (N h_e / h - 1)^2 / 2 + rho sum (alpha - 1/2)^2 / 2    with    sum_e h_e = h,
///     X_ek = X_e0 + h_e sum_l a_kl F(t_el, X_el, alpha_el),   X_e0 the last stage of the element before, X_10 = x_0,
///     c(t_ek, X_ek) = lambda_ek - mu_ek,
///     0 <= sum_k alpha_ek ⟂ mu_e0 + sum_k mu_ek >= 0,   0 <= sum_k (1 - alpha_ek) ⟂ lambda_e0 + sum_k lambda_ek >= 0
///
/// for each switch, all of lambda, mu >= 0 and alpha in [0, 1]. The pairs are cross complementarity: as sums of
/// numbers >= 0 they say that a sign stands through an element, with its ends, so that switches are ends of elements.
/// Equal lengths between switches (step equilibration) are what the first sum is least with; the second, rho = 1e-3,
/// takes of several alpha that give one x' the middle. Unknowns: N (1 + s (n + 2 p)), h_e / h, (X - x_0) / h, alpha and
/// lambda / h, so that all are of the size of F or 1 however short the step is. Solved by
/// mpcc::NonlinearRelaxation, which follows a relaxation t -> 0, from stages along F at x_0: a local answer. Source:
/// Nurkanović, Sperl, Albrecht & Diehl 2024 [nurkanovic2024]. Allocates.
class StepProblem {
 public:
  /// Switches that are taken: 2^p fields a stage.
  static constexpr Index kMostSwitchingFunctions = 4;

  StepProblem(SwitchedField& field, Index stages);

  /// From x_0 at t over h in `elements` elements; false: no answer was found.
  [[nodiscard]] bool solve(double t, const Eigen::VectorXd& x_0, double h, Index elements);
  [[nodiscard]] const Eigen::VectorXd& end() const noexcept { return end_; }  ///< x at t + h
  [[nodiscard]] double residual() const noexcept { return residual_; }        ///< of the certificate

 private:
  [[nodiscard]] Index width() const { return 1 + stages() * per_stage(); }  ///< unknowns of an element
  [[nodiscard]] Index per_stage() const { return n_ + 2 * p_; }
  [[nodiscard]] Index stages() const { return radau_.c.size(); }
  /// First unknown of a stage: (X - x_0) / h, alpha, lambda / h; before those of an element its h_e / h.
  [[nodiscard]] Index place(Index element, Index stage) const { return element * width() + 1 + stage * per_stage(); }
  void add_value(mpcc::NonlinearProblem& problem);
  void add_rows(mpcc::NonlinearProblem& problem);
  void add_pairs(mpcc::NonlinearProblem& problem);
  void rows(ConstVectorRef u, VectorRef value);
  void rows_du(ConstVectorRef u, MatrixRef J);
  void sides(ConstVectorRef u, VectorRef G, VectorRef H);
  void H_du(ConstVectorRef u, MatrixRef J);
  [[nodiscard]] Eigen::VectorXd start_control();
  [[nodiscard]] Eigen::VectorXd start();

  SwitchedField* field_;
  ModeField all_;  ///< every switch in the place of a sliding one
  smooth::Collocation radau_;
  Index n_, p_, elements_ = 0;
  double t_ = 0.0, h_ = 0.0, residual_ = 0.0;
  Eigen::VectorXd start_, end_, c_start_, x_, alpha_, c_;
  std::vector<Eigen::VectorXd> F_, F_dt_;  ///< by stage
  std::vector<Eigen::MatrixXd> F_dx_, F_dalpha_;
  Eigen::MatrixXd gradients_;
};

}  // namespace nonsmooth::finite_elements
