// SPDX-License-Identifier: Apache-2.0
// A rigid body in space under its weight, as the contacts of shapes know it.
#pragma once

#include <cmath>

#include <Eigen/Geometry>

#include <nonsmooth/kernel/dynamical_system.hpp>

namespace nonsmooth::support {

/// q = (x, y, z, w, qx, qy, qz), v = (xdot, ydot, zdot, Omega), Omega in principal axes of the body.
class FreeRigidBody final : public MechanicalSystem {
 public:
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Vector7 = Eigen::Matrix<double, 7, 1>;

  FreeRigidBody(double mass, const Eigen::Vector3d& inertia, const Vector7& q0, const Vector6& v0, double gravity)
      : mass_(mass), inertia_(inertia), q0_(q0), v0_(v0), gravity_(gravity) {}

  [[nodiscard]] Eigen::VectorXd initial_position() const override { return q0_; }
  [[nodiscard]] Eigen::VectorXd initial_velocity() const override { return v0_; }
  void mass(ConstVectorRef, MatrixRef M) const override {
    M.diagonal().head<3>().setConstant(mass_);
    M.diagonal().tail<3>() = inertia_;
  }
  void force(double, ConstVectorRef, ConstVectorRef v, VectorRef F) const override {
    const Eigen::Vector3d omega = v.tail<3>();
    F[2] = -mass_ * gravity_;
    F.tail<3>() = inertia_.cwiseProduct(omega).cross(omega);
  }
  void force_dq(double, ConstVectorRef, ConstVectorRef, MatrixRef) const override {}
  void force_dv(double, ConstVectorRef, ConstVectorRef v, MatrixRef J) const override {
    const Eigen::Vector3d omega = v.tail<3>();
    for (Index k = 0; k < 3; ++k) {
      const Eigen::Vector3d e = Eigen::Vector3d::Unit(k);
      J.block<3, 1>(3, 3 + k) = inertia_.cwiseProduct(e).cross(omega) + inertia_.cwiseProduct(omega).cross(e);
    }
  }
  void retract(VectorRef q, ConstVectorRef w) const override { move(q, w); }

  /// The exponential map.
  static void move(VectorRef q, ConstVectorRef w) {
    q.head<3>() += w.head<3>();
    const Eigen::Vector3d turn = w.tail<3>();
    const double angle = turn.norm(), scale = angle > 0.0 ? std::sin(0.5 * angle) / angle : 0.5;
    const Eigen::Quaterniond step(std::cos(0.5 * angle), scale * turn[0], scale * turn[1], scale * turn[2]);
    const Eigen::Quaterniond turned = (Eigen::Quaterniond(q[3], q[4], q[5], q[6]) * step).normalized();
    q.tail<4>() << turned.w(), turned.x(), turned.y(), turned.z();
  }

 private:
  double mass_;
  Eigen::Vector3d inertia_;
  Vector7 q0_;
  Vector6 v0_;
  double gravity_;
};

}  // namespace nonsmooth::support
