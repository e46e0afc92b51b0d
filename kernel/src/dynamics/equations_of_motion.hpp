// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <internal/decompositions.hpp>
#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth {

/// M(q) vdot = F(t, q, v) of one mechanical system, without feedback, impulses and prescribed velocities: what
/// event-driven simulation and the analysis ask of a system at an instant. Steps have its SystemBatch.
class EquationsOfMotion {
 public:
  EquationsOfMotion(const NonSmoothDynamicalSystem::System& record, const Layout::System& place);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] bool is_linear() const noexcept { return linear_ != nullptr; }  ///< constant M, dF/dq, dF/dv
  [[nodiscard]] bool is_forced() const noexcept;  ///< linear, with a force that is a function of time
  [[nodiscard]] const std::vector<PrescribedVelocity>& prescribed() const { return system_->prescribed(); }
  [[nodiscard]] const std::vector<PrescribedImpulse>& impulses() const { return system_->impulses(); }
  [[nodiscard]] bool has_feedback() const { return static_cast<bool>(system_->feedback()); }
  [[nodiscard]] bool moves_plainly() const noexcept { return plain_; }  ///< qdot = v: no retract of its own

  /// q := retract(q, w). @throws CallableFailure
  void retract(VectorRef q, const ConstVectorRef& w) const;
  /// q := retract(q, 0), which normalises what is ever normalised. True where q changed. @throws CallableFailure
  bool normalise(VectorRef q) const;
  /// qdot = T(q) v, as the system gives it. @throws CallableFailure
  void position_rates(const ConstVectorRef& q, const ConstVectorRef& v, VectorRef qdot) const;

  /// mass() and force() at (t, q, v). @throws CallableFailure
  void evaluate(double t, const ConstVectorRef& q, const ConstVectorRef& v);
  [[nodiscard]] const Eigen::MatrixXd& mass() const noexcept { return M_; }
  [[nodiscard]] const Eigen::VectorXd& force() const noexcept { return F_; }
  /// dF/dq along the tangent directions, and dF/dv. @throws CallableFailure
  void jacobians(double t, const ConstVectorRef& q, const ConstVectorRef& v, MatrixRef F_q, MatrixRef F_v) const;

  /// Of M as it was evaluated, once where it is constant. False: it is not positive definite.
  [[nodiscard]] bool factor();
  /// a = M^-1 F; after factor().
  void accelerations(VectorRef a) const;
  /// x := M^-1 x; after factor().
  void solve_mass(VectorRef x) const;

 private:
  std::shared_ptr<const DynamicalSystem> kept_;  // keeps what the pointers show alive
  const MechanicalSystem* system_ = nullptr;
  const LagrangianLinearSystem* linear_ = nullptr;  // null: nonlinear
  bool plain_ = false;
  std::string name_;
  Eigen::MatrixXd M_, inverse_, damping_, stiffness_;  // inverse_ of a constant M
  CholeskyFactors factor_;
  Eigen::VectorXd F_;
};

}  // namespace nonsmooth
