// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/systems/rigid_body.hpp>

#include "body_motion.hpp"

namespace nonsmooth {

/// m xddot = F, J Omegadot + Omega x J Omega = T. The overloads of fixed size are what the batch of such bodies asks.
class RigidBodySystem final : public MechanicalSystem {
 public:
  using Position = BodyLoad::Position;
  using Velocity = BodyLoad::Velocity;
  using Jacobian = BodyLoad::Jacobian;

  explicit RigidBodySystem(RigidBody body);

  [[nodiscard]] std::string name() const override { return body_.name; }
  [[nodiscard]] Eigen::VectorXd initial_position() const override;
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override;
  void mass(ConstVectorRef q, MatrixRef M) const override;
  void force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const override;
  void force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const override;
  void force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const override;
  void retract(VectorRef q, ConstVectorRef w) const override;
  void position_rates(ConstVectorRef q, ConstVectorRef v, VectorRef qdot) const override;
  [[nodiscard]] bool has_constant_mass() const override { return true; }
  [[nodiscard]] double potential(ConstVectorRef q) const override;
  [[nodiscard]] const std::vector<PrescribedVelocity>& prescribed() const override { return body_.prescribed; }
  [[nodiscard]] const std::vector<PrescribedImpulse>& impulses() const override { return body_.impulses; }
  [[nodiscard]] const Feedback& feedback() const override { return body_.feedback; }

  [[nodiscard]] const RigidBody& body() const noexcept { return body_; }
  /// Some load has a Jacobian of more than a drag's: translation and rotation hang together.
  [[nodiscard]] bool couples() const noexcept { return couples_; }
  /// Sums of all drags: what dF/dv of loads is where they do not couple.
  [[nodiscard]] double drag_of_translation() const noexcept { return drag_.translation; }
  [[nodiscard]] double drag_of_rotation() const noexcept { return drag_.rotation; }

  /// All but the gyroscopic moment.
  [[nodiscard]] Velocity loads(double t, const Position& q, const Velocity& v) const;
  /// Their derivatives along the tangent directions of retract, and by v.
  [[nodiscard]] Jacobian loads_dq(double t, const Position& q, const Velocity& v) const;
  [[nodiscard]] Jacobian loads_dv(double t, const Position& q, const Velocity& v) const;
  /// -Omega x J Omega, and its derivative by Omega.
  [[nodiscard]] Eigen::Vector3d gyroscopic(const Eigen::Vector3d& Omega) const {
    return rotation::cross(body_.inertia * Omega, Omega);
  }
  [[nodiscard]] Eigen::Matrix3d gyroscopic_dv(const Eigen::Vector3d& Omega) const {
    return rotation::skew(body_.inertia * Omega) - rotation::skew(Omega) * body_.inertia;
  }

 private:
  RigidBody body_;
  LinearDrag drag_;
  bool couples_ = false;
};

}  // namespace nonsmooth
