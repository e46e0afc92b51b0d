// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "body_system.hpp"

namespace nonsmooth {

/// m xddot = F, J Omegadot + Omega x J Omega = T.
class RigidBodySystem final : public BodySystem<RigidBody, 3, 3> {
 public:
  using Position = BodyLoad::Position;

  explicit RigidBodySystem(RigidBody body);

  [[nodiscard]] Eigen::VectorXd initial_position() const override;
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override;
  void force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef F) const override;
  void force_dq(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const override;
  void force_dv(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J) const override;
  void retract(VectorRef q, ConstVectorRef w) const override;
  void position_rates(ConstVectorRef q, ConstVectorRef v, VectorRef qdot) const override;
  void validate_position(ConstVectorRef q) const override;
  [[nodiscard]] double potential(ConstVectorRef q) const override;

  static void move(Position& q, const Velocity& w) { body_motion::retract(q, w); }  ///< q := retract(q, w)
  /// All but the gyroscopic moment.
  [[nodiscard]] Velocity loads(double t, const Position& q, const Velocity& v) const;
  /// Their derivatives along the tangent directions of retract, and by v.
  [[nodiscard]] Jacobian loads_dq(double t, const Position& q, const Velocity& v) const;
  [[nodiscard]] Jacobian loads_dv(double t, const Position& q, const Velocity& v) const;
  /// The gyroscopic moment is there and, in steps, implicit.
  [[nodiscard]] bool gyroscopic_varies() const noexcept {
    return body_.gyroscopic == GyroscopicTerm::Implicit && !even_;
  }
  /// -Omega x J Omega, and its derivative by Omega.
  [[nodiscard]] Turn gyroscopic(const Turn& Omega) const {
    return even_ ? Turn(Turn::Zero()) : Turn(rotation::cross(inertia() * Omega, Omega));
  }
  [[nodiscard]] Inertia gyroscopic_dv(const Turn& Omega) const {
    return rotation::skew(inertia() * Omega) - rotation::skew(Omega) * inertia();
  }

 private:
  bool even_;  ///< J = c I, as of balls and cubes: Omega x J Omega = 0
};

}  // namespace nonsmooth
