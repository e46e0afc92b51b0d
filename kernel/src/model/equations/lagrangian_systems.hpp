// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/systems/lagrangian.hpp>

namespace nonsmooth {

/// M dv = F dt with F = force + external - internal - gyroscopic.
class CallableSystem final : public MechanicalSystem {
 public:
  explicit CallableSystem(LagrangianSystem description) : description_(std::move(description)) {}

  [[nodiscard]] std::string name() const override { return description_.name; }
  [[nodiscard]] Eigen::VectorXd initial_position() const override { return description_.q0.value(); }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return description_.v0.value(); }
  void mass(ConstVectorRef q, MatrixRef M) const override {
    if (description_.mass) {
      description_.mass(q, M);
    } else {
      M.setIdentity();
    }
  }
  void force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const override;
  void force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const override;
  void force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const override;
  [[nodiscard]] double potential(ConstVectorRef q) const override {
    return description_.potential ? description_.potential(q) : MechanicalSystem::potential(q);
  }
  [[nodiscard]] const std::vector<PrescribedVelocity>& prescribed() const override { return description_.prescribed; }
  [[nodiscard]] const std::vector<PrescribedImpulse>& impulses() const override { return description_.impulses; }
  [[nodiscard]] const Feedback& feedback() const override { return description_.feedback; }
  /// True where the user gave some part of dF/dq (dF/dv).
  [[nodiscard]] bool gives_dq() const noexcept {
    return description_.force_dq || description_.internal_dq || description_.gyroscopic_dq;
  }
  [[nodiscard]] bool gives_dv() const noexcept {
    return description_.force_dv || description_.internal_dv || description_.gyroscopic_dv;
  }

 private:
  LagrangianSystem description_;
};

}  // namespace nonsmooth
