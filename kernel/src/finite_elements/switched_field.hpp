// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <Eigen/Core>

#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::finite_elements {

/// x' = f_b(t, x) where the switching functions c_j(t, x), j = 0..p-1, have the signs of the pattern b: bit j is set
/// where c_j > 0. n states. What is written is resized.
class SwitchedField {
 public:
  virtual ~SwitchedField() = default;
  [[nodiscard]] virtual Index size() const = 0;                                                         ///< n
  [[nodiscard]] virtual Index num_switches() const = 0;                                                 ///< p
  virtual void switches(double t, const Eigen::VectorXd& x, Eigen::VectorXd& c) = 0;                    ///< p
  virtual void gradients(double t, const Eigen::VectorXd& x, Eigen::MatrixXd& G) = 0;                   ///< p x n
  virtual void switch_rates(double t, const Eigen::VectorXd& x, Eigen::VectorXd& c_t) = 0;              ///< dc/dt, p
  virtual void field(double t, const Eigen::VectorXd& x, unsigned pattern, Eigen::VectorXd& f) = 0;     ///< n
  virtual void jacobian(double t, const Eigen::VectorXd& x, unsigned pattern, Eigen::MatrixXd& J) = 0;  ///< n x n
};

/// A mode: surfaces that x slides on, and the signs of the others.
struct SwitchedMode {
  std::vector<Index> sliding;  ///< ascending
  unsigned pattern = 0;        ///< bits of sliding surfaces are zero
  Eigen::VectorXd alpha{};     ///< of the sliding surfaces, near which theirs is looked for; empty: 1/2

  [[nodiscard]] bool same_signs(const SwitchedMode& other) const {
    return sliding == other.sliding && pattern == other.pattern;
  }
};

/// The right-hand side of a mode with k sliding surfaces,
///
///     F(t, x, alpha) = sum_b f_b(t, x) prod_{j in S} (alpha_j where bit j of b is set, else 1 - alpha_j),
///
/// over the 2^k patterns b around x; alpha in [0, 1]^k. On one surface that is Filippov's hull; on several it is one
/// choice in it, the multi-affine one.
class ModeField {
 public:
  explicit ModeField(SwitchedField& field);

  void set_mode(const SwitchedMode& mode);
  [[nodiscard]] const SwitchedMode& mode() const noexcept { return mode_; }
  [[nodiscard]] Index num_sliding() const noexcept { return static_cast<Index>(mode_.sliding.size()); }  ///< k

  /// F, and where asked for, dF/dx (n x n) and dF/dalpha (n x k).
  void evaluate(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& alpha, Eigen::VectorXd& F,
                Eigen::MatrixXd* F_dx, Eigen::MatrixXd* F_dalpha);
  /// alpha that keeps x on the sliding surfaces, 0 = grad c_j . F(t, x, alpha) + dc_j/dt, j in S: by Newton's iteration
  /// from the alpha that comes in (one step where k = 1). False where it finds none: no transversality.
  [[nodiscard]] bool equivalent_control(double t, const Eigen::VectorXd& x, Eigen::VectorXd& alpha);

 private:
  SwitchedField* field_;
  SwitchedMode mode_;
  Eigen::VectorXd f_, F_, c_t_, residual_, step_;
  Eigen::MatrixXd jacobian_, F_dalpha_, G_, G_sliding_, slopes_;
  LuFactors factors_;
};

}  // namespace nonsmooth::finite_elements
