// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <Eigen/Core>

#include <internal/decompositions.hpp>

#include "smooth/collocation.hpp"
#include "switched_field.hpp"

namespace nonsmooth::finite_elements {

using smooth::Collocation;

/// One finite element of a mode, from x_0 at t_0 over the length h: with t_j = t_0 + c_j h, X_j = x_0 + Z_j and the
/// alpha_j of the stages j = 1..s
///
///     Z_j = h sum_k a_jk F(t_k, X_k, alpha_k),   c_i(t_j, X_j) = 0 for each sliding surface i,
///
/// a differential-algebraic system of index 2 where x slides, by Newton's iteration on all of them, until its steps are
/// round-off. x_1 is the last stage (Radau); or x_0 + h sum_k b_k F(t_k, X_k, alpha_k) put back on the sliding surfaces
/// along dF/dalpha, which keeps order 2 s there (Gauss; Ascher & Petzold 1991 [ascher1991]). Cost: O(s^3 (n + k)^3) an
/// iteration, dense. Allocates when a mode with more unknowns than before is first met.
class Element {
 public:
  Element(SwitchedField& field, const Collocation& collocation);

  void set_mode(const SwitchedMode& mode) { field_.set_mode(mode); }
  /// Starts from stages at x_0 with `alpha`; `kept`: from the stages of the last call, moved to x_0 and h.
  [[nodiscard]] bool solve(double t_0, const Eigen::VectorXd& x_0, double h, const Eigen::VectorXd& alpha, bool kept);
  [[nodiscard]] Index iterations() const noexcept { return iterations_; }  ///< of the last call

  [[nodiscard]] double time(double s) const noexcept { return t_0_ + s * h_; }
  [[nodiscard]] const Eigen::VectorXd& end() const noexcept { return end_; }
  [[nodiscard]] Eigen::VectorXd::ConstSegmentReturnType alpha(Index stage) const;  ///< k, of a stage
  /// x and alpha on the element's polynomials, s in [0, 1]; alpha by the polynomial through the stages.
  void evaluate(double s, Eigen::VectorXd& x, Eigen::VectorXd& alpha) const;

  /// Of x_1 at the last solution, by its own equations; by t_0 with central differences of the fields. Gauss: but for
  /// what the way back to the surfaces, which is as small as the step's error, turns by.
  struct Derivatives {
    Eigen::MatrixXd dx_0;      ///< n x n
    Eigen::VectorXd dh, dt_0;  ///< n
  };
  void differentiate(Derivatives& end);

 private:
  void assemble();
  void evaluate_stages(bool jacobians);
  [[nodiscard]] bool finish();
  void put_back(Eigen::MatrixXd& all);
  [[nodiscard]] double scale() const;

  SwitchedField* switched_;
  ModeField field_;
  const Collocation* collocation_;
  double t_0_ = 0.0, h_ = 0.0;
  Index n_ = 0, k_ = 0, iterations_ = 0;
  Eigen::VectorXd start_, end_, unknowns_, residual_, step_, x_, alpha_, c_, c_t_, F_end_;
  Eigen::MatrixXd matrix_, G_;
  // Of the way back to the surfaces: dF/dalpha at x_1 (n x k), the gradients (k x n), what is off them.
  Eigen::MatrixXd back_, G_sliding_, slopes_;
  Eigen::VectorXd off_, shares_, move_;
  LuFactors back_factors_;
  std::vector<Eigen::VectorXd> F_;  // by stage
  std::vector<Eigen::MatrixXd> F_dx_, F_dalpha_, G_of_;
  LuFactors factors_;
  mutable Eigen::VectorXd weights_;
};

}  // namespace nonsmooth::finite_elements
